"""Reports in doubt are decided once: into a system, as a new one, or of none of this county; the record says who."""

import json
from datetime import date
from typing import Any

import pytest

from reporting.errors import AlreadyDecided, DecisionRefused, ReasonMissing, RecordNotFound
from reporting.reviews.decisions import Decision, Verdict
from reporting.reviews.resolving import resolve
from reporting.store.log import entries_of
from reporting.store.verify import verify
from tests.reporting.counties import csv_of
from tests.reporting.intake.sending import NOW, a_report, a_system
from tests.reporting.reviews.clerk import LATER, Clerk

WRONG = {"permit_number": "SP-9187", "parcel_number": "", "site_address": "9 Nowhere Lane"}


def entry(clerk: Clerk, seq: int) -> dict[str, Any]:
    with clerk.desk.database.reading(clerk.desk.county) as store:
        found = json.loads(entries_of(store, [seq])[seq])
    assert isinstance(found, dict)
    return found


def test_a_typo_is_shown_with_the_system_one_edit_away(clerk: Clerk) -> None:
    place = {"permit_number": "SP-1978", "parcel_number": "", "site_address": f"n{sum(b'SP-1987')} cth k"}
    row = clerk.send(a_report("T-1", **place))
    assert (row.outcome, row.review) == ("queued_for_review", "only_the_address_fits")
    (review,) = clerk.waiting()
    best = review["candidates"][0]
    assert best["system"] == clerk.system("SP-1987")
    assert best["score"] > 0.85
    assert best["why"] == "the permit SP-1987 is one character away; the address is the same; the owner is the same"
    shown = clerk.show(review["id"])
    assert shown["report"]["content"]["permit_number"] == "SP-1978"
    assert shown["candidates"][0]["differences"] == [
        {"field": "permit_number", "sent": "SP-1978", "on_file": "SP-1987"}
    ]
    assert shown["candidates"][0]["tank"] == {"component": "septic", "component_ref": None}


def test_a_decision_credits_the_system_and_the_provisional_one_leaves_the_lists(clerk: Clerk) -> None:
    row = clerk.send(a_report("T-1", **WRONG))
    (review,) = clerk.waiting()
    provisional = review["system"]
    assert (row.review, provisional in clerk.listed()) == ("not_in_inventory", True)
    assert clerk.due("SP-1987") == date(2026, 5, 1)
    done = clerk.resolve("SP-1987")
    assert clerk.due("SP-1987") == date(2029, 7, 6)
    (event,) = clerk.desk.events()
    assert (event["id"], event["supersedes"]) == (done.reports[str(row.report_id)], row.report_id)
    assert (event["system"], event["first_received_at"]) == (clerk.system("SP-1987"), NOW)
    assert provisional not in clerk.listed()
    versions = {s["seq"]: s["status"] for s in clerk.desk.rows("system_version") if s["system"] == provisional}
    assert [versions[seq] for seq in sorted(versions)] == ["provisional", "removed"]
    said = entry(clerk, event["seq"])["content"]
    assert said.items() >= {"by": "clerk", "from_system": provisional}.items()
    assert "spoken" not in str(said)  # what people write lies beside the entry, where it can be destroyed
    shown = clerk.show(review["id"])
    assert shown["decided"].items() >= {"state": "matched", "by": "clerk", "reason": "spoken to the driver"}.items()
    assert shown["now"] == {"report_id": event["id"], "system": clerk.system("SP-1987")}
    with clerk.desk.database.reading(clerk.desk.county) as store:
        assert verify(store, [clerk.desk.signer.verifying_key]).problems == ()


def test_what_was_known_before_the_decision_stays_known(clerk: Clerk) -> None:
    clerk.send(a_report("T-1", **WRONG))
    provisional = clerk.waiting()[0]["system"]
    clerk.resolve("SP-1987")
    system = clerk.system("SP-1987")
    assert [s["service_date"] for s in clerk.status(system, NOW).services] == ["2023-05-01"]
    assert [s["service_date"] for s in clerk.status(system).services] == ["2026-07-06", "2023-05-01"]
    assert [s["service_date"] for s in clerk.status(provisional, NOW).services] == ["2026-07-06"]
    assert clerk.status(provisional).services == []


