"""P19: mail goes to the right person, safely. Two counties with the same systems; line ends, headers, scripts and
direction marks in every field that is mailed; several addresses in one field; one county's switch is on, and one
address is on the other's list. Real SMTP; every message is read back as the bytes that came.

Full size: both counties, every kind of notice, every text in it spoilt one by one, as an older version or a hand in the
database may have left it. The controls break one thing each and are found out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any
from unittest.mock import patch

from sqlalchemy import false

from notifications import compose, delivery, directory, eligibility, facts, notices, outbox, queueing, render
from notifications.addresses import AddressField
from notifications.compose import Mail
from notifications.mail import SmtpSender, read_smtp_url
from notifications.outbox import MessageState, list_messages
from notifications.outcomes import Outcome as Ended
from notifications.pauses import Hand, pause_mail, resume_mail
from notifications.records import NoticeKind
from notifications.samples import NoSample, sample_notices
from notifications.suppression import Reason, Standing, Suppressing, suppress_address
from reporting.store.counties import save_counties
from reporting.store.engine import Database
from reporting.store.facts import insert_owners, insert_systems
from tests.notifications.builders import (
    BASE_URL,
    MAIL_FROM,
    NOON,
    TODAY,
    Clock,
    a_program,
    add_contractor,
    due_event,
    late_event,
    missing_event,
    receipt_event,
    record,
)
from tests.notifications.test_owner_notices import case, delinquent, reminder
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.services.smtp import ReceivedMail, running_smtp_server

COUNTIES = ("ozaukee", "portage")
CANARY = {"ozaukee": "Zzyx-Homecanary", "portage": "Qwvv-Awaycanary"}
EVIL = "\r\nBcc: victim@evil.example\r\nX-Evil: 1\r\n\r\n<script>alert(1)</script>\u202e\u2028\x00\x1b é"
DIRECTION = "\u202e"
SHARED = "shared@both.example"
ALLOWED = {
    "from", "to", "subject", "date", "message-id", "auto-submitted", "reply-to", "mime-version", "content-type",
}  # fmt: skip
HAND = Hand(by="proof", now=NOON)
SPOILT_KINDS = {Size.SMOKE: 3, Size.FULL: len(NoticeKind)}


@dataclass(kw_only=True)
class Found:
    """What was seen, and what was wrong."""

    mails: int = 0
    spoilt: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        """Note a fault; the first twenty are enough."""
        if len(self.faults) < 20:
            self.faults.append(text)


def stock(database: Database) -> None:
    """Each county's business with two addresses in one field, its owner, and the same two systems with other words."""
    with database.transaction(None) as store:
        save_counties(store, {slug: slug for slug in COUNTIES})
        for number, slug in enumerate(COUNTIES):
            name, mails = (
                f"{CANARY[slug]} Septic{EVIL}"[:150].replace("\x00", ""),
                f"a@{slug}.example; B@{slug}.example\r\nX-Evil: 1 {SHARED}",
            )
            add_contractor(store, f"con_{slug}", name, mails, f"0041{number}")
    for slug in COUNTIES:
        spoilt = f"{CANARY[slug]}{EVIL}".replace("\x00", "")
        with database.transaction(slug) as store:
            content = {"access_notes": spoilt}
            insert_systems(
                store, [{"id": f"sys_{n}", "created_seq": 1, "status": "active", "content": content} for n in (1, 2)]
            )
            owner = {"seq": 1, "name": spoilt, "email": f"owner@{slug}.example,second@{slug}.example", "content": {}}
            insert_owners(store, [{"system": f"sys_{n}", **owner} for n in (1, 2)])


def events_of(slug: str) -> list[Any]:
    """An event of every kind that comes of a system, with hostile words wherever words may stand."""
    words = f"{CANARY[slug]}{EVIL}".replace("\x00", "")
    names = ("permit_number", "parcel_number", "site_address", "municipality", "because", "report_ref", "cite")
    spoilt = dict.fromkeys(names, words)
    mine: dict[str, Any] = {
        **spoilt,
        "contractor_license": f"0041{COUNTIES.index(slug)}",
        "contractor_id": f"con_{slug}",
    }
    of_case = {key: value for key, value in mine.items() if key != "report_ref"}
    return [
        due_event(1, **mine), late_event(1, **mine), missing_event(2, **mine),
        receipt_event(f"sub_{slug}", contractor_id=f"con_{slug}", file_name=words),
        reminder(1, **of_case), delinquent(2, **of_case), case("case_opened", 1, **of_case),
    ]  # fmt: skip


