"""Two counties with the same ids: what one asks or does is the same, whether or not the other is there.

Runs on SQLite too, where no row security stands behind a query that forgets its county. Every store function that works
for a county has its place here; a new one without fails the last test.
"""

import inspect
from collections.abc import Callable
from datetime import date, timedelta
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import select

from reporting import tables
from reporting.store import (
    derived,
    events_out,
    facts,
    idempotency,
    identities,
    lists,
    log,
    matching,
    near,
    reviews,
    submissions,
    verify,
)
from reporting.store.derived import AssessedSystem
from reporting.store.engine import Database, Store
from reporting.store.lists import ObligationFilter, SystemFilter
from reporting.store.log import NewEntry
from reporting.store.reviews import ReviewFilter
from reporting.store.signing import Signer
from tests.reporting.store.builders import NOON, a_submission, a_system, an_event, an_obligation

JULY = date(2026, 7, 1)
LATER = NOON + timedelta(hours=1)
ROUTE = "POST /v1/reports"
Call = Callable[[Store], Any]
MODULES: list[ModuleType] = [
    derived, events_out, facts, idempotency, identities, lists, log, matching, near, reviews, submissions, verify,
]  # fmt: skip


def fill(database: Database, county: str, signer: Signer) -> None:
    """Something of everything, with the county's name wherever a value is free."""
    mark = {"of": county}
    with database.transaction(county) as store:
        log.append(store, [NewEntry(type=county, content=mark, raw=county.encode())] * 2, NOON)
        log.checkpoint(store, signer, NOON)
        log.append(store, [NewEntry(type=county, content=mark)], NOON)
        if county != "portage":  # more than its twin has, so that asking past the end of the one would find the other
            log.append(store, [NewEntry(type=county, content=mark, raw=county.encode())] * 2, NOON)
            log.checkpoint(store, signer, NOON)
            log.append(store, [NewEntry(type=county, content=mark)], NOON)
        facts.insert_systems(store, [a_system("s", permit_number="P", site_address=f"1 {county}", content=mark)])
        facts.insert_components(store, [{"system": "s", "component": "septic", "seq": 1, "content": mark}])
        facts.insert_owners(store, [{"system": "s", "seq": 1, "name": county, "content": mark}])
        licence = {"system": "s", "seq": 1, "license_number": county, "license_norm": county}
        facts.insert_designations(store, [licence])
        facts.insert_contracts(store, [{**licence, "content": mark}])
        facts.insert_facts(store, [{"kind": "case", "system": "s", "seq": 1, "id": "c", "content": mark}])
        facts.insert_facts(store, [{"kind": "setting", "seq": 1, "id": county, "content": mark}])
        facts.insert_events(store, [an_event("e", "s", identity="i", content_sha=county, content=mark)])
        for norm in ("P", county):
            matching.add_identifiers(store, [{"kind": "permit", "norm": norm, "system": "s", "component": county}])
        matching.add_identifiers(store, [{"kind": "address", "norm": "N1 OAK STREET", "system": "s"}])
        matching.replace_grams(store, {"s": frozenset({"oak"})})
        review = {"id": "r", "event": "e", "state": "open", "reason": county, "candidates": [], "created_seq": 1}
        matching.insert_reviews(store, [review])
        submissions.insert_submission(store, a_submission("sub", file_name=county))
        outcome = {"submission": "sub", "row": 1, "outcome": "accepted", "report_id": "e", "permit_number": county}
        more = [] if county == "portage" else [{**outcome, "row": 2, "report_id": "e2"}]
        submissions.insert_outcomes(store, [outcome, *more])
        submissions.keep_file(store, "sub", county.encode(), mark)
        # What another submission brought in, and a file that repeats it and has a wrong row.
        submissions.insert_submission(store, a_submission("whole"))
        event = {"submission": "whole", "identity": "w", "content_sha": county, "content": mark}
        whole = [an_event(f"w{n}", "s", **{**event, "identity": f"w{n}"}) for n in range(1 + len(more))]
        facts.insert_events(store, whole)
        wrong = {"code": "required", "field": county}
        repeats = [
            {"submission": "sub", "row": 10 + n, "outcome": "duplicate", "duplicate_of": "w0"}
            for n in range(1 + len(more))
        ]
        rejected = {"submission": "sub", "row": 20, "outcome": "rejected", "errors": [wrong]}
        submissions.insert_outcomes(store, [*repeats, rejected])
        standing = {"state": county, "dirty": True, "next_change_on": JULY, "contractor": county}
        finding = {"kind": "late_report", "rule": county, "cause": "e", "cite": ""}
        derived.replace_assessment(store, "s", standing, [an_obligation(because=county)], [finding])
        row = {"id": "d", "kind": county, "cause_key": "k", "occurred_at": NOON, "content": mark}
        events_out.record_domain_events(store, [row])
    with database.transaction(county) as store:
        # Outside of the other's key, as the path names the county.
        route = f"{ROUTE} {county}"
        idempotency.begin(store, "key", route, "K", "body", NOON)
        idempotency.finish(store, "key", route, "K", status=201, answer=mark)


