"""Two programs side by side: which rules were added, taken out or changed, field by field, and which settings.

For `pumper programs diff`; pure. A rule counts as far as an act of it stands in a text of its program.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from schemas.acts import Act
from schemas.program import Program, Rule

_OF_RULES: Final = ("title", "cite", "duty_of", "filing", "mailable", "prior", "note")


@dataclass(frozen=True, kw_only=True)
class FieldChange:
    """One value before and after, as plain JSON values; None where there is none."""

    name: str
    before: Any
    after: Any

    @property
    def words(self) -> str:
        """The change as people read it: `act 1 months: 36 → 24`."""
        return f"{self.name}: {_shown(self.before)} → {_shown(self.after)}"


@dataclass(frozen=True, kw_only=True)
class RuleChange:
    """What became of one rule: `added`, `removed` or `changed`, with its citation and the fields that differ."""

    id: str
    what: str
    title: str
    cite: str
    fields: tuple[FieldChange, ...] = ()

    @property
    def words(self) -> str:
        """The change in a line."""
        said = "; ".join(field.words for field in self.fields) if self.what == "changed" else self.title
        return f"{self.id} [{self.cite}] {self.what}: {said}"


def compare_rules(old: Program, new: Program) -> tuple[RuleChange, ...]:
    """The rules that differ, in the new program's order; those taken out come last."""
    before, after = _rules(old), _rules(new)
    return (*_told(before, after), *(_whole(before[i][0], "removed") for i in before if i not in after))


def _told(
    before: Mapping[str, tuple[Rule, list[Act]]], after: Mapping[str, tuple[Rule, list[Act]]]
) -> Iterator[RuleChange]:
    for rule_id, (rule, acts) in after.items():
        if rule_id not in before:
            yield _whole(rule, "added")
            continue
        was, held = before[rule_id]
        pairs = ((name, getattr(was, name), getattr(rule, name)) for name in _OF_RULES)
        fields = [FieldChange(name=name, before=a, after=b) for name, a, b in pairs if a != b]
        fields += _acts(held, acts)
        if fields:
            yield RuleChange(id=rule_id, what="changed", title=rule.title, cite=rule.cite, fields=tuple(fields))


def compare_settings(old: Program, new: Program) -> tuple[FieldChange, ...]:
    """The settings whose value differs, and those that only one program has."""
    values = [{name: _plain(setting.value) for name, setting in p.settings.items()} for p in (old, new)]
    return _differing(*values)


def compare_texts(old: Program, new: Program) -> tuple[FieldChange, ...]:
    """The texts of the ordinance whose first day differs, and those that only one program has."""
    before, after = ({f"text {t.name} from": t.starts_on.isoformat() for t in p.texts} for p in (old, new))
    return _differing(before, after)


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    names = [*after, *(n for n in before if n not in after)]
    pairs = ((n, before.get(n), after.get(n)) for n in names)
    return tuple(FieldChange(name=n, before=a, after=b) for n, a, b in pairs if a != b)


def _rules(program: Program) -> dict[str, tuple[Rule, list[Act]]]:
    """The rules that stand in some text, each with the acts that do, once; of a single text, it need not be named."""
    found: dict[str, tuple[Rule, list[Act]]] = {}
    for text in program.texts:
        for p in text.provisions:
            acts = found.setdefault(p.id, (p.rule, []))[1]
            act = msgspec.structs.replace(p.act, texts=()) if len(program.texts) == 1 else p.act
            if act not in acts:
                acts.append(act)
    return found


def _whole(rule: Rule, what: str) -> RuleChange:
    return RuleChange(id=rule.id, what=what, title=rule.title, cite=rule.cite)


def _acts(before: Sequence[Act], after: Sequence[Act]) -> list[FieldChange]:
    """Equal acts are left out; of the others each is held against the first of its effect."""
    gone = [act for act in before if act not in after]
    found: list[FieldChange] = []
    for act in after:
        if act in before:
            continue
        was = next((one for one in gone if type(one) is type(act)), None)
        if was is None:
            found.append(FieldChange(name=_effect(act), before=None, after=_values(act)))
            continue
        gone.remove(was)
        a, b = _values(was), _values(act)
        names = [n for n in act.__struct_fields__ if a.get(n) != b.get(n)]
        found += [FieldChange(name=f"{_effect(act)} {n}", before=a.get(n), after=b.get(n)) for n in names]
    return [*found, *(FieldChange(name=_effect(one), before=_values(one), after=None) for one in gone)]


def _effect(act: Act) -> str:
    return str(act.__struct_config__.tag)


def _values(act: Act) -> dict[str, Any]:
    """What an act says, without what it leaves as it usually is."""
    usual = {f.name: f.default for f in msgspec.structs.fields(type(act))}
    return {n: _plain(v) for n in act.__struct_fields__ if (v := getattr(act, n)) != usual[n]}


def _plain(value: object) -> Any:
    return msgspec.to_builtins(value)


def _shown(value: object) -> str:
    if value is None or value == "":
        return "(nothing)"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_shown(one) for one in value) or "(nothing)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.isoformat() if isinstance(value, dt.date) else str(value)
