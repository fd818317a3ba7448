"""What owners, offices and contractors are told of beside service due: on the day and not the day before, each once."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reporting.errors import RecordNotFound
from reporting.histories import county_program
from reporting.owners import NotTold, Teller, Told
from reporting.status import system_status
from reporting.store import derived
from reporting.store.engine import Database
from reporting.store.events_out import pending_domain_events
from reporting.store.facts import insert_contracts
from reporting.store.people import upsert_contractors, upsert_credentials
from reporting.store.signing import Signer
from reporting.sweep import sweep, tell_licences
from reporting.windows import call_off_window, list_windows, set_window
from schemas.loader import shipped_program
from tests.reporting.counties import NOW, a_fact, a_report, a_row, inspected, load, the_system

DAY = timedelta(days=1)
QUIET = ("service_due", "needs_service")


def noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 17, tzinfo=UTC)


def told(kept: Database, first: date, last: date, county: str = "ozaukee") -> list[tuple[str, date]]:
    """What a sweep each day tells anew, but for contractors' digests: kind and day."""
    found = []
    for number in range((last - first).days + 1):
        day = first + number * DAY
        counts = sweep(kept, county, day, noon(day))
        found += [
            (kind, day) for kind in sorted(counts.events) if kind not in QUIET for _ in range(counts.events[kind])
        ]
    return found


def events_of(kept: Database, kind: str, county: str = "ozaukee") -> Sequence[Mapping[str, Any]]:
    with kept.reading(county) as store:
        rows = [row for row in pending_domain_events(store, 1_000) if row["kind"] == kind]
        return sorted(rows, key=lambda row: str(row["cause_key"]))


def settle(kept: Database, county: str = "ozaukee", **values: Any) -> None:
    with kept.transaction(county) as store:
        for name, value in values.items():
            a_fact(store, "setting", {"value": value}, id=name)
        derived.mark_all_dirty(store)


def a_case(kept: Database, county: str, permit: str = "SP-1", case: str = "case_1", **content: Any) -> None:
    with kept.transaction(county) as store:
        system = the_system(store, permit).system_id
        a_fact(store, "case", content, system=system, id=case)
        derived.mark_dirty(store, [system])


@pytest.fixture
def teller(tmp_path: Path) -> Teller:
    return Teller(
        program=shipped_program("lake-beulah"), by="clerk", now=NOW, signer=Signer.load(tmp_path / "signing.key")
    )


DUE = date(2026, 10, 1)
PUMPED = "2023-10-01"


def test_an_owner_is_reminded_sixty_and_fourteen_days_before_and_told_the_day_after(kept: Database) -> None:
    """The reminders, and S4: delinquent from the day after."""
    load(kept, a_row(last_pumped_on=PUMPED), inspected())
    assert told(kept, date(2026, 7, 25), DUE + 5 * DAY) == [
        ("owner_reminder", DUE - 60 * DAY),
        ("owner_reminder", DUE - 14 * DAY),
        ("delinquent_owner", DUE + DAY),
    ]
    system = events_of(kept, "delinquent_owner")[0]["system"]
    cycle = f"{system}:septic::pump_or_inspect:OZ1:event:"
    keys = [row["cause_key"] for row in events_of(kept, "owner_reminder")]
    assert [key.startswith(f"remind:{cycle}") for key in keys] == [True, True]
    assert [key[-2:] for key in keys] == [":1", ":2"]
    content = events_of(kept, "owner_reminder")[0]["content"]
    assert (content["due_on"], content["obligation"], content["stage"]) == ("2026-10-01", "pump_or_inspect", 1)


def test_the_scan_looks_only_on_the_days_on_which_something_changes(kept: Database) -> None:
    load(kept, a_row(last_pumped_on=PUMPED), inspected())
    looked = []
    for number in range(100):
        day = date(2026, 7, 1) + number * DAY
        looked += [day] * sweep(kept, "ozaukee", day, noon(day)).assessed
    assert looked == [date(2026, 7, 1), DUE - 60 * DAY, DUE - 14 * DAY, DUE + DAY]


