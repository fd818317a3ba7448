"""What owners and offices are told: by which way, for which reasons not, one message a system, and judged again."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from notifications.addresses import AddressField, postal_lines, read_addresses
from notifications.digests import spread
from notifications.directory import municipalities
from notifications.eligibility import Cancel, Go, judge_now
from notifications.notices import make_notices
from notifications.outbox import Claim, MessageState, claim_next, count_messages, find_message, list_messages
from notifications.queueing import QueueCounts, queue_notices
from notifications.records import AddressBook, Channel, DomainEvent, NoNotice, Occasion, SkipReason, SystemNow, Told
from notifications.render import render
from reporting import tables
from reporting.store.derived import replace_assessment
from reporting.store.engine import Database, Store
from reporting.store.facts import (
    end_versions,
    insert_components,
    insert_contracts,
    insert_facts,
    insert_owners,
    insert_systems,
)
from reporting.store.people import upsert_credentials
from schemas.loader import shipped_program
from tests.notifications.builders import (
    BASE_URL,
    KETTLE,
    KETTLE_MAIL,
    NOON,
    OFFICE,
    TODAY,
    a_program,
    an_event,
    due_event,
    needs_event,
    record,
    tank_content,
)
from tests.notifications.test_notices import a_book, an_occasion

OWNER = "laverne@lor.example"
POSTAL = "Laverne Lor\nN5551 County Road K\nSaukville, WI 53080"
LETTER = f"letter to {POSTAL}"
BOTH = SystemNow(owner_name="Laverne Lor", owner_mail=AddressField(addresses=(OWNER,)), owner_postal=POSTAL)
MAIL_ONLY = replace(BOTH, owner_postal="")
POST_ONLY = replace(BOTH, owner_mail=AddressField())
NOBODY = SystemNow()


def of_owner(kind: str, number: int = 1, *, stage: int = 1, duty: str = "pump", **values: Any) -> DomainEvent:
    content = {**tank_content(number, **values), "obligation": duty, "stage": stage}
    verb = "remind" if kind == "owner_reminder" else "delinquent"
    key = f"{verb}:{content['system']}:septic::{duty}:{content['rule']}:event:rep_1:{stage}"
    return an_event(kind, key, content)


def reminder(number: int = 1, **values: Any) -> DomainEvent:
    return of_owner("owner_reminder", number, **values)


def delinquent(number: int = 1, **values: Any) -> DomainEvent:
    return of_owner("delinquent_owner", number, **values)


def ahead(kind: str, number: int = 1, **values: Any) -> DomainEvent:
    content = {**tank_content(number), "due_on": "2026-09-11", "last_day": "2026-09-11", **values}
    return an_event(kind, f"ahead:{content['system']}:::{content['rule']}:{kind}:2026", content)


def case(kind: str, number: int = 1, **values: Any) -> DomainEvent:
    about = {"component": "", "case": "case_7", "case_kind": "failed", "steps": {"opened_on": "2026-07-01"}}
    content = {**tank_content(number), **about, "rule": "OZ15", "cite": "9.011(2)", **values}
    return an_event(kind, f"case:{content['system']}:case_7:{kind}", content)


def licence(**values: Any) -> DomainEvent:
    about = {"rule": "OZ1", "cite": "9.029(2)(a)1", "credential_kind": "septage_operator", "because": "x"}
    content = {"contractor_id": KETTLE, "contractor_license": "00412", "due_on": "2026-09-11", **about, **values}
    return an_event("credential_expiring", f"licence:00412:septage_operator:{content['due_on']}", content)


def told(event: DomainEvent, system: SystemNow | None = BOTH, occasion: Occasion | None = None) -> list[str]:
    return [_short(one) for one in make_notices(event, system, occasion or an_occasion())]


def _short(one: Told) -> str:
    return str(one.reason) if isinstance(one, NoNotice) else f"{one.channel} to {one.recipient}"


REMINDED = [f"mail to {OWNER}"]


@pytest.mark.parametrize(
    ("event", "system", "expected"),
    [
        (reminder(), BOTH, REMINDED),
        (reminder(), MAIL_ONLY, REMINDED),
        (reminder(), POST_ONLY, [LETTER]),
        (reminder(), NOBODY, ["no_postal_address"]),
        (delinquent(), BOTH, [LETTER, f"mail to {OWNER}"]),
        (delinquent(), MAIL_ONLY, ["no_postal_address", f"mail to {OWNER}"]),
        (delinquent(), POST_ONLY, [LETTER]),
        (delinquent(), NOBODY, ["no_postal_address"]),
        (ahead("contract_expiring"), BOTH, [f"mail to {KETTLE_MAIL}", *REMINDED]),
        (ahead("contract_expiring", contractor_license="9"), POST_ONLY, ["unknown_contractor", LETTER]),
        (ahead("exemption_expiring"), BOTH, [*REMINDED, f"mail to {OFFICE}"]),
        (ahead("window_notice", until="2026-09-30"), BOTH, [LETTER, f"mail to {OWNER}"]),
        (ahead("area_notice", until="2026-09-30"), MAIL_ONLY, ["no_postal_address", f"mail to {OWNER}"]),
        (licence(), None, [f"mail to {KETTLE_MAIL}", f"mail to {OFFICE}"]),
        (case("case_opened"), BOTH, [LETTER, f"mail to {OWNER}", f"mail to {OFFICE}"]),
        (case("case_step"), POST_ONLY, [LETTER, f"mail to {OFFICE}"]),
        (case("case_overdue"), POST_ONLY, [LETTER, f"mail to {OFFICE}"]),
        (
            case("case_overdue", hand_to="the Sanitarian"),
            POST_ONLY,
            [LETTER, f"mail to {OFFICE}", "no_sanitarian_address"],
        ),
        (case("case_handed_over"), POST_ONLY, [LETTER, f"mail to {OFFICE}", "no_sanitarian_address"]),
        (case("case_closed"), BOTH, [*REMINDED, f"mail to {OFFICE}"]),
    ],
)  # fmt: skip
def test_who_is_told_and_how(event: DomainEvent, system: SystemNow | None, expected: list[str]) -> None:
    assert told(event, system) == expected


def test_a_case_handed_over_goes_to_the_sanitarian() -> None:
    occasion = an_occasion(replace(a_book(), sanitarian=read_addresses("san@county.example")))
    assert told(case("case_handed_over"), POST_ONLY, occasion)[-1] == "mail to san@county.example"


@pytest.mark.parametrize(
    ("office", "town", "expected", "said"),
    [
        ("counsel", "", "mail to counsel@county.example", "The office hands you"),
        ("municipality", "Town of Hull ", "mail to clerk@hull.example", "the municipality services the holding tank"),
        ("municipality", "Town of Stockton", "no_office_address", ""),
    ],
)
def test_a_case_goes_to_the_office_that_it_is_for(office: str, town: str, expected: str, said: str) -> None:
    """PO20, PO21: each municipality by its own address among the county's settings."""
    settings = {"municipality_email": "Town of Hull: clerk@hull.example; Town of Amherst: a@amherst.example"}
    towns = municipalities(shipped_program("portage").with_settings(settings))
    book = replace(a_book(), counsel=read_addresses("counsel@county.example"), municipalities=towns)
    event = case("case_handed_over", office=office, municipality=town)
    assert told(event, POST_ONLY, an_occasion(book))[-1] == expected
    last = make_notices(event, POST_ONLY, an_occasion(book))[-1]
    assert isinstance(last, NoNotice) or said in " ".join(render(last.kind, last.context, TODAY).text.split())


