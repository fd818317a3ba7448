"""A year of a lake district, from its windows to its owners' standing, over HTTP (LB1–LB7, LB11–LB19, LB21, LB23)."""

from datetime import UTC, date, datetime, time
from typing import Any

import pytest

from notifications.copies import reasons_against_copies
from notifications.queueing import queue_notices
from reporting.histories import county_program
from reporting.owners import Teller, set_setting
from reporting.store.verify import verify
from reporting.sweep import sweep
from schemas.loader import shipped_program
from tests.notifications.builders import BASE_URL
from tests.notifications.letters import OFFICE, read_pdf
from tests.reporting.api.world import MINE, OTHERS, World, a_report
from tests.reporting.counties import a_row, load

DISTRICT = "lake-beulah"
SETTINGS = {
    **OFFICE,
    "base_year": 2027,
    "district_contractor": MINE,
    "county_email": "office@district.example",
    "sanitarian_email": "sanitarian@county.example",
}
MAILABLE = {"owner_mailing_address": "N5555 County Road K, East Troy, WI 53120"}


@pytest.fixture
def district(world: World) -> World:
    """Two septic tanks and a holding tank in area 1, a septic tank in area 2; all were pumped in 2025."""
    tank = {"installed_on": "2001-06-01", "last_pumped_on": "2025-08-11", "owner_name": "Ada Zwick"}
    load(
        world.database,
        a_row("LB-1", service_area="1", **tank, **MAILABLE),
        a_row("LB-2", service_area="1", **tank),
        a_row("LB-3", service_area="2", **tank, **MAILABLE),
        a_row(
            "HT-1",
            service_area="1",
            **tank,
            **MAILABLE,
            component="holding",
            capacity_gallons="2000",
            building="commercial",
        ),
        county=DISTRICT,
    )
    teller = Teller(program=shipped_program(DISTRICT), by="clerk", now=world.clock.now, signer=world.signer)
    with world.database.transaction(DISTRICT) as store:
        for name, value in SETTINGS.items():
            set_setting(store, teller, name, value, date(2026, 1, 1))
    return world


def on(world: World, day: str) -> None:
    world.clock.now = datetime.combine(date.fromisoformat(day), time(17), UTC)


def scan(world: World) -> dict[str, int]:
    """What `pumper scan` does that day; the messages made."""
    now = world.clock.now
    sweep(world.database, DISTRICT, now.date(), now)
    with world.database.transaction(DISTRICT) as store:
        program = county_program(store, DISTRICT, on=now.date())
        return dict(queue_notices(store, program, now.date(), now, BASE_URL).messages)


def tell(world: World, what: str, status: int = 201, /, **values: Any) -> dict[str, Any]:
    answer = world.post(f"/v1/{DISTRICT}/{what}", values, "admin")
    assert answer.status_code == status, answer.text
    return dict(answer.json)


def ask(world: World, what: str) -> dict[str, Any]:
    answer = world.get(f"/v1/{DISTRICT}/{what}", "admin")
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


def duties(world: World, permit: str, kind: str) -> list[tuple[str, str]]:
    found = ask(world, f"status?permit={permit}")["obligations"]
    return [(duty["last_day"], duty["state"]) for duty in found if duty["kind"] == kind]


def standing(world: World, permit: str) -> str:
    return str(ask(world, f"status?permit={permit}")["standing"])


def pump(world: World, permit: str, day: str, who: str, ref: str) -> None:
    row = a_row(permit)
    place = {name: row[name] for name in ("parcel_number", "site_address")}
    business = {MINE: "Kettle Moraine Septic LLC", OTHERS: "Ridge Pumping Inc"}[who]
    report = a_report(
        **place, permit_number=permit, service_date=day, signed_on=day, report_ref=ref, license_number=who,
        business_name=business, owner_name="Ada Zwick",
    )  # fmt: skip
    answer = world.post(f"/v1/{DISTRICT}/reports", report, "admin")
    assert answer.status_code == 201, answer.text


