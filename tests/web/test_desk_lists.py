"""The desk's lists as files and saved views: the page's own filters, harmless cells, the own county alone."""

import csv
import io
import json
import re
from typing import Any

import pytest
from python_calamine import CalamineWorkbook
from sqlalchemy import update

from notifications.outbox import MessageState
from reporting import tables
from reporting.api.policy import POLICIES
from reporting.status import find_systems
from reporting.store import saved_views
from reporting.web import desk_files
from reporting.web.desk_lists import LISTS
from reporting.web.desk_views import LONGEST
from tests.notifications.letters import queue_letter
from tests.reporting.api.test_reviews import queue
from tests.reporting.api.test_stories_of_systems import send
from tests.reporting.api.world import AWAY, CANARY, HOME, MINE, World
from tests.web.mapped import FORMULA, NORTH, WEST, place_systems
from tests.web.test_desk import a_count, errors_of, read, refused, submit, went


@pytest.fixture
def desk(world: World) -> World:
    return place_systems(world)


@pytest.fixture
def lists(world_on_sqlite: World) -> World:
    """The same on one database, for what other tests ask of both."""
    return place_systems(world_on_sqlite)


def rows_of(world: World, path: str, who: str = "manager") -> list[dict[str, str]]:
    answer = world.get(path, who)
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"), newline="")))


def layer(world: World, path: str, who: str = "manager") -> list[dict[str, Any]]:
    """The features of a layer, each held against RFC 7946: longitude first, and the county's place."""
    answer = world.get(path, who)
    assert (answer.status_code, answer.mimetype) == (200, "application/geo+json")
    body = json.loads(answer.data)
    assert body.keys() >= {"type", "features"}
    assert body["type"] == "FeatureCollection"
    for one in body["features"]:
        longitude, latitude = one["geometry"]["coordinates"]
        assert (one["type"], one["geometry"]["type"]) == ("Feature", "Point")
        assert (-93 < longitude < -86, 42 < latitude < 48) == (True, True)
    return list(body["features"])


def sheet(data: bytes) -> list[list[Any]]:
    return CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()


def permits(rows: Any) -> set[str]:
    return {str(row["permit_number"]) for row in rows}


def test_each_file_of_systems_has_what_the_page_has(lists: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_files, "LARGEST_PAGE", 2)  # files go over several pages of the list
    for query, found in (
        ("", {"SP-1", "SP-2", "SP-3", "MP-1", "MP-2", "MP-3"}),
        ("?municipality=Town+of+Cedarburg&q=&standing=", {"MP-2", "MP-3"}),
        ("?standing=overdue&q=mp", {"MP-1", "MP-3"}),
        ("?q=xx-404", set()),
    ):
        placed = {permit for permit in found if permit.startswith("MP")}
        assert permits(rows_of(lists, f"/desk/systems.csv{query}")) == found
        assert permits(one["properties"] for one in layer(lists, f"/desk/systems.geojson{query}")) == placed
        heading, *rows = sheet(lists.get(f"/desk/systems.xlsx{query}", "manager").data)
        assert {row[heading.index("Permit number")] for row in rows} == found


def test_a_workbook_of_too_many_rows_is_refused(lists: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_files, "MOST_ROWS", 6)
    assert lists.get("/desk/systems.xlsx", "manager").status_code == 200
    monkeypatch.setattr(desk_files, "MOST_ROWS", 5)
    answer = lists.get("/desk/systems.xlsx", "manager")
    assert (answer.status_code, "take the CSV file" in answer.text) == (422, True)
    bare = lists.call("HEAD", "/desk/cases.xlsx", "manager")
    assert (bare.status_code, bare.data) == (200, b"")
    bare.close()  # as a server does: the file that was made goes with it


def test_cells_are_harmless_and_coordinates_are_longitude_first(lists: World) -> None:
    [row] = rows_of(lists, "/desk/systems.csv?permit=MP-1")
    assert row["site_address"] == f"'{FORMULA}"
    heading, cells = sheet(lists.get("/desk/systems.xlsx?permit=mp-1", "viewer").data)
    assert cells[heading.index("Site address")] == FORMULA  # a text, and no formula: those have no value when read
    [one] = layer(lists, "/desk/systems.geojson?permit=MP-1")
    assert one["geometry"]["coordinates"] == [float(WEST), float(NORTH)]
    assert CANARY[HOME] not in json.dumps(one)


def test_duties_and_cases_have_their_places(desk: World) -> None:
    usual = rows_of(desk, "/desk/obligations.csv")
    assert {row["state"] for row in usual} == {"overdue"}
    assert permits(usual) == {"SP-1", "SP-2", "SP-3", "MP-1", "MP-3"}
    query = "?state=overdue&municipality=Town+of+Cedarburg"
    assert permits(one["properties"] for one in layer(desk, f"/desk/obligations.geojson{query}")) == {"MP-3"}
    assert "obligations.geojson?state=overdue&municipality=Town+of+Cedarburg" in read(desk, f"/desk/obligations{query}")
    for permit in ("MP-1", "SP-1"):
        body = {"permit_number": permit, "kind": "order", "due_on": "2026-07-15"}
        assert desk.post(f"/v1/{HOME}/cases", body, "county").status_code == 201
    assert permits(rows_of(desk, "/desk/cases.csv?open=true")) == {"MP-1", "SP-1"}
    assert rows_of(desk, "/desk/cases.csv?open=false") == []
    [case] = layer(desk, "/desk/cases.geojson")
    assert (case["properties"]["permit_number"], CANARY[HOME] in json.dumps(case)) == ("MP-1", False)


