"""Reports in doubt over HTTP: listed, looked at, decided, undone; the dates agree at once."""

from typing import Any

import pytest

from reporting.store.verify import verify
from tests.reporting.api.world import HOME, MINE, World, a_report
from tests.reporting.counties import csv_of

REVIEWS = f"/v1/{HOME}/reviews"
WRONG: dict[str, Any] = {"permit_number": "SP-11", "parcel_number": "99-X", "site_address": "9 Nowhere Lane"}


def queue(world: World, ref: str = "T-1", **fields: Any) -> dict[str, Any]:
    """A report with wrong numbers; what the list says of its review."""
    sent = world.post(f"/v1/{HOME}/reports", a_report(report_ref=ref, **{**WRONG, **fields}))
    assert sent.json["outcome"] == "queued_for_review", sent.text
    found: dict[str, Any] = world.get(REVIEWS, "county").json["reviews"][-1]
    assert found["report_id"] == sent.json["id"]
    return found


def decide(world: World, review: dict[str, Any], status: int = 200, **body: Any) -> dict[str, Any]:
    body = {"decision": "match", "reason": "asked the driver", **body}
    answer = world.post(f"{REVIEWS}/{review['id']}/resolution", body, "county")
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json
    return found


def standing(world: World, permit: str) -> str:
    return str(world.get(f"/v1/{HOME}/status?permit={permit}", "county").json["standing"])


def test_the_list_is_paged_filtered_and_says_what_comes_nearest(world: World) -> None:
    for number in range(3):
        queue(world, f"T-{number}", service_date=f"2026-07-0{number + 1}")
    page = world.get(f"{REVIEWS}?limit=2", "county")
    assert [r["report_ref"] for r in page.json["reviews"]] == ["T-0", "T-1"]
    rest = world.get(page.headers["Link"].split(">")[0][1:], "county")
    assert [r["report_ref"] for r in rest.json["reviews"]] == ["T-2"]
    first = page.json["reviews"][0]
    assert first.items() >= {"state": "open", "reason": "not_in_inventory", "permit_number": "SP-11"}.items()
    assert first["best"]["why"].startswith("the permit SP-1 is one character away")
    assert "does not have this system" in first["message"]
    for query, count in (
        ("state=matched", 0),
        ("reason=not_in_inventory", 3),
        ("reason=which_tank,several_systems", 0),
        (f"license={MINE}", 3),
        ("license=99999", 0),
        (f"system={first['system']}", 3),
    ):
        assert len(world.get(f"{REVIEWS}?{query}", "county").json["reviews"]) == count, query
    assert world.get(f"{REVIEWS}?state=lost", "county").status_code == 422
    assert world.get(f"{REVIEWS}?cursor=x", "county").status_code == 422


def test_a_match_counts_at_once_and_is_kept_in_mind(world: World) -> None:
    review = queue(world)
    shown = world.get(f"{REVIEWS}/{review['id']}", "county").json
    assert shown["report"]["content"]["permit_number"] == "SP-11"
    side = shown["candidates"][0]
    assert side["permit_number"] == "SP-1"
    assert {d["field"] for d in side["differences"]} >= {"permit_number", "parcel_number", "site_address"}
    assert (shown["decided"], standing(world, "SP-1")) == (None, "overdue")
    done = decide(world, review, permit_number="SP-1")
    assert (done["system"], done["remembered"], done["forgotten"]) == (side["system"], True, False)
    assert standing(world, "SP-1") == "compliant"
    [report] = done["reports"]
    assert report["was"] == review["report_id"]
    old = world.get(f"/v1/{HOME}/reports/{report['was']}").json
    assert (old["state"], old["replaced_by"]) == ("ended", report["report_id"])
    assert world.get(f"/v1/{HOME}/reports/{report['report_id']}").json["system"] == side["system"]
    told = world.get(f"{REVIEWS}/{review['id']}", "county").json
    assert told["decided"]["reason"] == "asked the driver"
    assert told["decided"]["at"].startswith("2026-07-13T15:00:00")
    next_one = world.post(f"/v1/{HOME}/reports", a_report(report_ref="T-2", gallons_pumped=900, **WRONG)).json
    assert (next_one["outcome"], next_one["matched_by"]) == ("accepted", "remembered")
    forget = f"{REVIEWS}/{review['id']}/forget"
    assert world.post(forget, {"reason": "sold his route"}, "county").status_code == 200
    assert world.post(forget, {"reason": "again"}, "county").status_code == 404
    queue(world, "T-3", gallons_pumped=800)
    with world.database.reading(HOME) as store:
        assert verify(store, [world.signer.verifying_key]).problems == ()


def test_the_files_address_shows_how_a_row_was_matched(world: World) -> None:
    decide(world, queue(world), permit_number="SP-1")
    sent = world.send(HOME, csv_of(a_report(report_ref="T-2", gallons_pumped=900, **WRONG))).json
    stored = world.get(f"/v1/{HOME}/submissions/{sent['id']}").json
    assert sent["outcomes"][0]["matched_by"] == "remembered"
    assert [w["value"] for w in stored["outcomes"][0]["warnings"] if w["code"] == "matched_by"] == ["remembered"]


