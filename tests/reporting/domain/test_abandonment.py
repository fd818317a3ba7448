"""Abandonment: pumped before (OZ14), watched, paid for (OZ22), told in time (WI13); event grounds (WI24)."""

from typing import Any

import pytest

from reporting.scenario import evaluate
from schemas.loader import shipped_program
from tests.reporting.domain.test_battery import pumping, scenario

GONE = "2026-06-30"


def abandoned(day: str = GONE, *before: dict[str, Any], kind: str = "septic", **top: Any) -> dict[str, Any]:
    end = pumping(day, id="A", event_type="abandonment", gallons_pumped=None, component=kind)
    known = {k: top.pop(k) for k in ("documents", "fees_paid") if k in top}
    as_of = top.pop("as_of", "2026-12-31")
    raw = scenario(top.pop("slug", "ozaukee"), as_of, kind, events=[*before, end], **top)
    return evaluate({**raw, **known})


def rules(answer: dict[str, Any], kind: str) -> list[str]:
    return [f["rule"] for f in answer["findings"] if f["kind"] == kind]


@pytest.mark.parametrize(
    ("day", "more", "wrong"),
    [
        ("2026-06-30", {}, False),
        ("2026-05-31", {}, False),  # 30 days before
        ("2026-05-30", {}, True),
        ("2026-07-01", {}, True),  # after
        ("2026-06-30", {"credential_kind": "master_plumber"}, True),
        ("2026-06-30", {"partial": True}, True),
        ("2026-06-30", {"credential_expires_on": "2026-06-29"}, True),
        ("2026-06-30", {"credential_expires_on": "2026-06-30"}, False),
    ],
)
def test_oz14_pumped_by_a_certified_contractor_before_it_is_abandoned(
    day: str, more: dict[str, Any], wrong: bool
) -> None:
    answer = abandoned(GONE, pumping(day, component="septic", **more))
    assert answer["standing"] == "inactive"
    assert rules(answer, "abandonment_not_pumped") == (["OZ14"] if wrong else [])


def test_oz14_the_days_are_a_setting() -> None:
    before = pumping("2026-05-01", component="septic")
    assert rules(abandoned(GONE, before, settings={"abandonment_pump_days": 60}), "abandonment_not_pumped") == []


def test_oz14_an_inspector_on_site_is_asked_for_only_where_the_file_is_known() -> None:
    done = pumping(GONE, component="septic")
    assert rules(abandoned(GONE, done), "abandonment_not_observed") == []
    assert rules(abandoned(GONE, done, documents=[]), "abandonment_not_observed") == ["OZ14"]
    seen = [{"kind": "abandonment_inspection", "filed_on": GONE}]
    assert rules(abandoned(GONE, done, documents=seen), "abandonment_not_observed") == []


@pytest.mark.parametrize(
    ("documents", "due"),
    [
        ([], True),
        ([{"kind": "replacement_permit", "filed_on": "2026-06-01"}], False),  # 9.026(5)
        ([{"kind": "annexation_certification", "filed_on": "2026-07-30"}], False),  # 9.026(6): the thirtieth day
        ([{"kind": "annexation_certification", "filed_on": "2026-07-31"}], True),
    ],
)
def test_oz22_the_permits_fee_and_who_is_free_of_it(documents: list[dict[str, str]], due: bool) -> None:
    answer = abandoned(GONE, documents=documents, fees_paid=[])
    assert rules(answer, "fee_due") == (["OZ22"] if due else [])
    if due:
        [found] = [f for f in answer["findings"] if f["kind"] == "fee_due"]
        assert (found["amount"], found["cite"]) == (100, "9.024(7)(d)")


def test_oz22_paid_once_for_the_tanks_of_one_day() -> None:
    both = [pumping(GONE, id="B", event_type="abandonment", gallons_pumped=None, component="dispersal")]
    paid = [{"kind": "abandonment_permit", "on": GONE}]
    assert rules(abandoned(GONE, *both, fees_paid=[]), "fee_due") == ["OZ22"]
    assert rules(abandoned(GONE, *both, fees_paid=paid), "fee_due") == []
    assert rules(abandoned(GONE, *both), "fee_due") == []  # what was paid nobody said


def test_other_programs_ask_for_neither() -> None:
    answer = abandoned(slug="portage", documents=[], fees_paid=[])
    assert not {f["kind"] for f in answer["findings"]} & {"abandonment_not_pumped", "abandonment_not_observed"}


def grounds(as_of: str, case: dict[str, Any] | None = None, **system: Any) -> dict[str, Any]:
    system = {"building": "event_grounds", **system}
    raw = scenario("winnebago", as_of, "holding", cases=[case] if case else [], events=[pumping(GONE)], **system)
    return evaluate(raw)


def duty(answer: dict[str, Any]) -> dict[str, Any]:
    return next((o for o in answer["obligations"] if o["kind"] == "abandon"), {})


@pytest.mark.parametrize("kind", ["event_over", "use_changed", "property_sold"])
def test_wi24_event_grounds_abandon_the_tank_when_the_event_ends(kind: str) -> None:
    case = {"kind": kind, "opened_on": "2026-09-01", "ended_on": "2026-09-07"}  # a Monday, Labor Day
    on_the_day = grounds("2026-09-08", case)
    assert (duty(on_the_day)["rule"], duty(on_the_day)["due_on"]) == ("WI24", "2026-09-07")
    assert duty(on_the_day)["state"] == "due_soon"  # the holiday rolls it
    assert grounds("2026-09-09", case)["standing"] == "violation"
    assert not duty(grounds("2026-09-09", {**case, "abandoned_on": "2026-09-09"}))


def test_wi24_sewer_that_comes_asks_for_it_at_once_and_other_buildings_do_not() -> None:
    late = duty(grounds("2026-09-02", sewer_available_on="2026-09-01"))
    assert (late["rule"], late["due_on"], late["days_late"]) == ("WI24", "2026-09-01", 1)
    assert not duty(grounds("2026-08-31", sewer_available_on="2026-09-01"))
    assert not duty(grounds("2026-09-02", sewer_available_on="2026-09-01", building="commercial"))


def test_wi13_and_s15_the_schedule_ends_and_the_report_has_thirty_days() -> None:
    """Where the whole system goes; the notice is due although nothing else is."""
    answer = abandoned("2026-08-03", slug="winnebago", kind="holding")
    assert (answer["standing"], answer["obligations"]) == ("inactive", [])


def test_a_setting_is_named_that_exists() -> None:
    assert shipped_program("ozaukee").days("abandonment_pump_days") == 30