def queue_all(database: Database) -> None:
    """Every county's events made into messages, with its own office's address."""
    for slug in COUNTIES:
        program = a_program(slug, county_email=f"office@{slug}.example", legal_by_letter=False)
        with database.transaction(slug) as store:
            record(store, *events_of(slug))
            queueing.queue_notices(store, program, TODAY, NOON, BASE_URL)


def expected(slug: str) -> set[str]:
    """Everybody whom a county may mail to."""
    of_county = {f"{name}@{slug}.example" for name in ("a", "b", "owner", "second", "office")}
    return of_county if slug == "ozaukee" else of_county | {SHARED}


def check_mail(found: Found, one: ReceivedMail, slug: str) -> None:
    """One message as it came: its recipient, its headers, its words."""
    check_bytes(found, one.raw, f"{slug}: {one.message['Subject']!r:.40}")
    if len(one.recipients) != 1 or one.message["To"] != one.recipients[0]:
        found.fault(f"{slug}: a message to {one.recipients}, in its header {one.message['To']}")
    if not set(one.recipients) <= expected(slug):
        found.fault(f"{slug}: a message to {one.recipients}, who is not to get it")
    for part in one.message.walk():
        if part.get_content_maintype() != "text":
            continue
        text = part.get_content()
        text = text if isinstance(text, str) else text.decode("utf-8", "replace")
        others = [name for other, name in CANARY.items() if other != slug and name in text]
        if others:
            found.fault(f"{slug}: a message holds {others}")
        if DIRECTION in text:  # (a long line may well break before `Bcc:`, and in a body that means nothing)
            found.fault(f"{slug}: a direction mark of somebody else's in {one.message['Subject']!r:.60}")


def check_bytes(found: Found, raw: bytes, what: str) -> None:
    """The headers of a message and nothing more; no script in its HTML."""
    found.mails += 1
    head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    lines = [line for line in head.split(b"\n") if not line.startswith((b" ", b"\t"))]
    names = [line.partition(b":")[0].decode("latin-1").lower() for line in lines]
    if set(names) - ALLOWED or len(set(names)) != len(names):
        found.fault(f"{what}: headers {sorted(set(names) - ALLOWED) or names}")
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    html = message.get_body(("html",))
    if html is not None and "<script" in html.get_content():
        found.fault(f"{what}: a script in its HTML")


def deliver_and_check(found: Found, database: Database, wrap: Callable[[SmtpSender], Any]) -> dict[str, int]:
    """Send all that may go, with one county held and one address suppressed; then let the held county's go."""
    with database.transaction("portage") as store:
        pause = pause_mail(store, HAND, "trial")
    with database.transaction("ozaukee") as store:
        suppress_address(store, Suppressing(address=SHARED, reason=Reason.BOUNCE, by="proof", now=NOON))
    with running_smtp_server() as server:
        sent = []
        for turn in range(2):
            sender = wrap(SmtpSender(read_smtp_url(server.url), MAIL_FROM))
            counts = delivery.deliver(database, COUNTIES, sender, Clock())
            of = {row["message_id"]: slug for slug in COUNTIES for row in rows(database, slug)}
            fresh = server.received[sum(sent) :]
            sent.append(len(fresh))
            for one in fresh:
                slug = of[one.message["Message-ID"]]
                check_mail(found, one, slug)
                if turn == 0 and slug == "portage":
                    found.fault("a message of the county that holds its mail")
            if turn == 0:
                held = counts.held
                with database.transaction("portage") as store:
                    resume_mail(store, HAND, pause)
    if not held:
        found.fault("nothing was held")
    return {"held until let go": held, "sent at first": sent[0], "sent then": sent[1]}


def rows(database: Database, slug: str) -> list[dict[str, Any]]:
    with database.reading(slug) as store:
        return list_messages(store, list(MessageState), 10_000)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the texts of a content stand."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from leaves(one, (*path, key))
    elif isinstance(value, list):
        for key, one in enumerate(value):
            yield from leaves(one, (*path, key))


