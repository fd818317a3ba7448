"""What of a system's own particulars was changed, when and by whom: from the versions that are kept of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Table, select

from reporting import tables
from reporting.store.engine import Store
from reporting.store.log import settle
from reporting.store.rows import chunks

_TABLES: Final[Mapping[str, tuple[Table, tuple[str, ...]]]] = {
    "system": (tables.system_version, ()),
    "component": (tables.component_version, ("component", "component_ref")),
    "owner": (tables.owner_version, ()),
    "designation": (tables.designation, ()),
    "contract": (tables.contract, ()),
}
_HIDDEN: Final = frozenset({"county", "system", "seq", "ended_seq", "content", "license_norm"})


def changes_of(store: Store, system: str) -> list[dict[str, Any]]:
    """Each change of a system's particulars, newest first: `seq` of its entry, `recorded_at`, `by`, `of` (system,
    component, owner, designation, contract), `name` (of a component), `before` and `after` (None: there was, or is,
    none), each with the columns and members of `content` as one mapping.
    """
    settle(store)
    found: list[dict[str, Any]] = []
    for of, (table, key) in _TABLES.items():
        query = select(table).where(table.c.county == store.tenant, table.c.system == system).order_by(table.c.seq)
        rows = [dict(row) for row in store.connection.execute(query).mappings()]
        for name in sorted({tuple(row[column] for column in key) for row in rows}):
            versions = [row for row in rows if tuple(row[column] for column in key) == name]
            found += [{"of": of, "name": " ".join(filter(None, name)), **one} for one in _steps(versions)]
    entries = _entries(store, sorted({one["seq"] for one in found}))
    found = [{**one, **entries.get(one["seq"], {"recorded_at": None, "by": None})} for one in found]
    return sorted(found, key=lambda one: one["seq"], reverse=True)


def _steps(versions: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """From each version to the one that began where it ended; one may stand beside another, as contracts do."""
    ended = {row["ended_seq"]: row for row in versions if row["ended_seq"] is not None}
    begun = {row["seq"] for row in versions}
    for row in versions:
        before = ended.get(row["seq"])
        yield {"seq": row["seq"], "before": _plain(before) if before else None, "after": _plain(row)}
    for seq, row in ended.items():
        if seq not in begun:
            yield {"seq": seq, "before": _plain(row), "after": None}


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**{name: value for name, value in row.items() if name not in _HIDDEN}, **(row.get("content") or {})}


def _entries(store: Store, seqs: Sequence[int]) -> dict[int, dict[str, Any]]:
    table = tables.log_entry
    found: dict[int, dict[str, Any]] = {}
    for part in chunks(seqs):
        query = select(table.c.seq, table.c.recorded_at, table.c.entry).where(
            table.c.county == store.tenant, table.c.seq.in_(part)
        )
        for row in store.connection.execute(query).mappings():
            content = json.loads(row["entry"])["content"]
            by = content.get("by") or content.get("principal")
            found[row["seq"]] = {"recorded_at": row["recorded_at"], "by": by}
    return found
