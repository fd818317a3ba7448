"""Strict reading of program files: TOML → `Program`. Whatever is not understood is refused, with the file and the key.

A program file stands on the state baseline (`state.toml`): the county's provisions come first, the state's hold beside them. The loader
refuses unknown keys and effects, missing citations, texts that overlap or leave a gap, rules that are silent about a text, and settings
that a rule names and nobody defines.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from schemas import acts as A
from schemas.program import Program, Provision, Rule, Setting, Text

BASELINE = "state"
DUTIES = ("owner", "contractor", "county")


class ProgramError(Exception):
    """A program file cannot be used as it is. `problems` has one sentence each, with the file and the key."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class _Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    starts_on: dt.date
    setting: str = ""
    note: str = ""


class _Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    value: object
    meaning: str


class _Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    slug: str
    name: str
    authority: str
    governmental_unit: str
    timezone: str = "America/Chicago"
    note: str = ""
    text: tuple[_Text, ...] = ()
    settings: dict[str, _Setting] = {}  # noqa: RUF012  (msgspec copies it for each value)
    aliases: dict[str, tuple[str, ...]] = {}  # noqa: RUF012  (msgspec copies it for each value)
    names: dict[str, str] = {}  # noqa: RUF012  (msgspec copies it for each value)


def shipped_slugs() -> tuple[str, ...]:
    """The slugs of the program files that ship with the service, in order of name."""
    files = resources.files("schemas") / "programs"
    names = (f.name for f in files.iterdir())
    return tuple(sorted(n.removesuffix(".toml") for n in names if n.endswith(".toml") and n != f"{BASELINE}.toml"))


@cache
def shipped_program(slug: str) -> Program:
    """The program that ships under that slug. Raises KeyError when there is none, ProgramError when it cannot be used."""
    if slug not in shipped_slugs():
        raise KeyError(slug)
    return load_program(shipped_text(slug), f"{slug}.toml")


def shipped_text(slug: str) -> bytes:
    """The bytes of a shipped program file (the baseline is `state`)."""
    return (resources.files("schemas") / "programs" / f"{slug}.toml").read_bytes()


def load_file(path: Path) -> Program:
    """The program in that file. Raises OSError, ProgramError."""
    return load_program(path.read_bytes(), path.name)


def load_program(data: bytes, file: str, baseline: bytes | None = None) -> Program:
    """The program in a TOML document on top of the state baseline (the shipped one unless given). Raises ProgramError naming file and key."""
    base_data = shipped_text(BASELINE) if baseline is None else baseline
    base_head, base_rules = _read(base_data, f"{BASELINE}.toml")
    head, rules = _read(data, file)
    problems = [*_check(base_head, base_rules, f"{BASELINE}.toml", {}), *_check(head, rules, file, base_head.settings)]
    both = {r.id for r in rules} & {r.id for r in base_rules}
    problems += [
        f"{file}: rule {i}: the id is the state baseline's; give the county's rule one of its own" for i in sorted(both)
    ]
    if problems:
        raise ProgramError(problems)
    return _build(head, rules, base_head, base_rules, hashlib.sha256(base_data + b"\0" + data).hexdigest())


def _read(data: bytes, file: str) -> tuple[_File, tuple[_Rule, ...]]:
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProgramError([f"{file}: this is not TOML: {error}"]) from error
    raw_rules = document.pop("rule", [])
    if not isinstance(raw_rules, list) or not raw_rules:
        raise ProgramError([f"{file}: rule: there is no [[rule]] in this file"])
    problems: list[str] = []
    rules: list[_Rule] = []
    head: _File | None = None
    try:
        head = msgspec.convert(document, _File)
    except msgspec.ValidationError as error:
        problems.append(f"{file}: {_explain(error)}")
    for number, raw in enumerate(raw_rules, 1):
        name = raw.get("id", f"number {number}") if isinstance(raw, Mapping) else f"number {number}"
        try:
            rules.append(msgspec.convert(raw, _Rule))
        except msgspec.ValidationError as error:
            problems.append(f"{file}: rule {name}: {_explain(error)}")
    if problems or head is None:
        raise ProgramError(problems)
    return head, tuple(rules)


def _explain(error: msgspec.ValidationError) -> str:
    """The library's sentence with the key in front: '`months`: Expected `int`, got `str`'."""
    said, _, where = str(error).partition(" - at `$")
    key = where.rstrip("`").lstrip(".")
    return f"{key}: {said}" if key else said


