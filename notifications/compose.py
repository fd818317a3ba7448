"""One message as RFC 5322 wants it: headers that nobody can add to, plain text and HTML."""

from __future__ import annotations

import email.policy
import re
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape
from typing import Final

from notifications.addresses import is_address
from notifications.attachments import Attachment

POLICY: Final = email.policy.SMTP.clone(max_line_length=998)
"""Long header values stay in one piece: folded, a List-Unsubscribe would be encoded beyond reading."""
_NAMED: Final = re.compile(r'\s*+"?([^"<>]*+)"?\s*+<([^<>]++)>\s*+')
_OWN: Final = (
    "Your system's record, and where to answer (for you alone: whoever has the link gets in)",
    "See your system's record and answer there; the link is for you alone",
)
_STOP: Final = ("To stop reminders like this one", "Stop reminders like this one")
"""What is said of a link, in text and in HTML."""


class MailRefused(ValueError):
    """The message cannot be written as it is: a line end in a header, or not exactly one address."""


@dataclass(frozen=True, kw_only=True)
class Mail:
    """One message for one recipient. `unsubscribe_url` only for reminders, never for legal notices (RFC 8058).

    owner_url: of an owner's mail the page of the own system, which opens for whoever has the link.
    attachments: files of text in UTF-8. staged_for: whom it would have gone to, were this not a trial (`staging`).
    """

    recipient: str
    subject: str
    text: str
    html: str
    message_id: str
    dated_at: datetime
    reply_to: str = ""
    unsubscribe_url: str = ""
    owner_url: str = ""
    attachments: tuple[Attachment, ...] = ()
    staged_for: str = ""


def compose(mail: Mail, mail_from: str) -> EmailMessage:
    """The message with its headers; raises `MailRefused`."""
    message = EmailMessage(policy=POLICY)
    headers = {
        "From": str(_mailbox(mail_from)),
        "To": _only(mail.recipient),
        "Subject": mail.subject,
        "Date": format_datetime(mail.dated_at),
        "Message-ID": mail.message_id,
        "Auto-Submitted": "auto-generated",  # RFC 3834: no out-of-office answers, please
    }
    if mail.reply_to:
        headers["Reply-To"] = _only(mail.reply_to)
    if mail.staged_for:
        headers["X-Pumper-Recipient"] = mail.staged_for
    if mail.unsubscribe_url:
        headers["List-Unsubscribe"] = f"<{mail.unsubscribe_url}>"
        if mail.unsubscribe_url.startswith("https://"):
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    for name, value in headers.items():
        message[name] = _header(name, value)
    text, html = _with_links(mail)
    message.set_content(text)
    message.add_alternative(html, subtype="html")
    for one in mail.attachments:
        main, _, sub = one.media.partition("/")
        message.add_attachment(one.data, main, sub, filename=one.name, params={"charset": "utf-8"})
    return message


def _with_links(mail: Mail) -> tuple[str, str]:
    """Text and HTML with the recipient's own links: an owner's to the own system; to stop reminders, for those whose
    mail program shows no button for it."""
    text, html = mail.text, mail.html
    for url, words in ((mail.owner_url, _OWN), (mail.unsubscribe_url, _STOP)):
        if not url:
            continue
        link = f'<p><a href="{escape(url)}">{words[1]}</a></p>'
        before, footer, after = html.rpartition("</footer>")
        html = f"{before}{link}\n{footer}{after}" if footer else f"{html}{link}\n"
        text = f"{text}\n{words[0]}:\n{url}\n"
    return text, html


def envelope_from(mail_from: str) -> str:
    """The bare address of a `MAIL_FROM` with or without a name; raises `MailRefused`."""
    return _mailbox(mail_from).addr_spec


def _mailbox(text: str) -> Address:
    named = _NAMED.fullmatch(_header("From", text))
    name, address = (named[1].strip(), named[2]) if named else ("", text)
    return Address(display_name=name, addr_spec=_only(address))


def _only(address: str) -> str:
    if not is_address(address):
        raise MailRefused("Not exactly one plain mail address.")
    return address


def _header(name: str, value: str) -> str:
    if any(char in "\r\n\0" or 0xD800 <= ord(char) <= 0xDFFF for char in value):
        raise MailRefused(f"{name}: holds a line end or something else that no header may.")
    return value
