"""Strict reading of program files: TOML → `Program`. Whatever is not understood is refused, with the file and the key.

A program file stands on the state baseline (`state.toml`): the county's provisions come first, the state's hold beside
them. What is refused: unknown keys and effects (here), and whatever `schemas.program_file` finds wrong.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from schemas.program import Program, Provision, Rule, Setting, Text
from schemas.program_file import FileHead, FileRule, FileText, check_file

BASELINE = "state"


class ProgramError(Exception):
    """A program file cannot be used as it is. `problems` has one sentence each, with the file and the key."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


def shipped_slugs() -> tuple[str, ...]:
    """The slugs of the program files that ship with the service, in order of name."""
    files = resources.files("schemas") / "programs"
    names = (f.name for f in files.iterdir())
    return tuple(sorted(n.removesuffix(".toml") for n in names if n.endswith(".toml") and n != f"{BASELINE}.toml"))


@cache
def shipped_program(slug: str) -> Program:
    """The program that ships under that slug. Raises KeyError where there is none, ProgramError for one of no use."""
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
    """The program in a TOML document on top of the state baseline (the shipped one unless given).

    Raises ProgramError, which names file and key.
    """
    base_data = shipped_text(BASELINE) if baseline is None else baseline
    base_head, base_rules = _read(base_data, f"{BASELINE}.toml")
    head, rules = _read(data, file)
    inherited = base_head.settings
    problems = check_file(base_head, base_rules, f"{BASELINE}.toml", {}, {r.id for r in base_rules})
    problems += check_file(head, rules, file, inherited, {r.id for r in (*rules, *base_rules)})
    both = {r.id for r in rules} & {r.id for r in base_rules}
    problems += [
        f"{file}: rule {i}: the id is the state baseline's; give the county's rule one of its own" for i in sorted(both)
    ]
    if problems:
        raise ProgramError(problems)
    return _build(head, rules, base_head, base_rules, hashlib.sha256(base_data + b"\0" + data).hexdigest())


def _read(data: bytes, file: str) -> tuple[FileHead, tuple[FileRule, ...]]:
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProgramError([f"{file}: this is not TOML: {error}"]) from error
    raw_rules = document.pop("rule", [])
    if not isinstance(raw_rules, list) or not raw_rules:
        raise ProgramError([f"{file}: rule: there is no [[rule]] in this file"])
    problems: list[str] = []
    rules: list[FileRule] = []
    head: FileHead | None = None
    try:
        head = msgspec.convert(document, FileHead)
    except msgspec.ValidationError as error:
        problems.append(f"{file}: {_explain(error)}")
    for number, raw in enumerate(raw_rules, 1):
        name = raw.get("id", f"number {number}") if isinstance(raw, Mapping) else f"number {number}"
        try:
            rules.append(msgspec.convert(raw, FileRule))
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


def _build(
    head: FileHead, rules: tuple[FileRule, ...], base: FileHead, base_rules: tuple[FileRule, ...], sha256: str
) -> Program:
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


def _rule(r: FileRule) -> Rule:
    values = {f: getattr(r, f) for f in FileRule.__struct_fields__ if f != "act"}
    return Rule(acts=r.act, **values)


def _text(text: FileText, own: list[Rule], state: list[Rule]) -> Text:
    provisions = [
        Provision(rule=rule, act=act)
        for rule in (*own, *state)
        for act in rule.acts
        if (not act.texts or text.name in act.texts) and text.name not in rule.absent_in
    ]
    return Text(name=text.name, starts_on=text.starts_on, provisions=tuple(provisions))
