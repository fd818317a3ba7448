"""The schema of a report: which fields a program asks for, for one component, one kind of event, on one date.

Made from the program's `required_fields` acts; nothing here knows a county. Values come read (intake has turned
"7/2/2026" into a date);
what is checked is that everything is there, of its type, and consistent.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from marshmallow import RAISE, Schema, ValidationError, validates_schema

from schemas.acts import EVENT_TYPES, Act, RequiredFields
from schemas.fields import FIELDS, Value, problem_of
from schemas.issues import Code, Issue
from schemas.program import Program, Provision, Text

ALWAYS = ("event_type", "service_date")


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What of a system decides which fields are asked for. Empty texts: not known."""

    building: str = ""
    use: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """One list of fields that a section of law asks for: all of `fields`, or one whole list of `any_of`;
    `with_field`: only beside that field.
    """

    fields: tuple[str, ...]
    any_of: tuple[tuple[str, ...], ...]
    with_field: str
    rule: str
    cite: str
    reason: str

    def missing(self, values: Mapping[str, object]) -> Iterator[Issue]:
        """What of it the values lack, each with what to do."""
        if self.with_field and _is_empty(values.get(self.with_field)):
            return
        for name in self.fields:
            if _is_empty(values.get(name)):
                message = f"Give the {FIELDS[name].label}: {self.reason}"
                yield Issue(code=Code.REQUIRED, field=name, message=message, cite=self.cite)
        if self.any_of and not any(all(not _is_empty(values.get(n)) for n in names) for names in self.any_of):
            yield Issue(
                code=Code.REQUIRED_ONE_OF,
                field=self._nearest(values),
                message=f"Give the {self._choice()}: {self.reason}",
                cite=self.cite,
            )

    def _nearest(self, values: Mapping[str, object]) -> str:
        """The field to point at: the first empty one of a list that was begun, else the first of all."""
        for names in self.any_of:
            empty = [n for n in names if _is_empty(values.get(n))]
            if empty and len(empty) < len(names):
                return empty[0]
        return self.any_of[0][0]

    def _choice(self) -> str:
        return ", or the ".join(" and the ".join(FIELDS[n].label for n in names) for names in self.any_of)


def _is_empty(value: object) -> bool:
    return value is None or value == "" or value == () or value == []


@lru_cache(maxsize=4096)
def requirements(text: Text, component: str, event: str, day: dt.date, traits: Traits) -> tuple[Requirement, ...]:
    """All that a text asks of such a report; of two sections that ask for one field the county's comes first and the
    other is left out.
    """
    found: list[Requirement] = []
    asked: set[tuple[str, str]] = set()
    choices: set[tuple[tuple[str, ...], ...]] = set()
    for p in text.of(RequiredFields):
        if not _applies(p.act, component, event, day, traits):
            continue
        names = tuple(n for n in p.act.fields if (n, p.act.with_field) not in asked and (n, "") not in asked)
        asked |= {(n, p.act.with_field) for n in names}
        settled = any(all((n, "") in asked for n in choice) for choice in p.act.any_of) or p.act.any_of in choices
        any_of = () if settled else p.act.any_of
        choices.add(any_of)
        if names or any_of:
            found.append(_requirement(p, names, any_of))
    return tuple(found)


def _requirement(
    p: Provision[RequiredFields], names: tuple[str, ...], any_of: tuple[tuple[str, ...], ...]
) -> Requirement:
    a = p.act
    if a.with_field:
        reason = "two people did the work, and both sign."
    elif len(a.components) == 1:
        name = a.components[0].replace("_", " ")
        reason = (
            f"{name} components are reported with it." if name == "dispersal" else f"{name} tanks are reported with it."
        )
    elif a.buildings or a.flags:
        reason = f"it is asked for here ({', '.join((*a.buildings, *a.flags)).replace('_', ' ')})."
    else:
        reason = "every such report holds it."
    return Requirement(fields=names, any_of=any_of, with_field=a.with_field, rule=p.id, cite=p.cite, reason=reason)


def _applies(act: Act, component: str, event: str, day: dt.date, traits: Traits) -> bool:
    if act.components and component not in act.components:
        return False
    if act.events and event not in act.events:
        return False
    if act.buildings and traits.building not in act.buildings:
        return False
    if act.uses and traits.use not in act.uses:
        return False
    if act.flags and not set(act.flags) & set(traits.flags):
        return False
    return act.since is None or day >= act.since


class ReportSchema(Schema):
    """The base of every report's schema: all known fields, none but those, and what the program asks for."""

    class Meta:
        """Unknown fields are refused: a typing error is not to be dropped in silence."""

        unknown = RAISE

    asked: tuple[Requirement, ...] = ()

    @validates_schema(skip_on_field_errors=False)
    def check_asked(self, data: Mapping[str, object], **_: object) -> None:
        """Every requirement of the law; all that is missing is said at once."""
        issues = [i for r in self.asked for i in r.missing(data)]
        if issues:
            raise ValidationError({str(i.field): [i] for i in issues})


@lru_cache(maxsize=4096)
def report_schema(text: Text, component: str, event: str, day: dt.date, traits: Traits) -> type[ReportSchema]:
    """The marshmallow schema of such a report under that text."""
    values: dict[str, object] = {name: Value(field) for name, field in FIELDS.items()}
    return type("Report", (ReportSchema,), {**values, "asked": requirements(text, component, event, day, traits)})


