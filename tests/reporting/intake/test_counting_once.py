"""Counting once: by ticket number or content, in one file and over several, by CSV and JSON, to the bitter end."""

import copy
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reporting.intake.answer import Answer
from tests.reporting.intake.sending import Desk, a_report, a_system, as_json, codes, outcomes, tally


@pytest.fixture
def ozaukee(desk: Desk) -> Desk:
    desk.stock(
        a_system("SP-1"),
        a_system("SP-1", component="dispersal", capacity_gallons=""),
        a_system("SP-2", component="holding"),
        a_system("SP-3", component_ref="North"),
        a_system("SP-3", component_ref="South"),
    )
    return desk


def test_the_same_file_again_is_all_duplicates_and_names_the_first(ozaukee: Desk) -> None:
    rows = [a_report("T-1"), a_report("T-2", service_date="2026-07-07")]
    first, again = ozaukee.take(*rows), ozaukee.take(*rows, name="renamed.csv")
    assert outcomes(first) == ["accepted", "accepted"]
    assert outcomes(again) == ["duplicate", "duplicate"]
    assert [o.report_id for o in again.outcomes] == [o.report_id for o in first.outcomes]
    assert again.status == 201
    assert len(ozaukee.events()) == 2


def test_a_copy_in_another_order_and_spelling_is_a_copy(ozaukee: Desk) -> None:
    ozaukee.take(a_report("T-1", gallons_pumped="1,000", service_date="7/6/2026"))
    row = a_report("t 1", permit_number="sp 1", license_number="00-412", partial="no", site_address="N257 CTH K")
    again = ozaukee.take(dict(reversed(row.items())))
    assert outcomes(again) == ["duplicate"]


def test_csv_and_json_count_as_one(ozaukee: Desk) -> None:
    row = a_report("T-1")
    ozaukee.take(row)
    answer = ozaukee.send(as_json({**row, "gallons_pumped": 1000, "partial": False, "defects": []}), name="r.json")
    assert isinstance(answer, Answer)
    assert outcomes(answer) == ["duplicate"]
    assert answer.outcomes[0].row == 2


def test_the_same_row_twice_in_a_file_names_the_first_row(ozaukee: Desk) -> None:
    answer = ozaukee.take(a_report("T-1"), a_report("T-1"))
    first, second = answer.outcomes
    assert (first.outcome, second.outcome) == ("accepted", "duplicate")
    assert second.report_id == first.report_id
    assert second.warnings[-1]["message"] == "Is in already: row 2 of this file says the same."


def test_the_same_ticket_with_other_content_is_a_conflict(ozaukee: Desk) -> None:
    answer = ozaukee.take(a_report("T-1"), a_report("T-1", gallons_pumped="900"))
    assert codes(answer.outcomes[1]) == [("report_ref", "ref_conflict")]
    assert answer.outcomes[1].errors[0].pointer == "/1/report_ref"
    later = ozaukee.row(a_report("T-1", gallons_pumped="800"))
    assert codes(later) == [("report_ref", "ref_conflict")]
    assert str(answer.outcomes[0].report_id) in later.errors[0].message


@pytest.mark.parametrize("first_named", [True, False])
def test_a_copy_may_name_its_component_or_not(ozaukee: Desk, first_named: bool) -> None:
    named, unnamed = a_report("T-1"), a_report("T-1", component="")
    pair = [named, unnamed] if first_named else [unnamed, named]
    assert outcomes(ozaukee.take(*pair)) == ["accepted", "duplicate"]
    assert outcomes(ozaukee.take(*reversed(pair))) == ["duplicate", "duplicate"]


def test_an_unnamed_component_is_the_tank_and_no_copy_of_the_dispersal(ozaukee: Desk) -> None:
    rows = [
        a_report("T-1", component=""),
        a_report("T-1", component="dispersal", event_type="inspection", gallons_pumped="", license_number="PM-2207",
                 credential_kind="powts_maintainer"),
    ]  # fmt: skip
    assert outcomes(ozaukee.take(*rows)) == ["accepted", "accepted"]