def test_the_county_says_when_owners_are_told(kept: Database) -> None:
    load(kept, a_row(last_pumped_on=PUMPED), inspected())
    settle(kept, notice_lead_days=[5, 90], delinquent_notice_days=[30, 10])
    assert told(kept, DUE - 95 * DAY, DUE + 35 * DAY) == [
        ("owner_reminder", DUE - 90 * DAY),
        ("owner_reminder", DUE - 5 * DAY),
        ("delinquent_owner", DUE + 10 * DAY),
        ("delinquent_owner", DUE + 30 * DAY),
    ]
    settle(kept, notice_lead_days=[], delinquent_notice_days=[])
    assert told(kept, DUE + 36 * DAY, DUE + 40 * DAY) == []


def test_after_an_outage_each_stage_is_there_once(kept: Database) -> None:
    load(kept, a_row(last_pumped_on=PUMPED), inspected())
    assert told(kept, DUE - 10 * DAY, DUE - 9 * DAY) == [("owner_reminder", DUE - 10 * DAY)] * 2


def test_a_duty_that_moves_its_day_is_not_told_again(kept: Database, teller: Teller) -> None:
    """Lake Beulah 5.01: the 36 months end with the window's last day, once the owner had notice of it."""
    load(kept, a_row(last_pumped_on="2024-06-10", service_area="2"), county="lake-beulah")
    with kept.transaction("lake-beulah") as store:
        assert isinstance(set_window(store, teller, {"from": "2027-07-01", "area": 2}), Told)
    due, last_mailing_day = date(2027, 6, 10), date(2027, 6, 8)
    assert told(kept, due - 61 * DAY, date(2027, 7, 19), "lake-beulah") == [
        ("owner_reminder", due - 60 * DAY),
        ("window_notice", last_mailing_day - 30 * DAY),
        ("owner_reminder", due - 14 * DAY),
    ]
    with kept.reading("lake-beulah") as store:
        system = the_system(store).system_id
        [pump] = [o for o in derived.obligations_of(store, [system])[system] if o["kind"] == "pump"]
    assert (pump["rule"], pump["due_on"]) == ("LB5", date(2027, 7, 20))


def test_a_deferral_is_another_rule_and_told_anew(kept: Database) -> None:
    """Winnebago 16.08(1)(d): an inspection that finds less than a third defers the pumping by a year."""
    load(kept, a_row(last_pumped_on=PUMPED), inspected(), county="winnebago")
    assert told(kept, DUE - 61 * DAY, DUE - 30 * DAY, "winnebago") == [("owner_reminder", DUE - 60 * DAY)]
    with kept.transaction("winnebago") as store:
        system = the_system(store).system_id
        a_report(
            store, system, "rep_1", DUE - 30 * DAY, event_type="inspection", license_number="7",
            content={"sludge_scum_fraction": "0.2", "credential_kind": "powts_inspector"}, historical=True,
        )  # fmt: skip
        derived.mark_dirty(store, [system])
    moved = (DUE - 30 * DAY).replace(year=2027)
    assert told(kept, DUE - 30 * DAY, moved, "winnebago") == [
        ("owner_reminder", moved - 60 * DAY),
        ("owner_reminder", moved - 14 * DAY),
    ]


@pytest.mark.parametrize("columns", [{"status": "abandoned"}, {"status": "sewered"}])
def test_who_is_out_of_use_is_told_nothing(kept: Database, columns: Mapping[str, Any]) -> None:
    load(kept, a_row(last_pumped_on="2020-01-01", **columns), inspected(**columns))
    assert told(kept, date(2026, 7, 1), date(2026, 7, 3)) == []


