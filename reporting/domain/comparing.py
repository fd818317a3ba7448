"""One system under two programs: which duties and findings differ, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from reporting.domain.answers import Assessment, Finding, Obligation, State

T = TypeVar("T", Obligation, Finding)


@dataclass(frozen=True, kw_only=True)
class Difference(Generic[T]):
    """One duty or finding before and after; None on the side that does not have it."""

    before: T | None
    after: T | None

    @property
    def either(self) -> T:
        """What there is after, else before."""
        found = self.after or self.before
        assert found is not None
        return found


def changed_duties(before: Assessment, after: Assessment) -> list[Difference[Obligation]]:
    """The open duties whose date, last day, state or rule differ. One that has been met is nobody's change."""
    return _pair(
        [o for o in before.obligations if o.state is not State.MET],
        [o for o in after.obligations if o.state is not State.MET],
        (
            lambda o: (o.kind, o.component, o.component_ref, o.period, o.cycle, o.rule),
            lambda o: (o.kind, o.component, o.component_ref, o.period, o.cycle),
            lambda o: (o.kind, o.component, o.component_ref, o.period),
        ),
        lambda o: (o.due_on, o.last_day, o.state, o.rule, o.duty_of),
    )


def changed_findings(before: Assessment, after: Assessment) -> list[Difference[Finding]]:
    """The findings that only one program makes, or of another rule, day or amount."""
    return _pair(
        before.findings,
        after.findings,
        (
            lambda f: (f.kind, f.component, f.component_ref, f.period, f.event, f.rule, f.due_on),
            lambda f: (f.kind, f.component, f.component_ref, f.period, f.event),
        ),
        lambda f: (f.due_on, f.last_day, f.rule, f.amount, f.duty_of),
    )


def _pair(
    before: Sequence[T],
    after: Sequence[T],
    alike: Sequence[Callable[[T], object]],
    said: Callable[[T], object],
) -> list[Difference[T]]:
    """Each side's with the other's that is alike, by the closest likeness first; the pairs that say the same are left
    out."""
    left: list[T] = list(before)
    right: list[T] = list(after)
    pairs: list[Difference[T]] = []
    for key in alike:
        waiting: dict[object, list[T]] = {}
        for one in left:
            waiting.setdefault(key(one), []).append(one)
        unmatched: list[T] = []
        for one in right:
            same = waiting.get(key(one))
            if same:
                pairs.append(Difference(before=same.pop(0), after=one))
            else:
                unmatched.append(one)
        left, right = [one for rest in waiting.values() for one in rest], unmatched
        if not left or not right:
            break
    found = [p for p in pairs if p.before and p.after and said(p.before) != said(p.after)]
    for one in right:
        found.append(Difference(before=None, after=one))
    for one in left:
        found.append(Difference(before=one, after=None))
    return found