def test_two_tanks_of_one_visit_are_two_reports_and_one_visit(ozaukee: Desk) -> None:
    answer = ozaukee.take(
        a_report("T-1", "SP-3", component_ref="North"), a_report("T-1", "SP-3", component_ref="South")
    )
    assert outcomes(answer) == ["accepted", "accepted"]
    assert len({e["visit"] for e in ozaukee.events()}) == 1
    other_day = ozaukee.take(a_report("T-1", "SP-1", service_date="2026-07-07"))
    assert outcomes(other_day) == ["accepted"]
    assert len({e["visit"] for e in ozaukee.events()}) == 2


def test_a_single_tank_may_be_called_anything(ozaukee: Desk) -> None:
    rows = [a_report("T-1", component_ref="Tank 1"), a_report("T-1", component_ref="")]
    assert outcomes(ozaukee.take(*rows)) == ["accepted", "duplicate"]


@pytest.mark.parametrize(
    "other",
    [
        {"gallons_pumped": "900"},
        {"service_time": "15:30"},
        {"disposal_site": "Grafton"},
        {"sludge_scum_fraction": ".2"},
    ],
)
def test_without_a_ticket_the_content_counts(ozaukee: Desk, other: dict[str, Any]) -> None:
    row = a_report("", service_time="9:30", disposal_site="Saukville")
    answer = ozaukee.take(row, row, {**row, **other})
    assert outcomes(answer) == ["accepted", "duplicate", "accepted"]


def test_the_same_service_under_another_ticket_is_pointed_out(ozaukee: Desk) -> None:
    first, second = ozaukee.take(a_report("T-1"), a_report("T-2")).outcomes
    assert second.outcome == "accepted"
    assert second.possible_duplicate_of == first.report_id
    later = ozaukee.row(a_report("T-3"))
    assert later.possible_duplicate_of in {first.report_id, second.report_id}
    assert ozaukee.row(a_report("T-4", gallons_pumped="700")).possible_duplicate_of is None


def test_another_business_does_not_learn_of_the_report_that_it_repeats(ozaukee: Desk) -> None:
    ozaukee.take(a_report("T-1"), sender=ozaukee.business("00412"))
    row = ozaukee.row(a_report("T-1", license_number="00518"), sender=ozaukee.business("00518"))
    assert (row.outcome, row.possible_duplicate_of) == ("accepted", None)
    assert "rep_" not in str(row.warnings)
    assert [e["possible_duplicate_of"] for e in ozaukee.events()].count(None) == 1


def test_staff_and_business_send_the_same_report_once(ozaukee: Desk) -> None:
    ozaukee.take(a_report("T-1"))
    assert ozaukee.row(a_report("T-1"), sender=ozaukee.business()).outcome == "duplicate"


def test_a_report_sent_before_its_system_was_in_the_inventory_is_found_again(ozaukee: Desk) -> None:
    named, unnamed = a_report("T-1", "SP-9"), a_report("T-2", "SP-9", component="", service_date="2026-07-05")
    assert outcomes(ozaukee.take(named, unnamed)) == ["queued_for_review"] * 2
    assert outcomes(ozaukee.take({**named, "component": ""}, {**unnamed, "component": "septic"})) == ["duplicate"] * 2
    ozaukee.stock(a_system("SP-9", component_ref="Main"))
    both = [named, unnamed, {**named, "component": ""}, {**unnamed, "component": "septic"}]
    assert outcomes(ozaukee.take(*both)) == ["duplicate"] * 4


def test_copies_are_found_in_later_chunks(ozaukee: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reporting.intake.accept.CHUNK", 2)
    rows = [a_report("T-1"), a_report("T-2"), a_report("T-1"), a_report("T-9", "SP-9"), a_report("T-8", "SP-9")]
    for how in ({}, {"dry_run": True}, {"atomic": True}):
        answer = ozaukee.take(*rows, **how)
        wanted = ["accepted"] * 2 + ["duplicate"] + ["queued_for_review"] * 2
        assert outcomes(answer) == (wanted if how == {} else ["duplicate"] * 5)
    assert len({e["system"] for e in ozaukee.events()}) == 2


KINDS = ("good", "other_day", "no_ticket", "wrong", "future", "unknown", "conflict")


def _row_of(kind: str, number: int) -> dict[str, Any]:
    row = a_report(f"T-{number}", service_date=f"2026-06-{number % 28 + 1:02}", gallons_pumped=str(900 + number))
    changes: dict[str, dict[str, Any]] = {
        "good": {},
        "other_day": {"service_date": "7/1/2026"},
        "no_ticket": {"report_ref": ""},
        "wrong": {"gallons_pumped": "~1500"},
        "future": {"service_date": "2062-07-02"},
        "unknown": {"permit_number": f"XX-{number}", "parcel_number": "", "site_address": f"{number} Elsewhere Rd"},
        "conflict": {"report_ref": "T-0", "gallons_pumped": str(100 + number)},
    }
    return {**row, **changes[kind]}


mixes = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 12)), min_size=1, max_size=14)
quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(mix=mixes, seed=st.integers(0, 5))
def test_counts_add_up_and_the_second_time_nothing_comes_in(
    ozaukee: Desk, mix: list[tuple[str, int]], seed: int
) -> None:
    rows = [_row_of(kind, number) for kind, number in mix]
    first = ozaukee.take(*rows)
    events = ozaukee.events()
    shuffled = copy.copy(rows)
    random.Random(seed).shuffle(shuffled)
    again = ozaukee.take(*shuffled)
    for answer in (first, again):
        assert sum(tally(answer).values()) == len(rows) == answer.counts["rows"]
    assert tally(again)["accepted"] == tally(again)["queued_for_review"] == 0
    assert ozaukee.events() == events


