"""Reading reports: what is one, what it says, and words for what cannot be read."""

import random
from contextlib import suppress

import pytest

from notifications.bounces import (
    LARGEST_FILE,
    LARGEST_MESSAGE,
    BounceUnreadable,
    Report,
    Told,
    read_reports,
    split_mailbox,
)
from tests.notifications.bouncing import BOUNDARY, a_bounce, a_complaint, mailbox

ID = "receipt.abc@reports.example.org"
ROW = {"recipient": "gone@x.example", "message_id": f"<{ID}>"}
GONE = frozenset({"gone@x.example"})


@pytest.mark.parametrize(
    ("values", "told", "gave_up"),
    [
        ({}, Told.PERMANENT, True),
        ({"status": "5.7.1 (refused)"}, Told.PERMANENT, True),
        ({"status": "4.4.7"}, Told.TRANSIENT, True),
        ({"action": "delayed", "status": "4.2.2"}, Told.TRANSIENT, False),
        ({"action": "Delayed", "status": "5.0.0"}, Told.TRANSIENT, False),
        ({"action": "delivered", "status": "2.0.0"}, Told.OTHER, False),
        ({"action": "relayed", "status": ""}, Told.OTHER, False),
        ({"action": "failed", "status": "2.0.0"}, Told.OTHER, True),
    ],
)
def test_what_a_report_says(values: dict[str, str], told: Told, gave_up: bool) -> None:
    [report] = read_reports(a_bounce(ROW, **values))
    assert (report.message_id, report.recipients, report.told, report.gave_up) == (ID, GONE, told, gave_up)


def test_all_of_a_report_that_is_kept() -> None:
    assert read_reports(a_bounce(ROW)) == [
        Report(
            message_id=ID,
            recipients=GONE,
            told=Told.PERMANENT,
            status="5.1.1",
            gave_up=True,
            detail="smtp; 550 5.1.1 No such mailbox",
        )
    ]


@pytest.mark.parametrize("envelope", [ID, f"+3C{ID}+3E", f"<{ID}>"])
def test_the_envelope_id_stands_in_for_a_message_that_is_not_returned(envelope: str) -> None:
    [report] = read_reports(a_bounce(ROW, message_id="", envelope=envelope))
    assert report.message_id == ID


def test_a_complaint_is_read() -> None:
    [report] = read_reports(a_complaint(ROW))
    assert (report.message_id, report.recipients, report.told) == (ID, GONE, Told.COMPLAINT)
    [other] = read_reports(a_complaint(ROW, "not-spam"))
    assert other.told is Told.OTHER


def test_other_mail_is_no_report() -> None:
    assert (
        read_reports(b"From: a@x.example\r\nSubject: On vacation\r\nAuto-Submitted: auto-replied\r\n\r\nBye\r\n") == []
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "does not begin with a header"),
        (b"hello there\n", "does not begin with a header"),
        (a_bounce(ROW, status=""), "no Status"),
        (a_bounce(ROW, status="five"), "no Status"),
        (a_bounce(ROW, action=""), "no Action"),
        (a_bounce(ROW, action="exploded"), "no Action"),
        (a_bounce(ROW, recipient=""), "no recipient"),
        (a_bounce(ROW, message_id=""), "names no message"),
        (a_bounce(ROW, message_id="<two words@x>"), "names no message"),
        (a_bounce(ROW).replace(b"message/delivery-status", b"text/plain"), "no part message/delivery-status"),
        (a_complaint(ROW, ""), "no Feedback-Type"),
        (a_complaint({**ROW, "message_id": ""}), "returns no message"),
        (a_bounce(ROW) + b"x" * LARGEST_MESSAGE, "larger than"),
        (
            a_bounce(ROW).replace(
                b"Final-Recipient: rfc822; gone@x.example\r\n",
                b"\r\n\r\n".join(b"Final-Recipient: rfc822; a%d@x.example" % n for n in range(200)) + b"\r\n",
            ),
            "more than 100",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(data: bytes, words: str) -> None:
    with pytest.raises(BounceUnreadable, match=words):
        read_reports(data)


def test_only_the_parts_of_the_report_itself_count() -> None:
    """What our own text quoted, or a whole report packed into another mail, is no machine's word."""
    packed = a_bounce(ROW).replace(BOUNDARY.encode(), b"inner")
    outer = b"Content-Type: multipart/mixed; boundary=o\r\n\r\n--o\r\nContent-Type: message/rfc822\r\n\r\n"
    assert read_reports(outer + packed + b"\r\n--o--\r\n") == []
    [report] = read_reports(a_bounce(ROW))  # its returned body says `Final-Recipient: rfc822; other@x.example`
    assert report.recipients == GONE


def test_a_mailbox_is_taken_apart() -> None:
    quoting = a_bounce(ROW).replace(b"Your message", b"\r\nFrom here on it did not go.\r\nYour message")
    found = split_mailbox(mailbox(a_bounce(ROW), quoting, a_complaint(ROW)))
    assert [len(read_reports(one)) for one in found] == [1, 1, 1]
    assert b"\nFrom here on" in found[1]
    assert split_mailbox(a_bounce(ROW)) == [a_bounce(ROW)]
    for data, words in ((b" \n", "empty"), (b"x" * (LARGEST_FILE + 1), "larger than 50 MB")):
        with pytest.raises(BounceUnreadable, match=words):
            split_mailbox(data)


def test_mutated_reports_are_read_or_refused() -> None:
    pick = random.Random(3464)
    seeds = [a_bounce(ROW), a_complaint(ROW)]
    for _ in range(2_000):
        data = bytearray(pick.choice(seeds))
        for _ in range(pick.randrange(1, 12)):
            at = pick.randrange(len(data))
            data[at : at + pick.randrange(0, 4)] = pick.randbytes(pick.randrange(0, 4))
        with suppress(BounceUnreadable):
            read_reports(bytes(data))


def test_nesting_without_end_is_refused() -> None:
    head = b"Content-Type: multipart/report; report-type=delivery-status; boundary=b0\r\n\r\n"
    deep = b"".join(b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (n, n + 1) for n in range(9_000))
    with pytest.raises(BounceUnreadable):
        read_reports(head + deep)
