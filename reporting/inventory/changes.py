"""What a file would change: each system's draft held against what is stored of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final, NamedTuple

from reporting.domain.records import INACTIVE_STATES
from reporting.histories import PROVISIONAL
from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.intake.words import normalize_license
from reporting.inventory.drafts import (
    BASELINES,
    METER,
    PLACE,
    PLAN,
    SYSTEM_CONTENT,
    Draft,
    Part,
    content_of,
    part_content,
    plan_of,
    status_of,
)
from reporting.store.facts import StoredHistory
from reporting.store.matching import ADDRESS, PARCEL, PERMIT

_NORMALIZE: Final = {
    PERMIT: ("permit_number", normalize_identifier),
    PARCEL: ("parcel_number", normalize_identifier),
    ADDRESS: ("site_address", normalize_address),
}


class Baseline(NamedTuple):
    """The last service of a component before the service began, and the event that it replaces."""

    part: Part
    event_type: str
    on: str
    replaces: str | None


class Difference(NamedTuple):
    """One value that is another in the file."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, kw_only=True)
class Change:
    """What is to be written of one system; what is empty or None stays as it is.

    `version`: the columns of `system_version`; `owner`, `designation`, `contract`, `exemption`: those of their tables
    but for the keys. `dropped`: components to end. `identifiers`: kind → normal form ("" to forget it), for the kinds
    that change.
    """

    draft: Draft
    system: str | None
    version: Mapping[str, Any] | None
    parts: Mapping[Part, Mapping[str, Any]]
    owner: Mapping[str, Any] | None
    designation: Mapping[str, Any] | None
    contract: Mapping[str, Any] | None
    exemption: Mapping[str, Any] | None
    baselines: tuple[Baseline, ...]
    identifiers: Mapping[str, str]
    municipality: str | None
    contractor: str | None
    dropped: frozenset[Part] = frozenset()
    differences: tuple[Difference, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the file says nothing new of the system."""
        return self.system is not None and not self.differences


def compare(draft: Draft, stored: StoredHistory | None, given: frozenset[str], today: date) -> Change:
    """What is new in a draft. `stored` None: the county does not have the system yet.

    A column that the file does not have leaves its value as it is; an empty cell of one that it has clears what the
    inventory alone keeps (system, component, owner), and leaves what is filed by others too (designation, contract,
    exemption, last services).
    """
    old_parts, old, old_owner = _parts_of(stored), _place_of(stored), _owner_of(stored)
    # What reports said of a system that was not in the inventory gives way to the inventory.
    supposed = set(old_parts) - set(draft.parts) if old.get("status") == PROVISIONAL else set()
    old_parts = {part: content for part, content in old_parts.items() if part not in supposed}
    plan = plan_of(draft.values)
    parts = {p: _merged_part(old_parts.get(p), part_content(v, plan), given) for p, v in draft.parts.items()}
    version = _version(draft, stored, old, {**old_parts, **parts}, given, today)
    owner = _owner(draft, old_owner, given)
    designation, contract = _designation(draft, stored, today), _contract(draft, stored)
    exemption, baselines = _exemption(draft, stored), tuple(_baselines(draft, stored))
    new_parts = {part: content for part, content in parts.items() if content != old_parts.get(part)}
    current = designation or _current_designation(stored)
    change = Change(
        draft=draft,
        system=stored.system_id if stored else None,
        version=version if version != old else None,
        parts=new_parts,
        owner=owner if owner != old_owner else None,
        designation=designation,
        contract=contract,
        exemption=exemption,
        baselines=baselines,
        identifiers=dict(_identifiers(old, version)),
        municipality=version["municipality"],
        contractor=current["license_norm"] if current else None,
        dropped=frozenset(supposed),
    )
    return change if stored is None else replace(change, differences=tuple(_all_differences(change, stored)))


def _all_differences(change: Change, stored: StoredHistory) -> Iterator[Difference]:
    if change.version is not None:
        yield from _differences("", _flat(_place_of(stored)), _flat(change.version))
    old_parts = _parts_of(stored)
    for part, content in change.parts.items():
        yield from _differences(_named(part), old_parts.get(part, {}), content)
    if change.owner is not None:
        yield from _differences("", _flat(_owner_of(stored)), _flat(change.owner))
    for baseline in change.baselines:
        yield Difference(f"{_named(baseline.part)}last_{baseline.event_type}", None, baseline.on)
    for name in ("designation", "contract", "exemption"):
        if row := getattr(change, name):
            yield Difference(name, None, dict(row))


def _parts_of(stored: StoredHistory | None) -> dict[Part, Mapping[str, Any]]:
    rows = stored.components if stored else ()
    return {Part(row["component"], row["component_ref"]): row["content"] for row in rows}


def _owner_of(stored: StoredHistory | None) -> dict[str, Any]:
    if stored is None or stored.owner is None:
        return {"name": None, "email": None, "content": {}}
    return {name: stored.owner[name] for name in ("name", "email", "content")}


def _place_of(stored: StoredHistory | None) -> dict[str, Any]:
    if stored is None or stored.system is None:
        return {}
    return {name: stored.system[name] for name in (*PLACE, "status", "content")}


def _version(
    draft: Draft,
    stored: StoredHistory | None,
    old: Mapping[str, Any],
    parts: Mapping[Part, Mapping[str, Any]],
    given: frozenset[str],
    today: date,
) -> dict[str, Any]:
    """The columns of the system's next version."""
    place = {name: draft.values.get(name) if name in given else old.get(name) for name in PLACE}
    status = status_of(content.get("status", "active") for content in parts.values())
    content = _merged(old.get("content", {}), content_of(draft.values), given, SYSTEM_CONTENT, {"plan": PLAN})
    content["status"] = status
    if status not in INACTIVE_STATES:
        content.pop("status_since", None)
    elif old and old["status"] not in INACTIVE_STATES:
        # The file does not say when it ended; for the days before it was told, the system was in use.
        content["status_since"] = today.isoformat()
    return {**place, "status": status, "content": content}


def _merged_part(old: Mapping[str, Any] | None, new: dict[str, Any], given: frozenset[str]) -> dict[str, Any]:
    if old is None:
        return new
    columns = ["status"] if "status" in given else []
    kept = dict(old)
    if "capacity_gallons" in given:
        kept = {key: value for key, value in kept.items() if key not in ("capacity_gallons", "capacity_as_sent")}
    if "status" not in given:
        new = {key: value for key, value in new.items() if key != "status"}
    return _merged(kept, new, given, columns, {"plan": PLAN, "meter": METER})


def _merged(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    given: frozenset[str],
    columns: list[str] | tuple[str, ...],
    groups: Mapping[str, Mapping[str, str]],
) -> dict[str, Any]:
    """The old values but for those of the file's columns, and the file's; `groups`: key → its columns' own keys."""
    content = {key: value for key, value in old.items() if key not in columns or key not in given}
    for key, members in groups.items():
        inner = dict(content.pop(key, {}))
        for column, member in members.items():
            if column in given:
                inner.pop(member, None)
        inner |= new.get(key, {})
        if inner:
            content[key] = inner
    return content | {key: value for key, value in new.items() if key not in groups}


def _owner(draft: Draft, old: Mapping[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """Who owns the system by the file."""
    values = draft.values
    content = dict(old["content"])
    for column, key in (("owner_phone", "phone"), ("owner_mailing_address", "mailing_address")):
        if column in given:
            content.pop(key, None)
            if column in values:
                content[key] = values[column]
    return {
        "name": values.get("owner_name") if "owner_name" in given else old["name"],
        "email": values.get("owner_email") if "owner_email" in given else old["email"],
        "content": content,
    }


def _current_designation(stored: StoredHistory | None) -> Mapping[str, Any] | None:
    return stored.designations[-1] if stored and stored.designations else None


def _designation(draft: Draft, stored: StoredHistory | None, today: date) -> dict[str, Any] | None:
    """A designation that is not the one on file. The one before keeps the days up to it."""
    license_number = draft.values.get("designated_license_number")
    if license_number is None:
        return None
    norm, current = normalize_license(license_number), _current_designation(stored)
    if current and current["license_norm"] == norm and current["valid_to"] is None:
        return None
    return {"license_number": license_number, "license_norm": norm, "valid_from": today if current else None}


def _contract(draft: Draft, stored: StoredHistory | None) -> dict[str, Any] | None:
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
        if all(row[name] == new[name] for name in ("license_norm", "from_on", "to_on")):
            return None
    return new


def _exemption(draft: Draft, stored: StoredHistory | None) -> dict[str, Any] | None:
    if "exemption_kind" not in draft.values:
        return None
    new = {"kind": draft.values["exemption_kind"], "granted_on": draft.values["exemption_granted_on"]}
    for row in stored.facts.get("exemption", ()) if stored else ():
        if all(row["content"].get(name) == new[name] for name in new):
            return None
    return new


def _baselines(draft: Draft, stored: StoredHistory | None) -> Iterator[Baseline]:
    known = {
        (Part(row["component"], row["component_ref"]), row["event_type"]): row
        for row in (stored.events if stored else ())
        if row["content"].get("baseline")
    }
    for part, values in draft.parts.items():
        for column, event_type in BASELINES.items():
            if column not in values:
                continue
            row = known.get((part, event_type))
            if row is None or row["service_date"].isoformat() != values[column]:
                yield Baseline(part, event_type, values[column], row["id"] if row else None)


def _identifiers(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind, (name, normalize) in _NORMALIZE.items():
        before, after = normalize(old.get(name) or ""), normalize(new[name] or "")
        if before != after:
            yield kind, after


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row's columns and the keys of its content side by side."""
    return {key: value for key, value in row.items() if key != "content"} | dict(row.get("content", {}))


def _differences(prefix: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if isinstance(before, Mapping) or isinstance(after, Mapping):
            yield from _differences(f"{prefix}{key}.", before or {}, after or {})
        elif before != after:
            yield Difference(f"{prefix}{key}", before, after)


def _named(part: Part) -> str:
    return f"{part.component}{f' {part.ref}' if part.ref else ''}: "


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