def test_a_year_in_a_service_area(district: World) -> None:
    on(district, "2027-04-20")
    window = tell(district, "windows", **{"from": "2027-06-01", "area": 1})["id"]
    tell(district, "windows", 422, **{"from": "2027-06-01", "area": 4})
    called_off = tell(district, "windows", **{"from": "2027-09-01", "area": 1})["id"]
    tell(district, f"windows/{called_off}/calling-off")
    assert [row["id"] for row in ask(district, "windows")["windows"]] == [window]

    made = scan(district)  # LB-2 has no address to write to
    assert (made["window_notice"], made["area_notice"]) == (1, 1)
    run = tell(district, "print-runs")["run"]
    on(district, "2027-05-10")
    tell(district, f"print-runs/{run}/confirm", 200, mailed_on="2027-05-10")
    late = [row["state"] for row in ask(district, "mailings?kind=window_notice")["mailings"]]
    tell(district, f"print-runs/{run}/correction", 422, mailed_on="2027-04-19", reason="before it was printed")
    tell(district, f"print-runs/{run}/correction", 422, mailed_on="2027-05-10", reason="nothing new")
    fixed = tell(district, f"print-runs/{run}/correction", 200, mailed_on="2027-05-09", reason="the postmark says so")
    assert (late, fixed["letters"], len(fixed["systems"])) == (["late"], 2, 2)
    proof = district.get(f"/v1/{DISTRICT}/print-runs/{run}/proof.pdf", "admin")
    assert "May 9, 2027" in read_pdf(proof.data).pages[0].extract_text()

    by_hand = {"kind": "window_notice", "mailed_on": "2027-05-10", "mail_class": "first_class"}
    tell(district, "mailings", 422, permit_number="LB-2", **by_hand)  # of which window?
    by_hand["window_from"] = "2027-06-01"
    tell(district, "mailings", permit_number="LB-2", **by_hand)
    tell(district, "mailings", 422, permit_number="LB-2", **by_hand)  # it is on file
    states = {row["permit_number"]: row["state"] for row in ask(district, "mailings?kind=window_notice")["mailings"]}
    assert states == {"LB-1": "mailed", "LB-2": "late"}
    assert duties(district, "HT-1", "schedule_pumping") == [("2027-07-12", "upcoming")]  # Sunday: 05-09, 3 and 60 days
    found = ask(district, "year/2027")
    assert found["area"] == {"served": 1, "of": 3, "rule": "LB1", "cite": "4.01"}
    [shown] = found["windows"]
    assert (shown["mail_by"], shown["to"]) == ("2027-05-09", "2027-06-20")
    assert shown["letters"] == {"owed": 2, "mailed": 2, "late": 1, "missing": 0, "waiting": 0, "excused": 0}
    assert {name: found["area_notice"][name] for name in ("systems", "told", "open", "last_days")} == {
        "systems": 1, "told": 1, "open": 1, "last_days": ["2027-07-12"],
    }  # fmt: skip
    _deferrals(district)
    _pumping(district)
    with district.database.reading(DISTRICT) as store:
        assert verify(store, [district.signer.verifying_key]).problems == ()


def _deferrals(district: World) -> None:
    """Three business days before Tuesday, June 1 (Memorial Day before it): Wednesday, May 26."""
    on(district, "2027-05-26")
    wish = {"desired_from": "2027-07-05", "desired_to": "2027-07-24"}
    tell(district, "deferrals", 422, permit_number="LB-3", paid=True, **wish)  # it has no window
    unpaid = tell(district, "deferrals", permit_number="LB-1", paid=False, **wish)
    assert (unpaid["answer"], unpaid["reasons"]) == ("refused", ["without the fee of $20.00"])
    granted = tell(district, "deferrals", permit_number="LB-1", paid=True, reference="check 7", **wish)
    assert (granted["answer"], granted["from"], granted["to"]) == ("granted", "2027-07-05", "2027-07-24")
    tell(district, "deferrals", 422, permit_number="LB-1", paid=True, **wish)
    on(district, "2027-05-27")
    tardy = tell(district, "deferrals", permit_number="LB-2", paid=True, **wish)
    assert (tardy["answer"], tardy["last_day_to_ask"], tardy["cite"]) == ("refused", "2027-05-26", "5.03")
    assert tardy["reasons"] == ["asked 2027-05-27, 3 business days before 2027-06-01 is 2027-05-26"]
    assert scan(district).get("deferral_answer") == 2  # letters; LB-2's owner has no address at all
    assert duties(district, "LB-1", "area_pumping") == [("2027-07-24", "due_soon")]
    assert duties(district, "LB-2", "area_pumping") == [("2027-06-21", "due_soon")]
    asked = ask(district, "year/2027")["deferrals"]
    assert (asked["asked"], asked["granted"], asked["refused"]) == (3, 1, 2)
    [charge] = ask(district, f"fees?system={granted['system']}")["fees"]
    assert (charge["rule"], charge["charged"], charge["left"]) == ("LB7", 2000, 0)