def test_one_address_may_stand_for_all_municipalities() -> None:
    towns = municipalities(shipped_program("portage").with_settings({"municipality_email": "towns@county.example"}))
    mail = AddressBook(municipalities=towns).office("municipality", "Town of Hull")
    assert mail.addresses == ("towns@county.example",)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"legal_by_letter": False}, [f"mail to {OWNER}"]),
        ({"legal_email_copy": False}, [LETTER]),
        ({"legal_by_letter": False, "legal_email_copy": False}, [f"mail to {OWNER}"]),
    ],
)
def test_the_county_says_how_notices_of_law_go(settings: dict[str, Any], expected: list[str]) -> None:
    occasion = an_occasion(**settings)
    assert told(delinquent(), BOTH, occasion) == expected
    assert told(case("case_opened"), BOTH, occasion)[:-1] == expected
    assert told(ahead("window_notice", until="2026-09-30"), BOTH, occasion)[0] == LETTER  # first class mail, 4.02


def test_a_reminder_may_be_refused_and_a_notice_of_law_may_not() -> None:
    kinds = frozenset({"owner_reminder", "delinquent_owner", "contract_expiring", "case_closed"})
    occasion = an_occasion(replace(a_book(), refusing={OWNER: kinds}))
    assert told(reminder(), BOTH, occasion) == ["opted_out"]
    assert told(ahead("contract_expiring"), BOTH, occasion) == [f"mail to {KETTLE_MAIL}", "opted_out"]
    assert told(ahead("exemption_expiring"), BOTH, occasion)[0] == f"mail to {OWNER}"
    assert told(delinquent(), BOTH, occasion) == [LETTER, f"mail to {OWNER}"]
    assert told(case("case_closed"), BOTH, occasion)[0] == f"mail to {OWNER}"


