"""Reports that a mail did not arrive (RFC 3464) or was taken for spam (RFC 5965), read from a mailbox or one message.

Pure: bytes in, what they say out. A report names a message of ours by the Message-ID in the part that it returns, or by
the envelope id that we gave (RFC 3461), and the recipient. Nothing in it is believed beyond that (`returns` checks it).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, message_from_string
from email.message import Message
from enum import StrEnum
from typing import Final

from notifications.addresses import is_address, one_line

LARGEST_FILE: Final = 50_000_000
LARGEST_MESSAGE: Final = 1_000_000
"""Bytes; a report returns at most headers or one message of ours, and those are small."""
_FROM_LINE: Final = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")
_HEADER: Final = re.compile(rb"[!-9;-~]+[ \t]*:", re.ASCII)
_ID: Final = re.compile(r"<([^<>\s]{1,900}@[^<>\s]{1,250})>")
_STATUS: Final = re.compile(r"\s*([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_XTEXT: Final = re.compile(r"\+([0-9A-F]{2})")
_MOST_RECIPIENTS: Final = 100


class BounceUnreadable(ValueError):
    """The file or message cannot be read as mail, in words."""


class Told(StrEnum):
    """What a report says of one recipient."""

    PERMANENT = "permanent"
    TRANSIENT = "transient"
    COMPLAINT = "complaint"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class Report:
    """What one report says of one recipient of one message. `message_id`: without its angle brackets.

    gave_up: the other side tries no more (Action: failed). `status`: as RFC 3463 has it, such as 5.1.1; "" for none.
    """

    message_id: str
    recipients: frozenset[str]
    told: Told
    status: str = ""
    gave_up: bool = False
    detail: str = ""


def split_mailbox(data: bytes) -> list[bytes]:
    """The messages of a file in mbox form, or the one message that it is; raises `BounceUnreadable`."""
    if len(data) > LARGEST_FILE:
        raise BounceUnreadable(f"It is larger than {LARGEST_FILE // 1_000_000} MB: split it.")
    if not data.strip():
        raise BounceUnreadable("It is empty: give a mailbox (mbox) or one message with its headers.")
    if not data.startswith(b"From "):
        return [data]
    # A line `From ` in a body stands behind a `>` in mbox form (mboxrd), which is taken off again.
    parts = [part for part in _FROM_LINE.split(data)[1:] if part.strip()]
    return [re.sub(rb"(?m)^>(>*From )", rb"\1", part) for part in parts]


def read_reports(data: bytes) -> list[Report]:
    """What one message reports, a line for each recipient; none: it is mail, and no report (an answer, a vacation).

    Raises `BounceUnreadable` for what is no mail, and for a report without the parts that make it one.
    """
    if len(data) > LARGEST_MESSAGE:
        raise BounceUnreadable(f"The message is larger than {LARGEST_MESSAGE // 1_000_000} MB: a report is small.")
    if not _HEADER.match(data.lstrip(b"\r\n")):
        raise BounceUnreadable("It does not begin with a header such as `Received:`: it is no mail message.")
    try:
        message = message_from_bytes(data.lstrip(b"\r\n"))
        kind = str(message.get_param("report-type", "")).lower()
        if message.get_content_type() != "multipart/report" or kind not in _READERS:
            return []
        return list(_READERS[kind](message))
    except BounceUnreadable:
        raise
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        # The standard parser has no one word for a message that is built to break it.
        raise BounceUnreadable(f"The report cannot be taken apart ({type(error).__name__}).") from error


def _delivery(message: Message) -> Iterator[Report]:
    """A delivery status notification, RFC 3464: a block on the message, then one for each recipient."""
    status = _part(message, "message/delivery-status")
    blocks = [block for block in status if block.keys()]
    found = _original_id(message) or _envelope_id(blocks[0] if blocks else None)
    if not found:
        raise BounceUnreadable("The report names no message: neither a returned Message-ID nor Original-Envelope-Id.")
    people = [block for block in blocks if block["Final-Recipient"] or block["Original-Recipient"]]
    if not people:
        raise BounceUnreadable("The report names no recipient: Final-Recipient is missing.")
    if len(people) > _MOST_RECIPIENTS:
        raise BounceUnreadable(f"The report names more than {_MOST_RECIPIENTS} recipients of one message.")
    for block in people:
        yield _of_recipient(block, found)


def _of_recipient(block: Message, message_id: str) -> Report:
    action = _text(block, "Action").lower()
    match = _STATUS.match(_text(block, "Status"))
    status = f"{match[1]}.{match[2]}.{match[3]}" if match else ""
    if action not in ("failed", "delayed", "delivered", "relayed", "expanded"):
        raise BounceUnreadable("The report has no Action of RFC 3464 (failed, delayed, delivered, relayed, expanded).")
    if action in ("failed", "delayed") and not status:
        raise BounceUnreadable("The report has no Status such as 5.1.1.")
    told = Told.OTHER
    if action == "failed" and status.startswith("5"):
        told = Told.PERMANENT
    elif action in ("failed", "delayed") and status.startswith(("4", "5")):
        told = Told.TRANSIENT  # of `delayed` the last word is still to come
    return Report(
        message_id=message_id,
        recipients=frozenset(filter(None, (_address(block, "Final-Recipient"), _address(block, "Original-Recipient")))),
        told=told,
        status=status,
        gave_up=action == "failed",
        detail=one_line(_text(block, "Diagnostic-Code"), longest=300),
    )


def _complaint(message: Message) -> Iterator[Report]:
    """A reader pressed "spam", RFC 5965; other feedback (fraud, not-spam, …) is none of ours."""
    [block] = list(_part(message, "message/feedback-report"))[:1] or [Message()]
    kind = _text(block, "Feedback-Type").lower()
    if not kind:
        raise BounceUnreadable("The complaint has no Feedback-Type.")
    found, original = _original_id(message), _original(message)
    if not found or original is None:
        raise BounceUnreadable("The complaint returns no message with a Message-ID.")
    to = _plain(_text(block, "Original-Rcpt-To")) or _plain(_text(original, "To"))
    told = Told.COMPLAINT if kind == "abuse" else Told.OTHER
    detail = one_line(f"complaint: {kind}", longest=100)
    yield Report(message_id=found, recipients=frozenset(filter(None, [to])), told=told, detail=detail)


_READERS: Final = {"delivery-status": _delivery, "feedback-report": _complaint}


def _part(message: Message, kind: str) -> list[Message]:
    """The blocks of the machine's part of a report."""
    for part in _parts(message):
        if part.get_content_type() == kind:
            payload = part.get_payload()
            if isinstance(payload, list):
                return [block for block in payload if isinstance(block, Message)]
            raw = part.get_payload(decode=True)
            text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""
            return [message_from_string(text)]
    raise BounceUnreadable(f"The report has no part {kind}.")


