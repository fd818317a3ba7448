"""Are we getting better: how systems stand, how many reports came in time, which tanks are out of balance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from reporting.domain.answers import Standing
from reporting.store.cases import findings_of_kinds, places_of
from reporting.store.engine import Store
from reporting.store.monthly import months_since
from reporting.store.people import contractors_of, find_credentials
from reporting.store.services import count_by_business, count_by_month
from reporting.store.summaries import count_standings

_MONTHS: Final = 12
_OUT_OF_BALANCE: Final = ("balance_trend", "infiltration", "unaccounted_water")
_WIDTH: Final = 170
"""Of the longest bar, in units of a picture that is 320 wide."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar: its name, the short word beside it, its figure (`None`: there is none), its length in the picture."""

    name: str
    label: str
    value: int | None
    length: int
    words: str = ""


def standing_bars(store: Store) -> list[Bar]:
    """How many systems have each standing, in the order in which standings are told."""
    counts = count_standings(store)
    most = max(counts.values(), default=0) or 1
    return [
        Bar(
            name=one.value,
            label=one.value,
            value=counts.get(one.value, 0),
            length=round(counts.get(one.value, 0) * _WIDTH / most),
        )
        for one in Standing
    ]


def months_before(today: date) -> list[tuple[date, date]]:
    """The first and the last day of the last twelve months that have ended, oldest first."""
    found: list[tuple[date, date]] = []
    first = today.replace(day=1)
    for _ in range(_MONTHS):
        last = first - timedelta(days=1)
        first = last.replace(day=1)
        found.append((first, last))
    return found[::-1]


def on_time_bars(store: Store, today: date) -> list[Bar]:
    """Of the services of each month: how many in a hundred were reported in time; none where none was reported."""
    bars, months = [], months_before(today)
    counts = count_by_month(store, months[0][0], months[-1][1])
    for first, _last in months:
        judged, late = counts.get((first.year, first.month), (0, 0))
        share = (100 * (judged - late)) // judged if judged else None
        words = f"{judged - late} of {judged}" if judged else "none"
        bars.append(Bar(name=f"{first:%B %Y}", label=f"{first:%b}", value=share, length=share or 0, words=words))
    return bars


def standings_by_month(store: Store, today: date) -> list[tuple[str, Mapping[str, int] | None]]:
    """How systems stood at the end of each of the last eleven months, and now: by the month's name; None: not kept.

    What is kept was counted by the daily sweep. It is not worked out later: what was known on a day would have to be
    judged anew for every system.
    """
    months = months_before(today)[1:]
    kept = months_since(store, f"{months[0][0]:%Y-%m}")
    past = [(f"{first:%B %Y}", kept.get(f"{first:%Y-%m}")) for first, _last in months]
    return [*((name, one["systems"] if one else None) for name, one in past), ("Now", count_standings(store))]


@dataclass(frozen=True, kw_only=True)
class Punctual:
    """One business's reports of twelve months: how many could have been late, and how many were; of 100 in time."""

    license_number: str
    name: str
    judged: int
    late: int

    @property
    def share(self) -> int:
        """Of a hundred reports, how many were in time."""
        return 100 * (self.judged - self.late) // self.judged


def punctuality(store: Store, today: date) -> list[Punctual]:
    """The businesses that reported in the last twelve whole months, the least punctual first."""
    months = months_before(today)
    rows = [row for row in count_by_business(store, months[0][0], months[-1][1]) if row["judged"]]
    held = find_credentials(store, [row["license_norm"] for row in rows if row["license_norm"]])
    ids = {norm: found[0]["contractor_id"] for norm, found in held.items() if found}
    names = contractors_of(store, ids.values())
    found = [
        Punctual(
            license_number=row["license_number"] or "",
            name=names[ids[row["license_norm"]]]["business_name"] if ids.get(row["license_norm"]) in names else "",
            judged=row["judged"],
            late=row["late"],
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: (one.share, -one.judged, one.license_number))


def out_of_balance(store: Store) -> list[Mapping[str, Any]]:
    """The systems with a tank whose meter and pumpings do not agree, each once, with its place and what was found."""
    found = {row["system"]: row for row in findings_of_kinds(store, _OUT_OF_BALANCE)}
    places = places_of(store, found)
    return [{**row, **places[row["system"]]} for row in found.values()]