def test_who_is_exempt_or_on_hold_is_told_nothing(kept: Database) -> None:
    load(
        kept,
        a_row("LB-1", last_pumped_on="2020-01-01", exemption_kind="vacant", exemption_granted_on="2025-01-01"),
        a_row("LB-2", last_pumped_on="2020-01-01"),
        a_row("LB-3", last_pumped_on="2020-01-01"),
        county="lake-beulah",
    )
    a_case(kept, "lake-beulah", "LB-2", kind="hold", opened_on="2020-02-01", answered_on="2020-02-02")
    assert told(kept, date(2026, 7, 1), date(2026, 7, 3), "lake-beulah") == [("delinquent_owner", date(2026, 7, 1))]
    with kept.reading("lake-beulah") as store:
        assert events_of(kept, "delinquent_owner", "lake-beulah")[0]["system"] == the_system(store, "LB-3").system_id


def test_an_owner_is_told_of_a_missing_report_and_of_a_period_without_any(kept: Database) -> None:
    """SPS 383.255(2)(b)4: owners who are delinquent in reporting are notified."""
    load(kept, a_row(component="holding", last_pumped_on="2026-06-01"))
    with kept.transaction("ozaukee") as store:
        system = the_system(store).system_id
        a_fact(store, "owner_notice", {"on": "2026-07-21", "kind": "serviced"}, system=system)
        derived.mark_dirty(store, [system])
    last_day = date(2026, 7, 31)
    found = told(kept, date(2026, 7, 21), last_day + 20 * DAY)
    assert found == [
        ("delinquent_owner", last_day + DAY),
        ("missing_report", last_day + DAY),
        ("missing_report", last_day + 15 * DAY),
    ]
    [event] = events_of(kept, "delinquent_owner")
    assert event["cause_key"] == f"delinquent:{system}:holding::missing_report:OZ6:notice:2026-07-21:1"


def test_a_period_without_a_report_is_told_when_its_report_is_overdue(kept: Database) -> None:
    load(kept, a_row(component="holding", last_pumped_on="2025-12-05"), county="winnebago")
    settle(kept, "winnebago", records_from="2026-01-01", text_amended_from="2030-01-01")
    found = told(kept, date(2026, 7, 1), date(2026, 8, 10), "winnebago")
    assert [one for one in found if one[0] == "delinquent_owner"] == [("delinquent_owner", date(2026, 8, 1))]
    assert events_of(kept, "delinquent_owner", "winnebago")[0]["content"]["obligation"] == "period_report"


@pytest.mark.parametrize(
    ("live", "kinds"), [(DUE + 5 * DAY, ["delinquent_owner"]), (DUE - 20 * DAY, ["owner_reminder"])]
)
def test_going_live_tells_what_holds_then(kept: Database, live: date, kinds: list[str]) -> None:
    load(kept, a_row(last_pumped_on=PUMPED), inspected())
    settle(kept, live_from=live.isoformat())
    assert told(kept, live - 3 * DAY, live - DAY) == []
    assert [kind for kind, _ in told(kept, live, live + 2 * DAY)] == kinds


def test_a_contract_is_told_of_sixty_days_before_its_end_until_another_is_on_file(kept: Database) -> None:
    """Portage 7.9.33(3)-(5)."""
    ends = date(2027, 3, 31)
    row = a_row(
        component="holding", last_pumped_on="2026-06-01", designated_license_number="00412", contract_from="2026-04-01",
        contract_to=ends.isoformat(),
    )  # fmt: skip
    load(kept, row, a_row("SP-2", component="holding", last_pumped_on="2026-06-01"), county="portage")
    found = [one for one in told(kept, ends - 70 * DAY, ends - 55 * DAY, "portage") if one[0] == "contract_expiring"]
    assert found == [("contract_expiring", ends - 60 * DAY)]
    [event] = events_of(kept, "contract_expiring", "portage")
    content = {name: event["content"][name] for name in ("due_on", "rule", "contractor_license")}
    assert content == {"due_on": "2027-03-31", "rule": "PO8", "contractor_license": "00412"}


