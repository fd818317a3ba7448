"""Paper that a clerk enters: judged by the day on which it was received, and the record says that it was entered."""

import json
from datetime import UTC, date, datetime

import pytest

from reporting.intake.answer import Refused
from reporting.store.log import entries_of
from tests.reporting.intake.sending import NOW, Desk, a_report, a_system, codes


@pytest.fixture
def ozaukee(desk: Desk) -> Desk:
    desk.stock(a_system("SP-1"))
    return desk


def test_lateness_is_judged_by_the_day_of_receipt(ozaukee: Desk) -> None:
    row = a_report("T-1", service_date="2026-06-01")
    assert [f["kind"] for f in ozaukee.row(row).findings] == ["late_report"]
    paper = {**row, "report_ref": "T-2", "gallons_pumped": "900"}
    assert ozaukee.row(paper, received_on=date(2026, 6, 11)).findings == ()
    late = {**row, "report_ref": "T-3", "gallons_pumped": "800"}
    assert [f["kind"] for f in ozaukee.row(late, received_on=date(2026, 6, 12)).findings] == ["late_report"]


def test_the_record_says_when_it_came_and_when_it_was_entered(ozaukee: Desk) -> None:
    ozaukee.row(a_report("T-1", service_date="2026-06-01"), received_on=date(2026, 6, 11))
    (event,) = ozaukee.events()
    assert (event["received_at"], event["first_received_at"]) == (NOW, datetime(2026, 6, 11, 17, tzinfo=UTC))
    with ozaukee.database.reading("ozaukee") as store:
        entries = [
            json.loads(entry)["content"] for entry in entries_of(store, [event["seq"] - 1, event["seq"]]).values()
        ]
    assert [entry["received_on"] for entry in entries] == ["2026-06-11"] * 2
    ozaukee.row(a_report("T-2"))
    with ozaukee.database.reading("ozaukee") as store:
        seq = ozaukee.events()[-1]["seq"]
        assert "received_on" not in json.loads(entries_of(store, [seq])[seq])["content"]


def test_not_before_the_service_nor_in_the_future(ozaukee: Desk) -> None:
    early = ozaukee.row(a_report("T-1", service_date="2026-07-06"), received_on=date(2026, 7, 5))
    assert codes(early) == [("service_date", "in_future")]
    refused = ozaukee.send([a_report("T-1")], received_on=date(2026, 7, 14))
    assert isinstance(refused, Refused)
    assert (refused.code, refused.status) == ("received_in_future", 422)
    same_day = ozaukee.row(a_report("T-1", service_date="2026-07-06"), received_on=date(2026, 7, 6))
    assert same_day.outcome == "accepted"


def test_paper_of_before_the_start_is_backlog(ozaukee: Desk) -> None:
    paper = a_report("T-1", service_date="2026-01-05")
    ozaukee.row(paper, received_on=date(2026, 3, 1), settings={"live_from": date(2026, 7, 1)})
    (event,) = ozaukee.events()
    assert event["historical"] is True
    again = ozaukee.row(a_report("T-2"), settings={"live_from": date(2026, 7, 1)})
    assert (again.outcome, ozaukee.events()[-1]["historical"]) == ("accepted", False)
