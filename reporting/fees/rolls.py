"""The fee roll of a year: every system of the county charged what it owes, or free and why; again it adds nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final

from reporting.domain.fee_rolls import ONCE, RollLine, has_roll, judged_on, roll_lines
from reporting.domain.ledger import EntryKind
from reporting.domain.view import View
from reporting.fees.charging import charge_draft
from reporting.fees.ledger import Draft, write
from reporting.histories import read_domain, with_windows
from reporting.licences import Licences, load_licences
from reporting.owners import NotTold, Teller
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.fees import money_by_id
from reporting.store.lists import SystemFilter, list_systems
from reporting.store.log import hold
from reporting.store.paging import LARGEST_PAGE
from schemas.issues import Code, Issue
from schemas.program import Program

CHARGED, FREE, ALREADY, OWED = "charged", "free", "already_charged", "not_charged_yet"
"""What a line of a roll says: charged just now (or would be), free, charged before, owed and not charged yet."""
NO_FEE: Final = "no tank of a kind that owes a fee"
SHARED_WITH: Final = "the property is charged with another system of its parcel"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One fee of one system on a roll. `draft`: the charge to be made, or made before."""

    stored: StoredHistory
    outcome: str
    because: str
    cents: int = 0
    rule: str = ""
    cite: str = ""
    draft: Draft | None = None

    def as_json(self) -> dict[str, Any]:
        """The line as plain JSON values."""
        system = self.stored.system or {}
        return {
            "system": self.stored.system_id,
            "permit_number": system.get("permit_number"),
            "parcel_number": system.get("parcel_number"),
            "outcome": self.outcome,
            "rule": self.rule or None,
            "cite": self.cite or None,
            "cents": self.cents,
            "because": self.because,
            "charge": self.draft.id if self.draft else None,
        }


@dataclass(frozen=True, kw_only=True)
class Roll:
    """What came of a roll, a line for each fee of each system."""

    year: int
    dry_run: bool
    lines: tuple[Line, ...]

    def totals(self) -> dict[str, Any]:
        """How many lines there are by outcome, their sums in cents, and how many are free for which reason."""
        count = Counter(line.outcome for line in self.lines)
        cents: Counter[str] = Counter()
        for line in self.lines:
            cents[line.outcome] += line.cents
        free = Counter(_reason(line) for line in self.lines if line.outcome == FREE)
        return {
            "systems": len({line.stored.system_id for line in self.lines}),
            **{name: count[name] for name in (CHARGED, FREE, ALREADY)},
            "charged_cents": cents[CHARGED],
            "already_charged_cents": cents[ALREADY],
            "free_because": dict(sorted(free.items())),
        }


def _reason(line: Line) -> str:
    return f"{line.because} ({line.cite})" if line.cite else line.because


@dataclass(kw_only=True)
class _Run:
    """A roll under way: what has been given to the property of which charge id so far."""

    program: Program
    year: int
    today: date
    properties: dict[str, str] = field(default_factory=dict)


def run_roll(store: Store, teller: Teller, year: int, *, dry_run: bool = False) -> Roll | NotTold:
    """Charge every system of the county the yearly fee of `year`, and the fees due once that it was never charged.

    dry_run: nothing is kept. Whoever runs it again, or at the same time, finds the systems charged.
    """
    day = judged_on(year, teller.today)
    if not has_roll(teller.program, day):
        message = "This county's program has no yearly fee and none due once: there is no roll to make."
        return NotTold(issues=(Issue(code=Code.BAD_VALUE, field="year", message=message, value=str(year)),))
    run = _Run(program=teller.program, year=year, today=teller.today)
    lines = [_slim(line) for page in _pages(store) for line in _judge(store, run, page)]
    if not dry_run:
        hold(store)  # only now: others may go on while systems are judged
        fresh = [line.draft.id for line in lines if line.draft is not None and line.outcome in _FRESH]
        there = money_by_id(store, fresh)
        lines = [_as(one, ALREADY) if one.draft and one.draft.id in there else one for one in lines]
        write(store, teller, [one.draft for one in lines if one.draft is not None and one.outcome in _FRESH])
    return Roll(year=year, dry_run=dry_run, lines=tuple(_shown(line) for line in lines))


def roll_page(
    store: Store, program: Program, year: int, today: date, cursor: str | None, limit: int
) -> tuple[list[Line], str | None]:
    """The lines of the next `limit` systems as they stand, and the cursor of those after; raises `BadCursor`."""
    page = list_systems(store, SystemFilter(), cursor, limit)
    run = _Run(program=program, year=year, today=today)
    return [_standing(line) for line in _judge(store, run, [row["system"] for row in page.rows])], page.next_cursor


def all_lines(store: Store, program: Program, year: int, today: date) -> Iterator[Line]:
    """Every line of a year's roll as it stands."""
    cursor: str | None = None
    while True:
        lines, cursor = roll_page(store, program, year, today, cursor, LARGEST_PAGE)
        yield from lines
        if cursor is None:
            return


