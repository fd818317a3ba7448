"""Papers asked for: agreements after a reconnection (PO22), records on request (OZ12), verification (S16)."""

from typing import Any

import pytest

from reporting.scenario import evaluate
from tests.reporting.domain.test_battery import pumping, scenario

AGREEMENT = {"kind": "holding_tank_agreement", "recorded_on": "2026-05-01"}
RECONNECTED = {"kind": "reconnection_permit", "filed_on": "2026-05-01"}


def portage(kind: str, documents: list[dict[str, Any]], as_of: str = "2026-06-01", **system: Any) -> dict[str, Any]:
    return evaluate({**scenario("portage", as_of, kind, **system), "documents": documents})


def said(answer: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [f for f in answer["findings"] if f["kind"] == kind]


def contract(day: str) -> list[dict[str, str]]:
    return [{"license_number": "00412", "from": "2020-01-01", "to": "2030-12-31", "filed_on": day}]


def test_po22_a_reconnection_may_need_a_new_contract_and_agreement() -> None:
    [found] = said(portage("holding", [RECONNECTED], contracts=contract("2026-04-30")), "document_renewal")
    assert (found["rule"], found["cite"]) == ("PO22", "7.9.21(3)(d)")
    assert "servicing contract" in found["because"]
    assert "holding tank agreement" in found["because"]


@pytest.mark.parametrize(("filed", "missing"), [("2026-04-30", True), ("2026-05-01", False)])
def test_po22_what_was_filed_on_its_day_counts_and_the_day_before_does_not(filed: str, missing: bool) -> None:
    papers = [RECONNECTED, AGREEMENT]
    assert bool(said(portage("holding", papers, contracts=contract(filed)), "document_renewal")) is missing
    papers = [RECONNECTED, {**AGREEMENT, "recorded_on": filed}]
    assert bool(said(portage("holding", papers, contracts=contract("2026-05-01")), "document_renewal")) is missing


def test_po22_asks_nothing_before_its_day_nor_where_the_county_says_that_none_is_needed() -> None:
    assert not said(portage("holding", [RECONNECTED], "2026-04-30"), "document_renewal")
    waived = [RECONNECTED, {"kind": "no_new_agreement_needed", "filed_on": "2026-05-20"}]
    assert not said(portage("holding", waived), "document_renewal")
    assert not said(portage("holding", []), "document_renewal")


def test_po22_other_systems_need_a_maintenance_agreement() -> None:
    [found] = said(portage("septic", [RECONNECTED]), "document_renewal")
    assert (found["cite"], "maintenance agreement" in found["because"]) == ("7.9.21(3)(e)", True)
    filed = [RECONNECTED, {"kind": "maintenance_agreement", "filed_on": "2026-05-02"}]
    assert not said(portage("septic", filed), "document_renewal")


@pytest.mark.parametrize("kept", [True, False])
def test_where_the_county_keeps_its_papers_here_none_told_is_none_on_file(kept: bool) -> None:
    """The setting `documents_kept`: PO9, OZ18, OZ19, WI20."""
    answer = evaluate(scenario("portage", "2026-06-01", "holding", settings={"documents_kept": kept}))
    assert [f["rule"] for f in said(answer, "document_missing")] == (["PO9"] if kept else [])


def ozaukee(as_of: str, **more: Any) -> dict[str, Any]:
    return evaluate(scenario("ozaukee", as_of, "holding", **more))


def test_oz12_an_owner_whose_contractor_does_not_report_violates() -> None:
    notices = [{"on": "2026-06-01", "kind": "serviced"}]  # OZ5: ten days, to June 11
    assert not said(ozaukee("2026-06-11", owner_notices=notices), "records_violation")
    [found] = said(ozaukee("2026-06-12", owner_notices=notices), "records_violation")
    assert (found["rule"], found["cite"], found["last_day"]) == ("OZ12", "9.029(5)(c)", "2026-06-11")
    reported = pumping("2026-06-01", component="holding", received_on="2026-06-20T10:00:00-05:00")
    assert not said(ozaukee("2026-06-21", owner_notices=notices, events=[reported]), "records_violation")


def test_oz12_records_are_produced_by_the_day_that_the_county_sets() -> None:
    request = {"kind": "records_request", "notified_on": "2026-06-01", "due_on": "2026-06-15"}
    in_time = ozaukee("2026-06-15", cases=[request])
    [asked] = [o for o in in_time["obligations"] if o["rule"] == "OZ12"]
    assert (asked["kind"], asked["last_day"], asked["state"]) == ("owner_response", "2026-06-15", "due_soon")
    late = ozaukee("2026-06-16", cases=[request])
    assert late["standing"] == "violation"
    assert [f["rule"] for f in said(late, "records_not_produced")] == ["OZ12"]
    answered = ozaukee("2026-06-16", cases=[{**request, "answered_on": "2026-06-14"}])
    assert not [o for o in answered["obligations"] if o["rule"] == "OZ12"]
    undated = ozaukee("2026-06-16", cases=[{**request, "due_on": None}])
    assert not [o for o in undated["obligations"] if o["rule"] == "OZ12"]  # the text gives no time


@pytest.mark.parametrize("slug", ["ozaukee", "portage", "winnebago", "lake-beulah"])
def test_s16_a_report_of_which_the_county_waits_for_a_verification_says_so(slug: str) -> None:
    event = pumping("2026-06-01", verification_asked_on="2026-06-10", verification_answer_by="2026-06-20")
    before = evaluate(scenario(slug, "2026-06-09", events=[event]))
    assert not said(before, "verification_requested")
    answer = evaluate(scenario(slug, "2026-06-10", events=[event]))
    [found] = said(answer, "verification_requested")
    assert (found["rule"], found["event"], found["due_on"]) == ("S16", "E1", "2026-06-20")
    without = evaluate(scenario(slug, "2026-06-10", events=[pumping("2026-06-01")]))
    assert answer["obligations"] == without["obligations"]  # the report stands and counts