READS: dict[str, Call] = {
    "derived.dirty_systems": lambda store: derived.dirty_systems(store, 9),
    "derived.due_systems": lambda store: derived.due_systems(store, JULY, 9),
    "derived.findings_of": lambda store: derived.findings_of(store, ["s"]),
    "derived.obligations_of": lambda store: derived.obligations_of(store, ["s"]),
    "derived.standings_of": lambda store: derived.standings_of(store, ["s"]),
    "events_out.pending_domain_events": lambda store: events_out.pending_domain_events(store, 9),
    "facts.load_county_facts": lambda store: facts.load_county_facts(store, "setting"),
    "facts.load_events": lambda store: facts.load_events(store, ["e"]),
    "facts.load_history": lambda store: facts.load_history(store, ["s"]),
    "identities.find_identities": lambda store: identities.find_identities(store, ["i"]),
    "identities.find_same_day": lambda store: identities.find_same_day(store, [("s", JULY)]),
    "lists.list_obligations": lambda store: lists.list_obligations(store, ObligationFilter(), None, 9),
    "lists.list_systems": lambda store: [
        lists.list_systems(store, SystemFilter(permit=norm), None, 9) for norm in ("P", "ozaukee", "winnebago")
    ],
    "log.appended_entry": lambda store: [log.appended_entry(store, seq) for seq in (1, 5)],
    "log.entries_of": lambda store: log.entries_of(store, [1, 2, 3, 5]),
    "log.head": log.head,
    "log.raw_of": lambda store: [log.raw_of(store, seq) for seq in (1, 5)],
    "log.seq_at": lambda store: log.seq_at(store, NOON),
    "log.signed_head": lambda store: [log.signed_head(store, size) for size in (2, 4)],
    "matching.find_by_grams": lambda store: matching.find_by_grams(store, ["oak"], 9),
    "matching.find_by_identifiers": lambda store: matching.find_by_identifiers(store, [("permit", "P")]),
    "matching.list_reviews": lambda store: matching.list_reviews(store, "open", None, 9),
    "near.find_addresses": lambda store: near.find_addresses(store, ["N1"], 9),
    "near.find_any": lambda store: near.find_any(store, [("permit", "P"), ("permit", "ozaukee")]),
    "near.find_long_numbers": lambda store: near.find_long_numbers(store, "permit", 1),
    "near.has_grams": near.has_grams,
    "near.load_places": lambda store: near.load_places(store, ["s"]),
    "reviews.count_events": lambda store: reviews.count_events(store, ["s"]),
    "reviews.get_review": lambda store: reviews.get_review(store, "r"),
    "reviews.open_reviews": lambda store: reviews.open_reviews(store, events=["e"]),
    "reviews.page_reviews": lambda store: reviews.page_reviews(store, ReviewFilter(), None, 9),
    "reviews.standing_versions": lambda store: reviews.standing_versions(store, ["e"]),
    "submissions.count_outcomes": lambda store: submissions.count_outcomes(store, "sub"),
    "submissions.count_repeats": lambda store: submissions.count_repeats(store, "whole"),
    "submissions.get_submission": lambda store: submissions.get_submission(store, "sub"),
    "submissions.kept_file": lambda store: submissions.kept_file(store, "sub"),
    "submissions.lacking_fields": lambda store: submissions.lacking_fields(store, "sub", ["required"]),
    "submissions.list_submissions": lambda store: submissions.list_submissions(store, status="done", limit=9),
    "submissions.outcome_of_report": lambda store: [submissions.outcome_of_report(store, key) for key in ("e", "e2")],
    "submissions.outcome_page": lambda store: submissions.outcome_page(store, "sub", limit=9),
    "submissions.outcomes_of": lambda store: list(submissions.outcomes_of(store, "sub")),
    "submissions.standing_reports": lambda store: submissions.standing_reports(store, "whole"),
    "verify.verify": verify.verify,
}
VERSION = {"system": "s", "seq": 2}
NEW_LICENCE = {**VERSION, "license_number": "1", "license_norm": "1"}
WRITES: dict[str, Call] = {
    "derived.mark_all_dirty": derived.mark_all_dirty,
    "derived.mark_dirty": lambda store: derived.mark_dirty(store, ["s", "new"]),
    "derived.replace_assessment": lambda store: derived.replace_assessment(store, "s", {"state": "x"}, [], []),
    "derived.replace_assessments": lambda store: derived.replace_assessments(
        store, [AssessedSystem(system="s", standing={"state": "x"}, obligations=[], findings=[])]
    ),
    "events_out.mark_handled": lambda store: events_out.mark_handled(store, ["d"], NOON),
    "events_out.record_domain_events": lambda store: events_out.record_domain_events(
        store, [{"id": "d2", "kind": "x", "cause_key": "k2", "occurred_at": NOON}]
    ),
    "facts.end_versions": lambda store: facts.end_versions(store, tables.system_version, [{"system": "s"}], 3),
    "facts.insert_components": lambda store: facts.insert_components(store, [{**VERSION, "content": {}}]),
    "facts.insert_contracts": lambda store: facts.insert_contracts(store, [{**NEW_LICENCE, "content": {}}]),
    "facts.insert_designations": lambda store: facts.insert_designations(store, [NEW_LICENCE]),
    "facts.insert_events": lambda store: facts.insert_events(store, [an_event("e2", "s")]),
    "facts.insert_facts": lambda store: facts.insert_facts(store, [{"kind": "x", "seq": 2, "id": "f", "content": {}}]),
    "facts.insert_owners": lambda store: facts.insert_owners(store, [{**VERSION, "content": {}}]),
    "facts.insert_system_versions": lambda store: facts.insert_system_versions(
        store, [{**VERSION, "status": "removed", "content": {}}]
    ),
    "facts.insert_systems": lambda store: facts.insert_systems(store, [a_system("s2")]),
    "facts.place_events": lambda store: facts.place_events(store, {"e": "new"}),
    "idempotency.begin": lambda store: idempotency.begin(store, "key", ROUTE, "K2", "body", NOON),
    "idempotency.finish": lambda store: idempotency.finish(store, "key", f"{ROUTE} portage", "K", status=2, answer=2),
    "idempotency.forget_old": lambda store: idempotency.forget_old(store, NOON + timedelta(days=999)),
    "log.append": lambda store: log.append(store, [NewEntry(type="x", content={}, raw=b"x")], LATER),
    "matching.add_identifiers": lambda store: matching.add_identifiers(
        store, [{"kind": "parcel", "norm": "1", "system": "s"}]
    ),
    "matching.drop_alias": lambda store: matching.drop_alias(store, "permit", "P"),
    "matching.drop_identifiers": lambda store: matching.drop_identifiers(store, ["s"], ["permit"]),
    "matching.insert_reviews": lambda store: matching.insert_reviews(
        store, [{"id": "r2", "event": "e", "state": "open", "reason": "", "candidates": [], "created_seq": 1}]
    ),
    "matching.replace_grams": lambda store: matching.replace_grams(store, {"s": frozenset({"elm"})}),
    "matching.resolve_review": lambda store: matching.resolve_review(
        store, "r", state="placed", system="s", seq=2, by="me"
    ),
    "reviews.close_reviews_of": lambda store: reviews.close_reviews_of(store, "e", state="amended", seq=2, by="me"),
    "submissions.drop_file": lambda store: submissions.drop_file(store, "sub"),
    "submissions.end_reports": lambda store: submissions.end_reports(store, "whole", 7, "me"),
    "submissions.keep_file": lambda store: submissions.keep_file(store, "whole", b"x", {}),
    "submissions.insert_outcomes": lambda store: submissions.insert_outcomes(
        store, [{"submission": "sub", "row": 3, "outcome": "rejected"}]
    ),
    "submissions.insert_submission": lambda store: submissions.insert_submission(store, a_submission("sub2")),
    "submissions.set_outcome_findings": lambda store: submissions.set_outcome_findings(store, "sub", {1: [{}]}),
    "submissions.update_submission": lambda store: submissions.update_submission(store, "sub", {"status": "x"}),
}
ELSEWHERE = {
    "derived.claim_due_systems",  # holds what it reads, so not in a reading transaction: below
    "idempotency.release",  # needs a key that is running: below
    "log.checkpoint",  # needs a key to sign: below
    "log.hold",  # may not be asked in a reading transaction: below
}