_SHARED: Final = "shared"
"""A system whose property is charged with another one: kept as a charge of nothing, shown as free."""
_FRESH: Final = (CHARGED, _SHARED)


def _shown(line: Line) -> Line:
    return _as(line, FREE) if line.outcome == _SHARED else line


def _standing(line: Line) -> Line:
    """A line of a roll that is looked at and not run."""
    return _as(line, OWED) if line.outcome == CHARGED else _shown(line)


def _as(line: Line, outcome: str) -> Line:
    return replace(line, outcome=outcome, draft=line.draft if outcome != FREE else None)


def _slim(line: Line) -> Line:
    """The line without the system's history: a whole county's would not fit into memory."""
    nothing: dict[str, Any] = {"components": (), "owner": None, "designations": (), "contracts": (), "events": ()}
    return replace(line, stored=replace(line.stored, facts={}, **nothing))


def _pages(store: Store) -> Iterator[list[str]]:
    cursor: str | None = None
    while True:
        page = list_systems(store, SystemFilter(), cursor, LARGEST_PAGE)
        yield [row["system"] for row in page.rows]
        cursor = page.next_cursor
        if cursor is None:
            return


def _judge(store: Store, run: _Run, systems: Sequence[str]) -> list[Line]:
    """The lines of some systems: what is on file for the year, and for the rest what is owed or why nothing is."""
    histories = with_windows(store, load_history(store, systems))
    licences = load_licences(store, run.program, histories.values())
    drafts = [(stored, line, _draft(stored, line, run)) for stored, line in _owed(histories, licences, run)]
    known = money_by_id(store, [draft.id for _, _, draft in drafts if draft is not None])
    return [_line(run, stored, line, draft, known) for stored, line, draft in drafts]


def _owed(
    histories: Mapping[str, StoredHistory], licences: Licences, run: _Run
) -> Iterator[tuple[StoredHistory, RollLine | None]]:
    day = judged_on(run.year, run.today)
    for stored in histories.values():
        system, history = read_domain(stored, licences, as_of=day)
        view = View(program=run.program, system=system, history=history, as_of=day, known_at=None)
        lines: list[RollLine | None] = [*roll_lines(view, run.year)]
        yield from ((stored, line) for line in lines or [None])


def _draft(stored: StoredHistory, line: RollLine | None, run: _Run) -> Draft | None:
    """The charge that a line asks for; of one that is free the charge that may have been made all the same."""
    if line is None:
        return None
    day = max(judged_on(run.year, run.today), run.today)
    content = {
        "rule": line.rule, "cite": line.cite, "kind": line.kind, "period": line.period, "year": run.year,
        "cents": line.cents, "on": day.isoformat(),
    }  # fmt: skip
    return charge_draft(stored, line.of_property, content, day)


def _line(
    run: _Run, stored: StoredHistory, line: RollLine | None, draft: Draft | None, known: Mapping[str, Mapping[str, Any]]
) -> Line:
    if line is None or draft is None:
        return Line(stored=stored, outcome=FREE, because=NO_FEE)
    said: dict[str, Any] = {"rule": line.rule, "cite": line.cite}
    own = _charged_before(stored, line)
    if own is not None:
        return _before(stored, own)
    if line.is_free:
        return Line(stored=stored, outcome=FREE, because=line.because, **said)
    there = known.get(draft.id)
    payer = there["system"] if there else run.properties.setdefault(draft.id, stored.system_id)
    if payer != stored.system_id:
        shared = {**draft.content, "cents": 0, "with": draft.id}
        alone = charge_draft(stored, False, shared, draft.on)
        return Line(stored=stored, outcome=_SHARED, because=SHARED_WITH, draft=alone, **said)
    return Line(stored=stored, outcome=CHARGED, because=line.because, cents=line.cents, draft=draft, **said)


def _charged_before(stored: StoredHistory, line: RollLine) -> Mapping[str, Any] | None:
    """The charge of a system for a rule and period, under whatever parcel number it then had."""
    for row in stored.facts.get(EntryKind.CHARGE.value, ()):
        if (row["content"].get("rule"), row["content"]["period"]) == (line.rule, line.period):
            return row
    return None


def _before(stored: StoredHistory, row: Mapping[str, Any]) -> Line:
    content = row["content"]
    said: dict[str, Any] = {"rule": content["rule"], "cite": content["cite"]}
    if content.get("with"):
        return Line(stored=stored, outcome=FREE, because=SHARED_WITH, **said)
    draft = Draft(
        kind=EntryKind.CHARGE, id=row["id"], system=stored.system_id, on=date.fromisoformat(content["on"]),
        content=content,
    )  # fmt: skip
    period = "once" if content["period"] == ONCE else f"for {content['period']}"
    because = f"charged {content['on']} {period}"
    return Line(stored=stored, outcome=ALREADY, because=because, cents=content["cents"], draft=draft, **said)
