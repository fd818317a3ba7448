"""The county's question, its lists, and what a contractor finds due."""

import csv
import io
import json
from datetime import UTC, datetime

import pytest

from reporting.sweep import sweep
from tests.reporting.api.world import AWAY, CANARY, HOME, MINE, NOW, World, a_report
from tests.reporting.counties import TODAY, a_row, csv_of, load, the_system


@pytest.fixture
def swept(world: World) -> World:
    for county in (HOME, AWAY):
        sweep(world.database, county, TODAY, NOW)
    return world


def test_status_by_permit_parcel_and_address(world: World) -> None:
    for query in ("permit=sp/1", "parcel=08 SP 1", "address=N257 Cty Rd K"):
        answer = world.get(f"/v1/{HOME}/status?{query}", "county")
        assert answer.status_code == 200, (query, answer.text)
        body = answer.json
        assert (body["standing"], body["county"], body["as_of"]) == ("overdue", HOME, "2026-07-13")
        assert [s["system"]["permit_number"] for s in body["systems"]] == ["SP-1"]
        assert body["obligations"][0]["rule"]
        assert body["obligations"][0]["cite"]


def test_status_of_nothing_known_is_404(world: World) -> None:
    assert world.get(f"/v1/{HOME}/status?permit=ZZ-1", "county").status_code == 404
    assert (
        world.get(f"/v1/{HOME}/status?permit=PT-1", "county").data
        == world.get(f"/v1/{HOME}/status?permit=ZZ-1", "county").data
    )
    assert world.get(f"/v1/{HOME}/status?permit=SP-1&parcel=08-SP-2", "county").status_code == 404
    assert world.get(f"/v1/{HOME}/status?permit=-", "county").status_code == 404


def test_the_public_sees_standing_and_dates_only(world: World) -> None:
    world.post(f"/v1/{HOME}/reports", a_report())
    answer = world.get(f"/v1/{HOME}/status?permit=SP-1", "")
    assert answer.json["standing"] == "compliant"
    assert answer.json["last_services"]["pumping"] == "2026-07-08"
    for word in (CANARY[HOME], "Kettle", "Lena", MINE, "County Road K", "because", "rep_", "sys_"):
        assert word not in answer.text, word
    text = world.get(f"/v1/{HOME}/status?permit=SP-1", "", headers={"Accept": "text/plain"})
    assert (text.mimetype, "COMPLIANT" in text.text) == ("text/plain", True)
    assert MINE not in text.text
    named = world.get(f"/v1/{HOME}/status?permit=SP-1", "county").text
    assert MINE in named  # the control


def test_another_business_sees_what_the_public_sees(world: World) -> None:
    path = f"/v1/{HOME}/status?permit=SP-1"
    assert world.get(path, "other contractor").json == world.get(path, "").json
    assert world.get(path, "contractor").json != world.get(path, "").json


def test_status_as_plain_text(world: World) -> None:
    answer = world.get(f"/v1/{HOME}/status?permit=SP-1", "county", headers={"Accept": "text/plain"})
    assert answer.mimetype == "text/plain"
    assert "OVERDUE" in answer.text
    html = world.get(f"/v1/{HOME}/status?permit=SP-1", "county", headers={"Accept": "text/html,*/*;q=0.1"})
    assert html.mimetype == "application/json"


def test_status_on_another_day_and_as_known_then(world: World) -> None:
    path = f"/v1/{HOME}/status?permit=SP-1"
    world.clock.forward(hours=1)
    world.post(f"/v1/{HOME}/reports", a_report())
    before = "2026-07-13T15:30:00Z"
    assert world.get(path, "county").json["standing"] == "compliant"
    then = world.get(f"{path}&known_at={before}", "county").json
    assert then["standing"] == "overdue"
    assert datetime.fromisoformat(then["known_at"]) == datetime(2026, 7, 13, 15, 30, tzinfo=UTC)
    assert world.get(f"{path}&known_at=2026-07-13T10:30:00-05:00", "county").json["standing"] == "overdue"
    assert world.get(f"{path}&known_at=2026-07-13T10:30:00%2B00:00", "county").json["standing"] == "overdue"
    assert world.get(f"{path}&as_of=2026-05-15", "county").json["standing"] == "due_soon"
    assert world.get(f"{path}&as_of=2031-01-01", "county").json["standing"] == "overdue"
    assert world.get(f"{path}&known_at=2001-01-01T00:00:00Z", "county").status_code == 404


