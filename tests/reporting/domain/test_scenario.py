"""Reading scenarios: liberal where keys are not known, clear where a value cannot be read."""

import datetime as dt
from typing import Any

import pytest

from reporting.domain.records import Component, Meter, Plan
from reporting.scenario import ScenarioError, evaluate, read_history, read_system


def scenario(**changes: Any) -> dict[str, Any]:
    return {"county": "portage", "as_of": "2026-06-01", "system": {"kind": "septic"}, "events": [], **changes}


EVENT = {"id": "E1", "event_type": "pumping", "service_date": "2025-06-02", "received_on": "2025-06-03T09:00:00-05:00"}


@pytest.mark.parametrize(
    ("changes", "key", "said"),
    [
        ({"county": None}, "county", "is missing"),
        ({"county": "atlantis"}, "county", "there is no program 'atlantis'"),
        ({"as_of": None}, "as_of", "give the day judged as YYYY-MM-DD"),
        ({"as_of": "06/01/2026"}, "as_of", 'expected a date as YYYY-MM-DD, got "06/01/2026"'),
        ({"as_of": "2026-02-30"}, "as_of", 'expected a date as YYYY-MM-DD, got "2026-02-30"'),
        ({"as_of": 20260601}, "as_of", "expected a date as YYYY-MM-DD, got 20260601"),
        ({"system": []}, "system", "expected an object, got []"),
        ({"system": {"kind": 7}}, "system.kind", "expected a text, got 7"),
        ({"system": {"installed_on": "soon!"}}, "system.installed_on", 'expected a date as YYYY-MM-DD, got "soon!"'),
        (
            {"system": {"kind": "holding", "meter": {"unit": "litres"}}},
            "system.meter.unit",
            "expected one of gal, gal_x100, ft3, m3, got 'litres'",
        ),
        ({"system": {"plan": {"pump_months": 2.5}}}, "system.plan.pump_months", "expected a whole number, got 2.5"),
        ({"system": {"cases": [{"opened_on": "2026-01-01"}]}}, "system.cases[0].kind", "is missing"),
        ({"system": {"exemption": {"kind": "vacant"}}}, "system.exemption[0].granted_on", "is missing"),
        ({"system": {"components": [7]}}, "system.components[0]", "expected a name or an object"),
        ({"system": {"contracts": {}}}, "system.contracts", "expected a list, got {}"),
        (
            {"events": [EVENT, {"id": "E2", "event_type": "pumping"}]},
            "events[1].service_date",
            "give the day of service as YYYY-MM-DD",
        ),
        ({"events": [EVENT, EVENT]}, "events[1].id", "'E1' stands twice"),
        ({"events": "none"}, "events", 'expected a list, got "none"'),
        ({"events": [None]}, "events[0]", "expected an object, got null"),
        ({"events": [{**EVENT, "received_on": "noon"}]}, "events[0].received_on", None),
        ({"events": [{**EVENT, "gallons_pumped": -5}]}, "events[0].gallons_pumped", None),
        ({"events": [{**EVENT, "gallons_pumped": float("nan")}]}, "events[0].gallons_pumped", None),
        ({"events": [{**EVENT, "meter_reading": float("inf")}]}, "events[0].meter_reading", None),
        ({"events": [{**EVENT, "meter_reading": "1e999999"}]}, "events[0].meter_reading", None),
        ({"events": [{**EVENT, "meter_reading": 10**30}]}, "events[0].meter_reading", None),
        (
            {"events": [{**EVENT, "sludge_scum_fraction": 25}]},
            "events[0].sludge_scum_fraction",
            "expected a share from 0 to 1",
        ),
        ({"events": [{**EVENT, "sludge_scum_fraction": "1/0"}]}, "events[0].sludge_scum_fraction", None),
        ({"events": [{**EVENT, "voided": "no"}]}, "events[0].voided", 'expected true or false, got "no"'),
        ({"statements": [{"period": "2026"}]}, "statements[0].received_on", "is missing"),
        ({"owner_notices": [{"kind": "alarm"}]}, "owner_notices[0].on", "is missing"),
        ({"settings": {"lead_days": "sixty"}}, "settings.lead_days", "expected a number, got 'sixty'"),
        ({"settings": {"lead_days": -1}}, "settings.lead_days", "expected a number from 0 to 1,000,000, got -1"),
        ({"settings": {"lead_days": True}}, "settings.lead_days", "expected a number, got True"),
        ({"settings": {"records_from": "2026"}}, "settings.records_from", "expected a date as YYYY-MM-DD, got '2026'"),
        ({"settings": {"closed_days": "2026-01-02"}}, "settings.closed_days", "expected a list, got '2026-01-02'"),
        ({"known_at": "yesterday"}, "known_at", None),
    ],
)
def test_what_cannot_be_read_is_told_with_its_key(changes: dict[str, Any], key: str, said: str | None) -> None:
    with pytest.raises(ScenarioError) as caught:
        evaluate(scenario(**changes))
    assert caught.value.key == key
    assert str(caught.value).startswith(f"{key}: ")
    if said is not None:
        assert caught.value.said == said


