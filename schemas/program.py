"""A program: one county's or district's rules as frozen values, and the ordinance as it stood on a given day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

from schemas.acts import Act, Pending, ReportDeadline, Submitter, WhoMay
from schemas.calendar import COUNTY_TIME_ZONE, Calendar, Deadline, add_days
from schemas.settings import read_setting

A = TypeVar("A", bound=Act)
ActT = TypeVar("ActT", bound=Act, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One provision of `programs.md`: its id, what it says, where the law says so, and what it does.

    `duty_of` is `owner`, `contractor` or `county`. `filing`: the duty is a paper or fee delivered to an office (Wis.
    Stat. § 990.001(4)(c)). `mailable`: its text speaks of mail (§ 990.001(4)(e)). `prior`: a "prior to" deadline, never
    rolled forward. `absent_in`: the texts of the ordinance that do not have it.
    """

    id: str
    title: str
    cite: str
    duty_of: str
    filing: bool
    mailable: bool
    prior: bool
    acts: tuple[Act, ...]
    note: str = ""
    absent_in: tuple[str, ...] = ()

    @property
    def pending(self) -> bool:
        """True when the rule is written down and does nothing yet."""
        return all(isinstance(act, Pending) for act in self.acts)


@dataclass(frozen=True, kw_only=True)
class Provision(Generic[ActT]):
    """One act of one rule, as the assessment meets it: the parameters with the rule's id, citation and counting."""

    rule: Rule
    act: ActT

    @property
    def id(self) -> str:
        """The rule's id in `programs.md`."""
        return self.rule.id

    @property
    def cite(self) -> str:
        """The closest citation: the act's own subsection, else the rule's."""
        return self.act.cite or self.rule.cite

    @property
    def duty_of(self) -> str:
        """Whose duty it is: `owner`, `contractor` or `county`."""
        return self.act.duty_of or self.rule.duty_of

    @property
    def filing(self) -> bool:
        """Whether it is a paper or fee delivered to an office (Wis. Stat. § 990.001(4)(c))."""
        return self.rule.filing if self.act.filing is None else self.act.filing

    def after_days(self, calendar: Calendar, start: dt.date, days: int) -> Deadline:
        """`days` after `start`, rolled as this rule's kind of deadline is (Wis. Stat. § 990.001(4))."""
        r = self.rule
        return calendar.deadline_after_days(start, days, filing=self.filing, mailable=r.mailable, prior=r.prior)

    def after_months(self, calendar: Calendar, start: dt.date, months: int) -> Deadline:
        """`months` after `start`, rolled as this rule's kind of deadline is."""
        r = self.rule
        return calendar.deadline_after_months(start, months, filing=self.filing, mailable=r.mailable, prior=r.prior)

    def after_business_days(self, calendar: Calendar, start: dt.date, days: int) -> Deadline:
        """`days` business days after `start`, rolled as this rule's kind of deadline is."""
        r = self.rule
        return calendar.deadline_after_business_days(
            start, days, filing=self.filing, mailable=r.mailable, prior=r.prior
        )

    def on(self, calendar: Calendar, day: dt.date) -> Deadline:
        """A deadline that is a day of its own, rolled as this rule's kind of deadline is."""
        r = self.rule
        return calendar.deadline_on(day, filing=self.filing, mailable=r.mailable, prior=r.prior)


@dataclass(frozen=True, kw_only=True, eq=False)  # a text is itself: schemas are cached by it
class Text:
    """The ordinance as it stood in one span of time. `provisions` has the county's own first, then the state's."""

    name: str
    starts_on: dt.date
    provisions: tuple[Provision[Act], ...]

    @cached_property
    def _by_effect(self) -> dict[type[Act], tuple[Provision[Act], ...]]:
        found: dict[type[Act], list[Provision[Act]]] = {}
        for p in self.provisions:
            found.setdefault(type(p.act), []).append(p)
        return {k: tuple(v) for k, v in found.items()}

    @cached_property
    def begins(self) -> tuple[dt.date, ...]:
        """Days since which single acts of this text hold, where they are younger than the text."""
        return tuple(sorted({p.act.since for p in self.provisions if p.act.since is not None}))

    def entitling(self, activity: str) -> tuple[Provision[WhoMay], ...]:
        """The provisions that say who may do something (`pump`, `inspect`, …), the county's own before the state's."""
        return self._by_activity.get(activity, ())

    @cached_property
    def _by_activity(self) -> dict[str, tuple[Provision[WhoMay], ...]]:
        found: dict[str, tuple[Provision[WhoMay], ...]] = {}
        for p in self.of(WhoMay):
            found[p.act.activity] = (*found.get(p.act.activity, ()), p)
        return found

    def of(self, effect: type[A]) -> tuple[Provision[A], ...]:
        """Every provision with that effect, the county's own before the state's."""
        return self._by_effect.get(effect, ())  # type: ignore[return-value]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A value that the county itself sets: its name, what it means, and the value used while the county sets none."""

    name: str
    meaning: str
    value: object

    def read(self, given: object) -> object:
        """A county's own value in place of this one, from JSON (dates as YYYY-MM-DD). Raises SettingError."""
        return read_setting(self.name, self.value, given)


