"""What the record gives out: a system's service record, a business's service log, a county's year."""

import csv
import io
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from reporting.cases.steps import open_case
from reporting.exports.service_log import COLUMNS as LOG
from reporting.exports.service_record import COLUMNS as RECORD
from reporting.owners import Teller
from reporting.store.keys import create_key
from reporting.sweep import sweep
from schemas.loader import shipped_program
from tests.reporting.api.world import AWAY, CANARY, HOME, MINE, NOW, OTHERS, World, a_report
from tests.reporting.counties import TODAY, the_system


@pytest.fixture
def told(world: World) -> World:
    """SP-1 was pumped by my business twice and by another one once; a report in the other county; one was voided."""
    reports = [
        (HOME, "contractor", {"report_ref": "T-1", "service_date": "2026-07-08"}),
        (HOME, "contractor", {"report_ref": "T-2", "service_date": "2026-06-01", "gallons_pumped": 600}),
        (HOME, "contractor", {"report_ref": "T-3", "service_date": "2026-07-01", "gallons_pumped": 999}),
        (HOME, "other contractor", {
            "report_ref": "X-1", "service_date": "2026-07-03", "gallons_pumped": 750, "license_number": OTHERS,
            "technician_name": "Otis Hill", "notes": "secret of theirs",
        }),
        (AWAY, "contractor", {
            "report_ref": "T-4", "permit_number": "PT-1", "parcel_number": "08-PT-1", "service_date": "2026-07-02",
            "service_time": "14:05", "load_ref": "L-9", "owner_name": None, "waste_type": "septage, domestic",
        }),
    ]  # fmt: skip
    for county, who, values in reports:
        answer = world.post(f"/v1/{county}/reports", a_report(**values), who)
        assert answer.status_code == 201, answer.text
        world.ids[str(values["report_ref"])] = answer.json["report_id"]
    void = world.post(f"/v1/{HOME}/reports/{world.ids['T-3']}/void", {"reason": "another tank"})
    assert void.status_code == 200, void.text
    with world.database.reading(HOME) as store:
        world.ids["SP-1"] = the_system(store, "SP-1").system_id
        world.ids["SP-2"] = the_system(store, "SP-2").system_id
    for county in (HOME, AWAY):
        sweep(world.database, county, TODAY, NOW)
    return world


def table(answer: TestResponse) -> list[dict[str, str]]:
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == "text/csv"
    assert answer.data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"))))


def records(world: World, who: str, query: str = "") -> list[dict[str, Any]]:
    answer = world.get(f"/v1/{HOME}/systems/{world.ids['SP-1']}/records{query}", who)
    assert answer.status_code == 200, answer.text
    return list(answer.json["services"])


def test_the_county_sees_every_service_with_its_source(told: World) -> None:
    """Rule S6: the permanent service record."""
    body = told.get(f"/v1/{HOME}/systems/{told.ids['SP-1']}/records", "county").json
    assert (body["cite"], body["owner_name"], body["system"]["permit_number"]) == (
        "SPS 383.255(3)", CANARY[HOME], "SP-1",
    )  # fmt: skip
    shown = [(s["service_date"], s["event_type"], s["gallons_pumped"], s["source"]) for s in body["services"]]
    assert shown == [
        ("2023-06-01", "pumping", None, "inventory"),
        ("2026-05-01", "inspection", None, "inventory"),
        ("2026-06-01", "pumping", 600, "report"),
        ("2026-07-03", "pumping", 750, "report"),
        ("2026-07-08", "pumping", 1000, "report"),
    ]
    assert [p["component"] for p in body["components"]] == ["septic", "dispersal"]


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("?from=2026-07-03&to=2026-07-08", ["2026-07-03", "2026-07-08"]),
        ("?from=2026-07-04&to=2026-07-07", []),
        ("?to=2023-06-01", ["2023-06-01"]),
        ("?from=2026-07-08", ["2026-07-08"]),
    ],
)
def test_any_span_of_time_with_both_days_counted(told: World, query: str, days: list[str]) -> None:
    assert [s["service_date"] for s in records(told, "county", query)] == days


def test_an_amended_report_stands_as_amended_and_says_so(told: World) -> None:
    changes = {"reason": "misread", "changes": {"gallons_pumped": 1100}}
    assert told.post(f"/v1/{HOME}/reports/{told.ids['T-1']}/amendments", changes).status_code == 201
    last = records(told, "county")[-1]
    assert (last["gallons_pumped"], last["corrected"]) == (1100, True)
    assert [s["corrected"] for s in records(told, "county")[:-1]] == [False] * 4


def test_a_business_sees_of_others_that_the_tank_was_served(told: World) -> None:
    mine = records(told, "contractor")
    assert [s.get("report_ref") for s in mine] == [None, None, "T-2", None, "T-1"]
    assert mine[3] == {
        "service_date": "2026-07-03", "event_type": "pumping", "component": "septic", "component_ref": None,
        "gallons_pumped": 750, "source": "report",
    }  # fmt: skip
    answer = told.get(f"/v1/{HOME}/systems/{told.ids['SP-1']}/records", "contractor")
    for word in ("Otis", OTHERS, CANARY[HOME]):
        assert word not in answer.text
    assert "owner_name" not in answer.json


@pytest.mark.parametrize("kind", ["records", "records.csv"])
def test_a_system_of_others_is_no_system(told: World, kind: str) -> None:
    absent = told.get(f"/v1/{HOME}/systems/sys_none/{kind}", "contractor")
    assert absent.status_code == 404
    assert told.get(f"/v1/{HOME}/systems/{told.ids['SP-2']}/{kind}", "contractor").json == absent.json
    assert told.get(f"/v1/{AWAY}/systems/{told.ids['SP-1']}/{kind}", "other county").json == absent.json