def test_one_system_in_full_is_for_the_county(world: World) -> None:
    with world.database.reading(HOME) as store:
        system = the_system(store, "SP-1").system_id
    county = world.get(f"/v1/{HOME}/systems/{system}", "county").json
    mine = world.get(f"/v1/{HOME}/systems/{system}", "contractor").json
    assert county["owner"]["name"] == CANARY[HOME]
    assert "owner" not in mine
    assert "facts" not in mine
    assert mine["components"] == county["components"]
    assert [d["license_number"] for d in mine["designations"]] == [MINE]


def test_lists_filter_and_page(swept: World) -> None:
    path = f"/v1/{HOME}/systems"
    found = [s["permit_number"] for s in swept.get(f"{path}?standing=overdue", "county").json["systems"]]
    assert sorted(found) == ["SP-1", "SP-2", "SP-3"]
    assert swept.get(f"{path}?standing=compliant,exempt", "county").json["systems"] == []
    assert [s["permit_number"] for s in swept.get(f"{path}?q=sp-2", "county").json["systems"]] == ["SP-2"]
    assert [s["permit_number"] for s in swept.get(f"{path}?contractor={MINE}", "county").json["systems"]] == ["SP-1"]
    assert swept.get(f"{path}?municipality=Town of Nowhere", "county").json["systems"] == []
    seen: list[str] = []
    page = swept.get(f"{path}?limit=1&municipality=Town of Saukville", "county")
    while True:
        seen += [s["permit_number"] for s in page.json["systems"]]
        link = page.headers.get("Link", "")
        if not link:
            break
        assert 'rel="next"' in link
        page = swept.get(link[1 : link.index(">")], "county")
    assert sorted(seen) == ["SP-1", "SP-2", "SP-3"]


def test_obligations_as_a_map_layer(world: World) -> None:
    rows = [
        {**a_row("SP-7", last_pumped_on="2023-06-01"), "latitude": "43.3857", "longitude": "-87.9512"},
        {**a_row("SP-8", last_pumped_on="2023-06-01")},
    ]
    load(world.database, *rows, county=HOME, now=NOW)
    sweep(world.database, HOME, TODAY, NOW)
    answer = world.get(f"/v1/{HOME}/obligations.geojson?state=overdue", "county")
    assert (answer.status_code, answer.mimetype) == (200, "application/geo+json")
    body = json.loads(answer.data)
    assert body["type"] == "FeatureCollection"
    by_permit = {one["properties"]["permit_number"]: one for one in body["features"]}
    assert by_permit["SP-7"]["geometry"] == {"type": "Point", "coordinates": [-87.9512, 43.3857]}
    assert by_permit["SP-8"]["geometry"] is None
    listed = world.get(f"/v1/{HOME}/obligations?state=overdue", "county").json["obligations"]
    assert [one["properties"] for one in body["features"]] == listed
    mine = world.get(f"/v1/{HOME}/obligations.geojson", "contractor")
    assert {one["properties"]["permit_number"] for one in json.loads(mine.data)["features"]} == {"SP-1"}