def _pumping(district: World) -> None:
    on(district, "2027-06-12")
    pump(district, "LB-2", "2027-06-10", MINE, "K-1")
    assert duties(district, "LB-2", "area_pumping") == []
    on(district, "2027-07-26")
    pump(district, "LB-1", "2027-07-10", OTHERS, "R-1")  # whom the district did not name
    assert (duties(district, "LB-1", "area_pumping"), standing(district, "LB-1")) == (
        [("2027-07-24", "overdue")], "overdue",
    )  # fmt: skip
    pump(district, "LB-1", "2027-07-26", MINE, "K-2")
    assert (standing(district, "LB-1"), standing(district, "LB-2")) == ("compliant", "compliant")
    assert ask(district, "year/2027")["systems"]["pumped"] == 2
    assert scan(district)["report_copies"] == 2  # K-2, to the district and the county; K-1 is old news


def test_certificates_from_the_application_to_their_end(district: World) -> None:
    on(district, "2027-05-03")
    asked = tell(district, "exemptions", permit_number="LB-3", kind="infrequent_use", people=5, paid=True)
    assert [one["field"] for one in asked["unmet"]] == ["affidavit_on", "people", "days_a_year"]
    one = f"exemptions/{asked['id']}"
    refused = tell(district, f"{one}/grant", 422)
    assert [error["cite"] for error in refused["errors"]] == ["7.01 c"] * 3
    papers = {"affidavit_on": "2027-05-01", "people": 4, "days_a_year": 14}
    assert tell(district, f"{one}/papers", **papers)["unmet"] == []
    certificate = tell(district, f"{one}/grant", reference="check 9")["id"]
    tell(district, f"{one}/grant", 409)
    [row] = ask(district, "exemptions?state=in_force")["exemptions"]
    assert (row["id"], row["last_day"], row["rule"]) == (certificate, "2034-05-03", "LB16")
    assert standing(district, "LB-3") == "exempt"
    assert scan(district)["exemption_answer"] == 1
    [charge] = ask(district, f"fees?system={row['system']}")["fees"]
    assert (charge["rule"], charge["charged"], charge["left"]) == ("LB16", 2500, 0)

    one = f"exemptions/{certificate}"
    on(district, "2027-07-01")
    assert tell(district, f"{one}/changes", note="Five of us now", conditions_met=False)["end_proposed"] is True
    assert ask(district, "exemptions")["exemptions"][0]["end_proposed"] is True
    assert standing(district, "LB-3") == "exempt"  # nothing ends by itself
    end = {"ground": "notice", "reason": "Used by five"}
    early = tell(district, f"{one}/end", 422, **end, ends_on="2027-07-30")
    assert "2027-07-31" in early["errors"][0]["message"]
    assert tell(district, f"{one}/end", **end, ends_on="2027-07-31")["ends_on"] == "2027-07-31"
    assert scan(district) == {"exemption_answer": 1, "exemption_change": 1}
    states = []
    for day in ("2027-07-31", "2027-08-01"):
        on(district, day)
        states.append((ask(district, "exemptions")["exemptions"][0]["state"], standing(district, "LB-3") == "exempt"))
    assert states == [("ending", True), ("ended", False)]
    tell(district, f"{one}/changes", 409, note="x", conditions_met=True)

    other = tell(district, "exemptions", permit_number="LB-3", kind="vacant", paid=True)
    assert [one["field"] for one in other["unmet"]] == ["verified_on"]
    tell(district, f"exemptions/{other['id']}/refusal", 422)
    tell(district, f"exemptions/{other['id']}/refusal", reason="There is a house on it")
    tell(district, "exemptions", 422, permit_number="LB-3", kind="holiday")
    assert sorted(row["state"] for row in ask(district, "exemptions")["exemptions"]) == ["ended", "refused"]
    with district.database.reading(DISTRICT) as store:
        assert verify(store, [district.signer.verifying_key]).problems == ()


def test_lb12_a_commercial_certificate_asks_for_a_certification_each_year(district: World) -> None:
    on(district, "2027-05-03")
    asked = tell(district, "exemptions", permit_number="HT-1", kind="commercial", paid=True)
    tell(district, f"exemptions/{asked['id']}/grant")
    [row] = ask(district, "exemptions")["exemptions"]
    law = {"state": "upcoming", "rule": "LB12", "cite": "7.01 a"}
    assert row["certification"] == {"year": "2027", "last_day": "2027-12-31", **law}
    assert ask(district, "year/2027")["exemptions"]["certifications_due"] == 1
    tell(district, "statements", permit_number="HT-1", period="2027", kind="certification")
    [row] = ask(district, "exemptions")["exemptions"]
    assert row["certification"] == {"year": "2028", "last_day": "2029-01-02", **law}  # December 31 is a Sunday
    assert ask(district, "year/2027")["exemptions"]["certifications_due"] == 0


