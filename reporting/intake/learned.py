"""Headings that a business's own files use, learned once: what each means, or that it means no field of a report."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any, Final

from reporting import tables
from reporting.intake.headings import normalize_heading
from reporting.intake.reading import keepable
from reporting.store.engine import Store
from reporting.store.facts import end_versions, insert_facts, load_county_facts
from reporting.store.log import NewEntry, append
from schemas.fields import FIELDS
from schemas.issues import Code, Issue

HEADING_MAPPING: Final = "heading_mapping"
"""The kind of fact; its id is the business's."""
MOST: Final = 200
_LONGEST: Final = 200


def learned_headings(store: Store, contractor_id: str | None) -> dict[str, str | None]:
    """What a business's headings mean, for `match_headings`: normalized heading → field, or None."""
    return {normalize_heading(heading): name for heading, name in headings_of(store, contractor_id).items()}


def headings_of(store: Store, contractor_id: str | None) -> dict[str, str | None]:
    """The headings as they were taught: as written → field, or None for one that means no field; in their order."""
    if contractor_id is None:
        return {}
    for row in load_county_facts(store, HEADING_MAPPING):
        if row["id"] == contractor_id:
            kept: list[list[Any]] = row["content"]["headings"]
            return {heading: name for heading, name in kept if name is None or name in FIELDS}
    return {}


def learn_headings(
    store: Store, contractor_id: str, told: Mapping[str, object], by: str, now: dt.datetime
) -> tuple[Issue, ...]:
    """Keep what some headings of a business mean, beside those taught before; nothing is kept where one is wrong.

    told: heading in any spelling → field, or None for one that means no field of a report. Gives what is wrong.
    """
    before = headings_of(store, contractor_id)
    issues = [issue for heading, name in told.items() if (issue := _wrong(heading, name))]
    spellings: dict[str, str] = {}
    for heading in told:
        if (first := spellings.setdefault(normalize_heading(heading), heading)) != heading:
            message = f"“{first[:60]}” and “{heading[:60]}” are one heading: give it once."
            issues.append(Issue(code=Code.INCONSISTENT, field=keepable(heading[:60]), message=message))
    kept = {h: name for h, name in before.items() if normalize_heading(h) not in spellings}
    after = {**kept, **{heading.strip(): name for heading, name in told.items()}}
    if len(after) > MOST:
        issues.append(Issue(code=Code.BAD_VALUE, message=f"At most {MOST} headings are kept for one business."))
    if issues or after == before:
        return tuple(issues)
    raw = json.dumps(dict(told), ensure_ascii=False).encode("utf-8", "backslashreplace")
    content = {"id": contractor_id, "by": by, "headings": [[heading, name] for heading, name in after.items()]}
    [entry] = append(store, [NewEntry(type=HEADING_MAPPING, content=content, raw=raw)], now)
    end_versions(store, tables.fact, [{"kind": HEADING_MAPPING, "id": contractor_id}], entry.seq)
    row = {"kind": HEADING_MAPPING, "id": contractor_id, "seq": entry.seq, "content": {"headings": content["headings"]}}
    insert_facts(store, [row])
    return ()


def _wrong(heading: str, name: object) -> Issue | None:
    shown = keepable(heading[:60])
    plain = normalize_heading(heading)
    if not plain or len(heading) > _LONGEST or keepable(heading) != heading:
        message = f"Give a heading as it stands in the file, of at most {_LONGEST} characters."
        return Issue(code=Code.BAD_VALUE, field=shown, message=message)
    if name is not None and not (isinstance(name, str) and name in FIELDS):
        message = f"Give the name of a field of a report, or nothing for a column that means none: {shown!r} has none."
        return Issue(code=Code.NOT_A_CHOICE, field=shown, message=message, value=str(name)[:200])
    own = next((each for each in FIELDS if normalize_heading(each) == plain), None)
    if own is not None and name != own:
        message = f"{shown!r} is the name of a field itself: it means {own}."
        return Issue(code=Code.INCONSISTENT, field=shown, message=message, value=None if name is None else str(name))
    return None
