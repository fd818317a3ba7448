"""The county's question: by permit, parcel and address, for any day, as known at any time, and what the public sees."""

import json
from datetime import date, timedelta

import pytest

from reporting.errors import RecordNotFound
from reporting.histories import county_program
from reporting.status import DUE_COLUMNS, StatusAnswer, find_systems, list_due, status_text, system_status
from reporting.store.engine import Database
from reporting.sweep import sweep
from tests.reporting.counties import NOW, TODAY, a_report, a_row, inspected, load, the_system

LATER = NOW + timedelta(days=2)


def ask(kept: Database, permit: str = "SP-1", **question: object) -> StatusAnswer:
    with kept.reading("ozaukee") as store:
        [system] = find_systems(store, permit=permit)
        program = county_program(store, "ozaukee", on=TODAY)
        return system_status(store, program, system, today=TODAY, **question)  # type: ignore[arg-type]


def test_systems_are_found_exactly_but_for_case_and_punctuation(kept: Database) -> None:
    load(
        kept,
        a_row("SP-14", parcel_number="08-143-6", site_address="N5555 Cty. Hwy. K"),
        a_row("SP-15", parcel_number="08-143-6"),
    )
    with kept.reading("ozaukee") as store:
        [first] = find_systems(store, permit="sp 14")
        assert find_systems(store, address="n5555 county road k") == [first]
        assert len(find_systems(store, parcel="08.143.6")) == 2
        assert find_systems(store, parcel="08-14-36") == []
        assert find_systems(store, parcel="08-143-6", permit="SP-14") == [first]
        assert find_systems(store, permit="SP-1") == []
        with pytest.raises(ValueError, match="permit"):
            find_systems(store)


def test_a_status_says_what_is_due_and_why(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2023-05-22", designated_license_number="00412"))
    status = ask(kept)
    shown = status.as_json()
    assert shown["standing"] == "overdue"
    assert shown["obligations"] == [
        {
            "kind": "pump_or_inspect", "component": "septic", "due_on": "2026-05-22", "last_day": "2026-05-22",
            "state": "overdue", "days_late": 52, "rule": "OZ1", "cite": "9.029(2)(a)1",
            "because": "pumped 2023-05-22; every 36 months", "duty_of": "owner",
        }
    ]  # fmt: skip
    assert status.system["designated_contractor"] == "00412"
    assert [(s["event_type"], s["service_date"], s["baseline"]) for s in status.services] == [
        ("pumping", "2023-05-22", True)
    ]
    json.dumps(shown)
    text = status_text(status)
    for part in ("SP-1", "OVERDUE", "52 days late", "due 2026-05-22", "OZ1, 9.029(2)(a)1", "every 36 months"):
        assert part in text


def test_any_day_and_any_time_of_knowledge_can_be_asked(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2023-05-22"), inspected(last_inspected_on="2023-12-01"))
    with kept.transaction("ozaukee") as store:
        a_report(store, the_system(store).system_id, "rep_1", date(2026, 7, 10), at=LATER, license_number="00412")
    assert ask(kept).answer["standing"] == "compliant"
    assert ask(kept, as_of=date(2026, 7, 9)).answer["standing"] == "overdue"
    assert ask(kept, as_of=date(2024, 1, 1)).answer["standing"] == "compliant"
    before = ask(kept, known_at=LATER - timedelta(seconds=1))
    assert (before.answer["standing"], len(before.services)) == ("overdue", 2)
    assert ask(kept, known_at=LATER).answer["standing"] == "compliant"
    with pytest.raises(RecordNotFound):
        ask(kept, known_at=NOW - timedelta(seconds=1))


def test_the_sweep_and_the_question_say_the_same(kept: Database) -> None:
    load(kept, *(a_row(f"SP-{n}", last_pumped_on=f"20{14 + n}-07-20") for n in range(12)))
    sweep(kept, "ozaukee", TODAY, NOW)
    with kept.reading("ozaukee") as store:
        listed = {
            (row["permit_number"], row["due_on"], row["state"], row["days_late"])
            for row in list_due(store, today=TODAY)
        }
    asked = {
        (f"SP-{n}", duty["due_on"], duty["state"], duty["days_late"])
        for n in range(12)
        for duty in ask(kept, f"SP-{n}").answer["obligations"]
        if duty["state"] in ("due_soon", "overdue")
    }
    assert listed == asked
    assert len(listed) == 10


def test_the_public_sees_standing_and_dates_and_no_names(kept: Database) -> None:
    load(
        kept,
        a_row(
            owner_email="canary@example.org",
            access_notes="canary",
            last_pumped_on="2023-05-22",
            designated_license_number="00412",
        ),
        inspected(owner_email="canary@example.org", access_notes="canary"),
    )
    with kept.transaction("ozaukee") as store:
        content = {"business_name": "canary", "technician_name": "canary", "gallons_pumped": 1000}
        a_report(store, the_system(store).system_id, "rep_1", date(2026, 7, 1), license_number="00999", content=content)
    shown = json.dumps(ask(kept).public_view())
    for secret in ("canary", "Lor", "00412", "00999", "rep_1"):
        assert secret not in shown
    assert '"standing": "compliant"' in shown
    assert '"pumping": "2026-07-01"' in shown


def test_due_lists_are_filtered_and_soonest_first(kept: Database) -> None:
    load(
        kept,
        a_row("SP-1", last_pumped_on="2023-05-22", designated_license_number="PM-2207"),
        a_row("SP-2", last_pumped_on="2023-08-01", municipality="Town of Grafton"),
        a_row("SP-3", last_pumped_on="2020-01-01"),
        a_row("SP-4", last_pumped_on="2026-01-01"),
    )
    sweep(kept, "ozaukee", TODAY, NOW)

    def permits(**filters: object) -> list[str]:
        with kept.reading("ozaukee") as store:
            return [row["permit_number"] for row in list_due(store, today=TODAY, **filters)]  # type: ignore[arg-type]

    assert permits() == ["SP-3", "SP-1", "SP-2"]
    assert permits(state=["overdue"]) == ["SP-3", "SP-1"]
    assert permits(state=[]) == ["SP-3", "SP-1", "SP-2", "SP-4"]
    assert permits(contractor=["pm 2207"]) == ["SP-1"]
    assert permits(municipality="Town of Grafton") == ["SP-2"]
    assert permits(due_before=date(2026, 5, 22)) == ["SP-3"]
    assert permits(kind=["inspect_dispersal"]) == []
    with kept.reading("ozaukee") as store:
        row = next(list_due(store, today=TODAY))
    assert tuple(row) == DUE_COLUMNS
    json.dumps(row)
