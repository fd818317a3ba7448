"""Who files a report (S13, S14, WI4, WI14): the finding, whose duty, and a registration for the own tank only."""

from typing import Any

import pytest

from reporting.scenario import evaluate
from tests.reporting.domain.test_battery import pumping, scenario

BEFORE, AFTER = "2026-06-30", "2026-07-01"
"""The last day of Winnebago's 2019 text and the first of its amendment."""
OWNER = {"credential_kind": "registered_owner", "license_number": "RO-7", "tank_condition": "good", "ponding": "none"}


def judged(slug: str, day: str, kind: str = "septic", as_of: str = "2027-03-01", **event: Any) -> dict[str, Any]:
    seen = {"tank_condition": "good", "ponding": "none"}
    return evaluate(scenario(slug, as_of, kind, events=[pumping(day, **{**seen, **event})]))


def finding(answer: dict[str, Any], kind: str) -> dict[str, Any]:
    return next((f for f in answer["findings"] if f["kind"] == kind), {})


def next_pumping(answer: dict[str, Any]) -> str:
    return min(o["due_on"] for o in answer["obligations"] if o["kind"] in ("pump", "pump_or_inspect"))


@pytest.mark.parametrize(
    ("day", "submitter", "wrong"),
    [
        (BEFORE, "owner", False),  # 16.08(1)(b), (g) of 2019: the owner furnishes it
        (BEFORE, "agent", False),
        (BEFORE, "contractor", False),
        (AFTER, "owner", True),  # the amendment: the licensed individual
        (AFTER, "agent", True),
        (AFTER, "contractor", False),
        (AFTER, None, False),  # nobody said
    ],
)
def test_wi4_who_files_the_septic_report(day: str, submitter: str | None, wrong: bool) -> None:
    answer = judged("winnebago", day, submitter=submitter)
    found = finding(answer, "wrong_submitter")
    assert bool(found) is wrong
    if wrong:
        assert (found["rule"], found["cite"]) == ("WI4", "16.08(1)(b),(g)")
        assert "licensed individual" in found["because"]
    assert next_pumping(answer)[:4] == "2029"  # it counts all the same


def test_wi4_says_nothing_of_holding_tanks() -> None:
    assert not finding(judged("winnebago", AFTER, "holding", submitter="owner"), "wrong_submitter")


@pytest.mark.parametrize("slug", ["ozaukee", "portage", "lake-beulah"])
@pytest.mark.parametrize("submitter", ["owner", "agent", "contractor"])
def test_s14_the_owner_or_the_owners_agent_may_submit_everywhere_else(slug: str, submitter: str) -> None:
    assert not finding(judged(slug, AFTER, submitter=submitter), "wrong_submitter")


def test_wi14_a_registered_owner_files_the_own_report_also_under_the_amendment() -> None:
    own = judged("winnebago", AFTER, submitter="owner", **OWNER, own_tank=True)
    assert not finding(own, "wrong_submitter")
    assert not finding(own, "not_qualified")
    assert next_pumping(own) == "2029-07-01"
    other = judged("winnebago", AFTER, submitter="owner", **OWNER, own_tank=False)
    assert finding(other, "wrong_submitter")["rule"] == "WI4"


@pytest.mark.parametrize(("slug", "rule"), [("winnebago", "WI14"), ("portage", "S13"), ("lake-beulah", "S13")])
def test_s13_a_registration_counts_on_the_own_tank_and_on_no_other(slug: str, rule: str) -> None:
    """WI3 and PO4 let a registered owner pump; of nobody knows whose tank it was is no refusal."""
    for own in (True, None):
        answer = judged(slug, AFTER, **OWNER, own_tank=own)
        assert not finding(answer, "not_qualified")
        assert next_pumping(answer)[:4] == "2029"
    answer = judged(slug, AFTER, **OWNER, own_tank=False)
    found = finding(answer, "not_qualified")
    assert (found["rule"], "own tank only" in found["because"]) == (rule, True)
    assert next_pumping(answer)[:4] != "2029"


def test_oz1_is_narrower_a_registered_owner_pumps_nothing_there() -> None:
    found = finding(judged("ozaukee", AFTER, **OWNER, own_tank=True), "not_qualified")
    assert found["rule"] == "OZ1"


@pytest.mark.parametrize(
    ("day", "event", "duty_of"),
    [
        (BEFORE, {}, "owner"),  # WI5 of 2019: the owner furnishes the report
        (AFTER, {}, "contractor"),
        (AFTER, {**OWNER, "own_tank": True}, "owner"),
        (AFTER, {**OWNER, "own_tank": False}, "contractor"),
    ],
)
def test_a_late_report_says_whose_duty_it_was(day: str, event: dict[str, Any], duty_of: str) -> None:
    late = finding(judged("winnebago", day, received_on="2026-09-01", **event), "late_report")
    assert (late["rule"], late["duty_of"]) == ("WI5", duty_of)


@pytest.mark.parametrize(("own", "duty_of"), [(True, "owner"), (False, "contractor")])
def test_wi14_the_periods_report_is_the_owners_whose_own_tank_it_is(own: bool, duty_of: str) -> None:
    """WI7: a year after the amendment without any report."""
    done = pumping("2026-08-01", component="holding", **{**OWNER, "own_tank": own})
    answer = evaluate(scenario("winnebago", "2028-02-01", "holding", events=[done]))
    [duty] = [o for o in answer["obligations"] if (o["kind"], o.get("period", "")) == ("period_report", "2027")]  # type: ignore[attr-defined]
    assert duty["duty_of"] == duty_of


def test_the_word_on_the_tank_must_be_true_or_false() -> None:
    answer = evaluate(scenario("winnebago", "2027-03-01", events=[pumping(AFTER, own_tank=False, submitter="owner")]))
    assert "ignored" not in answer
    assert not finding(answer, "not_qualified")  # a contractor's credential is good for anybody's tank
