"""Cases by HTTP, each as one story: from a hauler's report over proposal, notice and handover to the verified closing,
with the enforcement sheet (LB10, LB18, LB24, LB25, S19); a dismissal (OZ9); more time, a waiver, permits withheld and
the municipality told (PO11, PO14, PO17, PO20, PO21); a report asked for by staff (WI17, WI23, WI26)."""

from datetime import date
from typing import Any

import pytest

from notifications.queueing import queue_notices
from reporting.owners import set_setting
from reporting.store.events_out import pending_domain_events
from reporting.store.log import entries_of, head
from reporting.sweep import sweep
from schemas.calendar import local_date
from schemas.loader import shipped_program
from tests.notifications.letters import OFFICE, read_pdf
from tests.reporting.api.test_stories_of_systems import a_teller, bring, send
from tests.reporting.api.world import AWAY, HOME, MINE, OTHERS, World
from tests.reporting.counties import a_row

LAKE, WEST = "lake-beulah", "winnebago"


def ask(world: World, path: str, who: str = "admin") -> Any:
    answer = world.get(f"/v1/{path}", who)
    assert answer.status_code == 200, answer.text
    return answer.json


def post(world: World, path: str, body: dict[str, Any], status: int = 201, who: str = "admin") -> dict[str, Any]:
    answer = world.post(f"/v1/{path}", body, who)
    assert answer.status_code == status, answer.text
    assert isinstance(answer.json, dict)
    return answer.json


def go_to(world: World, county: str, day: str) -> None:
    """To the morning of a day, with the scan that runs then."""
    ahead = date.fromisoformat(day) - local_date(world.clock(), "America/Chicago")
    world.clock.forward(days=ahead.days)
    sweep(world.database, county, date.fromisoformat(day), world.clock())


def refusal(answer: dict[str, Any]) -> tuple[str, str, str | None]:
    [error] = answer["errors"]
    return error["field"], error["code"], error["cite"]


def events(world: World, county: str) -> list[tuple[str, str]]:
    with world.database.reading(county) as store:
        return [(e["kind"], str(e["content"].get("office") or "")) for e in pending_domain_events(store, 99)]


