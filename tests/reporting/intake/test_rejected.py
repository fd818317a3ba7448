"""`rejected.csv`: mended in as many rounds as it takes and sent again, every row of the file ends exactly once."""

import csv
import io
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from reporting.api.sheets import table_bytes
from reporting.intake.answer import Answer
from reporting.intake.learned import learned_headings
from reporting.intake.reading import heading_aliases
from reporting.intake.rejected import ERRORS, rejected_table
from reporting.store.submissions import get_submission, outcomes_of
from schemas.loader import shipped_program
from tests.reporting.intake.sending import Desk, a_report, a_system

Row = dict[str, Any]
WORDS = {"gallons_pumped": "Gallons", "service_date": "Date Pumped", "permit_number": "Permit #"}
TEXTS = ['said "ok"', "=SUM(A1)", "two\nlines", "a, b; c", "–“curly”–", "'quoted", "-", "  spaced  ", "@home", "🚛"]
BEYOND = "beyond"


def set_to(name: str, wrong: str) -> Callable[[Row], None]:
    return lambda row: row.update({name: wrong})


FAULTS: list[Callable[[Row], None]] = [
    set_to("gallons_pumped", "~900"),
    set_to("gallons_pumped", "1.500"),
    set_to("gallons_pumped", ""),
    set_to("service_date", "2/30/2026"),
    set_to("service_date", "7/2/2062"),
    set_to("license_number", ""),
    set_to("license_number", "see above"),
    set_to("signature", ""),
    set_to("component", "tank no. 2"),
    set_to(BEYOND, "torn"),
]


def lines_of(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))


def rejected_csv(desk: Desk, answer: Answer) -> bytes:
    with desk.database.reading(desk.county) as store:
        submission = get_submission(store, answer.id)
        assert submission is not None
        rows = list(outcomes_of(store, answer.id, outcome="rejected"))
        learned = learned_headings(store, submission["contractor_id"])
    fields = heading_aliases(shipped_program(desk.county))
    return table_bytes(rejected_table(submission["columns"]["headings"], rows, fields, learned))


def as_file(rows: list[Row], names: list[str]) -> bytes:
    head = [WORDS.get(name, name) for name in names]
    return table_bytes([head, *([row.get(n, "") for n in (*names, *(BEYOND in row) * (BEYOND,))] for row in rows)])


@pytest.mark.parametrize("seed", range(6))
def test_every_row_ends_exactly_once(desk: Desk, seed: int) -> None:
    pick = random.Random(seed)
    desk.stock(a_system("SP-1"), a_system("SP-2"))
    right = {
        f"T-{n}": a_report(
            f"T-{n}", f"SP-{n % 2 + 1}", gallons_pumped=str(500 + n), notes=pick.choice(TEXTS), Truck=str(n)
        )
        for n in range(30)
    }
    names = list(right["T-0"])
    pick.shuffle(names)
    sent = []
    for row in right.values():
        wrong = dict(row)
        for fault in pick.sample(FAULTS, pick.choice([0, 0, 1, 1, 2])):
            fault(wrong)
        sent.append(wrong)
    data = as_file(sent, names)
    faulty = sum(row != right[row["report_ref"]] for row in sent)
    rounds = 0
    while rounds < 12:
        rounds += 1
        answer = desk.send(data)
        assert isinstance(answer, Answer)
        assert answer.counts["rejected"] == faulty
        back = lines_of(rejected_csv(desk, answer))
        faulty, data = mend(back, right, names, pick)
        if len(back) == 1:
            break
    assert rounds > 1, "inconclusive: nothing was wrong"
    events = desk.events()
    assert Counter(e["report_ref"] for e in events) == Counter(list(right))
    for event in events:
        row = right[event["report_ref"]]
        assert event["content"]["gallons_pumped"] == int(row["gallons_pumped"])
        assert event["content"].get("notes", "-") == row["notes"].strip()


def mend(back: list[list[str]], right: dict[str, Row], names: list[str], pick: random.Random) -> tuple[int, bytes]:
    """The file with about half of its rows mended; gives how many are still wrong. The rest is exactly as it came."""
    head = back[0]
    own = [name for name in head if name != ERRORS]
    assert own == [WORDS.get(name, name) for name in names]
    start = head.index(ERRORS) == 0
    ref = head.index("report_ref")
    still = 0
    for number, line in enumerate(back[1:], 1):
        assert line[head.index(ERRORS)], line
        if pick.random() < 0.5:
            still += 1
            continue
        row = [str(right[line[ref]][name]) for name in names]
        back[number] = ["", *row] if start else [*row, ""]
    return still, table_bytes(back)
