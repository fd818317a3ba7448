"""Strict reading of program files: TOML → `Program`. Whatever is not understood is refused, with the file and the key.

A program file stands on the state baseline (`state.toml`): the county's provisions come first, the state's hold beside
them. What is refused: unknown keys and effects (`schemas.mistakes`), and whatever `schemas.program_file` and
`schemas.program_use` find wrong. A county's own programs lie in a folder beside those that ship (`use_folder`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from schemas.mistakes import read_head, read_rule, read_toml
from schemas.program import Program, Provision, Rule, Setting, Text
from schemas.program_file import FileHead, FileRule, FileText, check_file
from schemas.program_use import check_use

BASELINE = "state"


class ProgramError(Exception):
    """A program file cannot be used as it is. `problems` has one sentence each, with the file and the key."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class _Folder:
    """Where a county's own programs lie, as the entry point has said."""

    path: Path | None = None


def use_folder(folder: Path | None) -> None:
    """Take the program files of a folder beside those that ship (None: only those); for the entry point, once.

    A file `SLUG.toml` there stands for the program of that slug, also in place of one that ships. Raises ProgramError
    where the state baseline is among them, which nobody replaces.
    """
    if folder == _Folder.path:
        return
    if folder is not None and (folder / f"{BASELINE}.toml").exists():
        raise ProgramError([f"{BASELINE}.toml: the state baseline binds every county: take the file out of {folder}"])
    _Folder.path = folder
    _own_files.cache_clear()
    shipped_slugs.cache_clear()
    shipped_program.cache_clear()


@cache
def _own_files() -> Mapping[str, Path]:
    found = _Folder.path.glob("*.toml") if _Folder.path else ()
    return {path.stem: path for path in found if path.stem != BASELINE}


def own_slugs() -> tuple[str, ...]:
    """The slugs of the programs in the county's own folder, in order of name."""
    return tuple(sorted(_own_files()))


def read_all() -> None:
    """Read every program now, so that what is wrong with one is said before anything runs. Raises ProgramError."""
    for slug in shipped_slugs():
        shipped_program(slug)


@cache
def shipped_slugs() -> tuple[str, ...]:
    """The slugs of the program files that the service has, shipped or in the county's own folder, in order of name."""
    files = resources.files("schemas") / "programs"
    names = {f.name.removesuffix(".toml") for f in files.iterdir() if f.name.endswith(".toml")}
    return tuple(sorted({*names, *_own_files()} - {BASELINE}))


@cache
def shipped_program(slug: str) -> Program:
    """The program under that slug. Raises KeyError where there is none, ProgramError for one of no use."""
    if slug not in shipped_slugs():
        raise KeyError(slug)
    program = load_program(shipped_text(slug), f"{slug}.toml")
    if program.slug != slug:
        raise ProgramError([f'{slug}.toml: slug: the file is named for {slug!r}: write slug = "{slug}", or rename it'])
    return program


def shipped_text(slug: str) -> bytes:
    """The bytes of the program file of a slug (the baseline is `state`)."""
    own = _own_files().get(slug)
    return own.read_bytes() if own else (resources.files("schemas") / "programs" / f"{slug}.toml").read_bytes()


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
    problems += check_use(head, rules, file, {**inherited, **head.settings})
    both = {r.id for r in rules} & {r.id for r in base_rules}
    problems += [
        f"{file}: rule {i}: the id is the state baseline's; give the county's rule one of its own" for i in sorted(both)
    ]
    if problems:
        raise ProgramError(problems)
    return _build(head, rules, base_head, base_rules, hashlib.sha256(base_data + b"\0" + data).hexdigest())


def _read(data: bytes, file: str) -> tuple[FileHead, tuple[FileRule, ...]]:
    document, said = read_toml(data)
    if document is None:
        raise ProgramError([f"{file}: {said}"])
    raw_rules = document.pop("rule", [])
    if not isinstance(raw_rules, list) or not raw_rules:
        raise ProgramError([f"{file}: rule: there is no [[rule]] in this file: write down at least one"])
    head, problems = read_head(document, file)
    rules: list[FileRule] = []
    for number, raw in enumerate(raw_rules, 1):
        rule, wrong = read_rule(raw, number, file)
        rules += [rule] if rule is not None else []
        problems += wrong
    if problems or head is None:
        raise ProgramError(problems)
    return head, tuple(rules)


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