def test_a_wrong_address_is_counted_and_the_letter_goes() -> None:
    system = replace(BOTH, owner_mail=read_addresses("none; a@@b.example"))
    assert told(reminder(), system) == ["bad_address", "bad_address", LETTER]


def test_no_window_is_told_of_once_it_has_opened() -> None:
    for opens, expected in (("2026-07-14", LETTER), ("2026-07-13", "no_longer_due")):
        event = ahead("window_notice", due_on=opens, last_day=opens, until="2026-09-30")
        assert told(event, POST_ONLY) == [expected]


DUTY = "due:sys_1:septic::pump:OZ1:event:rep_1"
PAPER = "due:sys_1:septic::missing_report:OZ1:event:rep_1"
R, D = reminder(), delinquent()
M = delinquent(duty="missing_report")
CLOSED = {"case_7": {"closed_on": "2026-07-12"}}
MOVED = {"due_on": {DUTY: date(2026, 8, 1)}}
SAME = {"due_on": {DUTY: date(2026, 7, 19)}}


@pytest.mark.parametrize(
    ("event", "now", "reason"),
    [
        (R, {"duties": {DUTY: "due_soon"}, **SAME}, None),
        (R, {"duties": {DUTY: "upcoming"}, **SAME}, None),
        (R, {"duties": {DUTY: "due_soon"}, **MOVED}, SkipReason.NO_LONGER_DUE),
        (R, {"duties": {DUTY: "overdue"}}, SkipReason.LATER_STAGE),
        (R, {"duties": {DUTY: "suspended"}}, SkipReason.EXEMPT),
        (R, {"duties": {}}, SkipReason.ALREADY_SERVICED),
        (R, {"duties": None}, None),
        (R, {"duties": None, "exempt": True}, SkipReason.EXEMPT),
        (R, {"duties": {DUTY: "due_soon"}, "on_hold": True}, SkipReason.ON_HOLD),
        (R, {"duties": {DUTY: "due_soon"}, "status": "abandoned"}, SkipReason.INACTIVE),
        (D, {"duties": {DUTY: "overdue"}}, None),
        (D, {"duties": {DUTY: "overdue"}, **MOVED}, None),
        (D, {"duties": None}, None),
        (D, {"duties": {DUTY: "due_soon"}}, SkipReason.NO_LONGER_DUE),
        (D, {"duties": {DUTY: "suspended"}}, SkipReason.EXEMPT),
        (D, {"duties": {DUTY: "suspended"}, "on_hold": True}, SkipReason.ON_HOLD),
        (D, {"duties": {}}, SkipReason.ALREADY_SERVICED),
        (D, {"duties": {DUTY: "overdue"}, "status": "sewered"}, SkipReason.INACTIVE),
        (M, {"duties": {PAPER: "overdue"}, "on_hold": True}, None),
        (M, {"duties": {}}, SkipReason.REPORT_RECEIVED),
        (ahead("window_notice", until="2026-09-30"), {"on_hold": True}, SkipReason.ON_HOLD),
        (ahead("window_notice", until="2026-09-30"), {"exempt": True}, SkipReason.EXEMPT),
        (ahead("area_notice", until="2026-09-30"), {"status": "removed"}, SkipReason.INACTIVE),
        (ahead("contract_expiring"), {"status": "abandoned"}, SkipReason.INACTIVE),
        (ahead("contract_expiring"), {"on_hold": True}, None),
        (case("case_opened"), {"cases": CLOSED, "duties": {}}, SkipReason.CASE_CLOSED),
        (case("case_overdue"), {"cases": CLOSED, "duties": {}}, SkipReason.CASE_CLOSED),
        (
            case("case_overdue"),  # closed without the step that the ordinance asks for: it goes on
            {"cases": CLOSED, "duties": {"due:s::::x:case:case_7:d:": "overdue"}},
            None,
        ),
        (case("case_closed"), {"cases": CLOSED, "duties": {}}, None),
        (case("case_opened"), {"cases": {"case_7": {}}, "duties": {}, "status": "abandoned"}, None),
    ],
)  # fmt: skip
def test_what_the_system_says_against_it(event: DomainEvent, now: Mapping[str, Any], reason: SkipReason | None) -> None:
    first = make_notices(event, replace(POST_ONLY, **now), an_occasion())[0]
    assert (first.reason if isinstance(first, NoNotice) else None) == reason


