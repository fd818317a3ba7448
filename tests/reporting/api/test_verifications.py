"""The county asks for verification of a report (S16): asked, answered, amended, closed, counted, told."""

import json
from typing import Any

import pytest

from reporting.store.events_out import pending_domain_events
from reporting.store.log import entries_of, raw_of
from tests.reporting.api.world import HOME, World, a_report


@pytest.fixture
def report(world: World) -> str:
    answer = world.post(f"/v1/{HOME}/reports", a_report())
    assert answer.status_code == 201, answer.text
    return str(answer.json["report_id"])


ASKED = {
    "message": "Is 1,000 gallons right? The tank holds 750.",
    "fields": ["gallons_pumped"],
    "answer_by": "2026-07-24",
}


def ask(world: World, report: str, who: str = "county", **values: Any) -> Any:
    return world.post(f"/v1/{HOME}/reports/{report}/verification", {**ASKED, **values}, who)


def shown(world: World, report: str, who: str = "contractor") -> dict[str, Any]:
    found = world.get(f"/v1/{HOME}/reports/{report}", who).json
    assert isinstance(found, dict)
    return found


def findings(world: World) -> list[str]:
    body = world.get(f"/v1/{HOME}/status?permit=SP-1", "county").json
    return [f["kind"] for f in body["findings"] if f["rule"] == "S16"]


def test_asked_answered_and_closed(world: World, report: str) -> None:
    assert shown(world, report)["state"] == "stands"
    told = ask(world, report)
    assert told.status_code == 201, told.text
    seen = shown(world, report)
    assert (seen["state"], seen["verification"]["message"]) == ("verification_requested", ASKED["message"])
    assert [f["kind"] for f in seen["findings"]] == ["verification_requested"]
    assert findings(world) == ["verification_requested"]
    path = f"/v1/{HOME}/reports/{report}/verification"
    answer = world.post(f"{path}/answer", {"answer": "Yes: two loads of 500."})
    assert answer.status_code == 201, answer.text
    assert (shown(world, report)["state"], findings(world)) == ("stands", [])
    assert world.get(path).json["state"] == "answered"
    assert world.get(path).json["answer"] == "Yes: two loads of 500."
    assert world.post(f"{path}/close", {"note": "called them too"}, "county").status_code == 201
    assert (world.get(path).json["state"], "note" in world.get(path).json) == ("closed", False)
    assert world.get(path, "county").json["note"] == "called them too"
    again = ask(world, report)  # a closed one may be asked anew
    assert again.status_code == 201
    assert world.get(path).json["state"] == "requested"


def test_each_step_is_an_entry_and_what_people_wrote_lies_beside_it(world: World, report: str) -> None:
    receipts = [ask(world, report).json["receipt"]]
    path = f"/v1/{HOME}/reports/{report}/verification"
    receipts.append(world.post(f"{path}/answer", {"answer": "as it was"}).json["receipt"])
    receipts.append(world.post(f"{path}/close", {}, "county").json["receipt"])
    with world.database.reading(HOME) as store:
        entries = [json.loads(entries_of(store, [r["seq"]])[r["seq"]]) for r in receipts]
        raws = [(raw_of(store, r["seq"]) or b"").decode() for r in receipts]
    assert [e["type"] for e in entries] == ["verification"] * 3
    assert [e["content"]["state"] for e in entries] == ["requested", "answered", "closed"]
    assert all(e["content"]["report"] == report for e in entries)
    assert not any("gallons right" in json.dumps(e) or "as it was" in json.dumps(e) for e in entries)
    assert ("gallons right" in raws[0], "as it was" in raws[1]) == (True, True)


def test_the_business_is_told_by_one_event(world: World, report: str) -> None:
    ask(world, report)
    with world.database.reading(HOME) as store:
        [event] = [e for e in pending_domain_events(store, 99) if e["kind"] == "verification_requested"]
    content = event["content"]
    assert (content["event"], content["contractor_id"], content["answer_by"]) == (report, "con_mine", "2026-07-24")
    assert (content["permit_number"], content["cite"], content["fields"]) == (
        "SP-1",
        "SPS 383.55(4)",
        ["gallons_pumped"],
    )


def test_an_amendment_answers_it_and_takes_it_along(world: World, report: str) -> None:
    ask(world, report)
    body = {"reason": "misread", "changes": {"gallons_pumped": 750}}
    amended = world.post(f"/v1/{HOME}/reports/{report}/amendments", body).json["report_id"]
    found = world.get(f"/v1/{HOME}/reports/{amended}/verification").json
    assert (found["state"], found["amendment"], found["message"]) == ("answered", amended, ASKED["message"])
    assert shown(world, amended)["state"] == "stands"
    assert findings(world) == []
    assert world.get(f"/v1/{HOME}/reports/{report}/verification").status_code == 404  # it went along


