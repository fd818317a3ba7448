"""Long files, undoing and learned headings over HTTP."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from reporting.intake.waiting import waiting_files, work_off
from tests.reporting.api.world import HOME, MINE, OTHERS, World, a_report, make_world
from tests.reporting.counties import csv_of
from tests.services.databases import DatabaseUrls

PATH = f"/v1/{HOME}/submissions"


@pytest.fixture
def world(database: DatabaseUrls, tmp_path: Path) -> Any:
    found = make_world(database, tmp_path, PUMPER_ROWS_AT_ONCE="3")
    yield found
    found.database.dispose()


def some(count: int = 5) -> bytes:
    rows = [a_report(report_ref=f"L-{n}", gallons_pumped=900 + n) for n in range(count)]
    rows[1]["gallons_pumped"] = "~9"
    return csv_of(*rows)


def work(world: World) -> None:
    for submission in waiting_files(world.database, HOME):
        work_off(world.database, HOME, submission, world.signer, world.clock, chunk=2)


def test_a_long_file_is_answered_at_once_and_its_address_tells_the_rest(world: World) -> None:
    sent = world.send(HOME, some())
    assert (sent.status_code, sent.json["status"], sent.json["rows"], sent.json["outcomes"]) == (202, "waiting", 5, [])
    assert sent.headers["Location"] == f"{PATH}/{sent.json['id']}"
    found = world.get(sent.headers["Location"]).json
    assert (found["status"], found["accepted"], found["columns"]) == ("waiting", 0, {})
    turns = iter([False, True])
    work_off(world.database, HOME, sent.json["id"], world.signer, world.clock, chunk=2, stopping=lambda: next(turns))
    found = world.get(sent.headers["Location"]).json
    assert (found["status"], found["next_row"], found["accepted"], found["rejected"]) == ("working", 4, 1, 1)
    assert [o["row"] for o in found["outcomes"]] == [2, 3]
    work(world)
    found = world.get(sent.headers["Location"]).json
    assert (found["status"], found["rows"], found["accepted"], found["rejected"]) == ("done", 5, 4, 1)
    assert found["columns"] == {"unknown": [], "suggested": {}, "missing": []}
    again = world.send(HOME, some(), query="?dry_run=true")
    assert (again.status_code, again.json["duplicate"]) == (207, 4)


def test_a_repeat_with_the_same_key_is_the_same_waiting_file(world: World) -> None:
    key = {"Idempotency-Key": "one-file"}
    first, second = (world.send(HOME, some(), headers=key) for _ in range(2))
    assert (first.status_code, second.status_code, second.data) == (202, 202, first.data)
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len(waiting_files(world.database, HOME)) == 1


def test_a_long_file_that_cannot_be_read_is_refused_at_once(world: World) -> None:
    assert world.send(HOME, b"Route,Stop\r\n" + b"1,2\r\n" * 9).status_code == 422
    assert waiting_files(world.database, HOME) == []


def test_an_import_is_undone_by_its_submission_and_can_be_sent_anew(world: World) -> None:
    sent = world.send(HOME, csv_of(a_report()))
    [before] = world.get(f"/v1/{HOME}/status?permit=SP-1", "county").json["systems"]
    undone = world.post(f"{PATH}/{sent.json['id']}/undo", {"reason": "wrong week"})
    assert (undone.status_code, undone.json["status"], undone.json["voided"]) == (200, "undone", 1)
    [after] = world.get(f"/v1/{HOME}/status?permit=SP-1", "county").json["systems"]
    assert before["standing"] != after["standing"], "the earlier due date is back"
    assert world.get(f"{PATH}/{sent.json['id']}").json["status"] == "undone"
    twice = world.post(f"{PATH}/{sent.json['id']}/undo", {"reason": "again"})
    assert (twice.status_code, twice.json["type"]) == (409, "urn:pumper:problem:submission-ended")
    assert world.send(HOME, csv_of(a_report())).json["accepted"] == 1


def test_a_business_undoes_its_own_and_the_county_anybodys(world: World) -> None:
    sent = world.send(HOME, csv_of(a_report())).json["id"]
    for who, status in (("other contractor", 404), ("other county", 404), ("", 401), ("county", 200)):
        assert world.post(f"{PATH}/{sent}/undo", {"reason": "x"}, who).status_code == status, who


def test_undoing_says_why(world: World) -> None:
    sent = world.send(HOME, csv_of(a_report())).json["id"]
    for body in ({}, {"reason": ""}, {"reason": 7}, {"reason": "x", "more": 1}):
        assert world.post(f"{PATH}/{sent}/undo", body).status_code == 422, body


HEADINGS = f"/v1/{HOME}/heading-mappings"


def own_words() -> bytes:
    words = {"gallons_pumped": "Amt out", "service_date": "When", "notes": "Truck"}
    return csv_of({words.get(name, name): value for name, value in a_report(notes="7").items()})


def test_headings_are_taught_once_and_understood_from_then_on(world: World) -> None:
    before = world.send(HOME, own_words())
    assert (before.status_code, before.json["type"]) == (422, "urn:pumper:problem:missing-columns")
    told = {"Amt out": "gallons_pumped", "WHEN": "service_date", "Truck": None}
    taught = world.post(HEADINGS, {"headings": told})
    assert (taught.status_code, taught.json["headings"]) == (200, told)
    sent = world.send(HOME, own_words())
    assert (sent.status_code, sent.json["columns"]["unknown"]) == (201, [])
    assert world.send(HOME, own_words(), "county").status_code == 422, "they are this business's"
    world.post(HEADINGS, {"headings": {"when": "signed_on"}})
    assert world.get(HEADINGS).json["headings"] == {"Amt out": "gallons_pumped", "Truck": None, "when": "signed_on"}
    assert world.send(HOME, own_words()).status_code == 422


def test_the_county_teaches_for_anybody_and_a_business_for_itself(world: World) -> None:
    body = {"headings": {"Amt out": "gallons_pumped"}, "license_number": MINE}
    assert world.post(HEADINGS, body, "county").status_code == 200
    assert world.get(HEADINGS).json["headings"] == {"Amt out": "gallons_pumped"}
    assert world.get(f"{HEADINGS}?license={MINE}", "county").json["contractor_id"] == "con_mine"
    assert world.get(HEADINGS, "other contractor").json["headings"] == {}
    assert world.get("/v1/portage/heading-mappings").json["headings"] == {}
    foreign = world.post(HEADINGS, {**body, "license_number": OTHERS})
    assert (foreign.status_code, foreign.json["errors"][0]["code"]) == (422, "license_not_yours")
    assert world.get(HEADINGS, "county").status_code == 422
    assert world.get(f"{HEADINGS}?license=99999", "county").status_code == 422


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"Amt": "galons"}, "not_a_choice"),
    ({"Amt": 7}, "not_a_choice"),
    ({"Amt": ["gallons_pumped"]}, "not_a_choice"),
    ({" - ": "notes"}, "bad_value"),
    ({"x" * 201: "notes"}, "bad_value"),
    ({"gallons pumped": "notes"}, "inconsistent"),
    ({"permit_number": None}, "inconsistent"),
    ({"Amt.": "notes", "amt": "gallons_pumped"}, "inconsistent"),
    ({f"h{n}": None for n in range(201)}, "bad_value"),
]


def test_headings_that_cannot_be_meant_are_refused(world: World) -> None:
    for told, code in WRONG:
        answer = world.post(HEADINGS, {"headings": told})
        assert (answer.status_code, answer.json["errors"][0]["code"]) == (422, code), told
    for body in ({}, {"headings": []}, {"headings": {}, "more": 1}):
        assert world.post(HEADINGS, body).status_code == 422
    assert world.get(HEADINGS).json["headings"] == {}


def test_rejected_rows_come_back_as_they_came(world: World) -> None:
    names = [name for name in a_report() if name != "notes"]
    rows = [a_report(report_ref=f"R-{n}") for n in range(3)]
    rows[1] |= {"gallons_pumped": "lots", "technician_name": "=1+1"}
    lines = [[str(row[n]) for n in names] for row in rows]
    head = [*names[:3], "", *names[3:], "Truck"]
    table = [head, *([*line[:3], "x", *line[3:], "T7"] for line in lines)]
    text = io.StringIO()
    csv.writer(text).writerows(table)
    sent = world.send(HOME, text.getvalue().encode())
    assert sent.status_code == 207, sent.text
    back = list(csv.reader(io.StringIO(world.get(sent.headers["Location"] + "/rejected.csv").data.decode("utf-8-sig"))))
    assert back[0] == [*head, "errors"]
    assert [cell.removeprefix("'") for cell in back[1][:-1]] == table[2]
    assert back[1][-1].startswith("gallons_pumped: ")
    assert len(back) == 2


def test_cells_beyond_the_headings_stay_beyond_them(world: World) -> None:
    row = [str(value) for value in a_report().values()]
    at = list(a_report()).index("site_address")
    torn = [*row[:at], "N257 County Road K", " rear", *row[at + 1 :]]  # a comma that was not in quotes
    text = io.StringIO()
    csv.writer(text).writerows([list(a_report()), torn])
    sent = world.send(HOME, text.getvalue().encode())
    assert "shifted_row" in [e["code"] for e in sent.json["errors"]]
    download = world.get(f"{PATH}/{sent.json['id']}/rejected.csv")
    back = list(csv.reader(io.StringIO(download.data.decode("utf-8-sig"))))
    assert (back[0], back[1][1:]) == (["errors", *a_report()], torn)
    assert "shifted_row" in [e["code"] for e in world.send(HOME, download.data).json["errors"]]
    mended = [back[0], [back[1][0], *row[:at], "N257 County Road K", *row[at + 1 :]]]
    text = io.StringIO()
    csv.writer(text).writerows(mended)
    assert world.send(HOME, text.getvalue().encode()).json["accepted"] == 1