@pytest.mark.parametrize(
    ("name", "address", "lines"),
    [
        ("Laverne Lor", "N5551 County Road K\nSaukville, WI 53080", POSTAL),
        ("Laverne Lor", "Laverne Lor\r\nN5551 County Road K\r\n\r\nSaukville,  WI 53080 ", POSTAL),
        ("Laverne Lor", "12 Oak St, Saukville, WI 53080", "Laverne Lor\n12 Oak St, Saukville, WI 53080"),
        ("Laverne Lor", "", ""),
        ("Laverne Lor", " \n ", ""),
        ("", "12 Oak St\nSaukville, WI 53080", "12 Oak St\nSaukville, WI 53080"),
        ("A\nB", "12\x00 Oak\u202e St\nX", "A B\n12 Oak St\nX"),
    ],
)
def test_a_postal_address_in_lines(name: str, address: str, lines: str) -> None:
    assert postal_lines(name, address) == lines


def a_line(number: int, due_on: str = "", **values: Any) -> dict[str, Any]:
    return {"cause_key": f"due:{number:02}", "due_on": due_on, "permit_number": f"{number:02}", **values}


def days_told(lines: list[dict[str, Any]], per_day: int, taken: Mapping[date, int] | None = None) -> dict[str, int]:
    found = spread(lines, TODAY, per_day, taken or {})
    return {line["permit_number"]: (day - TODAY).days for day, part in found.items() for line in part}


def test_new_duties_are_spread_over_days_the_most_urgent_first() -> None:
    lines = [a_line(n, f"2026-09-{30 - n:02}") for n in range(1, 6)]
    assert days_told(lines, 2) == {"05": 0, "04": 0, "03": 1, "02": 1, "01": 2}
    assert days_told(lines, 5) == dict.fromkeys(["01", "02", "03", "04", "05"], 0)
    assert days_told(lines, 0) == dict.fromkeys(["01", "02", "03", "04", "05"], 0)