def test_what_is_no_object_is_told() -> None:
    for wrong in (None, [], "x", 7):
        with pytest.raises(ScenarioError, match="expected a JSON object"):
            evaluate(wrong)


def test_keys_nobody_knows_are_listed_and_change_nothing() -> None:
    wrong = scenario(
        system={"kind": "septic", "instaled_on": "2012-05-01"},
        events=[{**EVENT, "gallons": 1000}],
        as_off="2026-06-01",
        settings={"leed_days": 5},
    )
    answer = evaluate(wrong)
    assert answer.pop("ignored") == ["as_off", "system.instaled_on", "events[0].gallons", "settings.leed_days"]
    assert answer == evaluate(scenario(events=[EVENT]))


def test_dealings_of_no_use_to_a_program_are_taken_without_a_word() -> None:
    later = {
        "mailings": [{"on": "2026-04-01"}],
        "deferrals": {},
        "windows": [{"from": "2026-06-01", "to": "2026-06-20", "area": 1}],
        "fees_paid": [],
        "documents": None,
    }
    assert evaluate(scenario(**later)) == evaluate(scenario())


def test_the_day_judged_may_be_left_to_the_caller() -> None:
    answer = evaluate(scenario(as_of=None), today=dt.date(2026, 6, 1))
    assert answer["as_of"] == "2026-06-01"


def test_receipts_without_a_zone_or_a_time_are_the_countys_own() -> None:
    events = [{**EVENT, "received_on": said} for said in ("2025-07-02", "2025-07-02T23:59:00", "2025-07-03T04:59:00Z")]
    for event in events:
        assert evaluate(scenario(events=[event]))["findings"] == evaluate(scenario(events=[EVENT]))["findings"]
    late = evaluate(scenario(events=[{**EVENT, "received_on": "2025-07-03T00:01:00"}]))
    assert any(f["kind"] == "late_report" for f in late["findings"])  # type: ignore[attr-defined]


def test_events_without_ids_are_numbered_past_those_that_have_them() -> None:
    nameless = {k: v for k, v in EVENT.items() if k != "id"}
    found = read_history({"events": [nameless, {**EVENT, "id": "E1"}]}).events
    assert [e.id for e in found] == ["E1'", "E1"]


def test_components_inherit_what_the_system_says_of_its_kind() -> None:
    system = read_system(
        {
            "kind": "holding",
            "capacity_gallons": 2000,
            "meter": {"unit": "m3", "digits": 5},
            "components": ["holding", {"kind": "septic", "capacity_gallons": 1000, "plan": {"pump_months": 24}}],
        }
    )
    assert system.components == (
        Component(kind="holding", capacity_gallons=2000, meter=Meter(unit="m3", digits=5)),
        Component(kind="septic", capacity_gallons=1000, plan=Plan(pump_months=24)),
    )


def test_two_tanks_of_the_systems_kind_inherit_nothing() -> None:
    raw = {
        "kind": "holding",
        "capacity_gallons": 2000,
        "components": [{"kind": "holding", "ref": "A"}, {"kind": "holding", "ref": "B"}],
    }
    assert [c.capacity_gallons for c in read_system(raw).components] == [None, None]


def test_absent_is_unknown_and_none_is_none() -> None:
    assert read_system({}).contracts is None
    assert read_system({"contracts": []}).contracts == ()
    assert not read_system({}).designation_known
    assert read_system({"designated_contractor": None}).designation_known


def test_with_all_the_cycles_already_met_are_shown() -> None:
    events = [
        {**EVENT, "id": f"E{y}", "service_date": f"{y}-06-02", "received_on": f"{y}-06-03T09:00:00-05:00"}
        for y in (2019, 2022, 2025)
    ]
    shown = evaluate(scenario(events=events), show_met=True)["obligations"]
    met = [(o["due_on"], o["met_on"], o["rule"]) for o in shown if o["state"] == "met"]  # type: ignore[attr-defined]
    assert met == [("2022-06-02", "2022-06-02", "PO2"), ("2025-06-02", "2025-06-02", "PO2")]
    assert not [o for o in evaluate(scenario(events=events))["obligations"] if o["state"] == "met"]  # type: ignore[attr-defined]
