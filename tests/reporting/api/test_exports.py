"""Files for records requests: whole, or with what is kept back left out and named."""

import csv
import io
from typing import Any

import pytest

from reporting.exports.requested import COLUMNS, KEPT_BACK, LEFT_OUT
from reporting.store import requested
from schemas.fields import FIELDS
from tests.reporting.api.world import AWAY, CANARY, HOME, OTHERS, World, a_report
from tests.reporting.counties import a_row, csv_of, load
from tests.reporting.intake.test_signatures import a_png, address

IMAGE = address(a_png())
PERSONAL = {
    "owner_name": CANARY[HOME],
    "owner_email": "zzyx@owner.example",
    "owner_phone": "262-555-0147",
    "owner_mailing_address": "PO Box 9, Saukville",
    "access_notes": "Gate code 4711",
}


@pytest.fixture
def kept(world: World) -> World:
    """Two reports with everything that a person would rather not see given out, and one that was taken back."""
    load(world.database, a_row("SP-1", **PERSONAL, designated_license_number="00412"), now=world.clock())
    for number, values in enumerate((
        {"notes": "=cmd|' /C calc'!A0", "signature": IMAGE},
        {"notes": "Dog bites", "service_date": "2026-07-09", "gallons_pumped": 900, "license_number": OTHERS},
        {"service_date": "2026-07-10", "gallons_pumped": 800},
    ), start=1):  # fmt: skip
        who = "other contractor" if values.get("license_number") == OTHERS else "contractor"
        report = a_report(report_ref=f"T-{number}", owner_name=CANARY[HOME], signed_on="2026-07-11", **values)
        answer = world.post(f"/v1/{HOME}/reports", report, who)
        assert answer.status_code == 201, answer.text
        world.ids[f"T-{number}"] = answer.json["report_id"]
    gone = world.post(f"/v1/{HOME}/reports/{world.ids['T-3']}/void", {"reason": "never done"})
    assert gone.status_code == 200
    return world


def asked(world: World, query: str = "", who: str = "county", county: str = HOME) -> tuple[list[dict[str, str]], str]:
    answer = world.get(f"/v1/{county}/reports.csv{query}", who)
    assert answer.status_code == 200, answer.text
    assert answer.data.startswith(b"\xef\xbb\xbf")
    assert answer.data.count(b"\xef\xbb\xbf") == 1
    rows = list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"), newline="")))
    return sorted(rows, key=lambda row: row["report_ref"]), answer.headers["Left-Out"]


def test_what_says_who_and_how_to_get_in_is_left_out_unless_asked_for(kept: World) -> None:
    rows, named = asked(kept)
    assert [row["report_ref"] for row in rows] == ["T-1", "T-2"]  # what was taken back does not stand
    text = kept.get(f"/v1/{HOME}/reports.csv", "county").text
    assert [word for word in (*PERSONAL.values(), IMAGE, "Dog bites", "calc") if word in text] == []
    for column in ("owner_name", "notes", "signature", "inventory_owner_email", "inventory_access_notes"):
        assert rows[0][column] == LEFT_OUT, column
        assert column in named
    assert rows[1]["signature"] == "Lena Oestreich"  # typed: the name of who answers for the work
    assert rows[0]["inspector_signature"] == ""  # nothing was there to be left out
    assert (rows[0]["gallons_pumped"], rows[0]["site_address"]) == ("1000", "N257 County Road K")
    assert asked(kept, "?redacted=true") == (rows, named)


def test_the_whole_record_is_given_where_it_is_asked_for(kept: World) -> None:
    rows, named = asked(kept, "?redacted=false")
    assert named == "none"
    assert rows[0]["inventory_owner_name"] == CANARY[HOME]
    assert rows[0]["inventory_owner_email"] == PERSONAL["owner_email"]
    assert rows[0]["inventory_owner_phone"] == PERSONAL["owner_phone"]
    assert rows[0]["inventory_owner_mailing_address"] == PERSONAL["owner_mailing_address"]
    assert rows[0]["inventory_access_notes"] == PERSONAL["access_notes"]
    assert rows[0]["signature"] == IMAGE
    assert rows[0]["notes"] == "'=cmd|' /C calc'!A0"  # harmless in a spreadsheet
    assert list(rows[0]) == list(COLUMNS)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?from=2026-07-08&to=2026-07-08", ["T-1"]),
        ("?from=2026-07-09", ["T-2"]),
        ("?to=2026-07-08", ["T-1"]),
        ("?from=2026-07-10", []),
    ],
)
def test_the_span_includes_both_days(kept: World, query: str, found: list[str]) -> None:
    assert [row["report_ref"] for row in asked(kept, query)[0]] == found


@pytest.mark.parametrize("query", ["?from=2026-07-09&to=2026-07-08", "?redacted=yes", "?from=July", "?county=x"])
def test_what_cannot_be_asked_is_said(kept: World, query: str) -> None:
    assert kept.get(f"/v1/{HOME}/reports.csv{query}", "county").status_code == 422


def test_only_the_countys_staff_may(kept: World) -> None:
    statuses = {who: kept.get(f"/v1/{HOME}/reports.csv", who).status_code for who in kept.keys}
    assert statuses == {
        "": 401, "contractor": 403, "other contractor": 403, "county": 200, "other county": 404, "admin": 200,
    }  # fmt: skip
    assert asked(kept, "?redacted=false", "other county", AWAY)[0] == []


def test_a_long_file_comes_in_pages_as_it_stood_at_first(kept: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requested, "PAGE", 3)
    monkeypatch.setattr("reporting.api.exports.PAGE", 3)
    rows = [a_report(report_ref=f"L-{n:02}", gallons_pumped=500 + n, service_date="2026-07-01") for n in range(8)]
    assert kept.send(HOME, csv_of(*rows)).json["accepted"] == 8
    found: Any = asked(kept)[0]
    assert [row["report_ref"] for row in found] == [*(f"L-{n:02}" for n in range(8)), "T-1", "T-2"]


def test_every_field_of_a_report_is_given_out_or_named() -> None:
    assert set(FIELDS) <= set(COLUMNS)
    assert set(KEPT_BACK) <= set(COLUMNS)