def test_a_contract_that_is_renewed_in_time_is_not_told_of(kept: Database) -> None:
    ends = date(2027, 3, 31)
    row = a_row(
        component="holding", last_pumped_on="2026-06-01", contract_from="2026-04-01", contract_to=ends.isoformat(),
        designated_license_number="00412",
    )  # fmt: skip
    load(kept, row, county="portage")
    with kept.transaction("portage") as store:
        system = the_system(store).system_id
        seq = a_fact(store, "note", {}, system=system)
        new = {"system": system, "seq": seq, "license_number": "00412", "license_norm": "00412", "content": {}}
        insert_contracts(store, [{**new, "from_on": ends + DAY, "to_on": ends.replace(year=2028)}])
        derived.mark_dirty(store, [system])
    assert "contract_expiring" not in [kind for kind, _ in told(kept, ends - 62 * DAY, ends - 58 * DAY, "portage")]


def test_a_contract_that_no_rule_asks_for_is_not_told_of(kept: Database) -> None:
    row = a_row(last_pumped_on="2026-06-01", designated_license_number="00412", contract_from="2026-04-01",
                contract_to="2027-03-31")  # fmt: skip
    load(kept, row, inspected(), county="winnebago")
    days = told(kept, date(2027, 1, 28), date(2027, 2, 2), "winnebago")
    assert "contract_expiring" not in [kind for kind, _ in days]


def test_a_certificate_is_told_of_sixty_days_before_its_end(kept: Database) -> None:
    """Lake Beulah 7.03: seven years."""
    row = a_row(last_pumped_on="2026-01-01", exemption_kind="vacant", exemption_granted_on="2020-05-01")
    load(kept, row, county="lake-beulah")
    ends = date(2027, 5, 1)
    found = told(kept, ends - 63 * DAY, ends - 57 * DAY, "lake-beulah")
    assert found == [("exemption_expiring", ends - 60 * DAY)]
    [event] = events_of(kept, "exemption_expiring", "lake-beulah")
    assert (event["content"]["due_on"], event["content"]["rule"]) == ("2027-05-01", "LB16")
    load(kept, {**row, "exemption_granted_on": "2020-05-01"}, county="ozaukee")
    assert told(kept, ends - 63 * DAY, ends - 57 * DAY) == []  # Ozaukee has no such rule


def test_a_licence_is_told_of_sixty_days_before_its_end_in_the_counties_that_it_serves(kept: Database) -> None:
    ends = date(2026, 12, 31)
    with kept.transaction(None) as store:
        upsert_contractors(store, [{"id": "con_1", "business_name": "Kettle", "email": None, "created_at": NOW}])
        row = {"kind": "septage_operator", "contractor_id": "con_1", "expires_on": ends}
        upsert_credentials(
            store,
            [
                {**row, "license_norm": "412", "license_number": "00412"},
                {**row, "license_norm": "99", "license_number": "99"},
                {**row, "license_norm": "55", "license_number": "55", "counties": ["portage"]},
            ],
        )
    load(kept, a_row(designated_license_number="412"))
    for day, new in ((ends - 61 * DAY, 0), (ends - 60 * DAY, 1), (ends - 59 * DAY, 0), (ends, 0), (ends + DAY, 0)):
        with kept.transaction("ozaukee") as store:
            assert tell_licences(store, shipped_program("ozaukee"), day, noon(day)) == new
    [event] = events_of(kept, "credential_expiring")
    assert event["cause_key"] == "licence:412:septage_operator:2026-12-31"
    with kept.transaction("portage") as store:
        assert tell_licences(store, shipped_program("portage"), ends, noon(ends)) == 1
    with kept.transaction(None) as store:  # renewed, and near its end again
        later = {"kind": "septage_operator", "contractor_id": "con_1", "expires_on": ends + 365 * DAY}
        upsert_credentials(store, [{**later, "license_norm": "412", "license_number": "00412"}])
    with kept.transaction("ozaukee") as store:
        assert tell_licences(store, shipped_program("ozaukee"), ends + 365 * DAY, NOW) == 1