def check_report(
    program: Program, values: Mapping[str, object], traits: Traits | None = None, component: str | None = None
) -> list[Issue]:
    """What is wrong with a read report (field → value, empty ones left out), in the order of the fields; empty when
    nothing is.

    component: what the report is of, where it names none itself. Without a date or a kind of event that can be read,
    what every text and every kind of event asks for is said all the same.
    """
    event, day = values.get("event_type"), values.get("service_date")
    kind = component if component is not None else str(values.get("component") or "")
    of = traits or Traits()
    if not isinstance(event, str) or not isinstance(day, dt.date):
        issues = _asked_in_any_case(program, values, kind, of)
    else:
        text = program.at(day)
        since = _narrowing_day(text, day)
        asked = requirements(text, kind, event, since, of)
        if _is_whole(values) and not any(True for r in asked for _ in r.missing(values)):
            issues = []  # what nearly every row of a good file comes to
        else:
            errors = _cached_schema(text, kind, event, since, of).validate(dict(values))
            issues = [i for name, said in errors.items() for i in _issues(str(name), said)]
    order = {name: n for n, name in enumerate(FIELDS)}
    return sorted(issues, key=lambda i: order.get(i.field or "", 0)) + list(_contradictions(values))


def _is_whole(values: Mapping[str, object]) -> bool:
    """Whether every value is of a known field, its type and its choices."""
    return all(name in FIELDS and problem_of(FIELDS[name], value) is None for name, value in values.items())


def _asked_in_any_case(program: Program, values: Mapping[str, object], kind: str, traits: Traits) -> list[Issue]:
    """What a report lacks whatever its date and kind of event may turn out to be."""
    event, day = values.get("event_type"), values.get("service_date")
    events = (event,) if isinstance(event, str) else EVENT_TYPES
    texts = (program.at(day),) if isinstance(day, dt.date) else program.texts
    since = day if isinstance(day, dt.date) else dt.date.min
    lacking: dict[tuple[str | None, str], Issue] | None = None
    for text in texts:
        for each in events:
            asked = requirements(text, kind, each, _narrowing_day(text, since), traits)
            found = {(i.field, i.code): i for r in asked for i in r.missing(values)}
            lacking = found if lacking is None else {k: i for k, i in found.items() if k in lacking}
    issues = list((lacking or {}).values())
    said = {i.field for i in issues}
    issues += [_ask(name) for name in ALWAYS if _is_empty(values.get(name)) and name not in said]
    return issues + [i for name, value in values.items() for i in _wrong(name, value)]


def _wrong(name: str, value: object) -> Iterator[Issue]:
    problem = problem_of(FIELDS[name], value) if name in FIELDS else ""
    if problem is not None:
        yield from _issues(name, problem)


@lru_cache(maxsize=4096)
def _cached_schema(text: Text, component: str, event: str, day: dt.date, traits: Traits) -> ReportSchema:
    return report_schema(text, component, event, day, traits)()


@lru_cache(maxsize=4096)
def _narrowing_day(text: Text, day: dt.date) -> dt.date:
    """One day for all days between two `since` dates of a text, so that schemas are made once."""
    starts = [p.act.since for p in text.of(RequiredFields) if p.act.since is not None and p.act.since <= day]
    return max(starts, default=dt.date.min)


def _ask(name: str) -> Issue:
    return Issue(
        code=Code.REQUIRED,
        field=name,
        message=f"Give the {FIELDS[name].label}: every report has one.",
        cite="SPS 383.55(3)(c)",
    )


def _issues(name: str, said: object) -> Iterator[Issue]:
    for word in said if isinstance(said, list) else [said]:
        if isinstance(word, Issue):
            yield word
        elif name not in FIELDS:
            yield Issue(code=Code.UNKNOWN_FIELD, field=name, message=f"Leave out {name!r}: it is no field of a report.")
        else:
            yield Issue(code=Code.BAD_VALUE, field=name, message=str(word))


def _contradictions(values: Mapping[str, object]) -> Iterator[Issue]:
    """Fields that cannot both be true."""
    day = values.get("service_date")
    later = {
        "next_pump_date": "after",
        "defects_corrected_on": "on or after",
        "signed_on": "on or after",
        "disposal_date": "on or after",
    }
    for name, word in later.items():
        other = values.get(name)
        if (
            isinstance(other, dt.date)
            and isinstance(day, dt.date)
            and (other < day or (word == "after" and other == day))
        ):
            yield Issue(
                code=Code.INCONSISTENT,
                field=name,
                message=f"Give a {FIELDS[name].label} {word} the date of service.",
                value=other.isoformat(),
            )
    gallons = values.get("gallons_pumped")
    if isinstance(gallons, int) and gallons > 0 and values.get("event_type") == "inspection":
        yield Issue(
            code=Code.INCONSISTENT,
            field="event_type",
            message="Gallons were pumped: give the type of service as pumping_and_inspection.",
            value="inspection",
        )
    if gallons == 0 and values.get("event_type") == "pumping":
        yield Issue(
            code=Code.INCONSISTENT,
            field="gallons_pumped",
            message="Nothing was pumped: give the type of service as inspection, and why it was not pumped.",
            value="0",
        )