def test_lb14_a_certificate_is_void_once_the_contractor_finds_enough_to_pump(district: World) -> None:
    on(district, "2027-05-03")
    papers = {"affidavit_on": "2027-05-01", "people": 4, "days_a_year": 14, "paid": True}
    asked = tell(district, "exemptions", permit_number="LB-1", kind="infrequent_use", **papers)
    tell(district, f"exemptions/{asked['id']}/grant")
    scan(district)
    on(district, "2027-06-12")
    pump(district, "LB-1", "2027-06-10", OTHERS, "R-1")
    assert [row["state"] for row in ask(district, "exemptions")["exemptions"]] == ["in_force"]
    pump(district, "LB-1", "2027-06-11", MINE, "K-1")
    [row] = ask(district, "exemptions")["exemptions"]
    assert (row["state"], row["last_day"], row["cite"]) == ("voided", "2027-06-10", "7.01 c")
    assert scan(district)["exemption_answer"] == 1
    assert standing(district, "LB-1") == "compliant"
    tell(district, f"exemptions/{row['id']}/end", 409, ground="surrendered", reason="x")
    [report] = [
        x for x in ask(district, f"systems/{row['system']}/records")["services"] if x.get("report_ref") == "K-1"
    ]
    copy = {"event_kind": "report_copy", "cause_key": "copy", "event": report["report_id"]}
    with district.database.reading(DISTRICT) as store:
        assert reasons_against_copies(store, [copy]) == {}
    tell(district, f"reports/{report['report_id']}/void", 200, reason="another tank")
    with district.database.reading(DISTRICT) as store:
        assert reasons_against_copies(store, [copy]) == {"copy": "report_taken_back"}
    assert [row["state"] for row in ask(district, "exemptions")["exemptions"]] == ["in_force"]


def test_questionnaires_and_inquiries_until_they_are_answered(district: World) -> None:
    on(district, "2027-05-03")
    sent = {"kind": "questionnaire", "mail_class": "first_class", "mailed_on": "2027-05-03"}
    told = tell(district, "mailings", area=1, **sent)
    assert (told["mailings"], told["on_file_before"]) == (3, 0)
    tell(district, "mailings", 422, area=1, received_on="2027-05-03", **sent)
    again = tell(district, "mailings", 422, area=1, **sent)
    assert "on file already" in again["detail"]
    spoken = {"kind": "inquiry", "mail_class": "spoken", "mailed_on": "2027-05-03"}
    inquiry = tell(district, "mailings", permit_number="LB-3", **spoken)["id"]
    rows = ask(district, "mailings?kind=questionnaire")["mailings"]
    assert {(row["state"], row["last_day"], row["rule"]) for row in rows} == {("open", "2027-05-24", "LB11")}
    on(district, "2027-05-24")
    first = {row["permit_number"]: row["id"] for row in rows}
    tell(district, f"mailings/{first['LB-1']}/answer", answered_on="2027-05-24")
    tell(district, f"mailings/{first['LB-1']}/answer", 409)
    tell(district, f"mailings/{first['LB-2']}/answer", 422, answered_on="2027-05-02")
    on(district, "2027-05-25")
    late = [row["permit_number"] for row in ask(district, "mailings?state=late")["mailings"]]
    assert sorted(late) == ["HT-1", "LB-2"]
    assert duties(district, "LB-2", "owner_response") == [("2027-05-24", "overdue")]
    found = ask(district, "year/2027")["questionnaires"]
    assert {name: found[name] for name in ("mailed", "answered", "open", "overdue", "inquiries_open")} == {
        "mailed": 3, "answered": 1, "open": 0, "overdue": 2, "inquiries_open": 1,
    }  # fmt: skip
    tell(district, f"mailings/{inquiry}/answer")
    assert ask(district, "mailings?kind=inquiry")["mailings"][0]["state"] == "answered"
    tell(district, f"mailings/{first['LB-2']}/correction", mailed_on="2027-05-04", reason="the postmark says so")
    assert duties(district, "LB-2", "owner_response") == [("2027-05-25", "due_soon")]