def test_the_record_as_a_file(told: World) -> None:
    rows = table(told.get(f"/v1/{HOME}/systems/{told.ids['SP-1']}/records.csv", "county"))
    assert tuple(rows[0]) == RECORD
    assert [r["report_ref"] for r in rows] == ["", "", "T-2", "X-1", "T-1"]
    assert rows[4]["received_on"] == "2026-07-13"


def test_a_span_the_wrong_way_round_is_explained(told: World) -> None:
    answer = told.get(f"/v1/{HOME}/systems/{told.ids['SP-1']}/records?from=2026-07-04&to=2026-07-03", "county")
    assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, "from")


def test_the_service_log_goes_over_all_counties_and_is_my_own(told: World) -> None:
    """Rule S17: NR 113.11(3)(c)."""
    rows = table(told.get("/v1/contractors/me/service-log.csv"))
    assert tuple(rows[0]) == LOG
    assert [(r["county"], r["report_ref"], r["service_date"]) for r in rows] == [
        (HOME, "T-2", "2026-06-01"), (AWAY, "T-4", "2026-07-02"), (HOME, "T-1", "2026-07-08"),
    ]  # fmt: skip
    away = rows[1]
    assert away.items() >= {
        "owner_name": "", "permit_number": "PT-1", "component": "septic tank", "service_time": "14:05",
        "waste_type": "septage, domestic", "gallons_pumped": "1000", "disposal_site": "Saukville treatment plant",
        "load_ref": "L-9", "license_number": MINE,
    }.items()  # fmt: skip
    assert rows[0].items() >= {"waste_type": "septage", "owner_name": "Laverne Lor"}.items()
    # Whoever reports a number learns nothing of what the county has on file of it.
    assert CANARY[AWAY] not in told.get("/v1/contractors/me/service-log.csv").text
    theirs = table(told.get("/v1/contractors/me/service-log.csv", "other contractor"))
    assert [r["report_ref"] for r in theirs] == ["X-1"]


@pytest.mark.parametrize(
    ("today", "query", "refs"),
    [
        ("2031-06-01", "", ["T-2", "T-4", "T-1"]),  # five years to the day
        ("2031-06-02", "", ["T-4", "T-1"]),
        ("2031-06-02", "?from=2026-06-01&to=2026-07-07", ["T-2", "T-4"]),
    ],
)
def test_without_dates_the_log_is_of_five_years(told: World, today: str, query: str, refs: list[str]) -> None:
    told.clock.now = NOW.replace(year=int(today[:4]), month=int(today[5:7]), day=int(today[8:]))
    with told.database.transaction(None) as store:  # the key of 2026 has expired
        key = create_key(store, "contractor", None, "con_mine", "later", told.clock.now)[1]
    later = replace(told, keys={"contractor": key})
    rows = table(later.get(f"/v1/contractors/me/service-log.csv{query}"))
    assert [r["report_ref"] for r in rows] == refs


def test_the_county_has_no_log_of_its_own(told: World) -> None:
    assert told.get("/v1/contractors/me/service-log.csv", "county").status_code == 403


def test_the_year_in_numbers(told: World) -> None:
    """Rule S5: the yearly summary for the state."""
    with told.database.transaction(HOME) as store:
        teller = Teller(program=shipped_program(HOME), by="clerk", now=NOW, signer=told.signer)
        case = {"system": told.ids["SP-2"], "kind": "noncompliance", "opened_on": "2026-07-01"}
        assert not hasattr(open_case(store, teller, case), "issues")
    body = told.get(f"/v1/{HOME}/summary?year=2026", "county").json
    assert (body["cite"], body["through"], body["year"]) == ("SPS 383.255(2)(b)6", "2026-07-13", 2026)
    assert body["services"] == [
        {"component": "septic", "event_type": "pumping", "services": 3, "systems": 1, "gallons": 2350}
    ]
    # T-2 of June 1 came in on July 13, after ten days.
    assert body["reports"] == {"services": 3, "gallons": 2350, "judged": 3, "late": 1, "late_by_rule": {"OZ5": 1}}
    assert body["cases"] == {"opened": {"noncompliance": 1}, "closed": {}, "open_now": {"noncompliance": 1}}
    assert body["systems"]["by_status"] == {"active": 3}
    assert sum(v for k, v in body["standing"].items() if k != "as_of") == 3


def test_the_year_before_is_asked_for_by_itself_and_none_to_come(told: World) -> None:
    body = told.get(f"/v1/{HOME}/summary", "county").json
    assert (body["year"], body["through"], body["services"]) == (2025, "2025-12-31", [])
    assert told.get(f"/v1/{HOME}/summary?year=2026", "county").status_code == 200
    later = told.get(f"/v1/{HOME}/summary?year=2027", "county")
    assert (later.status_code, later.json["errors"][0]["field"]) == (422, "year")


def test_the_year_as_a_file(told: World) -> None:
    rows = table(told.get(f"/v1/{HOME}/summary.csv?year=2026", "county"))
    services = next(r for r in rows if r["section"] == "services")
    assert (services["item"], services["detail"], services["count"], services["gallons"]) == (
        "pumping", "septic", "3", "2350",
    )  # fmt: skip
    late = [r for r in rows if r["item"] == "late"]
    assert [(r["detail"], r["count"]) for r in late] == [("", "1"), ("OZ5", "1")]
    assert told.get(f"/v1/{HOME}/summary.csv?year=2026", "contractor").status_code == 403