def test_a_failed_system_from_the_haulers_report_to_the_verified_closing(world: World) -> None:
    bring(world, LAKE, a_row("P-1", last_pumped_on="2026-06-01", installed_on="2001-05-01"))
    report = send(world, LAKE, service_date="2026-07-08", failure_condition="d", surface_discharge=True)["report_id"]
    [found] = ask(world, f"{LAKE}/cases/proposals")["proposals"]
    assert (found["kind"], found["rule"], found["cite"]) == ("failed", "LB10", "6.03; Wis. Stat. § 145.01(4m)")
    assert (found["report"]["report_id"], found["report"]["service_date"]) == (report, "2026-07-08")
    body = {"proposal": found["key"], "notified_on": "2026-07-13", "note": "Seen from the road"}
    case = post(world, f"{LAKE}/cases", body)["id"]
    assert case == f"case_{found['key']}"
    assert post(world, f"{LAKE}/cases", body, 409)["type"] == "urn:pumper:problem:already-decided"
    assert ask(world, f"{LAKE}/cases/proposals")["proposals"] == []
    path = f"{LAKE}/cases/{case}"
    # 6.03: the findings within 90 days of the notice, July 13 + 90 = October 11, a Sunday; a filing: Tuesday the 13th
    [duty] = ask(world, path)["duties"]
    assert (duty["kind"], duty["due_on"], duty["last_day"]) == ("failed_system_report", "2026-10-11", "2026-10-13")

    go_to(world, LAKE, "2026-08-03")
    early = {"reported_on": "2026-08-03", "verified_notified_on": "2026-08-02"}
    assert refusal(post(world, f"{path}/steps", early, 422))[:2] == ("verified_notified_on", "inconsistent")
    post(world, f"{path}/steps", {"reported_on": "2026-07-31", "verified_notified_on": "2026-08-03"})
    unverified = post(world, f"{path}/steps", {"closed_on": "2026-08-03"}, 422)
    assert refusal(unverified) == ("closed_on", "inconsistent", "6.03")

    go_to(world, LAKE, "2026-12-01")  # August 3 + 120 days: the last day, nothing to hand over yet
    assert ask(world, f"{LAKE}/cases?overdue=true")["cases"] == []
    go_to(world, LAKE, "2026-12-11")
    [row] = ask(world, f"{LAKE}/cases?overdue=true&open=true&referred=false")["cases"]
    assert (row["id"], row["duties"][0]["days_late"]) == (case, 10)
    proposed = {one["step"]: one for one in ask(world, f"{LAKE}/cases/proposals")["proposals"]}
    assert set(proposed) == {"handed_over_on", "referred_on"}
    post(world, f"{LAKE}/cases", {"proposal": proposed["handed_over_on"]["key"]})
    assert ("case_handed_over", "sanitarian") in events(world, LAKE)
    assert [one["id"] for one in ask(world, f"{LAKE}/cases?referred=true")["cases"]] == [case]

    sheet = ask(world, f"{path}/sheet")
    [violation] = sheet["violations"]
    assert (violation["first_on"], violation["through"], violation["days"]) == ("2026-12-02", "2026-12-11", 10)
    # 9.01: $10 to $500, each day a violation of its own
    assert sheet["total"] == {"cents_min": 10_000, "cents_max": 500_000}
    assert {one["rule"] for one in sheet["sentences"]} == {"LB18", "LB25", "S19"}
    assert sheet["appeals"] == []
    [seen] = [one for one in sheet["facts"] if one["what"] == "report"]
    assert report in seen["source"]
    assert seen["failure_condition"] == "(d) discharge of sewage to the surface of the ground"
    text = world.get(f"/v1/{path}/sheet.txt", "admin").text
    assert "10 days, from December 2, 2026 through December 11, 2026, both counted" in text
    assert "10 × $10.00 to $500.00 = $100.00 to $5,000.00" in text
    pdf = " ".join(page.extract_text() for page in read_pdf(world.get(f"/v1/{path}/sheet.pdf", "admin").data).pages)
    assert "Seen from the road" in pdf

    go_to(world, LAKE, "2026-12-14")
    late = {"verified_on": "2026-12-14", "closed_on": "2026-12-12"}
    assert refusal(post(world, f"{path}/steps", late, 422)) == ("closed_on", "inconsistent", "6.03")
    post(world, f"{path}/steps", {"verified_on": "2026-12-12", "closed_on": "2026-12-14"})
    closed = ask(world, path)
    assert (closed["open"], closed["duties"][-1]["state"], len(closed["timeline"])) == (False, "met", 4)
    assert closed["timeline"][0]["note"] == "Seen from the road"
    assert closed["timeline"][-1]["steps"] == [
        {"step": "verified_on", "on": "2026-12-12"}, {"step": "closed_on", "on": "2026-12-14"},
    ]  # fmt: skip
    assert refusal(post(world, f"{path}/steps", {"answered_on": "2026-12-14"}, 422))[0] == "answered_on"
    # what was met late stays on the sheet: December 2 to 13, the day before the closing
    [late_one] = ask(world, f"{path}/sheet")["violations"]
    assert (late_one["ended"], late_one["days"]) == (True, 12)


