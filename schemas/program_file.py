"""A program file as it is written, and what can be wrong with it: one sentence each, with the file and the key."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Set
from fractions import Fraction
from zoneinfo import ZoneInfo

import msgspec

from schemas import acts as A
from schemas import words as W
from schemas.settings import DATES, DAY_LISTS, SettingError, read_setting

DUTIES = ("owner", "contractor", "county")
WORDS = {"components": W.COMPONENTS, "events": W.EVENT_TYPES, "uses": W.USES, "buildings": W.BUILDINGS}
SHARES = ("below", "at_least", "inspection_below")
_MANY = (
    A.RequiredFields,
    A.Feature,
    A.WhoMay,
    A.CaseDeadline,
    A.CaseProposal,
    A.Penalty,
    A.Referral,
    A.SheetSentence,
)
"""The acts of which a rule may have several for the same place."""
COUNTS = ("months", "days", "months_without_plan", "business_days", "gallons_per_day", "plan_within_months", "step")


class FileText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[text]]`: the ordinance as it stands from a day on; `setting` names the setting that may move the day."""

    name: str
    starts_on: dt.date
    setting: str = ""
    note: str = ""


class FileSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of `[settings]`."""

    value: object
    meaning: str


class FileRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[rule]]`."""

    id: str
    title: str
    cite: str
    duty_of: str
    filing: bool
    act: tuple[A.AnyAct, ...]
    mailable: bool = False
    prior: bool = False
    note: str = ""
    absent_in: tuple[str, ...] = ()


class FileHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of a program file but its rules."""

    slug: str
    name: str
    authority: str
    governmental_unit: str
    timezone: str = "America/Chicago"
    note: str = ""
    text: tuple[FileText, ...] = ()
    settings: dict[str, FileSetting] = {}
    aliases: dict[str, tuple[str, ...]] = {}
    names: dict[str, str] = {}


def check_file(
    head: FileHead, rules: Iterable[FileRule], file: str, inherited: Mapping[str, FileSetting], rule_ids: Set[str]
) -> list[str]:
    """What is wrong with a file whose keys are all known. `inherited`: the baseline's settings; `rule_ids`: all ids."""
    problems = [*_check_head(head, file, inherited), *_check_texts(head, file)]
    known = {*head.settings, *inherited}
    seen: set[str] = set()
    for rule in rules:
        where = f"{file}: rule {rule.id}"
        if rule.id in seen:
            problems.append(f"{where}: the id stands twice")
        seen.add(rule.id)
        problems += [f"{where}: {p}" for p in (*_check_rule(rule), *_check_acts(rule, head, known, rule_ids))]
    return problems


def _check_head(head: FileHead, file: str, inherited: Mapping[str, FileSetting]) -> Iterable[str]:
    if not re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", head.slug):
        yield f"{file}: slug: small letters, digits and single hyphens, not {head.slug!r}"
    for key in ("name", "authority", "governmental_unit"):
        if not getattr(head, key).strip():
            yield f"{file}: {key}: is empty"
    try:
        ZoneInfo(head.timezone)
    except (ValueError, OSError, LookupError):
        yield f"{file}: timezone: there is no time zone {head.timezone!r}"
    for name, setting in head.settings.items():
        usual = inherited[name].value if name in inherited else setting.value
        if name in (*DATES, *DAY_LISTS) or name in inherited:
            try:
                read_setting(name, usual, setting.value)
            except SettingError as error:
                yield f"{file}: settings.{name}: {error}"


def _check_rule(rule: FileRule) -> Iterable[str]:
    if not rule.cite.strip():
        yield "cite: name the section of law"
    if not rule.title.strip():
        yield "title: say in a line what the rule asks"
    if rule.duty_of not in DUTIES:
        yield f"duty_of: {rule.duty_of!r} is none of {', '.join(DUTIES)}"
    if not rule.act:
        yield 'act: say what it does, or effect = "pending"'


def _check_texts(head: FileHead, file: str) -> Iterable[str]:
    names = [t.name for t in head.text]
    starts = [t.starts_on for t in head.text]
    if not names:
        yield f"{file}: text: there is no [[text]]: say since when the ordinance holds"
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield f"{file}: text {name}: the name stands twice"
    if sorted(set(starts)) != starts:
        yield f"{file}: text: starts_on: the texts overlap: their dates must rise from one to the next"
    for text in head.text:
        if text.setting and text.setting not in head.settings:
            yield f"{file}: text {text.name}: setting: there is no setting {text.setting}"


