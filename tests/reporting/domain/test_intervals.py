"""Which of several duties of one kind holds: of two rules, of two texts, and after reports that change the date."""

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest

from reporting.domain.pumping import AS_WRITTEN, is_below
from reporting.domain.records import Event
from reporting.scenario import evaluate
from schemas.loader import load_program
from schemas.program import Program
from tests.reporting.domain.test_changes_of_text import HEAD, INSPECTED

RULE = HEAD[HEAD.index("[[rule]]") :]
SERVICE = 'effect = "service_interval", kind = "pump", components = ["septic"]'
DEFERRAL = 'effect = "deferral", kind = "pump", below = "1/3"'
FULL = 'effect = "full_tank", kind = "pump", at_least = "1/3"'
NAMED = 'effect = "not_necessary", kind = "pump"'
NEVER = dt.date(2024, 6, 1)
OF_HOLDING, OF_SEPTIC = ', components = ["holding"]', ', components = ["septic"]'
PUMPED: dict[str, Any] = {
    "event_type": "pumping", "credential_kind": "septage_operator", "gallons_pumped": 900,
}  # fmt: skip


def program(*rules: str) -> Program:
    """The county with one rule for each of these acts, EL1, EL2 and so on."""
    each = [RULE.replace("EL1", f"EL{n}") + f"act = [{act}]\n" for n, act in enumerate(rules, 1)]
    return load_program((HEAD[: HEAD.index("[[rule]]")] + "".join(each)).encode(), "elsewhere.toml")


def act(said: str, **values: Any) -> str:
    """An act with numbers of its own."""
    return "{ " + said + "".join(f", {name} = {value}" for name, value in values.items()) + " }"


def judged(of: Program, *events: dict[str, Any], as_of: str = "2027-01-01", met: bool = False, **system: Any) -> Any:
    """The answer about a septic tank."""
    numbered = [{"id": f"E{n}", **event} for n, event in enumerate(events, 1)]
    usual = {"kind": "septic", **({} if events or system else {"installed_on": "2012-05-01"})}
    scenario = {"county": "elsewhere", "as_of": as_of, "system": {**usual, **system}, "events": numbered}
    answer: Any = evaluate(scenario, program=of, show_met=met)
    assert "ignored" not in answer
    return answer


def due(*of: Any, **more: Any) -> tuple[str, str]:
    """The one date of the next pumping, and the rule that sets it."""
    [found] = [o for o in judged(*of, **more)["obligations"] if o["kind"] == "pump" and o["state"] != "met"]
    return found["due_on"], found["rule"]


def pumped(day: str, **more: Any) -> dict[str, Any]:
    return {**PUMPED, "service_date": day, **more}


def inspected(day: str, share: str | None = "1/4", **more: Any) -> dict[str, Any]:
    said = {} if share is None else {"sludge_scum_fraction": share}
    return {**INSPECTED, "service_date": day, **said, **more}


@pytest.mark.parametrize(("first", "second"), [(36, 60), (60, 36), (36, 36)])
def test_of_two_rules_the_earlier_date_holds_and_of_equal_ones_the_first(first: int, second: int) -> None:
    two = program(act(SERVICE, months=first), act(SERVICE, months=second))
    expected = {36: "2027-06-01", 60: "2029-06-01"}[min(first, second)]
    assert due(two, pumped("2024-06-01")) == (expected, "EL1" if first <= second else "EL2")


@pytest.mark.parametrize("order", [1, -1])
def test_a_rule_with_a_date_comes_before_one_without(order: int) -> None:
    """Nothing is known but the day from which people lived there, and of the two rules one counts from that."""
    acts = [act(SERVICE, months=36), act(SERVICE, months=36, from_occupancy="true")][::order]
    assert due(program(*acts), occupied_on="2024-06-01") == ("2027-06-01", "EL2" if order == 1 else "EL1")


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2022-06-01", "2025-06-01"),
        ("2022-12-31", "2025-12-31"),  # the old text's last day
        ("2023-01-01", "2028-01-01"),  # by the old one it would be the first day of the new one
        ("2023-06-01", "2028-06-01"),
    ],
)
def test_a_duty_is_of_the_text_in_force_on_its_due_date(day: str, expected: str) -> None:
    """36 months by the old text, 60 by the one in force from 2026-01-01 on."""
    old, new = (act(SERVICE, months=months, texts=f'["{text}"]') for months, text in ((36, "old"), (60, "new")))
    assert due(program(f"{old}, {new}"), pumped(day), as_of="2026-02-01")[0] == expected


