"""A county's own settings as people read and set them: what holds, since when, what held before."""

from __future__ import annotations

import datetime as dt
from typing import Any

from reporting.histories import SETTING
from reporting.store.engine import Store
from reporting.store.facts import load_county_facts
from schemas.program import Program


def list_settings(store: Store, program: Program, today: dt.date) -> list[dict[str, Any]]:
    """Every setting of the county's program by name: its value today, its meaning, and the county's own values.

    program: as it ships. `own`: oldest first, each with the day from which it holds; the last that has come holds.
    """
    own: dict[str, list[dict[str, Any]]] = {}
    for row in load_county_facts(store, SETTING):
        since = row["valid_from"].isoformat() if row["valid_from"] else None
        own.setdefault(row["id"], []).append({"value": row["content"].get("value"), "valid_from": since})
    return [_shown(program, name, own.get(name, []), today) for name in sorted(program.settings)]


def _shown(program: Program, name: str, own: list[dict[str, Any]], today: dt.date) -> dict[str, Any]:
    setting = program.settings[name]
    held = [one["value"] for one in own if one["valid_from"] is None or one["valid_from"] <= today.isoformat()]
    return {
        "name": name,
        "value": held[-1] if held else setting.value,
        "of_program": setting.value,
        "meaning": setting.meaning,
        "own": own,
    }