def test_all_reports_of_a_provisional_system_at_once(clerk: Clerk) -> None:
    for ref, day in (("T-1", "2026-07-06"), ("T-2", "2026-07-03"), ("T-3", "2026-07-04")):
        clerk.send(a_report(ref, service_date=day, **WRONG))
    first, second, third = clerk.waiting()
    assert clerk.show(first["id"])["together_with"] == [second["id"], third["id"]]
    done = clerk.resolve("SP-1987", all_reports=True)
    assert (len(done.reports), len(done.reviews), clerk.waiting()) == (3, 3, [])
    assert {e["system"] for e in clerk.desk.events()} == {clerk.system("SP-1987")}


def test_one_report_of_several_leaves_the_provisional_system_there(clerk: Clerk) -> None:
    clerk.send(a_report("T-1", **WRONG))
    clerk.send(a_report("T-2", service_date="2026-07-03", **WRONG))
    provisional = clerk.waiting()[0]["system"]
    clerk.resolve("SP-1987")
    assert provisional in clerk.listed()
    clerk.resolve("SP-1987")
    assert provisional not in clerk.listed()


def test_a_new_system_becomes_the_countys_own(clerk: Clerk) -> None:
    clerk.send(a_report("T-1", **WRONG))
    clerk.send(a_report("T-2", service_date="2026-07-03", **WRONG))
    provisional = clerk.waiting()[0]["system"]
    done = clerk.resolve(verdict=Verdict.NEW_SYSTEM)
    assert (done.system, clerk.waiting(), clerk.system("SP-9187")) == (provisional, [], provisional)
    assert clerk.due("SP-9187") == date(2029, 7, 6)
    row = clerk.send(a_report("T-3", service_date="2026-07-10", **WRONG))
    assert (row.outcome, row.matched_by) == ("accepted", None)


def test_a_second_system_on_a_known_parcel(clerk: Clerk) -> None:
    row = clerk.send(a_report("T-1", permit_number="SP-7777", parcel_number="08-SP-1987"))
    assert row.review == "permit_unknown_parcel_known"
    done = clerk.resolve(verdict=Verdict.NEW_SYSTEM)
    assert clerk.system("SP-7777") == done.system == clerk.desk.events()[0]["system"]
    assert clerk.due("SP-1987") == date(2026, 5, 1)
    assert clerk.send(a_report("T-2", "SP-7777", parcel_number="08-SP-1987", gallons_pumped="9")).outcome == "accepted"


def test_a_new_system_does_not_take_a_permit_that_is_given(clerk: Clerk) -> None:
    clerk.send(a_report("T-1", "SP-1987", parcel_number="08-OTHER"))
    with pytest.raises(DecisionRefused, match="has this permit number"):
        clerk.resolve(verdict=Verdict.NEW_SYSTEM)
    assert len(clerk.waiting()) == 1


def test_a_report_of_another_county_never_happened(clerk: Clerk) -> None:
    clerk.send(a_report("T-1", **WRONG))
    provisional = clerk.waiting()[0]["system"]
    clerk.resolve(verdict=Verdict.VOIDED)
    assert (clerk.desk.events(), clerk.waiting()) == ([], [])
    assert provisional not in clerk.listed()
    assert [r["state"] for r in clerk.desk.rows("review")] == ["voided"]
    assert clerk.send(a_report("T-1", **WRONG)).outcome == "queued_for_review"


def test_which_tank_is_asked_for_and_never_kept_in_mind(clerk: Clerk) -> None:
    tank = {"component": "holding", "meter_reading": "1200"}
    clerk.send(a_report("T-1", "HT-6", **tank))
    with pytest.raises(DecisionRefused, match="holding A, holding B"):
        clerk.resolve("HT-6")
    done = clerk.resolve("HT-6", component="holding", ref="B")
    assert [(e["component"], e["component_ref"]) for e in clerk.desk.events()] == [("holding", "B")]
    assert done.remembered is False
    assert clerk.send(a_report("T-2", "HT-6", service_date="2026-07-08", **tank)).review == "which_tank"