def _check(head: _File, rules: tuple[_Rule, ...], file: str, inherited: Mapping[str, _Setting]) -> list[str]:
    problems = list(_check_texts(head, file))
    known = {*head.settings, *inherited}
    seen: set[str] = set()
    for rule in rules:
        where = f"{file}: rule {rule.id}"
        if rule.id in seen:
            problems.append(f"{where}: the id stands twice")
        seen.add(rule.id)
        if not rule.cite.strip():
            problems.append(f"{where}: cite: name the section of law")
        if not rule.title.strip():
            problems.append(f"{where}: title: say in a line what the rule asks")
        if rule.duty_of not in DUTIES:
            problems.append(f"{where}: duty_of: {rule.duty_of!r} is none of {', '.join(DUTIES)}")
        if not rule.act:
            problems.append(f'{where}: act: say what it does, or effect = "pending"')
        problems += [f"{where}: {p}" for p in _check_acts(rule, head, known)]
    return problems


def _check_texts(head: _File, file: str) -> Iterable[str]:
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


def _check_acts(rule: _Rule, head: _File, known: set[str]) -> Iterable[str]:
    names = {t.name for t in head.text}
    for i, act in enumerate(rule.act):
        where = f"act {i + 1}"
        for name in act.texts:
            if name not in names:
                yield f"{where}: texts: there is no text {name}"
        yield from (f"{where}: {p}" for p in _check_words(act))
        for field in act.__struct_fields__:
            value = getattr(act, field)
            if (field.endswith("_setting") or field == "contractor_setting") and value and value not in known:
                yield f"{where}: {field}: there is no setting {value}"
    covered = {n for act in rule.act for n in (act.texts or names)} | set(rule.absent_in)
    for name in sorted(names - covered):
        yield f'act: nothing is said for the text {name}; write it down, or absent_in = ["{name}"]'
    for name in sorted(set(rule.absent_in) & {n for act in rule.act for n in (act.texts or names)}):
        yield f"absent_in: an act stands in the text {name} all the same"
    yield from _check_overlaps(rule, names)


def _check_words(act: A.Act) -> Iterable[str]:
    lists = {"components": A.COMPONENTS, "events": A.EVENT_TYPES}
    for field, words in lists.items():
        for word in getattr(act, field):
            if word not in words:
                yield f"{field}: {word!r} is none of {', '.join(words)}"
    kind = getattr(act, "kind", None)
    if isinstance(kind, str) and kind not in A.OBLIGATION_KINDS:
        yield f"kind: {kind!r} is none of {', '.join(A.OBLIGATION_KINDS)}"
    if isinstance(act, A.WhoMay):
        for word in act.credentials:
            if word not in A.CREDENTIALS:
                yield f"credentials: {word!r} is none of {', '.join(A.CREDENTIALS)}"
    if isinstance(act, A.Feature) and act.feature not in A.FEATURES:
        yield f"feature: {act.feature!r} is none of {', '.join(A.FEATURES)}"
    if isinstance(act, A.PeriodReport) and act.period not in ("half_year", "year"):
        yield f"period: {act.period!r} is none of half_year, year"


def _check_overlaps(rule: _Rule, names: set[str]) -> Iterable[str]:
    """Two acts of one rule that say different things about the same place in the same text."""
    seen: dict[tuple[object, ...], int] = {}
    for i, act in enumerate(rule.act):
        if isinstance(act, A.RequiredFields | A.Feature | A.WhoMay | A.CaseDeadline):
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


def _build(head: _File, rules: tuple[_Rule, ...], base: _File, base_rules: tuple[_Rule, ...], sha256: str) -> Program:
    own, state = [_rule(r) for r in rules], [_rule(r) for r in base_rules]
    settings = {**base.settings, **head.settings}
    program = Program(
        slug=head.slug,
        name=head.name,
        authority=head.authority,
        governmental_unit=head.governmental_unit,
        timezone=head.timezone,
        note=head.note,
        texts=tuple(_text(t, own, state) for t in head.text),
        rules=(*own, *state),
        settings={n: Setting(name=n, meaning=s.meaning, value=s.value) for n, s in settings.items()},
        aliases={k: (*base.aliases.get(k, ()), *head.aliases.get(k, ())) for k in {*base.aliases, *head.aliases}},
        names={**base.names, **head.names},
        sha256=sha256,
        text_settings={t.name: t.setting for t in head.text if t.setting},
    )
    return program.with_settings(
        {n: s.value for n, s in head.settings.items() if n in program.text_settings.values() and s.value != ""}
    )


def _rule(r: _Rule) -> Rule:
    values = {f: getattr(r, f) for f in _Rule.__struct_fields__ if f != "act"}
    return Rule(acts=r.act, **values)


def _text(text: _Text, own: list[Rule], state: list[Rule]) -> Text:
    provisions = [
        Provision(rule=rule, act=act)
        for rule in (*own, *state)
        for act in rule.acts
        if (not act.texts or text.name in act.texts) and text.name not in rule.absent_in
    ]
    return Text(name=text.name, starts_on=text.starts_on, provisions=tuple(provisions))