def test_what_a_day_has_already_counts() -> None:
    lines = [a_line(n, "2026-09-30") for n in range(1, 4)]
    taken = {TODAY: 2, TODAY + timedelta(days=1): 1}
    assert days_told(lines, 2, taken) == {"01": 1, "02": 2, "03": 2}


def test_no_duty_is_told_after_its_day_and_none_of_law_is_put_off() -> None:
    lines = [a_line(n, "2026-07-15") for n in range(1, 6)]
    assert days_told(lines, 1) == {"01": 0, "02": 1, "03": 2, "04": 2, "05": 2}
    of_law = [a_line(n, "2026-09-30", required_by="9.029(4)(b)2") for n in range(1, 4)]
    assert days_told([a_line(9, "2026-07-20"), *of_law], 1) == {"01": 0, "02": 0, "03": 0, "09": 1}
    overdue = [a_line(n, "2020-01-01") for n in range(1, 4)]
    assert days_told([*overdue, a_line(9, "2026-07-13")], 1) == {"01": 0, "02": 1, "03": 2, "09": 0}


def scan(database: Database, *events: DomainEvent, day: int = 0, **settings: Any) -> QueueCounts:
    later = timedelta(days=day)
    with database.transaction("ozaukee") as store:
        record(store, *events, at=NOON + later)
        program = a_program(**settings)
        return queue_notices(store, program, TODAY + later, NOON + later, BASE_URL)


def messages(database: Database, **narrowed: Any) -> list[dict[str, Any]]:
    with database.reading("ozaukee") as store:
        found = list_messages(store, list(MessageState), 10_000, **narrowed)
    return sorted(found, key=lambda row: row["dedupe_key"])


def add_owned(store: Store, *numbers: int, email: str | None = OWNER, address: str | None = POSTAL) -> None:
    insert_systems(store, [{"id": f"sys_{n}", "created_seq": 1, "status": "active", "content": {}} for n in numbers])
    content = {"mailing_address": address} if address else {}
    owner = {"seq": 1, "name": "Laverne Lor", "email": email, "content": content}
    insert_owners(store, [{"system": f"sys_{n}", **owner} for n in numbers])


def a_duty(**columns: Any) -> dict[str, Any]:
    return {
        "component": "septic", "component_ref": "", "kind": "pump", "rule": "OZ1", "cycle": "event:rep_1",
        "state": "due_soon", "due_on": date(2026, 7, 19), "last_day": date(2026, 7, 20), "duty_of": "owner",
        "cite": "9.029(2)(a)1", **columns,
    }  # fmt: skip


def test_all_that_a_system_is_due_for_is_one_message_by_each_way(opened: Database) -> None:
    with opened.transaction("ozaukee") as store:
        add_owned(store, 1, 2)
    counts = scan(
        opened, delinquent(1), delinquent(1, duty="inspect_dispersal", rule="OZ2"), delinquent(2), reminder(2)
    )
    assert counts.messages == {"delinquent_owner": 4, "owner_reminder": 1}
    assert counts.lines == 7
    found = [
        (row["kind"], row["channel"], row["system"], len(row["content"]["lines"]), row["recipient"])
        for row in messages(opened)
    ]
    assert sorted(found) == [
        ("delinquent_owner", "letter", "sys_1", 2, POSTAL),
        ("delinquent_owner", "letter", "sys_2", 1, POSTAL),
        ("delinquent_owner", "mail", "sys_1", 2, OWNER),
        ("delinquent_owner", "mail", "sys_2", 1, OWNER),
        ("owner_reminder", "mail", "sys_2", 1, OWNER),
    ]
    letter = messages(opened, system="sys_1", channel=Channel.LETTER)[0]
    assert (
        letter["dedupe_key"]
        == "delinquent_owner|owner|delinquent:sys_1:septic::inspect_dispersal:OZ2:event:rep_1:1|letter"
    )
    assert (letter["content"]["audience"], letter["content"]["channel"]) == ("owner", "letter")
    assert scan(opened, delinquent(1), delinquent(2)) == QueueCounts()


