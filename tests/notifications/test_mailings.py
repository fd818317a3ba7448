"""From the window that a district sets to the owner's letter, its mailing, and the days that the law counts from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import pytest

from notifications.letters_mailing import Confirmer, confirm_run
from notifications.print_runs import MadeRun, print_run
from notifications.queueing import queue_notices
from reporting.histories import COUNTED_MAIL, county_program, scenario_of
from reporting.owners import Teller, Told, set_setting
from reporting.status import system_status
from reporting.store import letters as queue
from reporting.store.engine import Database, Store
from reporting.store.log import seq_at
from reporting.store.signing import Signer
from reporting.sweep import sweep
from reporting.windows import set_window
from schemas.program import Program
from tests.notifications.builders import BASE_URL
from tests.notifications.letters import OFFICE, a_maker, read_pdf
from tests.reporting.counties import a_fact, a_row, load, the_system

DISTRICT = "lake-beulah"
OPENS = date(2026, 8, 20)
LAST = date(2026, 7, 28)
"""The last day for mailing: 20 days of notice and 3 of delivery before the window opens (4.02)."""


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The district's office: its database and its key."""

    database: Database
    signer: Signer

    def program(self, store: Store, day: date) -> Program:
        return county_program(store, DISTRICT, on=day)

    def scan(self, day: date) -> Mapping[str, int]:
        """What `pumper scan` does; the messages made."""
        sweep(self.database, DISTRICT, day, at(day))
        with self.database.transaction(DISTRICT) as store:
            return queue_notices(store, self.program(store, day), day, at(day), BASE_URL).messages

    def print(self, day: date) -> MadeRun:
        with self.database.reading(DISTRICT) as store:
            program = self.program(store, day)
        return print_run(self.database, DISTRICT, a_maker(program=program, today=day, now=at(day)))

    def confirm(self, run: MadeRun, mailed_on: date, day: date | None = None) -> None:
        today = day or mailed_on
        with self.database.transaction(DISTRICT) as store:
            program = self.program(store, today)
            who = Confirmer(program=program, by="key_clerk", today=today, now=at(today), signer=self.signer)
            confirm_run(store, run.run or "", mailed_on, who)

    def status(self, permit: str, day: date, **more: Any) -> dict[str, Any]:
        with self.database.reading(DISTRICT) as store:
            system = the_system(store, permit).system_id
            answer = system_status(store, self.program(store, day), system, today=day, **more)
        return dict(answer.as_json())


def at(day: date) -> datetime:
    return datetime.combine(day, time(17), UTC)


@pytest.fixture
def desk(opened: Database, tmp_path: Path) -> Desk:
    """A district with a septic and a holding tank in area 1, their owners' addresses, and a window set for it."""
    signer = Signer.load(tmp_path / "signing.key")
    owner = {"owner_mailing_address": "N5555 County Road K, East Troy, WI 53120", "service_area": "1"}
    dates = {"installed_on": "2020-05-01", "last_pumped_on": "2025-09-01"}
    load(
        opened,
        a_row("SP-1", **owner, **dates),
        a_row("HT-1", **owner, **dates, component="holding", capacity_gallons="2000"),
        county=DISTRICT,
        now=at(date(2026, 6, 1)),
    )
    with opened.transaction(DISTRICT) as store:
        program = county_program(store, DISTRICT, on=date(2026, 6, 1))
        teller = Teller(program=program, by="key_clerk", now=at(date(2026, 6, 1)), signer=signer)
        for name, value in OFFICE.items():
            set_setting(store, teller, name, value, date(2026, 1, 1))
        assert isinstance(set_window(store, teller, {"from": OPENS.isoformat(), "area": "1"}), Told)
    return Desk(database=opened, signer=signer)


def late_notices(answer: Mapping[str, Any]) -> list[str]:
    return [finding["because"] for finding in answer["findings"] if finding["kind"] == "window_notice_late"]


