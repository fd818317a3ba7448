"""Submissions and the outcome of every row."""

import pytest
from sqlalchemy.exc import IntegrityError

from reporting.store import submissions
from reporting.store.engine import Database
from tests.reporting.store.builders import a_submission


def test_a_submission_is_kept_and_moved_on(opened: Database) -> None:
    headings = {"unknown": ["Truck", "A"], "missing": [], "suggested": {"Z": "notes", "A": "notes"}}
    with opened.transaction("portage") as store:
        submissions.insert_submission(store, a_submission("sub", columns=headings, status="running"))
        assert submissions.update_submission(store, "sub", {"status": "done", "rows": 3, "accepted": 2, "next_row": 4})
        assert not submissions.update_submission(store, "no", {"status": "done"})
        found = submissions.get_submission(store, "sub", lock=True)
    assert found is not None
    assert (found["status"], found["rows"], found["accepted"], found["rejected"], found["next_row"]) == (
        "done",
        3,
        2,
        0,
        4,
    )
    assert (found["dry_run"], found["atomic"], found["historical"]) == (False, False, False)
    assert list(found["columns"]["suggested"]) == ["Z", "A"]  # the order of the file's own headings
    with opened.reading("ozaukee") as store:
        assert submissions.get_submission(store, "sub") is None


def test_waiting_submissions_come_oldest_first(opened: Database) -> None:
    with opened.transaction("portage") as store:
        for name, status in (("b", "waiting"), ("a", "waiting"), ("c", "done")):
            submissions.insert_submission(store, a_submission(name, status=status))
        assert [row["id"] for row in submissions.list_submissions(store, status="waiting", limit=5)] == ["a", "b"]


def test_every_row_has_its_outcome_in_the_files_order(opened: Database) -> None:
    kinds = ["accepted", "rejected", "duplicate"]
    rows = [
        {
            "submission": "sub",
            "row": n,
            "outcome": kinds[n % 3],
            "report_id": f"rep{n}",
            "seq": n,
            "cells": {"Z": "1", "A": ""},
        }
        for n in range(1500)
    ]
    with opened.transaction("portage") as store:
        submissions.insert_submission(store, a_submission("sub"))
        submissions.insert_outcomes(store, list(reversed(rows)))
        assert submissions.count_outcomes(store, "sub") == {
            "accepted": 500, "rejected": 500, "duplicate": 500, "queued_for_review": 0,
        }  # fmt: skip
        assert [row["row"] for row in submissions.outcomes_of(store, "sub")] == list(range(1500))
        assert [row["row"] for row in submissions.outcomes_of(store, "sub", outcome="rejected")] == list(
            range(1, 1500, 3)
        )
        assert [row["row"] for row in submissions.outcome_page(store, "sub", after_row=9, limit=2)] == [10, 11]
        one = submissions.outcome_of_report(store, "rep7")
        assert submissions.outcome_of_report(store, "no") is None
    assert one is not None
    assert (one["row"], list(one["cells"]), one["errors"], one["receipt"]) == (7, ["Z", "A"], [], None)


def test_a_row_has_one_outcome(opened: Database) -> None:
    row = {"submission": "sub", "row": 1, "outcome": "accepted"}
    with opened.transaction("portage") as store:
        submissions.insert_submission(store, a_submission("sub"))
        submissions.insert_outcomes(store, [row])
    with pytest.raises(IntegrityError), opened.transaction("portage") as store:
        submissions.insert_outcomes(store, [row])