def test_of_a_report_taken_back_nothing_is_asked(world: World, report: str) -> None:
    ask(world, report)
    assert world.post(f"/v1/{HOME}/reports/{report}/void", {"reason": "another tank"}).status_code == 200
    assert world.get(f"/v1/{HOME}/reports/{report}/verification").json["state"] == "closed"
    assert shown(world, report)["state"] == "ended"
    assert ask(world, report).status_code == 409


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"message": " "}, "message"),
        ({"message": "x" * 2001}, "message"),
        ({"fields": ["colour"]}, "fields"),
        ({"answer_by": "2026-07-12"}, "answer_by"),  # yesterday
        ({"answer_by": "soon"}, "answer_by"),
        ({"urgent": True}, "urgent"),
    ],
)
def test_what_cannot_be_asked_is_said_with_its_remedy(
    world: World, report: str, values: dict[str, Any], field: str
) -> None:
    answer = ask(world, report, **values)
    assert answer.status_code == 422
    assert [e["field"] for e in answer.json["errors"]] == [field]
    assert shown(world, report)["state"] == "stands"


def test_the_last_day_that_may_be_named_is_today(world: World, report: str) -> None:
    assert ask(world, report, answer_by="2026-07-13", message="x" * 2000).status_code == 201


def test_what_was_done_before_is_a_conflict(world: World, report: str) -> None:
    path = f"/v1/{HOME}/reports/{report}/verification"
    assert world.post(f"{path}/answer", {"answer": "x"}).status_code == 409
    assert world.post(f"{path}/close", {}, "county").status_code == 409
    assert ask(world, report).status_code == 201
    assert ask(world, report).status_code == 409
    assert world.post(f"{path}/answer", {"answer": "x"}).status_code == 201
    assert world.post(f"{path}/answer", {"answer": "y"}).status_code == 409
    assert world.post(f"{path}/answer", {}).status_code == 409


def test_who_may_and_who_sees_what(world: World, report: str) -> None:
    assert ask(world, report, "contractor").status_code == 403
    assert ask(world, report).status_code == 201
    path = f"/v1/{HOME}/reports/{report}/verification"
    assert world.get(path, "other contractor").status_code == 404
    assert world.post(f"{path}/answer", {"answer": "x"}, "other contractor").status_code == 404
    for who, count in (("county", 1), ("contractor", 1), ("other contractor", 0)):
        rows = world.get(f"/v1/{HOME}/verifications", who).json["verifications"]
        assert [r["report_id"] for r in rows] == [report] * count, who
    assert world.get(f"/v1/{HOME}/verifications?state=answered,closed", "county").json["verifications"] == []
    summary = world.get(f"/v1/{HOME}/summary?year=2026", "county").json
    assert summary["verifications"] == {"as_of": "2026-07-13", "requested": 1}


def test_what_was_asked_goes_along_to_the_place_that_the_county_gives_a_report(world: World, report: str) -> None:
    ask(world, report)
    moved = {"decision": "move", "permit_number": "SP-3", "reason": "the neighbour's tank"}
    placed = world.post(f"/v1/{HOME}/reports/{report}/placement", moved, "county")
    assert placed.status_code == 200, placed.text
    [fresh] = [one["report_id"] for one in placed.json["reports"]]
    assert shown(world, fresh)["state"] == "verification_requested"
    path = f"/v1/{HOME}/reports/{fresh}/verification"
    assert world.get(path).json["message"] == ASKED["message"]
    assert world.post(f"{path}/answer", {"answer": "yes"}).status_code == 201
    assert (shown(world, fresh)["state"], world.get(path).json["state"]) == ("stands", "answered")


def test_a_report_in_doubt_may_be_asked_about_too(world: World) -> None:
    """It waits for its system, and its business can be asked all the same."""
    sent = a_report(permit_number="SP-1", parcel_number="08-SP-2", site_address="Elsewhere Road 5", report_ref="Q-1")
    answer = world.post(f"/v1/{HOME}/reports", sent)
    assert answer.status_code == 201, answer.text
    assert answer.json["outcome"] == "queued_for_review"
    assert ask(world, answer.json["report_id"]).status_code == 201
    assert shown(world, answer.json["report_id"])["state"] == "verification_requested"