def test_the_window_becomes_a_letter_that_the_law_can_count_from(desk: Desk) -> None:
    day = date(2026, 7, 20)
    assert desk.scan(day).get("window_notice") == 1
    run = desk.print(day)
    text = " ".join(" ".join(page.extract_text() for page in read_pdf(run.pdf).pages).split())
    assert "Laverne Lor N5555 County Road K East Troy, WI 53120" in text
    assert "Thursday, August 20, 2026" in text
    assert "LB2, 4.02" in text
    desk.confirm(run, day)
    assert late_notices(desk.status("SP-1", date(2026, 8, 1))) == []
    pumping = [o for o in desk.status("SP-1", date(2026, 8, 21))["obligations"] if o["kind"] == "area_pumping"]
    assert [(o["due_on"], "notice is presumed, 4.04" in o["because"]) for o in pumping] == [("2026-09-08", True)]
    assert desk.scan(day).get("window_notice") is None  # nobody is told twice


@pytest.mark.parametrize(("mailed_on", "is_late"), [(LAST, False), (date(2026, 7, 29), True)])
def test_a_window_notice_mailed_on_the_last_day_is_in_time_and_a_day_later_is_not(
    desk: Desk, mailed_on: date, is_late: bool
) -> None:
    desk.scan(date(2026, 7, 20))
    run = desk.print(date(2026, 7, 20))
    desk.confirm(run, mailed_on)
    found = late_notices(desk.status("SP-1", date(2026, 8, 1)))
    assert found == ([f"mailed {mailed_on}; 20 days and 3 of delivery before {OPENS} ended {LAST}"] if is_late else [])


def test_the_sixty_days_of_a_holding_tank_count_from_the_mailing(desk: Desk) -> None:
    """3 days of delivery and 60 days (4.03): July 13, July 16, September 14."""
    day = date(2026, 7, 20)
    assert desk.scan(date(2026, 7, 13)).get("area_notice") == 1
    assert "schedule_pumping" not in [o["kind"] for o in desk.status("HT-1", day)["obligations"]]
    desk.confirm(desk.print(date(2026, 7, 13)), date(2026, 7, 13))
    found = [o for o in desk.status("HT-1", day)["obligations"] if o["kind"] == "schedule_pumping"]
    assert [(o["due_on"], o["rule"]) for o in found] == [("2026-09-14", "LB3")]
    known = desk.status("HT-1", day, known_at=at(date(2026, 7, 12)))
    assert "schedule_pumping" not in [o["kind"] for o in known["obligations"]]


def test_the_confirmed_mailing_is_in_the_scenario_and_the_sweep_judges_anew(desk: Desk) -> None:
    desk.scan(date(2026, 7, 20))
    run = desk.print(date(2026, 7, 20))
    desk.confirm(run, date(2026, 7, 20), day=date(2026, 7, 22))
    with desk.database.reading(DISTRICT) as store:
        told = scenario_of(the_system(store, "SP-1"), DISTRICT)["mailings"]
        [row] = [row for row in queue.letters_of(store, run.run or "") if row["kind"] == "window_notice"]
        assert seq_at(store, at(date(2026, 7, 21))) < seq_at(store, at(date(2026, 7, 22)))
    assert told == [
        {
            "kind": "window_notice",
            "mailed_on": "2026-07-20",
            "class": "first_class",
            "id": row["message_id"],
            "printed_sha256": row["text_sha256"],
            "window_from": "2026-08-20",
        }
    ]
    assert sweep(desk.database, DISTRICT, date(2026, 7, 22), at(date(2026, 7, 22))).assessed == 2


@pytest.mark.parametrize("kind", ["letter", *sorted(COUNTED_MAIL)])
def test_a_reminder_by_letter_does_not_make_the_mailings_known(opened: Database, kind: str) -> None:
    """What other notices there were, nobody says: known and none would make every window one without notice."""
    load(opened, a_row())
    with opened.transaction("ozaukee") as store:
        system = the_system(store).system_id
        assert "mailings" not in scenario_of(the_system(store), "ozaukee")
        content = {"kind": kind, "mailed_on": "2026-07-01", "class": "first_class"}
        a_fact(store, "mailing", content, system=system, valid_from=date(2026, 7, 1))
        scenario = scenario_of(the_system(store), "ozaukee")
    assert scenario.get("mailings") == (None if kind == "letter" else [content])
