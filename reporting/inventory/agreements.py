"""What a file says of designation, contract, exemption and last services that is not on file yet. Pure.

These are filed by others too (by HTTP, by reports): an empty cell leaves them, and what was before keeps its days.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

from reporting.intake.words import normalize_license
from reporting.inventory.drafts import BASELINES, Draft, Part
from reporting.store.facts import StoredHistory

Row = Mapping[str, Any]


class Baseline(NamedTuple):
    """The last service of a component before the service began, and the event that it replaces."""

    part: Part
    event_type: str
    on: str
    replaces: str | None


class NewContract(NamedTuple):
    """A contract's columns, and the number of the version whose last day it corrects."""

    columns: Row
    replaces: int | None


def new_designation(draft: Draft, stored: StoredHistory | None, today: date) -> dict[str, Any] | None:
    """A designation that is not the one on file. The one before keeps the days up to it."""
    license_number = draft.values.get("designated_license_number")
    if license_number is None:
        return None
    norm, current = normalize_license(license_number), current_designation(stored)
    if current and current["license_norm"] == norm and current["valid_to"] is None:
        return None
    return {"license_number": license_number, "license_norm": norm, "valid_from": today if current else None}


def current_designation(stored: StoredHistory | None) -> Row | None:
    """The last designation on file."""
    return stored.designations[-1] if stored and stored.designations else None


def new_contract(draft: Draft, stored: StoredHistory | None) -> NewContract | None:
    """A contract that is not on file. One with the same business from the same day on has another last day now."""
    values = draft.values
    if "contract_from" not in values and "contract_to" not in values:
        return None
    license_number = values["designated_license_number"]
    new = {
        "license_number": license_number,
        "license_norm": normalize_license(license_number),
        "from_on": _day(values.get("contract_from")),
        "to_on": _day(values.get("contract_to")),
        "content": {},
    }
    for row in stored.contracts if stored else ():
        if all(row[name] == new[name] for name in ("license_norm", "from_on")):
            if row["to_on"] == new["to_on"]:
                return None
            filed = {name: row[name] for name in ("filed_on", "kind", "content")}
            return NewContract({**new, **filed}, row["seq"])
    return NewContract(new, None)


def new_exemption(draft: Draft, stored: StoredHistory | None) -> dict[str, Any] | None:
    """An exemption that is not on file."""
    if "exemption_kind" not in draft.values:
        return None
    new = {"kind": draft.values["exemption_kind"], "granted_on": draft.values["exemption_granted_on"]}
    for row in stored.facts.get("exemption", ()) if stored else ():
        if all(row["content"].get(name) == new[name] for name in new):
            return None
    return new


def new_baselines(draft: Draft, stored: StoredHistory | None) -> Iterator[Baseline]:
    """Last services with another day than on file. Those that came with a merged record are left as they are."""
    known: dict[tuple[Part, str], dict[str, Row]] = {}
    for row in stored.events if stored else ():
        if row["content"].get("baseline"):
            of = (Part(row["component"], row["component_ref"]), row["event_type"])
            known.setdefault(of, {})[row["service_date"].isoformat()] = row
    for part, values in draft.parts.items():
        for column, event_type in BASELINES.items():
            if column not in values or values[column] in (rows := known.get((part, event_type), {})):
                continue
            own = f"baseline:{stored.system_id}:" if stored else ""
            replaced = next((row["id"] for row in rows.values() if row["identity"].startswith(own)), None)
            yield Baseline(part, event_type, values[column], replaced)


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