def spoilt_at(content: Mapping[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    """The content with one text spoilt."""
    copy: dict[str, Any] = json.loads(json.dumps(content))
    at: Any = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = f"{at[path[-1]]}{EVIL}"
    return copy


def spoil_stored(found: Found, kinds: int) -> None:
    """Every text of a stored message spoilt one by one: the message is clean, or is not written at all."""
    for kind in list(NoticeKind)[-kinds:]:
        for slug in ("ozaukee", "lake-beulah"):
            try:
                samples = sample_notices(kind, a_program(slug), TODAY, BASE_URL)
            except NoSample:
                continue
            for notice in samples:
                for path in leaves(notice.context):
                    write_spoilt(found, str(kind), spoilt_at(notice.context, path))
            break


def write_spoilt(found: Found, kind: str, content: Mapping[str, Any]) -> None:
    found.spoilt += 1
    try:
        written = render.render(kind, content, TODAY)
        mail = Mail(
            recipient="a@x.example", subject=written.subject, text=written.text, html=written.html,
            message_id="<x@reports.example.org>", dated_at=NOON, reply_to=str(content.get("reply_to") or ""),
        )  # fmt: skip
        raw = compose.compose(mail, MAIL_FROM).as_bytes()
    except Exception:  # a day that is none, an address that is none: not written, not sent
        found.refused += 1
        return
    check_bytes(found, raw, f"{kind}, spoilt")


def prove(arena: Arena, size: Size, wrap: Callable[[SmtpSender], Any] = lambda sender: sender) -> Outcome:
    """All of it."""
    database, found = Database.connect(arena.new_database().app_url), Found()
    try:
        stock(database)
        queue_all(database)
        told = deliver_and_check(found, database, wrap)
        spoil_stored(found, SPOILT_KINDS[size])
    finally:
        database.dispose()
    return Outcome(
        figures={
            "mails read back": found.mails, "stored texts spoilt": found.spoilt, "not written": found.refused,
            "wrong headers, recipients or words": len(found.faults), **told,
        },
        windows={"mails over SMTP": told["sent at first"] + told["sent then"], "texts spoilt": found.spoilt},
        failures=tuple(found.faults),
    )  # fmt: skip


def run(arena: Arena, size: Size) -> Outcome:
    """The service as it is."""
    return prove(arena, size)


def broken(*patches: tuple[object, str, Any], wrap: Callable[[SmtpSender], Any] = lambda sender: sender) -> Run:
    """The control with something replaced."""

    def control(arena: Arena, size: Size) -> Outcome:
        with ExitStack() as stack:
            for target, name, value in patches:
                stack.enter_context(patch.object(target, name, value))
            return prove(arena, Size.SMOKE, wrap)

    return control


class Copying:
    """A sender that lets the office have a copy, for its files."""

    mail_from = MAIL_FROM

    def __init__(self, sender: SmtpSender) -> None:
        self._sender = sender

    def send(self, mail: Mail) -> Ended:
        """Send it twice."""
        self._sender.send(replace(mail, recipient="files@elsewhere.example"))
        return self._sender.send(mail)

    def __enter__(self) -> Copying:
        return self

    def __exit__(self, *_of: object) -> None:
        self._sender.close()


def by_hand(mail: Mail, mail_from: str) -> Any:
    """Compose as it must not be done."""
    text = f"From: {mail_from}\r\nTo: {mail.recipient}\r\nSubject: {mail.subject}\r\nMessage-ID: {mail.message_id}\r\n"
    return message_from_bytes(f"{text}\r\n{mail.text}".encode(), policy=policy.default)


def as_it_is(value: object, *, longest: int = 500) -> str:
    """Cleaning that does not clean."""
    return str(value)


def whole(text: str | None) -> AddressField:
    """A field taken for one address."""
    return AddressField(addresses=((text or "").strip(),) if text else ())


PROOF = Proof(
    promise="P19",
    says="Mail goes to the right person: no field adds a header or a recipient, no county sees another's, holds hold.",
    run=run,
    in_small=("sqlite",),
    controls={
        "headers joined by hand": broken((render, "one_line", as_it_is), (compose, "compose", by_hand)),
        "texts are not cleaned": broken((facts, "one_line", as_it_is), (notices, "one_line", as_it_is)),
        "a copy for the office": broken(wrap=Copying),
        "a field is one address": broken(
            (directory, "read_addresses", whole), (compose, "is_address", lambda text: True)
        ),
        "the hold switch does nothing": broken((outbox, "is_held", false)),
        "the list of addresses is not asked": broken(
            (eligibility, "standing_of", lambda store, address, kind: Standing(dead=False, refuses=False))
        ),
    },
    least={"mails over SMTP": (20, 20), "texts spoilt": (100, 500)},
)