def test_a_review_is_decided_once_with_a_reason_and_into_the_inventory(clerk: Clerk) -> None:
    clerk.send(a_report("T-1", **WRONG))
    (review,) = clerk.waiting()
    match = Decision(verdict=Verdict.MATCHED, system=clerk.system("SP-1987"))

    def decide(review_id: str, decision: Decision, clerk: Clerk) -> None:
        with clerk.desk.database.transaction(clerk.desk.county) as store:
            resolve(store, review_id, decision, clerk.decider())

    with pytest.raises(ReasonMissing):
        decide(review["id"], match, Clerk(desk=clerk.desk, reason=" "))
    with pytest.raises(RecordNotFound):
        decide("rev_none", match, clerk)
    for system in ("sys_none", review["system"]):
        with pytest.raises(DecisionRefused, match="no such system"):
            decide(review["id"], Decision(verdict=Verdict.MATCHED, system=system), clerk)
    decide(review["id"], match, clerk)
    with pytest.raises(AlreadyDecided):
        decide(review["id"], match, clerk)


def test_the_file_sent_again_after_the_decision_adds_nothing(clerk: Clerk) -> None:
    for ref in ("T-1", ""):
        row = a_report(ref, gallons_pumped="70" + ref[-1:], **WRONG)
        clerk.send(row)
        done = clerk.resolve("SP-1987", keep_in_mind=False)
        again = clerk.send(row)
        assert (again.outcome, again.duplicate_of) == ("duplicate", next(iter(done.reports.values())))


def test_two_tanks_of_one_visit_stay_one_visit_when_one_was_in_doubt(clerk: Clerk) -> None:
    known = a_report("T-1", "HT-6", component="holding", component_ref="A", meter_reading="1")
    clerk.send(known)
    clerk.send({**known, "component_ref": "", "gallons_pumped": "1001", "report_ref": "T-1"})
    clerk.resolve("HT-6", component="holding", ref="B")
    assert len({e["visit"] for e in clerk.desk.events()}) == 1


def test_a_report_corrected_or_taken_back_by_its_sender_waits_no_longer(clerk: Clerk) -> None:
    first, second = (
        clerk.send(a_report("T-1", **WRONG)),
        clerk.send(a_report("T-2", service_date="2026-07-03", **WRONG)),
    )
    provisional = clerk.waiting()[0]["system"]
    right = {"permit_number": "SP-1987", "parcel_number": "08-SP-1987"}
    assert clerk.amend(str(first.report_id), **right).outcome == "accepted"
    assert len(clerk.waiting()) == 1
    clerk.void(str(second.report_id))
    assert clerk.waiting() == []
    assert sorted(r["state"] for r in clerk.desk.rows("review")) == ["amended", "voided"]
    assert provisional not in clerk.listed()


def test_the_inventory_caught_up_and_only_the_tank_is_asked_for(clerk: Clerk) -> None:
    clerk.send(a_report("T-1", component="holding", meter_reading="5", **WRONG))
    provisional = clerk.waiting()[0]["system"]
    here = {"parcel_number": "", "site_address": WRONG["site_address"], "component": "holding"}
    tanks = csv_of(*(a_system("SP-9187", component_ref=ref, **here) for ref in "AB"))
    clerk.desk.stock_file(tanks, now=LATER)
    (review,) = clerk.waiting()
    assert clerk.show(review["id"])["candidates"][0].items() >= {"system": provisional, "tank": None}.items()
    done = clerk.resolve("SP-9187", component="holding", ref="B")
    (event,) = clerk.desk.events()
    assert (event["system"], event["component_ref"], clerk.waiting()) == (provisional, "B", [])
    assert done.systems == (provisional,)
    assert provisional in clerk.listed()