def _check_acts(rule: FileRule, head: FileHead, known: Set[str], rule_ids: Set[str]) -> Iterable[str]:
    names = {t.name for t in head.text}
    for i, act in enumerate(rule.act):
        where = f"act {i + 1}"
        for name in act.texts:
            if name not in names:
                yield f"{where}: texts: there is no text {name}{W.meant(name, names)}"
        yield from (f"{where}: {p}" for p in _check_words(act))
        for field in act.__struct_fields__:
            value = getattr(act, field)
            if field.endswith("_setting") and value and value not in known:
                yield f"{where}: {field}: there is no setting {value}{W.nearest(value, known)}"
            if field in ("rule_without_plan", "months_rule", "finding_rule") and value not in rule_ids:
                yield f"{where}: {field}: there is no rule {value}{W.nearest(value, rule_ids)}"
    covered = {n for act in rule.act for n in (act.texts or names)} | set(rule.absent_in)
    for name in sorted(names - covered):
        yield f'act: nothing is said for the text {name}; write it down, or absent_in = ["{name}"]'
    for name in sorted(set(rule.absent_in) & {n for act in rule.act for n in (act.texts or names)}):
        yield f"absent_in: an act stands in the text {name} all the same"
    yield from _check_overlaps(rule, names)


def _check_words(act: A.Act) -> Iterable[str]:
    for field, words in WORDS.items():
        yield from _none_of(field, getattr(act, field), words)
    yield from _none_of("duty_of", (act.duty_of,) if act.duty_of else (), DUTIES)
    yield from _none_of("kind", (getattr(act, "kind", None),), (None, *W.OBLIGATION_KINDS))
    match act:
        case A.WhoMay():
            yield from _none_of("credentials", act.credentials, W.CREDENTIALS)
            yield from _none_of("activity", (act.activity,), W.ACTIVITIES)
        case A.Feature():
            yield from _none_of("feature", (act.feature,), W.FEATURES)
        case A.PeriodReport():
            yield from _none_of("period", (act.period,), ("half_year", "year"))
        case A.ReportDeadline():
            yield from _none_of("contractor_is", (act.contractor_is,), ("", "this", "other"))
        case A.SystemDeadline():
            yield from _none_of("counted_from", (act.counted_from,), W.SYSTEM_DATES)
        case A.Submitter():
            yield from _none_of("who", act.who, ("owner", "agent", "licensed_individual", *W.CREDENTIALS))
        case A.Abandonment():
            yield from _none_of("credentials", act.credentials, W.CREDENTIALS)
        case A.FailureCodes():
            yield from _none_of("surface", (act.surface,), ("", *act.codes))
    yield from _check_values(act)


def _none_of(field: str, said: Iterable[object], words: Iterable[object]) -> Iterable[str]:
    known = tuple(words)
    for word in said:
        if word not in known:
            yield f"{field}: {word!r} is none of {', '.join(str(w) for w in known if w)}{W.nearest(str(word), known)}"


def _check_values(act: A.Act) -> Iterable[str]:
    for field in COUNTS:
        value = getattr(act, field, None)
        if isinstance(value, int) and not (field in ("days", "business_days") and value == 0) and value < 1:
            yield f"{field}: expected a whole number above 0, got {value}"
    for field in SHARES:
        if isinstance(value := getattr(act, field, ""), str) and value:
            try:
                share = Fraction(value)
            except (ValueError, ZeroDivisionError):
                share = Fraction(-1)
            if not 0 < share <= 1:
                yield f"{field}: expected a share such as 1/3, got {value!r}"


def _check_overlaps(rule: FileRule, names: set[str]) -> Iterable[str]:
    """Two acts of one rule that say different things about the same place in the same text."""
    seen: dict[tuple[object, ...], int] = {}
    for i, act in enumerate(rule.act):
        if isinstance(act, _MANY):
            continue
        for name in sorted(act.texts or names):
            for component in act.components or ("",):
                for event in act.events or ("",):
                    narrowed = tuple(
                        str(getattr(act, f, ""))
                        for f in ("kind", "group", "plan_months", "exemption", "buildings", "uses")
                    )
                    key = (type(act), name, component, event, narrowed)
                    if key in seen:
                        yield f"act {i + 1}: overlaps act {seen[key] + 1} in the text {name}"
                    seen[key] = i
