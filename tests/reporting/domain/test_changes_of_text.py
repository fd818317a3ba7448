"""An event is judged by the text in force on its date: every act that looks at it, on both sides of a change.

A synthetic county whose ordinance changes on 2026-01-01; the act stands in one of its two texts alone. A period is
judged by the text in force on its last day, a certificate by the one of the day on which it was granted.
"""

import datetime as dt
from collections.abc import Mapping
from typing import Any

import pytest

from reporting.scenario import evaluate
from schemas.acts import RequiredFields
from schemas.issues import Issue
from schemas.loader import load_program, shipped_program
from schemas.program import Program
from schemas.report import check_report

LAST, FIRST = "2025-12-31", "2026-01-01"
HEAD = """
slug = "elsewhere"
name = "Elsewhere County"
authority = "Elsewhere County Code"
governmental_unit = "Elsewhere County Zoning"
[[text]]
name = "old"
starts_on = 2010-01-01
[[text]]
name = "new"
starts_on = 2026-01-01
[settings]
grace = { value = 30, meaning = "days after a period" }
pumped_within = { value = 30, meaning = "days before an abandonment" }
[[rule]]
id = "EL1"
title = "The act that is tried"
cite = "12.03"
duty_of = "owner"
filing = false
"""


def program(act: str, text: str = "new", *, since: str = FIRST, more: str = "") -> Program:
    """The county with one act in one of its texts, the new one from `since`; more: further rules."""
    absent = {"new": "old", "old": "new"}[text]
    rule = f'absent_in = ["{absent}"]\nact = [{{ {act}, texts = ["{text}"] }}]\n'
    return load_program((HEAD.replace(FIRST, since) + rule + more).encode(), "elsewhere.toml")


def kinds(judged: Program, day: str, event: Mapping[str, Any], **system: Any) -> set[tuple[str, str]]:
    """The findings and open duties of the rule that is tried, with their kind."""
    usual: dict[str, Any] = {"kind": "septic", "installed_on": "2012-05-01", "capacity_gallons": 1000}
    report: dict[str, Any] = {
        "id": "E1",
        "event_type": "pumping",
        "service_date": day,
        "credential_kind": "septage_operator",
    }
    received: dict[str, Any] = {"received_on": f"{day}T18:00:00-06:00", "gallons_pumped": 900}
    scenario = {"county": judged.slug, "as_of": "2026-12-01", "system": {**usual, **system}}
    answer: Any = evaluate({**scenario, "events": [{**report, **received, **event}]}, program=judged)
    assert "ignored" not in answer
    found = [*answer["findings"], *answer["obligations"]]
    return {(one["kind"], one["rule"]) for one in found if one["rule"] == "EL1"}


LATE: dict[str, Any] = {"received_on": "2026-01-20T18:00:00-06:00"}
INSPECTED: dict[str, Any] = {"event_type": "inspection", "credential_kind": "powts_inspector", "gallons_pumped": None}
ACTS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ('effect = "report_deadline", days = 10, events = ["pumping"]', LATE, {}, "late_report"),
    ('effect = "who_may", activity = "pump", credentials = ["master_plumber"]', {}, {}, "not_qualified"),
    ('effect = "submitter", who = ["licensed_individual"], only = true', {"submitter": "owner"}, {}, "wrong_submitter"),
    ('effect = "tampering"', {"tampering": True}, {}, "tampering"),
    ('effect = "defective"', {"defects": ["baffle"]}, {}, "defect_not_corrected"),
    ('effect = "no_access"', {"no_access": True}, {}, "no_access"),
    ('effect = "failure_codes", codes = { a = "backs up" }', {"failure_condition": "a"}, {}, "failing_system"),
    (
        'effect = "full_tank", kind = "pump", at_least = "1/3", components = ["septic"]',
        {**INSPECTED, "sludge_scum_fraction": "1/3"}, {}, "pump",
    ),
    (
        'effect = "not_necessary", kind = "pump"',
        {**INSPECTED, "not_pumped_reason": "little", "next_pump_date": "2026-06-01"}, {}, "pump",
    ),
    (
        'effect = "abandonment", credentials = ["septage_operator"], days_setting = "pumped_within"',
        {"event_type": "abandonment", "gallons_pumped": None}, {}, "abandonment_not_pumped",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("act", "event", "system", "kind"), ACTS, ids=[act.split('"')[1] for act, *_ in ACTS])
def test_an_event_is_judged_by_the_text_in_force_on_its_date(
    act: str, event: Mapping[str, Any], system: Mapping[str, Any], kind: str
) -> None:
    since, until = program(act), program(act, "old")
    assert (kind, "EL1") not in kinds(since, LAST, event, **system)
    assert (kind, "EL1") in kinds(since, FIRST, event, **system)
    assert (kind, "EL1") in kinds(until, LAST, event, **system)
    assert (kind, "EL1") not in kinds(until, FIRST, event, **system)


