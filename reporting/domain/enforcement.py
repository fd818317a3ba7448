"""What stands against a system: duties past their last day, how many days, what that may cost, how long to appeal.

Pure. Nothing is decided here: the sheet lays out what the county's record and its ordinance say.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from reporting.domain.answers import Finding, Obligation, State
from schemas.acts import Appeal, Penalty, Referral, SheetSentence
from schemas.calendar import Deadline, add_days
from schemas.program import Program, Provision, Text


@dataclass(frozen=True, kw_only=True)
class Forfeiture:
    """What the ordinance asks for a violation, in cents. `total_min`, `total_max`: for all its days.

    notified_on: of a penalty that is for after a notice, when there was one; None where it is not or there was none.
    """

    provision: Provision[Penalty]
    total_min: int
    total_max: int
    notified_on: dt.date | None = None

    @property
    def waits(self) -> bool:
        """Whether it takes a notice first, and none is on file."""
        return self.provision.act.after_notice and self.notified_on is None


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A duty that was not met by its last day: from the first day past it to the last one counted, both counted.

    text: the ordinance's text in force on the first of these days. ended: whether it was met since.
    """

    kind: str
    rule: str
    cite: str
    title: str
    because: str
    duty_of: str
    component: str
    due_on: dt.date
    last_day: dt.date
    first_on: dt.date
    through: dt.date
    ended: bool
    text: str
    case_kind: str = ""
    forfeiture: Forfeiture | None = None

    @property
    def days(self) -> int:
        """How many days, the first and the last one counted."""
        return (self.through - self.first_on).days + 1


@dataclass(frozen=True, kw_only=True)
class AppealUntil:
    """To whom an appeal goes, counted from which day until when; None where the text or the record gives none."""

    provision: Provision[Appeal]
    counted_from: str
    start: dt.date | None
    deadline: Deadline | None


def violations(
    program: Program,
    duties: Iterable[Obligation],
    as_of: dt.date,
    *,
    case_kinds: Mapping[str, str],
    notices: Mapping[str, dt.date],
    tank: str = "",
) -> list[Violation]:
    """The duties past their last day on `as_of`, those met too late as well; the county's own are none.

    case_kinds: case → its kind. notices: case → the day of its written notice, '' for the system's last one. tank: the
    kind of the system's main tank, of duties that name no component.
    """
    found = []
    for o in duties:
        end = o.met_on if o.state is State.MET else as_of if o.state is State.OVERDUE else None
        if o.duty_of == "county" or end is None or end <= o.last_day:
            continue
        case = o.cycle.split(":")[1] if o.is_of_case else ""
        one = _past(program, o, o.due_on, o.last_day, end, ended=o.state is State.MET)
        one = replace(one, case_kind=case_kinds.get(case, ""))
        found.append(with_forfeiture(program, one, notices.get(case) or notices.get(""), tank))
    return sorted(found, key=lambda one: (one.first_on, one.kind, one.rule))


def late_report(
    program: Program, f: Finding, received_on: dt.date, notified_on: dt.date | None, tank: str
) -> Violation | None:
    """A report that came in after its last day; None for another finding."""
    if f.kind != "late_report" or f.due_on is None or f.last_day is None or received_on <= f.last_day:
        return None
    return with_forfeiture(program, _past(program, f, f.due_on, f.last_day, received_on, ended=True), notified_on, tank)


def _past(
    program: Program, of: Obligation | Finding, due_on: dt.date, last_day: dt.date, end: dt.date, *, ended: bool
) -> Violation:
    first = add_days(last_day, 1)
    return Violation(
        kind=of.kind,
        rule=of.rule,
        cite=of.cite,
        title=next((rule.title for rule in program.rules if rule.id == of.rule), ""),
        because=of.because,
        duty_of=of.duty_of,
        component=of.component,
        due_on=due_on,
        last_day=last_day,
        first_on=first,
        # met on a day: the days before it are those without
        through=add_days(end, -1) if ended and end > first else end,
        ended=ended,
        text=program.at(first).name,
    )


def with_forfeiture(program: Program, one: Violation, notified_on: dt.date | None, tank: str) -> Violation:
    """A violation with what the text in force on its first day asks for it: a penalty of its own, else of the rest."""
    named = {one.kind, one.case_kind}
    place = one.component or tank
    acts = [p for p in program.at(one.first_on).of(Penalty) if not p.act.components or place in p.act.components]
    own = [p for p in acts if named & set(p.act.violations)] or [p for p in acts if not p.act.violations]
    if not own:
        return one
    act = own[0].act
    times = one.days if act.per_day else 1
    notice = notified_on if act.after_notice else None
    forfeiture = Forfeiture(
        provision=own[0], total_min=times * act.cents_min, total_max=times * act.cents_max, notified_on=notice
    )
    return replace(one, forfeiture=forfeiture)


def total(found: Iterable[Violation]) -> tuple[int, int]:
    """The least and the most that the violations may cost together, in cents; what waits for a notice left out."""
    sums = [one.forfeiture for one in found if one.forfeiture and not one.forfeiture.waits]
    return sum(one.total_min for one in sums), sum(one.total_max for one in sums)


def appeals(program: Program, text: Text, steps: Mapping[str, dt.date]) -> list[AppealUntil]:
    """How to appeal by a text, counted from the steps on file."""
    found = []
    for p in text.of(Appeal):
        name = next((step for step in p.act.counted_from if step in steps), "")
        start = steps.get(name)
        deadline = p.after_days(program.calendar, start, p.act.days) if start and p.act.days else None
        found.append(AppealUntil(provision=p, counted_from=name, start=start, deadline=deadline))
    return found


def sentences(text: Text, kinds: Collection[str]) -> list[Provision[SheetSentence]]:
    """What the law says of a violation in cases of these kinds; the county's own before the state's."""
    return [p for p in text.of(SheetSentence) if not p.act.cases or set(p.act.cases) & set(kinds)]


def referrals(text: Text) -> tuple[Provision[Referral], ...]:
    """Who prosecutes."""
    return text.of(Referral)