def test_a_wrong_match_is_undone(world: World) -> None:
    done = decide(world, queue(world), permit_number="SP-1")
    path = f"/v1/{HOME}/reports/{{}}/placement"
    first = done["reports"][0]["report_id"]
    body = {"decision": "move", "permit_number": "SP-2", "reason": "the neighbour's"}
    moved = world.post(path.format(first), body, "county").json
    assert (standing(world, "SP-1"), standing(world, "SP-2")) == ("overdue", "compliant")
    assert len(moved["judged_anew"]) == 2
    assert world.post(path.format(first), body, "county").status_code == 409
    second = moved["reports"][0]["report_id"]
    back = world.post(path.format(second), {"decision": "back", "reason": "nobody knows"}, "county").json
    assert (standing(world, "SP-2"), back["forgotten"]) == ("overdue", True)
    waiting = world.get(REVIEWS, "county").json["reviews"]
    assert [r["reason"] for r in waiting] == ["sent_back"]
    assert back["reviews"] == [waiting[0]["id"]]


def test_new_systems_and_reports_of_other_counties(world: World) -> None:
    first = queue(world)
    queue(world, "T-2", service_date="2026-07-02")
    done = decide(world, first, decision="new_system")
    assert len(done["reviews"]) == 2
    [system] = world.get(f"/v1/{HOME}/systems?permit=SP-11", "county").json["systems"]
    assert (system["id"], system["status"], system["out_of_date"]) == (first["system"], "active", False)
    other = queue(world, "T-3", permit_number="ZZ-9", site_address="1 Faraway Rd")
    decide(world, other, decision="void")
    assert world.get(f"/v1/{HOME}/reports/{other['report_id']}").json["state"] == "ended"
    assert world.get(REVIEWS, "county").json["reviews"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"decision": None}, "decision"),
        ({"decision": "perhaps"}, "decision"),
        ({"decision": 7}, "decision"),
        ({"reason": "  "}, "reason"),
        ({"reason": None}, "reason"),
        ({"permit_number": None}, "system"),
        ({"permit_number": "ZZ-1"}, "system"),
        ({"permit_number": None, "system": "sys_none"}, "decision"),
        ({"permit_number": None, "system": ["x"]}, "system"),
        ({"component": "bathtub"}, "component"),
        ({"component": "holding"}, "decision"),  # it has none
        ({"all_reports": "yes"}, "all_reports"),
        ({"remember": 1}, "remember"),
        ({"why": "x"}, "why"),
    ],
)
def test_what_cannot_be_decided_changes_nothing(world: World, body: dict[str, Any], field: str) -> None:
    review = queue(world)
    asked = {"decision": "match", "permit_number": "SP-1", "reason": "x", **body}
    asked = {k: v for k, v in asked.items() if v is not None}
    answer = world.post(f"{REVIEWS}/{review['id']}/resolution", asked, "county")
    assert answer.status_code == 422, answer.text
    assert field in {e["field"] for e in answer.json["errors"]}
    assert [r["id"] for r in world.get(REVIEWS, "county").json["reviews"]] == [review["id"]]


def test_a_decision_is_made_once_and_repeated_by_its_key(world: World) -> None:
    review = queue(world)
    body = {"decision": "match", "permit_number": "SP-1", "reason": "x"}
    path, key = f"{REVIEWS}/{review['id']}/resolution", {"Idempotency-Key": "k-1"}
    first, again = (world.post(path, body, "county", headers=key) for _ in range(2))
    assert (first.status_code, again.status_code, again.json) == (200, 200, first.json)
    late = world.post(path, body, "admin")
    assert (late.status_code, late.json["type"]) == (409, "urn:pumper:problem:already-decided")


def test_paper_is_judged_by_the_day_it_was_received(world: World) -> None:
    paper = a_report(service_date="2026-06-20", signed_on=None)
    late = world.post(f"/v1/{HOME}/reports", {**paper, "report_ref": "P-0"}, "county").json
    assert [f["kind"] for f in late["findings"]] == ["late_report"]
    in_query = world.post(f"/v1/{HOME}/reports?received_on=2026-06-25", {**paper, "report_ref": "P-1"}, "county")
    in_body = world.post(f"/v1/{HOME}/reports", {**paper, "report_ref": "P-2", "received_on": "2026-06-25"}, "admin")
    in_file = world.send(HOME, csv_of({**paper, "report_ref": "P-3"}), "county", "?received_on=2026-06-25")
    for answer in (in_query, in_body):
        assert (answer.status_code, answer.json["findings"]) == (201, []), answer.text
        shown = world.get(f"/v1/{HOME}/reports/{answer.json['id']}", "county").json
        assert shown["received_at"].startswith("2026-07-13")
        assert shown["first_received_at"] == "2026-06-25T17:00:00Z"  # noon by the county's clock
    assert (in_file.status_code, in_file.json["outcomes"][0]["findings"]) == (201, [])


def test_paper_is_for_staff_not_of_the_future_nor_before_the_service(world: World) -> None:
    paper = a_report(service_date="2026-06-20", signed_on=None)
    path = f"/v1/{HOME}/reports"
    assert world.post(f"{path}?received_on=2026-06-25", paper).status_code == 403
    own = world.post(path, {**paper, "received_on": "2026-06-25"})
    assert [(e["field"], e["code"]) for e in own.json["errors"]] == [("received_on", "unknown_field")]
    assert world.send(HOME, csv_of(paper), query="?received_on=2026-06-25").status_code == 403
    future = world.post(f"{path}?received_on=2026-07-14", paper, "county")
    assert (future.status_code, future.json["type"]) == (422, "urn:pumper:problem:received-in-future")
    before = world.post(f"{path}?received_on=2026-06-19", paper, "county")
    assert [(e["field"], e["code"]) for e in before.json["errors"]] == [("service_date", "in_future")]
    assert "received 2026-06-19" in before.json["errors"][0]["message"]
    for wrong in ("yesterday", "2026-02-30", 20260625, None):
        assert world.post(path, {**paper, "received_on": wrong}, "county").status_code == 422
    assert world.get(f"/v1/{HOME}/status?permit=SP-1", "county").json["standing"] == "overdue"
