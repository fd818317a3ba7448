"""A fee roll over HTTP: every kind of exemption, paid, waived, exported, and rolled again with nothing new."""

import csv
import io
from typing import Any
from zipfile import ZipFile

import pytest

from tests.reporting.api.world import HOME, World
from tests.reporting.counties import a_row, csv_of, load, the_system

LAKE = "lake-beulah"
EXEMPTIONS = {"A4": "vacant", "A5": "infrequent_use", "A6": "commercial", "A7": "inspection_only"}


def fill(world: World) -> None:
    """Lake Beulah's systems: A1 and A2 on one parcel, one of each exemption, one out of use, one without a tank."""
    whole = {"legal_description": "LOT 1 BLK 2", "owner_mailing_address": "PO Box 1, East Troy, WI 53120"}
    exempt = [
        a_row(permit, exemption_kind=kind, exemption_granted_on="2024-06-17", service_area="2")
        for permit, kind in EXEMPTIONS.items()
    ]
    rows = [
        a_row("A1", parcel_number="P-1", **whole), a_row("A2", parcel_number="P-1"), a_row("A3", owner_name="=1+1"),
        *exempt, a_row("A8", status="abandoned"), a_row("A9", component="privy"),
    ]  # fmt: skip
    load(world.database, *rows, county=LAKE)


def post(world: World, path: str, body: Any, who: str = "admin") -> Any:
    return world.post(f"/v1/{LAKE}/{path}", body, who)


