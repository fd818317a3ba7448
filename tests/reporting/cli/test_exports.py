"""`pumper record`, `summary`, `service-log`, `meters`, `periods`: the same as over HTTP, on the command line."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.reporting.cli.test_commands import ROW, Desk, desk, office, prepared  # noqa: F401 - fixtures


@pytest.fixture
def told(office: Desk) -> Desk:  # noqa: F811
    run = office.run("submit", "ozaukee", office.csv("july.csv", ROW), "--json")
    assert run.returncode == 0, run.stderr
    return office


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def test_the_service_record_in_every_form(told: Desk) -> None:
    place = ("record", "ozaukee", "--permit", ROW["permit_number"])
    found = json.loads(told.run(*place, "--json").stdout)
    assert [s["service_date"] for s in found["services"] if s["source"] == "report"] == [ROW["service_date"]]
    rows = table(told.run(*place, "--csv").stdout)
    assert [r["report_id"] for r in rows] == [s["report_id"] or "" for s in found["services"]]
    words = told.run(*place).stdout
    assert f"{len(rows)} services on record" in words
    assert "1,000 gallons" in words
    none = json.loads(told.run(*place, "--from", "2025-07-01", "--to", "2025-07-02", "--json").stdout)
    assert none["services"] == []


def test_the_service_record_as_a_document(told: Desk) -> None:
    pytest.importorskip("typst")
    target = told.folder / "record.pdf"
    run = told.run("record", "ozaukee", "--permit", ROW["permit_number"], "--pdf", str(target))
    assert run.returncode == 0, run.stderr
    assert target.read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("record", "ozaukee"), "--permit"),
        (("record", "ozaukee", "--permit", "NONE-1"), "no system of this county"),
        (("meters", "ozaukee", "--permit", "NONE-1"), "no system of this county"),
        (("summary", "ozaukee", "--year", "2199"), "has not begun"),
        (("service-log", "--license", "99999"), "contractors import"),
        (("periods", "ozaukee", "--period", "2026"), "no such report"),
        (("periods", "winnebago", "--period", "26"), "2026-H1"),
        (("backtest", "--tanks", "5"), "5"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(told: Desk, words: tuple[str, ...], said: str) -> None:
    run = told.run(*words)
    assert run.returncode == 2
    assert said in run.stderr


def test_the_yearly_summary(told: Desk) -> None:
    found = json.loads(told.run("summary", "ozaukee", "--year", "2025", "--json").stdout)
    assert found["reports"]["services"] == 1
    rows = table(told.run("summary", "ozaukee", "--year", "2025", "--csv").stdout)
    assert [r["count"] for r in rows if (r["section"], r["item"]) == ("reports", "services")] == ["1"]
    assert "SPS 383.255(2)(b)6" in told.run("summary", "ozaukee", "--year", "2025").stdout


def test_the_service_log_of_a_licence_in_any_spelling(told: Desk) -> None:
    rows = table(told.run("service-log", "--license", " 00412 ", "--from", "2025-01-01").stdout)
    assert [(r["county"], r["permit_number"], r["gallons_pumped"]) for r in rows] == [
        ("ozaukee", ROW["permit_number"], "1000")
    ]
    later = told.run("service-log", "--license", "00412", "--from", "2025-07-01", "--json")
    assert json.loads(later.stdout) == []


def test_the_log_says_how_pathogens_and_vectors_were_reduced_where_a_load_went_to_land(office: Desk) -> None:  # noqa: F811
    """Rule S17, NR 113.11(3)(c)."""
    row = {**ROW, "pathogen_vector_reduction": "lime to pH 12 for 30 minutes", "disposal_site": "Field 7"}
    assert office.run("submit", "ozaukee", office.csv("land.csv", row)).returncode == 0
    [found] = table(office.run("service-log", "--license", "00412", "--from", "2025-01-01").stdout)
    assert found["pathogen_vector_reduction"] == "lime to pH 12 for 30 minutes"


def test_meters_of_a_holding_tank(office: Desk) -> None:  # noqa: F811
    tank = {
        "permit_number": "HT-77",
        "parcel_number": "08-77",
        "site_address": "N77 Lake Drive",
        "component": "holding",
    }
    tank |= {"capacity_gallons": "3000", "installed_on": "2019-01-01", "meter_unit": "gal", "owner_name": "Laverne Lor"}
    assert office.run("inventory", "import", "ozaukee", office.csv("tank.csv", tank)).returncode == 0
    for ref, day, reading, gallons in (("A", "2025-05-01", 1000, 2500), ("B", "2025-06-01", 4000, 1500)):
        row = {**ROW, "report_ref": ref, "permit_number": "HT-77", "site_address": tank["site_address"]}
        row |= {
            "component": "holding",
            "service_date": day,
            "meter_reading": str(reading),
            "gallons_pumped": str(gallons),
        }
        assert office.run("submit", "ozaukee", office.csv(f"{ref}.csv", row)).returncode == 0
    place = ("meters", "ozaukee", "--permit", "HT-77")
    [found] = json.loads(office.run(*place, "--json").stdout)["tanks"]
    assert [(i["metered_gallons"], i["ratio"], i["finding"]) for i in found["intervals"]] == [
        (3000, 0.5, "unaccounted_water")
    ]
    assert [r["finding"] for r in table(office.run(*place, "--csv").stdout)] == ["unaccounted_water"]
    words = office.run(*place).stdout
    assert "0.50  unaccounted_water" in words
    assert "service level on 2025-06-29 (between 2025-06-25 and 2025-07-06)" in words
    septic = office.run("meters", "ozaukee", "--permit", ROW["permit_number"])
    assert "no holding tank" in septic.stdout


def test_periods_on_the_command_line(office: Desk) -> None:  # noqa: F811
    tank = {"permit_number": "HT-8", "parcel_number": "8", "site_address": "8 Lake Road", "component": "holding"}
    tank |= {"installed_on": "2019-01-01", "owner_name": "Laverne Lor"}
    assert office.run("inventory", "import", "winnebago", office.csv("tank.csv", tank)).returncode == 0
    found = json.loads(office.run("periods", "winnebago", "--period", "2025-H1", "--json").stdout)
    assert [(p["permit_number"], p["state"]) for p in found["periods"]] == [("HT-8", "not_judged")]
    assert "2025-H1: 1 tanks" in office.run("periods", "winnebago", "--period", "2025-H1").stdout
    missing = office.run("periods", "winnebago", "--period", "2025-H1", "--state", "missing", "--csv")
    assert table(missing.stdout) == []