def test_letters_wait_for_a_print_run_and_no_sender_takes_them(opened: Database) -> None:
    with opened.transaction("ozaukee") as store:
        add_owned(store, 1, email=None)
    assert scan(opened, delinquent(1)).messages == {"delinquent_owner": 1}
    with opened.transaction("ozaukee") as store:
        assert claim_next(store, NOON, timedelta(minutes=15)) is None
        assert count_messages(store)["queued"] == 0
        assert count_messages(store, Channel.LETTER)["queued"] == 1
        [row] = list_messages(store, ["queued"], kinds=["delinquent_owner"])
        assert find_message(store, row["id"]) == row
        assert find_message(store, "msg_none") is None


def test_of_stages_that_wait_only_the_latest_is_told(opened: Database) -> None:
    with opened.transaction("ozaukee") as store:
        add_owned(store, 1)
    counts = scan(opened, *(reminder(stage=n) for n in (2, 10, 1)))
    assert (counts.messages, counts.skipped) == ({"owner_reminder": 1}, {"later_stage": 2})
    assert messages(opened)[0]["content"]["lines"][0]["stage"] == 10


def test_owners_that_nobody_can_reach_are_counted(opened: Database) -> None:
    with opened.transaction("ozaukee") as store:
        add_owned(store, 1, email=None, address=None)
    counts = scan(opened, reminder(1), delinquent(1), case("case_opened"))
    assert (counts.messages, counts.skipped) == ({"case_opened": 1}, {"no_postal_address": 3})


def claim_of(row: Mapping[str, Any]) -> Claim:
    names = ("county", "dedupe_key", "id", "kind", "recipient", "content", "message_id")
    return Claim(
        **{name: row[name] for name in names}, state_before=MessageState.QUEUED, attempts=1, fence=1, lease_until=NOON
    )


def verdict(opened: Database, **narrowed: Any) -> str | list[str]:
    """Why a message is not sent; or the duties that it still names."""
    [row] = messages(opened, **narrowed)
    claim = claim_of(row)
    with opened.transaction("ozaukee") as store:
        found = judge_now(store, claim)
    if isinstance(found, Cancel):
        return str(found.reason)
    assert isinstance(found, Go)
    return [line["rule"] for line in found.content.get("lines", ())]


def test_before_it_leaves_each_duty_is_judged_again(opened: Database) -> None:
    other = a_duty(kind="inspect_dispersal", rule="OZ2")
    with opened.transaction("ozaukee") as store:
        add_owned(store, 1, address=None)
        replace_assessment(store, "sys_1", {"state": "due_soon"}, [a_duty(), other], [])
    scan(opened, reminder(1), reminder(1, duty="inspect_dispersal", rule="OZ2"))
    assert verdict(opened) == ["OZ1", "OZ2"]
    with opened.transaction("ozaukee") as store:
        replace_assessment(store, "sys_1", {"state": "due_soon"}, [other], [])
    assert verdict(opened) == ["OZ2"]
    with opened.transaction("ozaukee") as store:
        moved = {**other, "due_on": date(2027, 7, 19), "last_day": date(2027, 7, 19)}
        replace_assessment(store, "sys_1", {"state": "compliant"}, [moved], [])
    assert verdict(opened) == "already_serviced"


def test_a_stage_that_has_waited_until_the_next_one_is_not_told_beside_it(opened: Database) -> None:
    """The relay was away for weeks, or nobody printed: no flood."""
    with opened.transaction("ozaukee") as store:
        add_owned(store, 1, address=None)
    scan(opened, reminder(stage=1), reminder(duty="inspect_dispersal", rule="OZ2"))
    [first] = messages(opened)
    assert judged(opened, first) is None
    scan(opened, reminder(stage=2), day=46)
    first, second = sorted(messages(opened), key=lambda row: row["created_at"])
    with opened.transaction("ozaukee") as store:
        found = judge_now(store, claim_of(first))
        assert isinstance(found, Go)
        assert [line["rule"] for line in found.content["lines"]] == ["OZ2"]
        assert found.content["dropped"][0]["reason"] == "later_stage"
        assert judge_now(store, claim_of(second)) == Go(content=second["content"])