def rows_of(database: Database, county: str) -> dict[str, list[Any]]:
    """Everything that a county has."""
    with database.reading(county) as store:
        return {
            table.name: sorted(map(repr, store.connection.execute(select(table).where(table.c.county == county)).all()))
            for table in tables.tenant_tables()
        }


@pytest.mark.parametrize("name", READS)
def test_an_answer_is_the_same_with_or_without_a_twin(opened: Database, signer: Signer, name: str) -> None:
    fill(opened, "portage", signer)
    with opened.reading("portage") as store:
        alone = READS[name](store)
    assert alone
    fill(opened, "ozaukee", signer)  # on both sides of it in the alphabet, whichever row a query happens on
    fill(opened, "winnebago", signer)
    with opened.reading("portage") as store:
        assert READS[name](store) == alone


@pytest.mark.parametrize("name", WRITES)
def test_a_change_stays_at_home(opened: Database, signer: Signer, name: str) -> None:
    for county in ("ozaukee", "portage", "winnebago"):
        fill(opened, county, signer)
        if name in ("derived.mark_dirty", "facts.place_events"):
            with opened.transaction(county) as store:
                facts.insert_systems(store, [a_system("new")])
                derived.replace_assessment(store, "s", {"state": "x"}, [], [])
        if name == "derived.mark_all_dirty":
            with opened.transaction(county) as store:
                derived.replace_assessment(store, "s", {"state": "x"}, [], [])
    before = {county: rows_of(opened, county) for county in ("ozaukee", "portage", "winnebago")}
    with opened.transaction("portage") as store:
        WRITES[name](store)
    after = {county: rows_of(opened, county) for county in before}
    assert after["portage"] != before["portage"]
    assert (after["ozaukee"], after["winnebago"]) == (before["ozaukee"], before["winnebago"])