def test_reports_received_are_listed_by_business_day_and_fate(desk: World) -> None:
    kept = send(desk, HOME, "MP-2", report_ref="A", service_date="2026-07-10", signed_on="2026-07-10")["report_id"]
    late = send(desk, HOME, "MP-1", report_ref="B", service_date="2026-06-02", license_number="00555")["report_id"]
    waiting = queue(desk, "C", service_date="2026-07-08")["report_id"]
    desk.post(f"/v1/{HOME}/reports/{kept}/void", {"reason": "wrong"}, "contractor")
    expected = {
        "": {late, waiting},
        "?state=late": {late},
        "?state=waiting": {waiting},
        "?state=ended": {kept},
        "?state=kept": set(),
        f"?contractor={MINE}": {waiting},
        "?from=2026-07-13&to=2026-07-13": {late, waiting},
        "?from=2026-07-14": set(),
        "?to=2026-07-12": set(),
        "?served_from=2026-06-02&served_to=2026-06-02": {late},
        "?served_from=2026-06-03&served_to=2026-07-07": set(),
    }
    for query, found in expected.items():
        page = read(desk, f"/desk/reports{query}", "clerk")
        assert {row["id"] for row in rows_of(desk, f"/desk/reports.csv{query}", "clerk")} == found, query
        assert {one for one in (kept, late, waiting) if f'href="/desk/reports/{one}"' in page} == found, query
    [one] = layer(desk, "/desk/reports.geojson?state=late")
    assert (one["properties"]["id"], one["properties"]["received_on"]) == (late, "2026-07-13")
    home = read(desk, "/desk")
    assert a_count(home, "Reports that came late, of the last 30 days' services") == 0
    assert "is none of" in read(desk, "/desk/reports?state=lost", status=422)


def test_reviews_have_files_and_a_place_once_matched(desk: World) -> None:
    review = queue(desk, "C", service_date="2026-07-08", owner_name=FORMULA)
    [row] = rows_of(desk, "/desk/reviews.csv?reason=not_in_inventory")
    assert (row["id"], row["owner_name"]) == (review["id"], f"'{FORMULA}")
    assert layer(desk, "/desk/reviews.geojson") == []
    with desk.database.reading(HOME) as store:
        [system] = find_systems(store, permit="MP-1")
    body = {"decision": "match", "system": system, "reason": "asked"}
    told = desk.post(f"/v1/{HOME}/reviews/{review['id']}/resolution", body, "county")
    assert told.status_code == 200, told.text
    [one] = layer(desk, "/desk/reviews.geojson?state=matched")
    assert (one["properties"]["id"], "owner_name" in one["properties"]) == (review["id"], False)
    assert rows_of(desk, "/desk/reviews.csv") == []


def test_mails_say_to_whom_about_what_and_why_they_failed(desk: World) -> None:
    with desk.database.transaction(HOME) as store:
        for number in range(3):
            queue_letter(store, number, recipient=f"n{number}@x.example", system=None)
        _turn_to_mails(store)
    page = read(desk, "/desk/mails?state=failed", "viewer")
    assert ("n0@x.example" in page, "n1@x.example" in page, "550 no such user" in page) == (True, False, True)
    assert "Hold mail" not in page
    assert {row["recipient"] for row in rows_of(desk, "/desk/mails.csv")} == {f"n{n}@x.example" for n in range(3)}
    [row] = rows_of(desk, "/desk/mails.csv?q=N1")
    assert (row["state"], bool(row["subject"])) == ("sent", True)
    assert desk.get("/desk/mails.geojson", "manager").status_code == 404
    home = read(desk, "/desk")
    assert (a_count(home, "Mails that did not arrive"), 'href="/desk/mails?state=failed"' in home) == (1, True)
    wrong = refused(submit(desk, "/desk/mails", "/desk/mails/pauses", recipient="n2@x.example", reason=""))
    assert 'value="n2@x.example"' in wrong
    held = submit(desk, "/desk/mails", "/desk/mails/pauses", recipient="n2@x.example", reason="moved away")
    assert went(held) == "/desk/mails?done=held#pauses"
    page = read(desk, "/desk/mails")
    assert ("Queued, held" in page, "moved away" in page) == (True, True)
    [end] = re.findall(r'action="(/desk/mails/pauses/pau_[^"]+/end)"', page)
    assert went(submit(desk, "/desk/mails", end)).startswith("/desk/mails?done=let_go")
    assert "Queued, held" not in read(desk, "/desk/mails")


