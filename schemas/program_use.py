"""Whether a program file's rules can be carried out as they are written: words and settings that must be what they are
used as.

For `schemas.loader`, beside `schemas.program_file`: what would otherwise be noticed only when a system is judged.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Final

from schemas import acts as A
from schemas import words as W
from schemas.fields import FIELDS
from schemas.program_file import FileHead, FileRule, FileSetting
from schemas.words import meant

SERVED: Final = ("pump", "inspect_tank", "pump_or_inspect", "inspect_dispersal")
"""The duties that come back by themselves: those that some service meets."""
_NUMBERS: Final = (
    "base_setting",
    "cents_setting",
    "days_setting",
    "delivery_setting",
    "fraction_setting",
    "high_setting",
    "lead_setting",
    "low_setting",
    "ratio_setting",
)


def check_use(
    head: FileHead, rules: Iterable[FileRule], file: str, settings: Mapping[str, FileSetting]
) -> Iterable[str]:
    """What cannot be carried out, one sentence each. settings: the file's own and the baseline's, by name."""
    for name, setting in head.settings.items():
        if not setting.meaning.strip():
            yield f"{file}: settings.{name}: meaning: say in a line what the setting means"
    for text in head.text:
        held = settings.get(text.setting)
        if held is not None and held.value != "" and not isinstance(held.value, dt.date):
            yield f"{file}: text {text.name}: setting: {text.setting} holds no date: write a date, or leave setting out"
    for key in head.aliases:
        if key not in FIELDS:
            yield f"{file}: aliases.{key}: no field of a report has this name{meant(key, FIELDS)}"
    for key in head.names:
        if key not in W.COMPONENTS:
            yield f"{file}: names.{key}: no component has this name{meant(key, W.COMPONENTS)}"
    for rule in rules:
        for i, act in enumerate(rule.act, 1):
            where = f"{file}: rule {rule.id}: act {i}"
            yield from (f"{where}: {problem}" for problem in (*_fields(act), *_served(act), *_numbers(act, settings)))


def _fields(act: A.Act) -> Iterable[str]:
    if not isinstance(act, A.RequiredFields):
        return
    if not act.fields and not act.any_of:
        yield 'fields: say which fields a report must hold, such as fields = ["gallons_pumped"]'
    named = [("fields", act.fields), *(("any_of", several) for several in act.any_of)]
    for key, names in (*named, ("with_field", (act.with_field,) if act.with_field else ())):
        for name in names:
            if name not in FIELDS:
                yield f"{key}: no field of a report is named {name!r}{meant(name, FIELDS)}"


def _served(act: A.Act) -> Iterable[str]:
    if isinstance(act, A.ServiceInterval) and act.kind not in SERVED and act.kind in W.OBLIGATION_KINDS:
        yield f"kind: no service meets {act.kind!r}; write one of {', '.join(SERVED)}"


def _numbers(act: A.Act, settings: Mapping[str, FileSetting]) -> Iterable[str]:
    for key in _NUMBERS:
        held = settings.get(str(getattr(act, key, "")))
        if held is not None and (isinstance(held.value, bool) or not isinstance(held.value, int | float)):
            yield f"{key}: the setting {getattr(act, key)} holds no number: give it one, or name another setting"