def test_obligations_as_json_and_csv_agree(swept: World) -> None:
    path = f"/v1/{HOME}/obligations"
    rows = swept.get(f"{path}?state=overdue", "county").json["obligations"]
    assert rows
    assert all(row["state"] == "overdue" and row["rule"] and row["cite"] and row["days_late"] > 0 for row in rows)
    text = swept.get(f"{path}.csv?state=overdue", "county")
    table = list(csv.DictReader(io.StringIO(text.data.decode("utf-8-sig"), newline="")))
    assert [(r["permit_number"], r["kind"], r["due_on"]) for r in table] == [
        (r["permit_number"], r["kind"], r["due_on"] or "") for r in rows
    ]
    mine = swept.get(path, "contractor").json["obligations"]
    assert {row["permit_number"] for row in mine} == {"SP-1"}
    first = min(row["due_on"] for row in rows)
    assert swept.get(f"{path}?due_before={first}", "county").json["obligations"] == []


def test_a_contractor_finds_what_is_due_in_every_county(swept: World) -> None:
    rows = swept.get("/v1/contractors/me/due").json["obligations"]
    assert {(row["county"], row["permit_number"]) for row in rows} == {(HOME, "SP-1"), (AWAY, "PT-1")}
    paged: list[dict[str, object]] = []
    page = swept.get("/v1/contractors/me/due?limit=1")
    while True:
        assert len(page.json["obligations"]) <= 1
        paged += page.json["obligations"]
        link = page.headers.get("Link", "")
        if not link:
            break
        page = swept.get(link[1 : link.index(">")])
    assert paged == rows
    text = swept.get("/v1/contractors/me/due.csv")
    table = list(csv.DictReader(io.StringIO(text.data.decode("utf-8-sig"), newline="")))
    assert [row["permit_number"] for row in table] == [row["permit_number"] for row in rows]
    assert swept.get("/v1/contractors/me/due", "county").status_code == 403


def test_cursors_of_another_list_are_refused(swept: World) -> None:
    for cursor in ("WyJub3doZXJlIixudWxsXQ", "e30", "MQ", "bnVsbA", "x", "WzEsMl0"):
        answer = swept.get(f"/v1/contractors/me/due?cursor={cursor}")
        assert answer.status_code == 422, cursor
        assert answer.json["errors"][0]["field"] == "cursor"


def test_facts_that_staff_tells_count_at_once(world: World) -> None:
    told = world.post(
        f"/v1/{HOME}/owner-notices", {"permit_number": "SP-1", "on": "2026-07-12", "kind": "full"}, "county"
    )
    assert told.status_code == 201, told.text
    assert told.json["receipt"]["seq"] >= 1
    wrong = world.post(f"/v1/{HOME}/owner-notices", {"on": "2026-07-14", "kind": "empty", "who": 1}, "county")
    assert {(e["field"], e["code"]) for e in wrong.json["errors"]} == {
        ("on", "in_future"), ("kind", "not_a_choice"), ("who", "unknown_field"), ("permit_number", "no_place"),
    }  # fmt: skip
    foreign = world.post(
        f"/v1/{HOME}/owner-notices", {"permit_number": "PT-1", "on": "2026-07-12", "kind": "full"}, "county"
    )
    assert [e["code"] for e in foreign.json["errors"]] == ["no_place"]
    named = world.post(f"/v1/{HOME}/designations", {"permit_number": "SP-3", "license_number": MINE}, "county")
    assert named.status_code == 201
    assert {s["permit_number"] for s in world.get(f"/v1/{HOME}/systems").json["systems"]} == {"SP-1", "SP-3"}
    paper = {"permit_number": "SP-3", "period": "2025", "reason": "vacant"}
    assert world.post(f"/v1/{HOME}/statements", paper, "county").status_code == 201


def test_texts_that_no_database_keeps_are_refused(world: World) -> None:
    for reason in ("a\x00b", "\ud800", "x" * 2_001):
        paper = {"permit_number": "SP-3", "period": "2025", "reason": reason}
        assert world.post(f"/v1/{HOME}/statements", paper, "county").status_code == 422, reason[:5]
        void = world.post(f"/v1/{HOME}/reports/rep_none/void", {"reason": reason}, "county")
        assert void.status_code in (404, 422)
    odd = {"permit_number": "SP-3", "period": "2025", "reason": "\u202e\u200b =1+1 \U0001f69a"}
    assert world.post(f"/v1/{HOME}/statements", odd, "county").status_code == 201