def _turn_to_mails(store: Any) -> None:
    table = tables.message
    for number, (state, error) in enumerate(
        ((MessageState.FAILED, "550 no such user"), (MessageState.SENT, None), (MessageState.QUEUED, None))
    ):
        values = {"channel": "mail", "state": str(state), "last_error": error}
        where = (table.c.county == store.tenant, table.c.recipient == f"n{number}@x.example")
        store.connection.execute(update(table).where(*where).values(**values))


def test_questions_that_nobody_answered_are_a_list_and_a_count(lists: World) -> None:
    report = send(lists, HOME, "SP-1", service_date="2026-07-08", signed_on="2026-07-08")["report_id"]
    at = f"/desk/reports/{report}"
    went(submit(lists, at, f"{at}/question", "clerk", message="How many gallons?", answer_by="2026-07-20"))
    home = read(lists, "/desk")
    assert a_count(home, "Questions not answered yet") == 1
    assert 'href="/desk/verifications?state=requested"' in home
    page = read(lists, "/desk/verifications?state=requested")
    assert ("How many gallons?" in page, "Not answered yet" in page, f'href="{at}"' in page) == (True, True, True)
    assert [row["answer_by"] for row in rows_of(lists, "/desk/verifications.csv")] == ["2026-07-20"]
    lists.post(f"/v1/{HOME}/reports/{report}/verification/answer", {"answer": "900"}, "county")
    assert "No question stands so" in read(lists, "/desk/verifications?state=requested")
    assert a_count(read(lists, "/desk"), "Questions not answered yet") == 0
    assert rows_of(lists, "/desk/verifications.csv?state=answered")[0]["answer"] == "900"


def test_no_file_shows_another_countys_rows(lists: World) -> None:
    queue(lists)
    for path, found in LISTS.items():
        answer = lists.get(f"/desk/{path}.csv", "away manager")
        assert answer.status_code == 200, path
        for form in ("csv", "geojson" if found.placed else "csv"):
            data = lists.get(f"/desk/{path}.{form}", "away manager").text
            assert ("MP-" in data, "SP-" in data, CANARY[HOME] in data) == (False, False, False), path
    assert "AW-1" in lists.get("/desk/systems.csv", "away manager").text
    for who, status in (("", 401), ("contractor", 403), ("owner", 403)):
        assert lists.get("/desk/systems.csv", who).status_code == status
    assert POLICIES["web.desk_reviews_file"].scope == POLICIES["web.desk_reviews"].scope


def test_a_view_is_saved_for_colleagues_and_taken_away(desk: World) -> None:
    page = "/desk/systems?standing=overdue&q=mp"
    assert "Save this view" not in read(desk, "/desk/systems")
    values = {"of_list": "systems", "query": "standing=overdue&q=mp&limit=9&cursor=x"}
    assert errors_of(refused(submit(desk, page, "/desk/views", "clerk", **values, name=" "))) == {"name"}
    assert errors_of(refused(submit(desk, page, "/desk/views", "clerk", **values, name="x" * (LONGEST + 1)))) == {
        "name"
    }
    place = went(submit(desk, page, "/desk/views", "clerk", **values, name="x" * LONGEST))
    assert place == "/desk/systems?standing=overdue&q=mp&done=saved"
    went(submit(desk, page, "/desk/views", "clerk", **values, name="<b>Overdue</b> &  on the map"))
    again = refused(submit(desk, page, "/desk/views", "manager", **values, name="<b>Overdue</b> & on the map"))
    assert "choose another" in again
    wrong = submit(desk, page, "/desk/views", "clerk", of_list="systems", query="lost=1", name="y")
    assert "cannot be used" in refused(wrong)
    assert submit(desk, page, "/desk/views", "clerk", of_list="nothing", name="y").status_code == 404
    raw = desk.get("/desk/systems", "viewer").text
    assert ("<b>Overdue" in raw, "&lt;b&gt;Overdue&lt;/b&gt; &amp; on the map" in raw) == (False, True)
    assert 'href="/desk/systems?standing=overdue&amp;q=mp" title="Saved by Clerk"' in raw
    assert "Overdue" not in read(desk, "/desk/obligations").partition("</details>")[0].partition("Saved views")[2]
    assert "/removal" not in raw  # a colleague's
    assert "on the map" not in read(desk, "/desk/systems", "away manager")
    with desk.database.reading(HOME) as store:
        ids = [row["id"] for row in saved_views.list_views(store, "systems")]
    away = desk.call("POST", f"/desk/views/{ids[0]}/removal", "away manager")
    assert (away.status_code, desk.call("POST", f"/desk/views/{ids[0]}/removal", "viewer").status_code) == (404, 403)
    assert went(submit(desk, page, f"/desk/views/{ids[0]}/removal", "clerk")) == "/desk/systems?done=removed"
    assert went(submit(desk, page, f"/desk/views/{ids[1]}/removal", "manager")) == "/desk/systems?done=removed"
    with desk.database.reading(HOME) as store:
        assert saved_views.list_views(store, "systems") == []
    with desk.database.reading(AWAY) as store:
        assert saved_views.count_views(store) == 0
