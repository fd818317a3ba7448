"""A report that was taken back, moved or corrected sends nothing that it had caused and that has not left yet."""

from datetime import timedelta
from pathlib import Path

import pytest

from notifications.delivery import deliver
from notifications.outbox import MessageState
from notifications.queueing import queue_notices
from reporting import verifications
from reporting.owners import Teller
from reporting.reviews.decisions import Decider, Decision, Verdict
from reporting.reviews.placing import move
from reporting.store.engine import Database
from reporting.store.facts import load_events
from reporting.store.people import upsert_contractors
from reporting.store.signing import Signer
from reporting.sweep import sweep
from tests.notifications.builders import BASE_URL, KETTLE_MAIL, OFFICE, Clock, a_program
from tests.notifications.sending import Postman, rows
from tests.reporting.intake.sending import NOW, Desk, a_report, a_system
from tests.reporting.reviews.clerk import TODAY, Clerk

LATE = {"service_date": "2026-06-30"}


@pytest.fixture
def clerk(opened: Database, tmp_path: Path) -> Clerk:
    """Ozaukee with two systems and a hauler who can be told."""
    desk = Desk(database=opened, signer=Signer.load(tmp_path / "signing.key"))
    desk.stock(a_system("SP-1987"), a_system("SP-2044"))
    business = desk.business()
    with opened.transaction(None) as store:
        row = {"id": business.contractor_id, "business_name": "Kettle", "email": KETTLE_MAIL, "created_at": NOW}
        upsert_contractors(store, [row])
    return Clerk(desk=desk)


def queued(clerk: Clerk) -> list[str]:
    """Sweep and make messages; the kinds of those about late reports that wait."""
    program = a_program(county_email=OFFICE)
    sweep(clerk.desk.database, "ozaukee", TODAY, NOW)
    with clerk.desk.database.transaction("ozaukee") as store:
        queue_notices(store, program, TODAY, NOW, BASE_URL)
    return late(clerk, MessageState.QUEUED)


def late(clerk: Clerk, state: MessageState) -> list[str]:
    found = rows(clerk.desk.database)
    return sorted(r["kind"] for r in found if r["kind"].startswith("late_report") and r["state"] == state)


def send(clerk: Clerk) -> tuple[Postman, set[str]]:
    """Deliver; the postman, and why messages about late reports were taken back."""
    postman = Postman()
    deliver(clerk.desk.database, ["ozaukee"], postman, Clock(NOW + timedelta(days=1)))
    found = rows(clerk.desk.database)
    return postman, {
        r["last_error"] for r in found if r["kind"].startswith("late_report") and r["state"] == MessageState.CANCELLED
    }


BOTH = ["late_report", "late_report_copy"]


def test_what_still_holds_is_sent(clerk: Clerk) -> None:
    clerk.send(a_report("T-1", "SP-1987", **LATE))
    assert queued(clerk) == BOTH
    postman, reasons = send(clerk)
    assert (late(clerk, MessageState.SENT), reasons) == (BOTH, set())
    assert sum("late" in mail.subject for mail in postman.mails) == 2


def test_a_voided_report_takes_its_messages_back(clerk: Clerk) -> None:
    row = clerk.send(a_report("T-1", "SP-1987", **LATE))
    assert queued(clerk) == BOTH
    clerk.void(str(row.report_id))
    postman, reasons = send(clerk)
    assert (late(clerk, MessageState.CANCELLED), reasons) == (BOTH, {"report_taken_back"})
    assert not any("late" in mail.subject for mail in postman.mails)


def test_a_report_voided_after_two_corrections_takes_them_back_too(clerk: Clerk) -> None:
    first = clerk.send(a_report("T-1", "SP-1987", **LATE))
    assert queued(clerk) == BOTH
    second = clerk.amend(str(first.report_id), notes="a")
    third = clerk.amend(str(second.report_id), notes="b")
    clerk.void(str(third.report_id))
    assert send(clerk)[1] == {"report_taken_back"}


def test_a_correction_that_leaves_it_late_is_still_told_of(clerk: Clerk) -> None:
    first = clerk.send(a_report("T-1", "SP-1987", **LATE))
    assert queued(clerk) == BOTH
    clerk.amend(str(first.report_id), notes="a")
    sweep(clerk.desk.database, "ozaukee", TODAY, NOW)
    assert send(clerk)[1] == set()
    assert late(clerk, MessageState.SENT) == BOTH


def test_a_corrected_date_that_was_in_time_is_not_told_of(clerk: Clerk) -> None:
    first = clerk.send(a_report("T-1", "SP-1987", **LATE))
    assert queued(clerk) == BOTH
    clerk.amend(str(first.report_id), service_date="2026-07-06")
    sweep(clerk.desk.database, "ozaukee", TODAY, NOW)
    assert send(clerk)[1] == {"report_not_late"}


def test_a_notice_does_not_name_a_system_that_the_report_has_left(clerk: Clerk) -> None:
    row = clerk.send(a_report("T-1", "SP-1987", **LATE))
    assert queued(clerk) == BOTH
    decision = Decision(verdict=Verdict.MATCHED, system=clerk.system("SP-2044"))
    decider = Decider(by="clerk", now=NOW, reason="neighbour's", signer=clerk.desk.signer)
    with clerk.desk.database.transaction("ozaukee") as store:
        move(store, str(row.report_id), decision, decider)
    assert send(clerk)[1] == {"report_moved"}


def test_where_a_provisional_system_gave_way_the_notice_goes(clerk: Clerk) -> None:
    wrong = {"permit_number": "SP-9187", "parcel_number": "", "site_address": "9 Nowhere Lane"}
    clerk.send(a_report("T-1", **wrong, **LATE))
    assert queued(clerk) == BOTH
    clerk.resolve("SP-1987", now=NOW)
    assert send(clerk)[1] == set()
    assert late(clerk, MessageState.SENT) == BOTH


ASKED = {"message": "The tank holds 1,000 gallons. Please look at your ticket.", "fields": ["gallons_pumped"]}


def ask(clerk: Clerk, *, answered: bool) -> dict[str, tuple[str, str | None]]:
    """Ask a business to verify its report, which it does or not before the mail leaves: the mail's state and reason."""
    report = str(clerk.send(a_report("T-1", "SP-1987")).report_id)
    teller = Teller(by="clerk", now=NOW, signer=clerk.desk.signer, program=a_program())
    with clerk.desk.database.transaction("ozaukee") as store:
        row = load_events(store, [report])[report]
        verifications.ask(store, teller, row, ASKED)
        queue_notices(store, a_program(county_email=OFFICE), TODAY, NOW, BASE_URL)
        if answered:
            verifications.answer(store, teller, row, {"answer": "It was 1,000."})
    postman, _ = send(clerk)
    found = [row for row in rows(clerk.desk.database) if row["kind"] == "verification_requested"]
    assert sum("please verify" in mail.subject for mail in postman.mails) == (0 if answered else 1)
    return {row["recipient"]: (row["state"], row["last_error"]) for row in found}


@pytest.mark.parametrize(("answered", "told"), [(False, ("sent", None)), (True, ("cancelled", "answered"))])
def test_a_business_is_asked_to_verify_until_it_has_answered(
    clerk: Clerk, answered: bool, told: tuple[str, str | None]
) -> None:
    assert ask(clerk, answered=answered) == {KETTLE_MAIL: told}
