"""Reports as mail servers and mailbox providers send them (RFC 3464, RFC 5965), written by hand."""

from collections.abc import Mapping
from typing import Any

BOUNDARY = "=-report"


def a_bounce(row: Mapping[str, Any], **values: str) -> bytes:
    """A delivery status notification about a message of the queue; `""` leaves a part or a header out."""
    told = {
        "recipient": row["recipient"],
        "action": "failed",
        "status": "5.1.1",
        "diagnostic": "smtp; 550 5.1.1 No such mailbox",
        "message_id": row["message_id"],
        "envelope": "",
        **values,
    }
    first = ["Reporting-MTA: dns; mx.example.org", f"Original-Envelope-Id: {told['envelope']}" * bool(told["envelope"])]
    second = [
        f"Final-Recipient: rfc822; {told['recipient']}" * bool(told["recipient"]),
        f"Action: {told['action']}" * bool(told["action"]),
        f"Status: {told['status']}" * bool(told["status"]),
        f"Diagnostic-Code: {told['diagnostic']}" * bool(told["diagnostic"]),
    ]
    blocks = "\r\n\r\n".join("\r\n".join(line for line in block if line) for block in (first, second))
    original = f"Message-ID: {told['message_id']}\r\nSubject: x\r\n" if told["message_id"] else "Subject: x\r\n"
    return _report(
        "delivery-status",
        ("message/delivery-status", f"{blocks}\r\n"),
        ("message/rfc822", f"{original}\r\nFinal-Recipient: rfc822; other@x.example\r\n"),
    )


def a_complaint(row: Mapping[str, Any], kind: str = "abuse", to: str = "") -> bytes:
    """A reader's complaint, as a feedback loop passes it on."""
    block = f"Feedback-Type: {kind}\r\nUser-Agent: loop/1\r\nVersion: 1\r\n"
    original = f"To: {to or row['recipient']}\r\nMessage-ID: {row['message_id']}\r\n\r\ntext\r\n"
    return _report("feedback-report", ("message/feedback-report", block), ("message/rfc822", original))


def mailbox(*messages: bytes) -> bytes:
    """The messages as an mbox file, with LF as mail programs keep them."""
    found = b""
    for one in messages:
        quoted = one.replace(b"\r\n", b"\n").replace(b"\nFrom ", b"\n>From ")
        found += b"From MAILER-DAEMON Mon Jul 13 12:00:00 2026\n" + quoted + b"\n\n"
    return found


def _report(kind: str, *parts: tuple[str, str]) -> bytes:
    head = (
        "From: MAILER-DAEMON@mx.example.org\r\nTo: reporting@ozaukee.example\r\nSubject: Undelivered\r\n"
        f'MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type={kind}; boundary="{BOUNDARY}"\r\n\r\n'
    )
    said = f"--{BOUNDARY}\r\nContent-Type: text/plain\r\n\r\nYour message did not arrive.\r\n"
    more = "".join(f"--{BOUNDARY}\r\nContent-Type: {media}\r\n\r\n{text}" for media, text in parts)
    return f"{head}{said}{more}\r\n--{BOUNDARY}--\r\n".encode()