def test_an_obligation_says_what_it_counts_from() -> None:
    one = program(act(SERVICE, months=36))
    [first] = judged(one)["obligations"]
    assert first["because"] == "installed 2012-05-01; within 36 months, none on record"
    told = judged(one, pumped("2019-06-03"), pumped("2022-06-01"), met=True)["obligations"]
    assert {o["state"]: o["because"] for o in told} == {
        "met": "pumped 2019-06-03; every 36 months; pumped 2022-06-01",
        "overdue": "pumped 2022-06-01; every 36 months",
    }


def test_of_a_pumping_with_an_inspection_the_pumping_is_named() -> None:
    either = program(act(SERVICE.replace('"pump"', '"pump_or_inspect"'), months=36))
    both = pumped("2024-06-01", event_type="pumping_and_inspection")
    assert [o["because"] for o in judged(either, both)["obligations"]] == ["pumped 2024-06-01; every 36 months"]


DEFERRING = program(act(DEFERRAL, months=24), act(SERVICE, months=36))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        # the very day of the interval is no later one
        ((pumped("2023-05-01"), inspected("2024-05-01")), ("2026-05-01", "EL2")),
        ((pumped("2023-05-01"), inspected("2024-05-02")), ("2026-05-02", "EL1")),
        # each one defers again
        ((pumped("2023-05-01"), inspected("2024-06-01"), inspected("2024-09-01")), ("2026-09-01", "EL1")),
        # a load that emptied nothing keeps no later inspection from deferring
        (
            (
                pumped("2023-05-01"),
                {**inspected("2024-06-01"), "event_type": "pumping_and_inspection", "partial": True},
                inspected("2024-09-01"),
            ),
            ("2026-09-01", "EL1"),
        ),
    ],
)
def test_an_inspection_that_finds_less_defers(events: tuple[dict[str, Any], ...], expected: tuple[str, str]) -> None:
    assert due(DEFERRING, *events) == expected


def test_what_was_inspected_before_the_last_pumping_defers_nothing() -> None:
    far = program(act(DEFERRAL, months=96), act(SERVICE, months=36))
    assert due(far, pumped("2020-05-01"), inspected("2021-05-03"), pumped("2023-05-01")) == ("2026-05-01", "EL2")


def test_a_deferral_says_why() -> None:
    [found] = judged(DEFERRING, pumped("2023-05-01"), inspected("2024-06-01"))["obligations"]
    assert found["because"] == "less than 1/3 found 2024-06-01; deferred 24 months"


def test_a_provision_for_other_tanks_keeps_none_after_it_from_acting() -> None:
    two = program(act(DEFERRAL + OF_HOLDING, months=48), act(DEFERRAL + OF_SEPTIC, months=24), act(SERVICE, months=36))
    assert due(two, pumped("2023-05-01"), inspected("2024-06-01")) == ("2026-06-01", "EL2")
    named = program(act(NAMED + OF_HOLDING), act(NAMED + OF_SEPTIC))
    assert due(named, inspected("2024-06-01", next_pump_date="2025-06-02")) == ("2025-06-02", "EL2")


def test_of_two_inspections_of_a_day_the_fuller_tanks_date_holds() -> None:
    named = program(act(NAMED))
    of_one_day = (inspected("2024-06-01", "1/5", next_pump_date="2025-06-02"), inspected("2024-06-01", None))
    of_one_day[1]["next_pump_date"] = "2025-09-01"
    assert due(named, *of_one_day) == ("2025-06-02", "EL1")


@pytest.mark.parametrize(("event_type", "opened"), [("inspection", True), ("pumping", False)])
def test_a_full_tank_of_which_something_was_pumped_opens_no_duty(event_type: str, opened: bool) -> None:
    full = program(act(FULL))
    event = inspected("2024-06-01", "1/2", event_type=event_type)
    event |= {"partial": True, "gallons_pumped": 300} if event_type == "pumping" else {}
    assert bool(judged(full, event)["obligations"]) is opened


@pytest.mark.parametrize(
    ("share", "below"),
    [
        (Fraction(1, 3), False),
        (Fraction("0.333"), False),  # as people write a third
        (Fraction(1, 3) - AS_WRITTEN + Fraction(1, 10**9), False),
        (Fraction(1, 3) - AS_WRITTEN, True),
        (Fraction("0.33"), True),
    ],
)
def test_a_third_is_a_third_as_it_is_written(share: Fraction, below: bool) -> None:
    event = Event(id="E1", event_type="inspection", service_date=NEVER, sludge_scum_fraction=share)
    assert is_below(event, Fraction(1, 3)) is below