@pytest.mark.parametrize(("day", "due"), [(LAST, "2026-05-01"), (FIRST, "2030-01-01")])
def test_an_inspection_defers_by_the_text_of_its_day(day: str, due: str) -> None:
    plan = '{ effect = "plan_intervals", months_without_plan = 36, rule_without_plan = "S20", components = ["septic"] }'
    always = HEAD[HEAD.index("[[rule]]") :].replace("EL1", "EL2") + f"act = [{plan}]\n"
    judged = program('effect = "deferral", kind = "pump", below = "1/3", months = 48', more=always)
    system = {"kind": "septic", "installed_on": "2023-05-01", "plan": {"pump_months": 36, "inspect_months": 12}}
    event = {**INSPECTED, "id": "E1", "service_date": day, "sludge_scum_fraction": "1/4"}
    answer: Any = evaluate(
        {"county": "elsewhere", "as_of": "2026-02-01", "system": system, "events": [event]}, program=judged
    )
    assert [o["due_on"] for o in answer["obligations"] if o["kind"] == "pump"] == [due]


@pytest.mark.parametrize(("read_on", "found"), [(LAST, 0), (FIRST, 1)])
def test_use_is_judged_by_the_text_of_the_second_reading(read_on: str, found: int) -> None:
    judged = program('effect = "flow_limit", gallons_per_day = 10, components = ["holding"]')
    readings = [("2025-12-01", 0), (read_on, 9000)]
    events = [
        {"id": f"E{n}", "event_type": "pumping", "service_date": day, "meter_reading": reading, "gallons_pumped": 900}
        for n, (day, reading) in enumerate(readings)
    ]
    system = {"kind": "holding", "installed_on": "2020-05-01", "capacity_gallons": 2000}
    answer: Any = evaluate(
        {"county": "elsewhere", "as_of": "2026-02-01", "system": system, "events": events}, program=judged
    )
    assert [f["kind"] for f in answer["findings"]].count("flow_over_limit") == found


@pytest.mark.parametrize(("text", "periods"), [("new", ["2025-H2"]), ("old", [])])
def test_a_period_is_judged_by_the_text_in_force_on_its_last_day(text: str, periods: list[str]) -> None:
    """Changed on 2025-12-31 itself, the second half of 2025 is the new text's; its first half is the old one's."""
    act = 'effect = "period_report", period = "half_year", days_setting = "grace", finding_rule = "EL1"'
    judged = program(act, text, since=LAST)
    system = {"kind": "holding", "installed_on": "2020-05-01", "capacity_gallons": 2000}
    scenario = {
        "county": "elsewhere",
        "as_of": "2026-02-15",
        "system": system,
        "settings": {"records_from": "2025-07-01"},
    }
    answer: Any = evaluate(scenario, program=judged)
    assert [o["period"] for o in answer["obligations"] if o["kind"] == "period_report"] == periods


@pytest.mark.parametrize(("day", "missing"), [(dt.date(2025, 12, 31), False), (dt.date(2026, 1, 1), True)])
def test_a_report_holds_what_the_text_of_its_day_asks(day: dt.date, missing: bool) -> None:
    judged = program('effect = "required_fields", fields = ["tank_condition"]')
    assert judged.texts[1].of(RequiredFields)
    values = {"event_type": "pumping", "service_date": day, "gallons_pumped": 900, "component": "septic"}
    issues: list[Issue] = list(check_report(judged, values))
    assert any(issue.field == "tank_condition" for issue in issues) is missing


CHANGED = "2026-07-01"
BEFORE = "2026-06-30"


@pytest.mark.parametrize(
    ("event", "before", "after"),
    [
        ({"failure_condition": "e"}, "condition not in this program's list", "failure to accept sewage"),
        ({"failure_condition": "b"}, "to the surface of the ground", "zones of saturation"),
        ({"surface_discharge": True}, "condition (b)", "condition (d)"),
    ],
)
def test_winnebagos_failing_systems_by_the_day_of_the_report(event: dict[str, Any], before: str, after: str) -> None:
    for day, said in ((BEFORE, before), (CHANGED, after)):
        [because] = [f["because"] for f in _winnebago(day, event)["findings"] if f["rule"] == "WI16"]
        assert said in because


def test_winnebagos_notice_of_abandonment_begins_with_the_amended_text_wherever_the_county_sets_it() -> None:
    event = {"event_type": "abandonment", "gallons_pumped": None, "received_on": "2026-10-01T12:00:00-05:00"}
    assert not _late(_winnebago(BEFORE, event), "WI13")
    assert _late(_winnebago(CHANGED, event), "WI13")
    later = {"text_amended_from": "2026-08-01"}
    assert not _late(_winnebago("2026-07-31", event, settings=later), "WI13")
    assert _late(_winnebago("2026-08-01", event, settings=later), "WI13")


def test_winnebagos_pumping_reports_of_septic_tanks_hold_more_since_the_amendment() -> None:
    for day, asked in ((BEFORE, False), (CHANGED, True)):
        values = {"event_type": "pumping", "service_date": dt.date.fromisoformat(day), "component": "septic"}
        issues = check_report(shipped_program("winnebago"), values)
        assert any(issue.field == "business_name" for issue in issues) is asked


def _winnebago(day: str, event: Mapping[str, Any], **more: Any) -> Any:
    report = {"event_type": "pumping", "service_date": day, "gallons_pumped": 900, **event}
    system = {"kind": "septic", "installed_on": "2012-05-01"}
    return evaluate({"county": "winnebago", "as_of": "2026-12-01", "system": system, "events": [report], **more})


def _late(answer: Any, rule: str) -> bool:
    return any(f["kind"] == "late_report" and f["rule"] == rule for f in answer["findings"])