def test_a_dismissed_proposal_does_not_come_back_with_an_amendment(world: World) -> None:
    """OZ9: a defective holding component proposes a case; the same cause proposes none again."""
    tank = {"component": "holding", "capacity_gallons": "2000", "last_pumped_on": "2026-06-01"}
    bring(world, HOME, a_row("P-1", **tank), a_row("P-2", **tank))
    sent: dict[str, Any] = {"component": "holding", "meter_reading": 100, "defects": ["float stuck"]}
    report = send(world, HOME, **sent)["report_id"]
    send(world, HOME, "P-2", **sent)
    first, second = ask(world, f"{HOME}/cases/proposals?limit=1"), ask(world, f"{HOME}/cases/proposals")["proposals"]
    assert (len(first["proposals"]), len(second)) == (1, 2)
    [mine] = [one for one in second if one["report"]["report_id"] == report]
    assert (mine["kind"], mine["rule"], mine["report"]["defects"]) == ("noncompliance", "OZ9", ["float stuck"])
    where = f"{HOME}/cases/proposals/{mine['key']}/dismissal"
    assert refusal(post(world, where, {}, 422))[:2] == ("reason", "required")
    post(world, where, {"reason": "Mended while the hauler was there"})
    post(world, where, {"reason": "again"}, 409)
    post(world, f"{HOME}/cases", {"proposal": mine["key"]}, 409)
    post(world, f"{HOME}/cases/proposals/none/dismissal", {"reason": "x"}, 404)
    amended = {"changes": {"notes": "Float replaced"}, "reason": "forgotten"}
    post(world, f"{HOME}/reports/{report}/amendments", amended)
    assert [one["permit_number"] for one in ask(world, f"{HOME}/cases/proposals")["proposals"]] == ["P-2"]


def test_more_time_a_waiver_and_permits_withheld(world: World) -> None:
    """PO11, PO13, PO20, PO21: the sheet counts from the last day that the county gave, and names no other."""
    others = [a_row("P-2", owner_name=" laverne lor "), a_row("P-3", owner_name="N")]
    bring(world, AWAY, a_row("P-1", component="holding"), *others)
    opened = {"permit_number": "P-1", "kind": "service_order", "notified_on": "2026-06-01", "due_on": "2026-07-01"}
    case = post(world, f"{AWAY}/cases", {**opened, "license_number": MINE})["id"]
    path = f"{AWAY}/cases/{case}"
    hold = f"{AWAY}/permit-hold"
    assert ask(world, f"{hold}?parcel=08-P-1")["held"] is True
    elsewhere = ask(world, f"{hold}?permit=P-2")
    assert (elsewhere["held"], elsewhere["rule"], elsewhere["reasons"][0]["days_late"]) == (True, "PO11", 12)
    asked = ("permit=P-3", f"license={MINE}", f"license={OTHERS}")
    assert [ask(world, f"{hold}?{one}")["held"] for one in asked] == [False, True, False]
    none = ask(world, f"{HOME}/permit-hold?permit=SP-1")
    assert (none["held"], none["rule"]) == (None, None)
    assert world.get(f"/v1/{hold}", "admin").status_code == 422

    proposed = {one["step"]: one["key"] for one in ask(world, f"{AWAY}/cases/proposals")["proposals"]}
    assert set(proposed) == {"municipality_told_on", "referred_on"}
    post(world, f"{AWAY}/cases", {"proposal": proposed["municipality_told_on"]})
    assert ("case_handed_over", "municipality") in events(world, AWAY)

    more = {"due_on": "2026-08-01", "authority": "Zoning Administrator, 7.9.37"}
    assert refusal(post(world, f"{path}/steps", more, 422))[:2] == ("reason", "required")
    past = {**more, "due_on": "2026-07-01", "reason": "The road is closed"}
    assert refusal(post(world, f"{path}/steps", past, 422))[:2] == ("due_on", "bad_value")
    post(world, f"{path}/steps", {**more, "reason": "The road is closed"})
    shown = ask(world, path)
    assert [(o["last_day"], o["state"]) for o in shown["duties"]] == [("2026-08-01", "due_soon")]
    [given] = shown["extensions"]
    assert (given["was"], given["until"], given["reason"]) == ("2026-07-01", "2026-08-01", "The road is closed")
    assert "2026-07-01; extended 2026-07-13 until 2026-08-01" in shown["duties"][0]["because"]
    assert ask(world, f"{hold}?parcel=08-P-1")["held"] is False
    assert ("case_step", "") in events(world, AWAY)  # the owner is told of it

    waiver = {"waived": "correction", "reason": "The house burned down", "authority": "Zoning Administrator"}
    assert refusal(post(world, f"{path}/steps", {**waiver, "waived": "pump"}, 422))[0] == "waived"
    post(world, f"{path}/steps", waiver)
    go_to(world, AWAY, "2026-08-02")
    after = ask(world, path)
    assert (after["duties"][0]["state"], after["duties"][0]["suspended_because"]) == (
        "suspended", "waived by the county 2026-07-13",
    )  # fmt: skip
    assert after["waivers"][0]["authority"] == "Zoning Administrator"
    with world.database.reading(AWAY) as store:
        entries = b"".join(entries_of(store, range(1, head(store).size + 1)).values())
    assert b'"waivers"' in entries
    assert not any(said in entries for said in (b"burned", b"Zoning Administrator", b"road"))
    assert ask(world, f"{path}/sheet")["violations"] == []
    listed = world.get(f"/v1/{AWAY}/cases.csv?open=true", "admin").text
    assert f"{case},service_order,P-1" in listed


