"""What holds under every program file there is, made from its own data: a new county is tested by being there."""

import datetime as dt
from typing import Any

import pytest

from schemas.acts import ReportDeadline, WhoMay
from tests.reporting.domain.programs import PROGRAMS, evaluate

SLUGS = tuple(PROGRAMS)
KINDS = ("septic", "holding")


def scenario(slug: str, as_of: str, kind: str = "septic", **changes: Any) -> dict[str, Any]:
    system = {"kind": kind, "installed_on": "2012-05-01", "permit_issued_on": "2012-04-02", "capacity_gallons": 1000}
    events = changes.pop("events", [])
    top = {k: changes.pop(k) for k in ("known_at", "statements", "owner_notices", "settings") if k in changes}
    return {"county": slug, "as_of": as_of, "system": {**system, **changes}, "events": events, **top}


def pumping(day: str = "2025-06-02", **changes: Any) -> dict[str, Any]:
    received = f"{day}T18:00:00-05:00"
    usual = {"id": "E1", "event_type": "pumping", "service_date": day, "received_on": received, "gallons_pumped": 1000}
    return {**usual, "credential_kind": "septage_operator", "license_number": "00412", **changes}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("slug", SLUGS)
class TestEveryProgram:
    def test_without_dates_the_standing_is_unknown(self, slug: str, kind: str) -> None:
        answer = evaluate(scenario(slug, "2026-06-01", kind, installed_on=None, permit_issued_on=None))
        assert answer["standing"] == "unknown"
        assert answer["obligations"] == []

    @pytest.mark.parametrize("status", ["abandoned", "sewered", "removed"])
    def test_out_of_use_nothing_is_due(self, slug: str, kind: str, status: str) -> None:
        answer = evaluate(scenario(slug, "2026-06-01", kind, status=status, events=[pumping()]), show_met=True)
        assert answer["standing"] == "inactive"
        assert answer["obligations"] == []

    def test_never_seen_is_overdue_long_after_installation(self, slug: str, kind: str) -> None:
        assert evaluate(scenario(slug, "2026-06-01", kind))["standing"] == "overdue"

    def test_before_everything_nothing_is_overdue(self, slug: str, kind: str) -> None:
        answer = evaluate(scenario(slug, "2012-05-02", kind, events=[pumping()]))
        assert answer["standing"] in ("compliant", "due_soon")
        assert answer["findings"] == [f for f in answer["findings"] if f["kind"] == "management_plan_missing"]

    def test_void_is_as_if_it_had_never_been(self, slug: str, kind: str) -> None:
        without = evaluate(scenario(slug, "2026-06-01", kind), show_met=True)
        voided = evaluate(scenario(slug, "2026-06-01", kind, events=[pumping(voided=True)]), show_met=True)
        assert voided == without

    def test_a_pumping_moves_the_next_date(self, slug: str, kind: str) -> None:
        before = _due(evaluate(scenario(slug, "2025-06-02", kind)))
        after = _due(
            evaluate(scenario(slug, "2025-06-02", kind, events=[pumping(tank_condition="good", ponding="none")]))
        )
        assert after > before

    def test_nobody_without_the_right_moves_it(self, slug: str, kind: str) -> None:
        without = evaluate(scenario(slug, "2025-06-02", kind))
        event = pumping(credential_kind="soil_tester", tank_condition="good", ponding="none")
        answer = evaluate(scenario(slug, "2025-06-02", kind, events=[event]))
        assert answer["obligations"] == without["obligations"]
        assert any(f["kind"] == "not_qualified" for f in answer["findings"])


def _due(answer: dict[str, object]) -> list[str]:
    kinds = ("pump", "pump_or_inspect", "inspect_tank")
    return sorted(o["due_on"] for o in answer["obligations"] if o["kind"] in kinds)


def _deadlines() -> list[Any]:
    """Every report deadline of every text, with a service date under that text and the system that it is of."""
    found = []
    for slug in SLUGS:
        program = PROGRAMS[slug]
        for text, first, _ in program.spans():
            day = max(first, dt.date(2024, 3, 4)) + dt.timedelta(days=9)
            for p in text.of(ReportDeadline):
                for event in p.act.events:
                    kind = p.act.components[0] if p.act.components else "septic"
                    found.append(
                        pytest.param(slug, p.id, day, kind, event, id=f"{slug}-{text.name}-{p.id}-{event}-{kind}")
                    )
    return found


@pytest.mark.parametrize(("slug", "rule", "day", "kind", "event"), _deadlines())
def test_a_report_is_in_time_on_its_last_day_and_late_on_the_next(
    slug: str, rule: str, day: dt.date, kind: str, event: str
) -> None:
    act = next(a for a in PROGRAMS[slug].rule(rule).acts if isinstance(a, ReportDeadline) and event in a.events)
    changes: dict[str, Any] = {"building": act.buildings[0]} if act.buildings else {}
    if act.exemption:
        changes["exemption"] = {"kind": act.exemption, "granted_on": "2023-01-02"}
    late = _late_finding(slug, day, kind, event, day + dt.timedelta(days=400), changes)
    assert late is not None
    last = dt.date.fromisoformat(str(late["last_day"]))
    assert _late_finding(slug, day, kind, event, last, changes) is None
    assert _late_finding(slug, day, kind, event, last + dt.timedelta(days=1), changes) == {
        **late,
        "because": str(late["because"]).replace(str(day + dt.timedelta(days=400)), str(last + dt.timedelta(days=1))),
    }
    assert dt.date.fromisoformat(str(late["due_on"])) <= day + dt.timedelta(days=act.days)


def _late_finding(
    slug: str, day: dt.date, kind: str, event_type: str, received: dt.date, changes: dict[str, Any]
) -> dict[str, object] | None:
    event = pumping(str(day), event_type=event_type, received_on=f"{received}T23:30:00-05:00")
    answer = evaluate(scenario(slug, "2028-06-01", kind, events=[event], **changes))
    return next((f for f in answer["findings"] if f["kind"] == "late_report"), None)


@pytest.mark.parametrize("slug", SLUGS)
def test_somebody_may_pump_and_inspect_everywhere(slug: str) -> None:
    for text, _, _ in PROGRAMS[slug].spans():
        activities = {p.act.activity for p in text.of(WhoMay)}
        assert {"pump", "inspect", "inspect_dispersal"} <= activities