@dataclass(frozen=True, kw_only=True)
class Program:
    """One county's program: the texts in order of time, the rules, settings, names for people, headings haulers use."""

    slug: str
    name: str
    authority: str
    governmental_unit: str
    timezone: str = COUNTY_TIME_ZONE
    texts: tuple[Text, ...]
    rules: tuple[Rule, ...]
    settings: Mapping[str, Setting]
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    sha256: str = ""
    text_settings: Mapping[str, str] = field(default_factory=dict)

    def at(self, day: dt.date) -> Text:
        """The text in force on `day`; before the first text the first applies."""
        for text in self._latest_first:
            if text.starts_on <= day:
                return text
        return self.texts[0]

    @cached_property
    def _latest_first(self) -> tuple[Text, ...]:
        return self.texts[::-1]

    def only(self, day: dt.date) -> Program:
        """The same program as if the text in force on `day` had always held, and would."""
        return replace(self, texts=(self.at(day),), text_settings={})

    @cached_property
    def credentials(self) -> str:
        """All that tells whose work counts: of each text its first day, and who may do what and file it."""
        return repr([(text.starts_on, text.of(WhoMay), text.of(Submitter)) for text in self.texts])

    @cached_property
    def shortest_deadline(self) -> int:
        """Days within which no report is late under any text: the deadlines' own, which a roll only makes longer."""
        return min((p.act.days for text in self.texts for p in text.of(ReportDeadline)), default=0)

    def spans(self) -> Iterator[tuple[Text, dt.date, dt.date]]:
        """Each text with the first and the last day on which it is the one in force."""
        for i, text in enumerate(self.texts):
            first = dt.date.min if i == 0 else text.starts_on
            last = add_days(self.texts[i + 1].starts_on, -1) if i + 1 < len(self.texts) else dt.date.max
            yield text, first, last

    def rule(self, rule_id: str) -> Rule:
        """The rule with that id. Raises KeyError."""
        for rule in self.rules:
            if rule.id == rule_id:
                return rule
        raise KeyError(rule_id)

    def setting(self, name: str) -> object:
        """The value of a setting: the county's, else the program file's."""
        return self.settings[name].value

    def number(self, name: str) -> float:
        """The value of a setting that is a number."""
        value = self.settings[name].value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"setting {name} is no number: {value!r}")
        return value

    def share(self, name: str) -> Fraction:
        """The value of a setting that is a number, as it is written (0.9 is nine tenths)."""
        if (found := self._shares.get(name)) is None:
            found = self._shares[name] = Fraction(str(self.number(name)))
        return found

    @cached_property
    def _shares(self) -> dict[str, Fraction]:
        return {}

    def days(self, name: str) -> int:
        """The value of a setting that is a whole number of days."""
        return int(self.number(name))

    def day(self, name: str) -> dt.date | None:
        """The value of a setting that is a date, or None while it is not set."""
        value = self.settings[name].value
        if value in (None, ""):
            return None
        if not isinstance(value, dt.date):
            raise TypeError(f"setting {name} is no date: {value!r}")
        return value

    def text_of(self, name: str) -> str:
        """The value of a setting that is a text, or '' while it is not set."""
        value = self.settings[name].value
        return "" if value is None else str(value)

    def sheet(self, name: str) -> tuple[str, ...]:
        """The value of a setting that is a list."""
        value = self.settings[name].value
        return tuple(str(v) for v in value) if isinstance(value, list | tuple) else ()

    @cached_property
    def calendar(self) -> Calendar:
        """The county's way of counting time: its closed days and whether its offices are closed on Saturdays."""
        closed = self.settings["closed_days"].value
        days = (
            frozenset(d for d in closed if isinstance(d, dt.date)) if isinstance(closed, list | tuple) else frozenset()
        )
        return Calendar(closed_days=days, closed_saturdays=bool(self.setting("offices_closed_saturdays")))

    def with_settings(self, values: Mapping[str, object]) -> Program:
        """The same program with the county's own values; a text whose date is a setting moves with it.

        The values are as `Setting.read` gives them. Unknown names raise KeyError.
        """
        if not values:
            return self
        settings = dict(self.settings)
        for name, value in values.items():
            settings[name] = replace(settings[name], value=value)
        texts = []
        for text in self.texts:
            moved = settings[self.text_settings[text.name]].value if text.name in self.text_settings else None
            # A text that does not move stays itself: report schemas are cached by it.
            if isinstance(moved, dt.date) and moved != text.starts_on:
                text = replace(text, starts_on=moved)
            texts.append(text)
        return replace(self, settings=settings, texts=tuple(sorted(texts, key=lambda t: t.starts_on)))