OPENS = date(2027, 6, 1)
LAST_MAILING_DAY = OPENS - 23 * DAY


def window(kept: Database, teller: Teller, **values: Any) -> Told:
    with kept.transaction("lake-beulah") as store:
        answer = set_window(store, teller, {"from": OPENS.isoformat(), "area": 2, **values})
    assert isinstance(answer, Told), answer
    return answer


def lake(permit: str, **columns: Any) -> dict[str, Any]:
    return a_row(permit, **{"service_area": "2", "last_pumped_on": "2025-06-01", **columns})


def test_owners_are_told_of_their_window_before_the_last_mailing_day(kept: Database, teller: Teller) -> None:
    """Lake Beulah 4.02: notice is received at least 20 days before the window; the setting counts 3 of delivery."""
    load(
        kept,
        lake("LB-1"),
        lake("LB-2", service_area="1"),
        lake("LB-3", exemption_kind="vacant", exemption_granted_on="2025-01-01"),
        lake("LB-4", exemption_kind="inspection_only", exemption_granted_on="2025-01-01"),
        lake("LB-5", status="abandoned"),
        lake("LB-6"),
        county="lake-beulah",
    )
    a_case(kept, "lake-beulah", "LB-6", kind="hold", opened_on="2026-01-01", answered_on="2026-01-02")
    window(kept, teller)
    day = LAST_MAILING_DAY - 30 * DAY
    assert told(kept, day - 2 * DAY, day + 2 * DAY, "lake-beulah") == [("window_notice", day)] * 2
    events = events_of(kept, "window_notice", "lake-beulah")
    assert sorted(row["content"]["permit_number"] for row in events) == ["LB-1", "LB-4"]
    content = events[0]["content"]
    assert {name: content[name] for name in ("rule", "due_on", "until", "mail_by")} == {
        "rule": "LB2", "due_on": "2027-06-01", "until": "2027-06-20", "mail_by": LAST_MAILING_DAY.isoformat(),
    }  # fmt: skip


def test_owners_of_holding_tanks_are_told_that_their_area_is_pumped(kept: Database, teller: Teller) -> None:
    """Lake Beulah 4.03."""
    load(kept, lake("LB-1", component="holding"), county="lake-beulah")
    settle(kept, "lake-beulah", district_contractor="00412")
    window(kept, teller, to="2027-06-15")
    found = [one for one in told(kept, OPENS - 62 * DAY, OPENS - 58 * DAY, "lake-beulah") if one[0] == "area_notice"]
    assert found == [("area_notice", OPENS - 60 * DAY)]
    content = events_of(kept, "area_notice", "lake-beulah")[0]["content"]
    assert (content["rule"], content["contractor_license"]) == ("LB3", "00412")


def test_a_window_that_is_set_late_is_told_at_once_and_not_once_it_has_opened(kept: Database, teller: Teller) -> None:
    load(kept, lake("LB-1"), lake("LB-2", service_area="3"), county="lake-beulah")
    window(kept, teller)
    assert told(kept, OPENS - DAY, OPENS - DAY, "lake-beulah") == [("window_notice", OPENS - DAY)]
    window(kept, teller, area=3)
    assert "window_notice" not in [kind for kind, _ in told(kept, OPENS, OPENS + DAY, "lake-beulah")]