def test_a_contract_that_was_renewed_is_not_told_of(opened: Database) -> None:
    row = {"system": "sys_1", "seq": 1, "license_number": "00412", "license_norm": "00412", "content": {}}
    with opened.transaction("ozaukee") as store:
        add_owned(store, 1, address=None)
        component = {"system": "sys_1", "component": "holding", "seq": 1, "content": {"capacity_gallons": 2000}}
        insert_components(store, [component])
        insert_contracts(store, [{**row, "from_on": date(2025, 9, 12), "to_on": date(2026, 9, 11)}])
    event = ahead("contract_expiring", rule="OZ19", cite="9.024(2)(b)9", component="")
    key = "ahead:sys_1:::OZ19:contract:00412:2025-09-12"
    scan(opened, replace(event, cause_key=key))
    rows = messages(opened, kinds=["contract_expiring"])
    assert {row["recipient"] for row in rows} == {OWNER, KETTLE_MAIL}
    assert judged(opened, rows[0]) is None
    with opened.transaction("ozaukee") as store:
        insert_contracts(store, [{**row, "seq": 2, "from_on": date(2026, 9, 12), "to_on": date(2027, 9, 11)}])
    assert [judged(opened, one) for one in rows] == ["renewed", "renewed"]


def judged(opened: Database, row: Mapping[str, Any]) -> str | None:
    with opened.transaction("ozaukee") as store:
        found = judge_now(store, claim_of(row))
    return str(found.reason) if isinstance(found, Cancel) else None


def test_a_contract_whose_end_was_corrected_is_not_told_with_the_old_day(opened: Database) -> None:
    row = {"system": "sys_1", "license_number": "00412", "license_norm": "00412", "content": {}}
    with opened.transaction("ozaukee") as store:
        add_owned(store, 1, address=None)
        insert_components(store, [{"system": "sys_1", "component": "holding", "seq": 1, "content": {}}])
        insert_contracts(store, [{**row, "seq": 1, "from_on": date(2025, 9, 12), "to_on": date(2026, 9, 11)}])
    event = ahead("contract_expiring", rule="OZ19", cite="9.024(2)(b)9", component="")
    scan(opened, replace(event, cause_key="ahead:sys_1:::OZ19:contract:00412:2025-09-12"))
    with opened.transaction("ozaukee") as store:
        end_versions(store, tables.contract, [{"system": "sys_1"}], 2)
        insert_contracts(store, [{**row, "seq": 2, "from_on": date(2025, 9, 12), "to_on": date(2026, 9, 30)}])
    assert {judged(opened, one) for one in messages(opened)} == {"no_longer_due"}


