"""The sums of the ledger: whatever was entered, charges less payments and waivers are what is left."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.domain.ledger import Account, EntryKind, LedgerEntry, accounts, course, dollars

DAY = date(2026, 7, 1)
SIGNS = {EntryKind.CHARGE: 1, EntryKind.PAYMENT: -1, EntryKind.REFUND: 1, EntryKind.WAIVER: -1}
ENTRIES = st.lists(
    st.builds(
        lambda kind, charge, cents, day: LedgerEntry(
            kind=kind, charge=charge, cents=cents, on=DAY + timedelta(days=day)
        ),
        st.sampled_from(list(EntryKind)),
        st.sampled_from("abc"),
        st.integers(1, 10_000_000),
        st.integers(0, 5),
    ),
    max_size=20,
)


@given(ENTRIES)
def test_what_is_left_is_what_was_charged_less_what_came_in(entries: list[LedgerEntry]) -> None:
    found = accounts(entries)
    assert sum(one.left for one in found.values()) == sum(SIGNS[one.kind] * one.cents for one in entries)
    for name, one in found.items():
        own = [entry for entry in entries if entry.charge == name]
        assert (one.charged is None) is all(entry.kind is not EntryKind.CHARGE for entry in own)


@given(ENTRIES)
def test_the_course_ends_where_the_accounts_are(entries: list[LedgerEntry]) -> None:
    last: dict[str, Account] = {}
    days = []
    for entry, account in course(entries):
        last[entry.charge] = account
        days.append(entry.on)
    assert last == accounts(entries)
    assert days == sorted(days)


def test_a_charge_comes_before_what_was_paid_on_its_day() -> None:
    paid = LedgerEntry(kind=EntryKind.PAYMENT, charge="a", cents=4000, on=DAY)
    charged = LedgerEntry(kind=EntryKind.CHARGE, charge="a", cents=4000, on=DAY)
    assert [account.left for _, account in course([paid, charged])] == [4000, 0]


@pytest.mark.parametrize(("paid", "is_open"), [(3999, True), (4000, False), (4001, False)])
def test_a_charge_is_open_while_a_cent_of_it_is_left(paid: int, is_open: bool) -> None:
    assert Account(charged=4000, paid=paid).is_open is is_open


@pytest.mark.parametrize(
    ("cents", "shown"),
    [(0, "0.00"), (5, "0.05"), (4000, "40.00"), (123456, "1234.56"), (-1, "-0.01"), (-10050, "-100.50")],
)
def test_dollars_keep_their_cents(cents: int, shown: str) -> None:
    assert dollars(cents) == shown
