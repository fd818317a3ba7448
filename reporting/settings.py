"""A county's own settings as people read and set them: what holds, since when, what held before, who said so when."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from typing import Any

from reporting.histories import SETTING
from reporting.store.engine import Store
from reporting.store.facts import load_county_facts
from reporting.store.log import entries_of
from schemas.program import Program


def list_settings(store: Store, program: Program, today: dt.date) -> list[dict[str, Any]]:
    """Every setting of the county's program by name: its value today, its meaning, and the county's own values.

    program: as it ships. `own`: in order of the day from which each holds, those to come too, with the value in whose
    place it came or comes (`before`), when it was entered (`entered_at`) and by whom (`by`); of one day the last
    entered holds. `next_on`: the first day to come on which the value is another.
    """
    facts = load_county_facts(store, SETTING)
    entries = {seq: json.loads(entry) for seq, entry in entries_of(store, [row["seq"] for row in facts]).items()}
    own: dict[str, list[Mapping[str, Any]]] = {}
    for row in facts:
        own.setdefault(row["id"], []).append(row)
    return [_shown(program, name, own.get(name, []), entries, today) for name in sorted(program.settings)]


def _shown(
    program: Program,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    entries: Mapping[int, Mapping[str, Any]],
    today: dt.date,
) -> dict[str, Any]:
    usual = program.settings[name].value
    value, before, own, ahead = usual, usual, [], []
    for row in rows:
        since, given = row["valid_from"], row["content"].get("value")
        held = {"value": given, "valid_from": since.isoformat() if since else None, "before": before}
        own.append({**held, **_entered(entries[row["seq"]])})
        before = given
        if since is None or since <= today:
            value = given
        elif given != value:
            ahead.append(since)
    return {
        "name": name,
        "value": value,
        "next_on": min(ahead).isoformat() if ahead else None,
        "of_program": usual,
        "meaning": program.settings[name].meaning,
        "own": own,
    }


def _entered(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"entered_at": entry["recorded_at"], "by": entry["content"].get("by")}