def test_an_inventory_is_imported(world: World) -> None:
    rows = b"permit_number,site_address,parcel_number,component\nSP-9,N1 Elm St,1,septic\nSP-1,,,cesspool\n"
    path = f"/v1/{HOME}/inventory"
    dry = world.call("POST", path + "?dry_run=true", "county", data=rows, content_type="text/csv")
    assert (dry.status_code, dry.json["added"], dry.json["rejected"]) == (207, 1, 1)
    assert world.get(f"/v1/{HOME}/status?permit=SP-9", "county").status_code == 404
    done = world.call("POST", path, "county", data=rows, content_type="text/csv")
    assert (done.status_code, done.json["added"]) == (207, 1)
    assert world.get(f"/v1/{HOME}/status?permit=SP-9", "county").status_code == 200
    bad = world.call("POST", path, "county", data=b"a,b\n1,2\n", content_type="text/csv")
    assert (bad.status_code, bad.mimetype) == (422, "application/problem+json")


def test_two_records_of_one_system_are_merged_and_brought_back(world: World) -> None:
    with world.database.reading(HOME) as store:
        kept, other = (the_system(store, permit).system_id for permit in ("SP-1", "SP-2"))
    path, why = f"/v1/{HOME}/systems/{kept}/merge", {"reason": "one tank, entered twice"}
    once = {"headers": {"Idempotency-Key": "m-1"}}
    done = world.post(path, {"other": "SP-2", **why}, "county", **once)
    assert (done.status_code, done.json["system"], done.json["other"]) == (200, kept, other)
    assert world.post(path, {"other": "SP-2", **why}, "county", **once).json == done.json
    gone = world.get(f"/v1/{HOME}/systems/{other}", "county").json
    assert (gone["status"], gone["standing"], gone["merged_into"]) == ("removed", "inactive", kept)
    assert world.get(f"/v1/{HOME}/systems/{other}/status", "county").json["merged_into"] == kept
    assert "merged_into" not in world.get(f"/v1/{HOME}/systems/{kept}", "county").json
    found = world.get(f"/v1/{HOME}/status?permit=SP-2", "county").json
    assert [one["system"]["id"] for one in found["systems"]] == [kept]
    for body, status in (
        ({"other": other, **why}, 422),  # merged before
        ({"other": "SP-99", **why}, 404),
        ({"other": 7, **why}, 422),
        ({"other": "SP-3"}, 422),
        ({"other": "SP-3", "reason": " "}, 422),
    ):
        assert world.post(path, body, "county").status_code == status, body
    back = world.post(f"/v1/{HOME}/systems/{other}/unmerge", why, "county")
    assert (back.status_code, back.json["other"]) == (200, other)
    assert "merged_into" not in world.get(f"/v1/{HOME}/systems/{other}", "county").json
    assert world.post(f"/v1/{HOME}/systems/{other}/unmerge", why, "county").status_code == 422


def test_a_dry_run_of_an_inventory_shows_what_would_change(world: World) -> None:
    rows = csv_of(a_row("SP-1", capacity_gallons="1250"), a_row("SP-9"))
    path = f"/v1/{HOME}/inventory"
    sent = {"data": rows, "content_type": "text/csv"}
    told = world.call("POST", path + "?dry_run=true", "county", **sent).json
    done = world.call("POST", path, "county", **sent).json
    names = ("rows", "added", "changed", "untouched", "rejected", "differences")
    assert [told[name] for name in names] == [done[name] for name in names]
    assert {"row": 2, "name": "SP-1", "field": "septic: capacity_gallons", "before": 1000, "after": 1250} in told[
        "differences"
    ]
    assert [(o["row"], o["outcome"]) for o in told["outcomes"]] == [(2, "changed"), (3, "added")]