def test_owners_who_were_mailed_already_are_not_told_again(kept: Database, teller: Teller) -> None:
    """Such as by a print run of the county's own: the mailing is on file."""
    load(kept, lake("LB-1"), lake("LB-2", component="holding"), lake("LB-3"), county="lake-beulah")
    window(kept, teller)
    day = LAST_MAILING_DAY - 30 * DAY
    with kept.transaction("lake-beulah") as store:
        for permit, kind in (("LB-1", "window_notice"), ("LB-2", "area_notice")):
            mailing = {"kind": kind, "on": (day - 5 * DAY).isoformat(), "class": "first_class"}
            a_fact(store, "mailing", mailing, system=the_system(store, permit).system_id)
    found = told(kept, day - 4 * DAY, LAST_MAILING_DAY, "lake-beulah")
    assert [one for one in found if one[0] in ("window_notice", "area_notice")] == [("window_notice", day)]
    with kept.reading("lake-beulah") as store:
        system = the_system(store, "LB-2").system_id
        kinds = [o["kind"] for o in derived.obligations_of(store, [system])[system]]
    assert "schedule_pumping" in kinds  # 4.03: counted from the notice


def test_a_window_that_is_called_off_is_not_told_of_and_stays_in_the_record(kept: Database, teller: Teller) -> None:
    load(kept, lake("LB-1"), county="lake-beulah")
    answer = window(kept, teller)
    with kept.reading("lake-beulah") as store:
        assert list_windows(store) == [{"id": answer.id, "from": "2027-06-01", "area": 2}]
        system = the_system(store, "LB-1").system_id
        program = county_program(store, "lake-beulah", on=OPENS)
        status = system_status(store, program, system, today=OPENS)
        assert "area_pumping" in [duty["kind"] for duty in status.answer["obligations"]]
    with kept.transaction("lake-beulah") as store:
        call_off_window(store, teller, answer.id)
        assert list_windows(store) == []
        with pytest.raises(RecordNotFound):
            call_off_window(store, teller, answer.id)
        status = system_status(store, program, system, today=OPENS)
        assert "area_pumping" not in [duty["kind"] for duty in status.answer["obligations"]]
    assert told(kept, LAST_MAILING_DAY - 30 * DAY, LAST_MAILING_DAY, "lake-beulah") == []


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"from": "soon"}, "from"),
        ({}, "from"),
        ({"from": "2027-06-01", "to": "2027-05-01"}, "to"),
        ({"from": "2027-06-01", "area": "two"}, "area"),
        ({"from": "2027-06-01", "town": "x"}, "town"),
    ],
)
def test_a_window_without_sense_is_refused(values: dict[str, Any], field: str, kept: Database, teller: Teller) -> None:
    with kept.transaction("lake-beulah") as store:
        answer = set_window(store, teller, values)
        assert isinstance(answer, NotTold)
        assert [issue.field for issue in answer.issues] == [field]
        assert list_windows(store) == []


START = date(2026, 7, 1)


def cases_told(kept: Database, first: date, last: date, county: str = "lake-beulah") -> list[tuple[str, date]]:
    return [one for one in told(kept, first, last, county) if one[0].startswith("case_")]


def test_a_case_is_told_when_opened_and_when_its_deadline_has_passed(kept: Database) -> None:
    """Lake Beulah 6.01: 90 days after written notice."""
    load(kept, a_row(last_pumped_on="2026-06-01"), county="lake-beulah")
    a_case(kept, "lake-beulah", kind="noncompliance", notified_on="2026-07-01")
    last_day = date(2026, 9, 29)
    assert cases_told(kept, START, last_day + 3 * DAY) == [("case_opened", START), ("case_overdue", last_day + DAY)]
    [event] = events_of(kept, "case_overdue", "lake-beulah")
    assert event["cause_key"] == f"case:{event['system']}:case_1:overdue:correction:"
    about = {name: event["content"][name] for name in ("case", "case_kind", "rule", "last_day", "hand_to")}
    assert about == {
        "case": "case_1", "case_kind": "noncompliance", "rule": "LB8", "last_day": "2026-09-29", "hand_to": "",
    }  # fmt: skip