def _original(message: Message) -> Message | None:
    """What the report returns of our message: whole, or its headers."""
    for part in _parts(message):
        kind, payload = part.get_content_type(), part.get_payload()
        if kind == "message/rfc822" and isinstance(payload, list) and payload and isinstance(payload[0], Message):
            return payload[0]
        if kind in ("text/rfc822-headers", "message/rfc822-headers"):
            raw = part.get_payload(decode=True)
            if isinstance(raw, bytes):
                return message_from_bytes(raw)
    return None


def _parts(message: Message) -> list[Message]:
    """The parts of the report itself, and none of theirs: our text must not pass for the machine's."""
    payload = message.get_payload()
    return [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []


def _original_id(message: Message) -> str:
    original = _original(message)
    found = _ID.search(_text(original, "Message-ID")) if original is not None else None
    return found[1] if found else ""


def _envelope_id(block: Message | None) -> str:
    """The envelope id that we gave (RFC 3461, 4.4): our Message-ID, in xtext."""
    given = _text(block, "Original-Envelope-Id") if block is not None else ""
    plain = _XTEXT.sub(lambda found: chr(int(found[1], 16)), given)
    found = _ID.fullmatch(plain) or _ID.fullmatch(f"<{plain}>")
    return found[1] if found else ""


def _address(block: Message, header: str) -> str:
    """The address of `rfc822; a@x.org`; "" where there is none of that kind."""
    kind, _, address = _text(block, header).partition(";")
    return _plain(address) if kind.strip().lower() in ("rfc822", "utf-8") else ""


def _plain(text: str) -> str:
    address = text.strip().strip("<>").strip().lower()
    return address if is_address(address) else ""


def _text(block: Message, header: str) -> str:
    return str(block.get(header, ""))[:2_000].strip()