def get(world: World, path: str) -> Any:
    return world.get(f"/v1/{LAKE}/{path}", "admin")


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def by_permit(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {line["permit_number"]: line for line in lines}


def test_the_story_of_a_fee_roll(world: World) -> None:
    fill(world)
    post(world, "settings", {"name": "base_year", "value": 2008})
    dry = post(world, "fees/rolls", {"year": 2026, "dry_run": True})
    assert (dry.status_code, get(world, "fees").json["fees"]) == (200, [])
    roll = post(world, "fees/rolls", {"year": 2026})
    assert (roll.status_code, roll.json["totals"]) == (201, dry.json["totals"])
    outcomes = {permit: (line["outcome"], line["cents"], line["cite"]) for permit, line in by_permit(
        roll.json["lines"]
    ).items()}  # fmt: skip
    assert outcomes == {
        "A1": ("charged", 4000, "5.02, 5.04"), "A2": ("free", 0, "5.02, 5.04"), "A3": ("charged", 4000, "5.02, 5.04"),
        "A4": ("free", 0, "7.01 b"), "A5": ("free", 0, "7.01 c"), "A6": ("charged", 4000, "5.02, 5.04"),
        "A7": ("charged", 4000, "5.02, 5.04"), "A8": ("free", 0, "5.02, 5.04"), "A9": ("free", 0, None),
    }  # fmt: skip
    charges = by_permit(roll.json["lines"])
    # A1 pays in two parts and by a list, A3's is waived, A6 has the rest of it given back.
    paid = post(world, "fees/payments", {"charge": charges["A1"]["charge"], "cents": 1500, "reference": "c-1"})
    assert (paid.status_code, paid.json["account"]["left"], paid.json["duplicate"]) == (201, 2500, False)
    again = post(world, "fees/payments", {"charge": charges["A1"]["charge"], "cents": 1500, "reference": "c-1"})
    assert (again.status_code, again.json["duplicate"], again.json["receipt"]) == (200, True, None)
    rows = [
        {"permit_number": "A2", "fee": "annual", "amount": "25.00", "reference": "c-2", "on": "2026-07-01"},
        {"permit_number": "A6", "fee": "LB6", "amount": "41.00", "reference": "c-3", "on": "2026-07-01"},
        {"permit_number": "A7", "fee": "", "amount": "41.00", "reference": "c-4", "on": "2026-07-01"},
    ]
    path = f"/v1/{LAKE}/fees/payments"
    sent: Any = world.call("POST", path, "admin", data=csv_of(*rows), content_type="text/csv")
    assert (sent.status_code, sent.json["accepted"], sent.json["dollars"]) == (207, 2, "66.00")
    [error] = sent.json["outcomes"][2]["errors"]
    assert (error["row"], error["field"]) == (4, "fee")
    assert "which fee" in error["message"]
    assert post(world, f"fees/{charges['A3']['charge']}/waiver", {"reason": "x"}).status_code == 422
    relief = {"reason": "house burnt down", "authority": "Board of Commissioners, 2026-07-06"}
    assert post(world, f"fees/{charges['A3']['charge']}/waiver", relief).json["account"]["left"] == 0
    back = post(world, f"fees/{charges['A6']['charge']}/refund", {**relief, "cents": 100})
    assert (back.status_code, back.json["account"]["left"]) == (201, 0)
    assert post(world, "fees/charge_none/waiver", relief).status_code == 404
    _looked_at(world, charges)
    # Rolled again there is nothing new.
    again = post(world, "fees/rolls", {"year": 2026})
    totals = again.json["totals"]
    assert (totals["charged"], totals["already_charged"], totals["already_charged_cents"]) == (0, 4, 16000)
    assert get(world, "fees").json["totals"]["charges"] == 4


def _looked_at(world: World, charges: dict[str, dict[str, Any]]) -> None:
    page = get(world, "fees?limit=3&year=2026")
    assert len(page.json["fees"]) == 3
    assert 'rel="next"' in page.headers["Link"]
    sums = page.json["totals"]
    assert sums["left"] == sums["charged"] - sums["paid"] + sums["refunded"] - sums["waived"] == 4000
    [unpaid] = get(world, "fees?unpaid=true").json["fees"]
    assert (unpaid["permit_number"], unpaid["left"], unpaid["cite"]) == ("A7", 4000, "5.02, 5.04")
    assert [row["left"] for row in table(get(world, "fees.csv?unpaid=true").text)] == ["40.00"]
    with world.database.reading(LAKE) as store:
        systems = {permit: the_system(store, permit).system_id for permit in ("A1", "A7")}
    account = get(world, f"systems/{systems['A1']}/fees").json
    assert [(entry["kind"], entry["cents"]) for entry in account["entries"]][1:] == [
        ("charge", 4000),
        ("payment", 1500),
    ]
    assert account["total"]["left"] == 0
    for permit, due in (("A1", 0), ("A7", 1)):
        status = get(world, f"systems/{systems[permit]}/status").json
        assert len([f for f in status["findings"] if f["kind"] == "fee_due" and f["rule"] == "LB6"]) == due, permit
    # LB22 (5.04): what is charged is a sewerage service charge, taxed, and a lien.
    bill = by_permit(table(get(world, "fees/rolls/2026.csv").text))
    told = ("owner_name", "legal_description", "owner_mailing_address", "charged", "paid", "left")
    assert [bill["A1"][name] for name in told] == [
        "Laverne Lor", "LOT 1 BLK 2", "PO Box 1, East Troy, WI 53120", "40.00", "40.00", "0.00",
    ]  # fmt: skip
    taxed = [bill["A1"][name] for name in ("taxed_as", "lien", "taxed_by")]
    assert taxed == ["sewerage service charge", "yes", "5.04"]
    assert bill["A3"]["owner_name"] == "'=1+1"  # no formula
    assert bill["A4"]["because"] == "certificate (vacant) of 2024-06-17: no fee"
    shown = get(world, "fees/rolls/2026?limit=2")
    assert [row["permit_number"] for row in shown.json["rows"]] == ["A1", "A2"]
    assert 'rel="next"' in shown.headers["Link"]
    book = get(world, "fees/rolls/2026.xlsx")
    assert "fee-roll-lake-beulah-2026.xlsx" in book.headers["Content-Disposition"]
    with ZipFile(io.BytesIO(book.data)) as package:
        texts = package.read("xl/sharedStrings.xml").decode()
        sheet = package.read("xl/worksheets/sheet1.xml").decode()
    assert "LOT 1 BLK 2" in texts
    assert "<v>160</v>" in sheet  # charged in all
    assert "<f>" not in sheet
    assert by_permit(get(world, "fees/rolls/2027?limit=9").json["rows"])["A5"]["outcome"] == "not_charged_yet"
    assert get(world, "fees/rolls/27").status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("fees", {"permit_number": "SP-1"}, "rule"),
        ("fees", {"permit_number": "SP-1", "rule": "OZ13", "cents": 1}, "cents"),
        ("fees", {"permit_number": "SP-1", "what": "permit", "cause": "7", "cents": 0}, "cents"),
        ("fees", {"permit_number": "SP-404", "rule": "OZ13"}, "permit_number"),
        ("fees", {"permit_number": "SP-1", "rule": "OZ13", "on": "2026-07-14"}, "on"),
        ("fees/payments", {"charge": "charge_none", "cents": 100, "reference": "x"}, "charge"),
        ("fees/payments", {"permit_number": "SP-1", "fee": "appeal", "cents": 100, "reference": "x"}, "fee"),
        ("fees/payments", {"permit_number": "SP-1", "fee": "OZ13", "amount": "1,00", "reference": "x"}, "amount"),
        ("fees/rolls", {"dry_run": True}, "year"),
        ("fees/rolls", {"year": 2026, "dry_run": "yes"}, "dry_run"),
        ("fees/rolls", {"year": 26}, "year"),
    ],
)
def test_what_cannot_be_entered_is_said(world_on_sqlite: World, path: str, body: dict[str, Any], field: str) -> None:
    answer: Any = world_on_sqlite.post(f"/v1/{HOME}/{path}", body, "county")
    assert answer.status_code == 422
    assert answer.json["errors"][0]["field"] == field, answer.text
    kept: Any = world_on_sqlite.get(f"/v1/{HOME}/fees", "county").json
    assert kept["fees"] == []


def test_a_business_sees_no_fees(world_on_sqlite: World) -> None:
    assert world_on_sqlite.get(f"/v1/{HOME}/fees").status_code == 403
    assert world_on_sqlite.post(f"/v1/{HOME}/fees/rolls", {"year": 2026}).status_code == 403
    assert world_on_sqlite.get(f"/v1/{HOME}/fees", "other county").status_code == 404
