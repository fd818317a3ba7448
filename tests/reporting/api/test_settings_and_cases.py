"""A county's settings and cases over HTTP."""

from typing import Any

import pytest

from tests.reporting.api.world import AWAY, HOME, World
from tests.reporting.counties import the_system


def set_(world: World, **body: Any) -> Any:
    return world.post(f"/v1/{HOME}/settings", body, "county")


def shown(world: World, name: str, county: str = HOME, who: str = "county") -> dict[str, Any]:
    rows = world.get(f"/v1/{county}/settings", who).json["settings"]
    return next(row for row in rows if row["name"] == name)


def test_a_setting_is_read_with_its_meaning_and_set_from_a_day_on(world: World) -> None:
    before = shown(world, "lead_days")
    assert (before["value"], before["of_program"], before["own"]) == (60, 60, [])
    assert "due soon" in before["meaning"]
    assert set_(world, name="lead_days", value=90).status_code == 201
    assert set_(world, name="lead_days", value=30, valid_from="2026-07-14").status_code == 201
    now = shown(world, "lead_days")
    assert (now["value"], now["of_program"]) == (90, 60)  # tomorrow's does not hold yet
    assert [(one["valid_from"], one["before"], one["value"]) for one in now["own"]] == [
        ("2026-07-13", 60, 90),
        ("2026-07-14", 90, 30),
    ]
    assert {one["entered_at"][:10] for one in now["own"]} == {"2026-07-13"}
    assert len({one["by"] for one in now["own"]} - {"", None}) == 1
    assert now["next_on"] == "2026-07-14"
    world.clock.forward(days=1)
    later = shown(world, "lead_days")
    assert (later["value"], later["next_on"]) == (30, None)
    assert shown(world, "lead_days", AWAY, "other county")["own"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "lead_days", "value": "soon"}, "lead_days"),
        ({"name": "no_such", "value": 1}, "no_such"),
        ({"name": "lead_days"}, "value"),
        ({"value": 1}, "name"),
        ({"name": "lead_days", "value": 1, "valid_from": "soon"}, "valid_from"),
        ({"name": "lead_days", "value": 1, "from": "2026-07-13"}, "from"),
    ],
)
def test_what_is_wrong_with_a_setting_is_said(world: World, body: dict[str, Any], field: str) -> None:
    answer = set_(world, **body)
    assert answer.status_code == 422
    assert field in str(answer.json["errors"][0]), answer.text
    assert shown(world, "lead_days")["own"] == []


def test_a_contractor_sets_nothing(world: World) -> None:
    assert world.post(f"/v1/{HOME}/settings", {"name": "lead_days", "value": 1}).status_code == 403
    assert world.get(f"/v1/{HOME}/settings").status_code == 403


def test_a_case_is_opened_taken_further_and_closed(world: World) -> None:
    with world.database.reading(HOME) as store:
        system = the_system(store, "SP-2").system_id
    opened = world.post(
        f"/v1/{HOME}/cases", {"permit_number": "SP-2", "kind": "order", "notified_on": "2026-06-01"}, "county"
    )
    assert (opened.status_code, opened.json["system"]) == (201, system)
    case = opened.json["id"]
    [row] = world.get(f"/v1/{HOME}/cases?open=true", "county").json["cases"]
    # OZ15: an order is obeyed within 30 days of the notice: June 1 + 30 = July 1, twelve days ago.
    [duty] = row["duties"]
    assert (duty["rule"], duty["due_on"], duty["state"]) == ("OZ15", "2026-07-01", "overdue")
    assert world.get(f"/v1/{HOME}/systems/{system}/status", "county").json["standing"] == "violation"
    closed = world.post(f"/v1/{HOME}/cases/{case}/steps", {"closed_on": "2026-07-12"}, "county")
    assert (closed.status_code, closed.json["id"]) == (201, case)
    assert world.get(f"/v1/{HOME}/cases?open=true", "county").json["cases"] == []
    [row] = world.get(f"/v1/{HOME}/cases?open=false&kind=order", "county").json["cases"]
    assert (row["closed_on"], row["duties"]) == ("2026-07-12", [])
    assert world.get(f"/v1/{HOME}/cases?kind=hold", "county").json["cases"] == []


def test_a_step_of_no_case_and_of_another_countys_answer_alike(world: World) -> None:
    opened = world.post(f"/v1/{HOME}/cases", {"permit_number": "SP-2", "kind": "order"}, "county")
    body = {"closed_on": "2026-07-12"}
    foreign = world.post(f"/v1/{AWAY}/cases/{opened.json['id']}/steps", body, "other county")
    absent = world.post(f"/v1/{AWAY}/cases/case_999/steps", body, "other county")
    assert foreign.status_code == absent.status_code == 404
    assert foreign.json == absent.json
    assert len(world.get(f"/v1/{HOME}/cases?open=true", "county").json["cases"]) == 1


def test_a_step_without_sense_is_explained(world: World) -> None:
    case = world.post(f"/v1/{HOME}/cases", {"permit_number": "SP-2", "kind": "order"}, "county").json["id"]
    for body, field in (({"closed_on": "2026-07-14"}, "closed_on"), ({"painted_on": "2026-07-01"}, "painted_on")):
        answer = world.post(f"/v1/{HOME}/cases/{case}/steps", body, "county")
        assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, field)