def test_pages_of_cases_newest_first(world: World) -> None:
    for number in range(5):
        day = f"2026-07-0{number + 1}"
        body = {"permit_number": "SP-1", "kind": "order", "opened_on": day}
        post(world, f"{HOME}/cases", body, who="county")
    seen, path = [], f"/v1/{HOME}/cases?limit=2&kind=order"
    while path:
        answer = world.get(path, "county")
        page: Any = answer.json
        seen += [row["opened_on"] for row in page["cases"]]
        path = answer.headers["Link"].partition("<")[2].partition(">")[0] if "Link" in answer.headers else ""
    assert seen == [f"2026-07-0{number}" for number in (5, 4, 3, 2, 1)]


def test_no_more_time_is_given_than_the_text_allows(world_on_sqlite: World) -> None:
    """WI21: at most one year from the order."""
    world = world_on_sqlite
    bring(world, WEST, a_row("P-1"))
    order = {"permit_number": "P-1", "kind": "sewer_order", "ordered_on": "2026-07-01", "due_on": "2026-10-01"}
    case = post(world, f"{WEST}/cases", order)["id"]
    why = {"reason": "Frost", "authority": "Zoning Administrator"}
    beyond = post(world, f"{WEST}/cases/{case}/steps", {"due_on": "2027-07-02", **why}, 422)
    assert refusal(beyond) == ("due_on", "bad_value", "16.06(1)(a)")
    post(world, f"{WEST}/cases/{case}/steps", {"due_on": "2027-07-01", **why})
    assert ask(world, f"{WEST}/cases/{case}")["duties"][0]["last_day"] == "2027-07-01"


@pytest.mark.parametrize(
    ("steps", "field"),
    [
        ({"closed_on": "2026-07-09"}, "closed_on"),
        ({"met_on": "2026-07-12"}, "met_on"),
        ({"meeting_requested_on": "2026-07-12", "met_on": "2026-07-11"}, "met_on"),
        ({"inquired_on": "2026-07-12", "answered_on": "2026-07-11"}, "answered_on"),
        ({"answer": "I called the plumber"}, "answered_on"),
        ({}, None),
    ],
)
def test_a_step_out_of_order_is_explained(world_on_sqlite: World, steps: dict[str, str], field: str | None) -> None:
    world = world_on_sqlite
    case = post(world, f"{HOME}/cases", {"permit_number": "SP-1", "kind": "hold", "opened_on": "2026-07-10"})["id"]
    answer = post(world, f"{HOME}/cases/{case}/steps", steps, 422)
    assert [error["field"] for error in answer["errors"]] == [field]
    right = {"closed_on": "2026-07-10"} if field == "closed_on" else {"note": "Called"}
    post(world, f"{HOME}/cases/{case}/steps", right)