def test_a_head_is_signed_at_home(opened: Database, signer: Signer) -> None:
    for county in ("ozaukee", "portage", "winnebago"):
        fill(opened, county, signer)
    before = [rows_of(opened, "ozaukee"), rows_of(opened, "winnebago")]
    with opened.transaction("portage") as store:
        assert log.checkpoint(store, signer, LATER).size == 3
    assert [rows_of(opened, "ozaukee"), rows_of(opened, "winnebago")] == before


def test_a_log_is_held_at_home(opened: Database, signer: Signer) -> None:
    for county in ("ozaukee", "portage", "winnebago"):
        fill(opened, county, signer)
    with opened.transaction("portage") as store:
        assert log.hold(store).size == 3
        if opened.dialect == "postgresql":  # another county's is free; on SQLite there is one lock for all
            with opened.transaction("ozaukee") as other:
                assert log.hold(other).size == 6


def test_due_systems_are_claimed_at_home(opened: Database, signer: Signer) -> None:
    fill(opened, "portage", signer)
    with opened.transaction("portage") as store:
        alone = derived.claim_due_systems(store, JULY, 9)
    assert alone
    fill(opened, "ozaukee", signer)
    with opened.transaction("portage") as store:
        assert derived.claim_due_systems(store, JULY, 9) == alone


def test_a_running_key_is_released_at_home(opened: Database) -> None:
    for county in ("ozaukee", "portage"):
        with opened.transaction(county) as store:
            idempotency.begin(store, "key", f"{ROUTE} {county}", "K", "body", NOON)
    with opened.transaction("portage") as store:
        idempotency.release(store, "key", f"{ROUTE} ozaukee", "K")
        idempotency.release(store, "key", f"{ROUTE} portage", "K")
    assert rows_of(opened, "portage")["idempotency"] == []
    assert len(rows_of(opened, "ozaukee")["idempotency"]) == 1


def test_every_function_of_the_store_has_its_twin_test() -> None:
    found = {
        f"{module.__name__.rpartition('.')[2]}.{name}"
        for module in MODULES
        for name, value in inspect.getmembers(module, inspect.isfunction)
        if value.__module__ == module.__name__
        and not name.startswith("_")
        and "store" in inspect.signature(value).parameters
    }
    assert found == READS.keys() | WRITES.keys() | ELSEWHERE