def test_a_window_that_was_called_off_or_has_opened_is_not_told_of(opened: Database) -> None:
    """In a district whose ordinance has windows; its letters have waited meanwhile."""
    county, opens = "lake-beulah", date(2026, 9, 1)
    with opened.transaction(county) as store:
        content = {"service_area": 2}
        insert_systems(store, [{"id": "sys_1", "created_seq": 1, "status": "active", "content": content}])
        insert_owners(store, [{"system": "sys_1", "seq": 1, "name": "A", "content": {"mailing_address": POSTAL}}])
        insert_components(store, [{"system": "sys_1", "component": "septic", "seq": 1, "content": {}}])
        window = {"kind": "window", "id": "w", "content": {"from": opens.isoformat(), "area": 2}}
        insert_facts(store, [{**window, "seq": 1, "valid_from": opens}])
        days = {"due_on": opens.isoformat(), "last_day": opens.isoformat(), "until": "2026-09-20"}
        event = ahead("window_notice", rule="LB2", cite="4.02", **days)
        record(store, replace(event, cause_key="ahead:sys_1:septic::LB2:window:2026-09-01"))
        assert queue_notices(store, a_program(county), TODAY, NOON, BASE_URL).messages == {"window_notice": 1}
        [row] = list_messages(store, ["queued"])
        assert judge_now(store, claim_of(row)) == Go(content=row["content"])
        on_the_day = replace(claim_of(row), lease_until=NOON + (opens - TODAY))
        assert judge_now(store, replace(on_the_day, lease_until=on_the_day.lease_until - timedelta(days=1))) == Go(
            content=row["content"]
        )
        assert judge_now(store, on_the_day) == Cancel(reason=SkipReason.NO_LONGER_DUE)
        end_versions(store, tables.fact, [{"kind": "window", "system": "", "id": "w"}], 2)
        assert judge_now(store, claim_of(row)) == Cancel(reason=SkipReason.NO_LONGER_DUE)


def test_a_licence_that_was_renewed_is_not_told_of(opened: Database) -> None:
    held = {"license_norm": "00412", "kind": "septage_operator", "license_number": "00412", "contractor_id": KETTLE}
    with opened.transaction(None) as store:
        upsert_credentials(store, [{**held, "expires_on": date(2026, 9, 11)}])
    scan(opened, licence())
    rows = messages(opened)
    assert [judged(opened, row) for row in rows] == [None, None]
    with opened.transaction(None) as store:
        upsert_credentials(store, [{**held, "expires_on": date(2028, 9, 11)}])
    assert [judged(opened, row) for row in rows] == ["renewed", "renewed"]


def test_a_case_that_was_closed_is_not_told_as_open(opened: Database) -> None:
    fact = {"kind": "case", "system": "sys_1", "id": "case_7"}
    with opened.transaction("ozaukee") as store:
        add_owned(store, 1, address=None)
        insert_facts(store, [{**fact, "seq": 1, "content": {"kind": "failed", "opened_on": "2026-07-01"}}])
        replace_assessment(store, "sys_1", {"state": "compliant"}, [], [])
    scan(opened, case("case_opened"))
    rows = messages(opened)
    assert [judged(opened, row) for row in rows] == [None, None]
    with opened.transaction("ozaukee") as store:
        end_versions(store, tables.fact, [fact], 2)
        closed = {"kind": "failed", "opened_on": "2026-07-01", "closed_on": "2026-07-12"}
        insert_facts(store, [{**fact, "seq": 2, "content": closed}])
    assert [judged(opened, row) for row in rows] == ["case_closed", "case_closed"]


def test_a_large_run_is_spread_over_days_and_a_scan_again_moves_nothing(opened: Database) -> None:
    events = [due_event(n, due_on=f"2026-09-{n:02}", last_day=f"2026-09-{n:02}") for n in range(1, 6)]
    counts = scan(opened, *events, needs_event(9), digest_lines_per_day=2)
    assert counts.messages == {"due_digest": 3}
    digests = {row["not_before"]: [line["system"] for line in row["content"]["lines"]] for row in messages(opened)}
    assert list(digests.values()) == [["sys_1", "sys_9"], ["sys_2", "sys_3"], ["sys_4", "sys_5"]]
    assert [day.date().isoformat() for day in digests] == ["2026-07-13", "2026-07-14", "2026-07-15"]
    assert scan(opened, due_event(6, due_on="2026-08-01"), digest_lines_per_day=2).messages == {"due_digest": 1}
    assert [len(row["content"]["lines"]) for row in messages(opened)] == [2, 2, 2, 1]
    assert scan(opened, needs_event(10), digest_lines_per_day=2).messages == {}  # of law: today, over the limit
    assert [len(row["content"]["lines"]) for row in messages(opened)] == [3, 2, 2, 1]