def test_a_system_without_a_case_has_a_sheet_of_what_is_overdue(world: World) -> None:
    """WI17, WI23, WI26: the schedule of the text in force when it began; a report that staff asked for."""
    bring(world, WEST, a_row("P-1", component="holding", use="seasonal", last_pumped_on="2024-06-01"))
    go_to(world, WEST, "2026-07-13")
    system = ask(world, f"{WEST}/systems")["systems"][0]["id"]
    sheet = ask(world, f"{WEST}/systems/{system}/sheet")
    sums = {(v["kind"], v["text"]): v["forfeiture"] for v in sheet["violations"]}
    # 2025 passed without a pumping: due December 31; the text of 2019 held on January 1, 2026
    assert sums["service_holding", "2019"]["cite"] == "16.10, schedule (b) (2019)"
    assert sums["service_holding", "2019"]["total_cents_max"] == 50_000
    [appeal] = sheet["appeals"]
    assert (appeal["days"], appeal["cite"]) == (None, "16.13 (2019)")
    assert "The text gives no period." in world.get(f"/v1/{WEST}/systems/{system}/sheet.txt", "admin").text
    post(world, f"{WEST}/cases", {"permit_number": "P-1", "kind": "report_request", "requested_on": "2026-07-13",
                                 "due_on": "2026-08-12"})  # fmt: skip
    [row] = ask(world, f"{WEST}/cases?kind=report_request")["cases"]
    assert [(d["kind"], d["rule"], d["due_on"]) for d in row["duties"]] == [("requested_report", "WI23", "2026-08-12")]


def test_the_letter_about_a_case_stands_on_its_page_and_on_the_sheet_with_its_proof(world: World) -> None:
    """OZ15, OZ23: written notice, mailed first class; no amount of penalty is printed, the appeal fee is."""
    program = shipped_program(HOME).with_settings(OFFICE)
    mailing_address = "N5555 County Road K, Saukville, WI 53080"
    bring(world, HOME, a_row("P-1", last_pumped_on="2026-06-01", owner_mailing_address=mailing_address))
    with world.database.transaction(HOME) as store:
        for name, value in OFFICE.items():
            set_setting(store, a_teller(world, HOME), name, value, date(2026, 1, 1))
    case = post(world, f"{HOME}/cases", {"permit_number": "P-1", "kind": "order", "notified_on": "2026-07-13"})["id"]
    with world.database.transaction(HOME) as store:
        queue_notices(store, program, date(2026, 7, 13), world.clock(), "https://reports.example.org")
    run = post(world, f"{HOME}/print-runs", {})["run"]
    world.clock.forward(hours=1)
    post(world, f"{HOME}/print-runs/{run}/confirm", {"mailed_on": "2026-07-13"}, 200)
    [letter] = [one for one in ask(world, f"{HOME}/cases/{case}")["messages"] if one["channel"] == "letter"]
    assert (letter["kind"], letter["run"], letter["mailed_on"]) == ("case_opened", run, "2026-07-13")
    sheet = ask(world, f"{HOME}/cases/{case}/sheet")
    [fact] = [one for one in sheet["facts"] if one["what"] == "letter"]
    assert fact["proof"] == f"/v1/{HOME}/print-runs/{run}/proof.pdf"
    assert letter["text_sha256"] in fact["source"]
    # 30 days from the notice: August 12, for the order and for the appeal
    [appeal] = sheet["appeals"]
    assert (appeal["last_day"], appeal["fee_cents"], sheet["total"]) == ("2026-08-12", 12_500, None)
    assert "Fee: $125.00." in world.get(f"/v1/{HOME}/cases/{case}/sheet.txt", "admin").text