SERIAL = count()


@quick
@given(kinds=st.lists(st.sampled_from([kind for kind in KINDS if kind != "conflict"]), min_size=1, max_size=14))
def test_mending_what_was_rejected_ends_with_every_row_once(ozaukee: Desk, kinds: list[str]) -> None:
    mark = f"lot {next(SERIAL)} of these tests"
    rows = [{**_row_of(kind, n), "notes": f"{mark}, {n}"} for n, kind in enumerate(kinds)]
    rows = [{**row, "report_ref": row["report_ref"] and f"{mark}-{n}"} for n, row in enumerate(rows)]
    first = ozaukee.take(*rows)
    bad = {o.row - 2 for o in first.outcomes if o.outcome == "rejected"}
    assert bad == {n for n, kind in enumerate(kinds) if kind in ("wrong", "future")}
    right = [
        {**r, "service_date": "2026-06-15", "gallons_pumped": "950"} if n in bad else r for n, r in enumerate(rows)
    ]
    if bad:
        mended = ozaukee.take(*(right[n] for n in sorted(bad)))
        assert set(outcomes(mended)) == {"accepted"}
    assert set(outcomes(ozaukee.take(*right))) == {"duplicate"}
    kept = Counter(e["content"]["notes"] for e in ozaukee.events() if mark in e["content"].get("notes", ""))
    assert kept == Counter(row["notes"] for row in rows)


def test_killed_in_the_middle_leaves_nothing_and_may_be_sent_again(
    ozaukee: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reporting.intake.accept.CHUNK", 3)
    rows = [a_report(f"T-{n}", "SP-9" if n % 2 else "SP-1", gallons_pumped=str(n)) for n in range(1, 9)]
    tables = ("event", "submission", "outcome", "review", "system", "log_entry", "domain_event", "identifier")
    before = {name: ozaukee.count(name) for name in tables}

    class Killed(Exception):
        pass

    from reporting.intake import accept

    written = []
    record = accept.record_chunk

    def stop_at_the_second(*args: Any) -> Any:
        if written:
            raise Killed
        written.append(True)
        return record(*args)

    with monkeypatch.context() as patch:
        patch.setattr("reporting.intake.accept.record_chunk", stop_at_the_second)
        with pytest.raises(Killed):
            ozaukee.take(*rows)
    assert {name: ozaukee.count(name) for name in tables} == before
    answer = ozaukee.take(*rows)
    assert tally(answer) == {"accepted": 4, "queued_for_review": 4}
    assert len(ozaukee.events()) == 8


def test_two_who_send_the_same_file_at_once_bring_it_in_once(ozaukee: Desk) -> None:
    rows = [a_report(f"T-{n}", "SP-9" if n % 3 == 0 else "SP-1", gallons_pumped=str(n)) for n in range(1, 60)]
    with ThreadPoolExecutor(4) as pool:
        answers = [f.result() for f in [pool.submit(ozaukee.take, *rows) for _ in range(4)]]
    total = sum((tally(answer) for answer in answers), Counter())
    assert total == {"accepted": 40, "queued_for_review": 19, "duplicate": 59 * 3}
    assert len(ozaukee.events()) == 59
    assert len([s for s in ozaukee.rows("system_version") if s["status"] == "provisional"]) == 1