def test_a_failed_system_is_told_step_by_step_until_it_is_handed_over(kept: Database) -> None:
    """Lake Beulah 6.03: 90 days for the findings, 120 to correct, then the county sanitarian."""
    load(kept, a_row(last_pumped_on="2026-06-01"), county="lake-beulah")
    a_case(
        kept, "lake-beulah", kind="failed", notified_on="2026-07-01", reported_on="2026-07-20",
        verified_notified_on="2026-08-01", handed_over_on="2026-12-10",
    )  # fmt: skip
    assert cases_told(kept, START, date(2026, 12, 15)) == [
        ("case_opened", START),
        ("case_step", date(2026, 8, 1)),
        ("case_overdue", date(2026, 12, 1)),  # the 29th of November is a Sunday
        ("case_handed_over", date(2026, 12, 10)),
    ]
    [overdue] = events_of(kept, "case_overdue", "lake-beulah")
    assert overdue["content"]["hand_to"] == "the Walworth County Sanitarian"
    assert overdue["content"]["obligation"] == "failed_system_correction"


def test_a_closed_case_is_told_as_closed_and_no_more_as_open(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2026-06-01"), county="lake-beulah")
    a_case(kept, "lake-beulah", kind="noncompliance", notified_on="2026-07-01", closed_on="2026-07-03")
    assert cases_told(kept, date(2026, 7, 3), date(2026, 11, 1)) == [("case_closed", date(2026, 7, 3))]


def test_a_case_without_a_deadline_is_told_with_the_law_that_there_is(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2026-06-01"), county="winnebago")
    a_case(kept, "winnebago", kind="order", opened_on="2026-07-01")
    assert cases_told(kept, START, START + 3 * DAY, "winnebago") == [("case_opened", START)]
    [event] = events_of(kept, "case_opened", "winnebago")
    assert event["content"]["cite"]
    assert "due_on" not in event["content"]


def test_an_invoice_is_told_from_its_own_day(kept: Database) -> None:
    """Winnebago 16.05(2)(4): unpaid after 30 days it goes to the tax roll."""
    load(kept, a_row(last_pumped_on="2026-06-01"), county="winnebago")
    a_case(kept, "winnebago", kind="invoice", invoiced_on="2026-07-01")
    assert cases_told(kept, START, date(2026, 8, 5), "winnebago") == [
        ("case_opened", START),
        ("case_overdue", date(2026, 8, 1)),
    ]
    assert events_of(kept, "case_overdue", "winnebago")[0]["content"]["rule"] == "WI15"


@pytest.mark.parametrize(("age", "kinds"), [(60, ["case_opened"]), (61, [])])
def test_what_was_entered_long_after_is_not_told_as_news(kept: Database, age: int, kinds: list[str]) -> None:
    load(kept, a_row(last_pumped_on="2026-06-01"), county="lake-beulah")
    a_case(kept, "lake-beulah", kind="noncompliance", notified_on="2026-07-01")
    assert [kind for kind, _ in cases_told(kept, START + age * DAY, START + age * DAY)] == kinds


@pytest.mark.parametrize(("days_after", "kinds"), [(0, ["case_opened"]), (1, [])])
def test_cases_from_before_the_county_went_live_are_not_news(kept: Database, days_after: int, kinds: list[str]) -> None:
    load(kept, a_row(last_pumped_on="2026-06-01"), county="lake-beulah")
    a_case(kept, "lake-beulah", kind="noncompliance", notified_on="2026-07-01")
    live = START + days_after * DAY
    settle(kept, "lake-beulah", live_from=live.isoformat())
    assert [kind for kind, _ in cases_told(kept, live, live + DAY)] == kinds


def test_nothing_is_told_twice_however_often_a_system_is_judged(kept: Database) -> None:
    load(kept, a_row(last_pumped_on="2020-01-01"), county="lake-beulah")
    a_case(kept, "lake-beulah", kind="failed", notified_on="2026-07-01")
    assert {kind for kind, _ in told(kept, START, START, "lake-beulah")} == {"case_opened", "delinquent_owner"}
    for _ in range(3):
        with kept.transaction("lake-beulah") as store:
            derived.mark_all_dirty(store)
        assert told(kept, START, START, "lake-beulah") == []
