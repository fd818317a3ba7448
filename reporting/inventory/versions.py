"""What a file makes of what is stored of a system, its components and its owner: their next versions. Pure.

A column that the file does not have leaves its value as it is; an empty cell of one that it has clears it, but for the
days on which something changed (`status_since`, `meter_since`, `owner_since`): those are kept until there is another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

from reporting.domain.records import INACTIVE_STATES
from reporting.histories import METERS_BEFORE, PROVISIONAL, STATUS_SINCE
from reporting.inventory.drafts import METER, PLACE, PLAN, SYSTEM_CONTENT, Draft, content_of, status_of
from reporting.store.facts import StoredHistory

Row = Mapping[str, Any]

_CAPACITY: Final = ("capacity_gallons", "capacity_as_sent")
_OWNER_CONTENT: Final = (("owner_phone", "phone"), ("owner_mailing_address", "mailing_address"))


def place_of(stored: StoredHistory | None) -> dict[str, Any]:
    """What is stored of the system itself; empty for one that is not on file."""
    if stored is None or stored.system is None:
        return {}
    return {name: stored.system[name] for name in (*PLACE, "status", "content")}


def owner_of(stored: StoredHistory | None) -> dict[str, Any]:
    """What is stored of the owner."""
    if stored is None or stored.owner is None:
        return {"name": None, "email": None, "valid_from": None, "content": {}}
    return {name: stored.owner[name] for name in ("name", "email", "valid_from", "content")}


def next_system(draft: Draft, old: Row, parts: Iterable[Row], given: frozenset[str], today: date) -> dict[str, Any]:
    """The columns of the system's next version. parts: the contents of all its components as they will be."""
    contents = list(parts)
    place = {name: draft.values.get(name) if name in given else old.get(name) for name in PLACE}
    status = status_of(content.get("status", "active") for content in contents)
    content = _merged(old.get("content", {}), content_of(draft.values), given, SYSTEM_CONTENT, {"plan": PLAN})
    content["status"] = status
    content.pop(STATUS_SINCE, None)
    if since := _system_since(status, old, contents, today):
        content[STATUS_SINCE] = since
    return {**place, "status": status, "content": content}


def _system_since(status: str, old: Row, parts: Iterable[Row], today: date) -> str | None:
    """The day since which a system is out of use, or in use again; None for one that has been in use all along.

    A file that does not say it tells of the day on which it came: for the days before, the system was as it had been.
    """
    before = old.get("status")
    days = [part[STATUS_SINCE] for part in parts if part.get("status") == status and STATUS_SINCE in part]
    told: str | None = old.get("content", {}).get(STATUS_SINCE) if before == status else None
    if before not in (None, status, PROVISIONAL) and (status in INACTIVE_STATES or before in INACTIVE_STATES):
        told = today.isoformat()
    if status in INACTIVE_STATES:
        return max(days, default=told)
    return min(days, default=told) if told else None


def next_part(old: Row | None, new: dict[str, Any], given: frozenset[str], today: date, meter_since: str | None) -> Row:
    """The content of a component's next version. meter_since: from when on it has the meter that the file names."""
    if old is None:
        return new
    kept = dict(old)
    if "capacity_gallons" in given:
        kept = {key: value for key, value in kept.items() if key not in _CAPACITY}
    columns = ["status"] if "status" in given else []
    if not columns:
        new = {key: value for key, value in new.items() if key != "status"}
    content = _merged(kept, new, given, columns, {"plan": PLAN, "meter": METER})
    if content.get("status", "active") != old.get("status", "active"):
        content[STATUS_SINCE] = new.get(STATUS_SINCE) or today.isoformat()
    before, after = old.get("meter", {}), content.get("meter", {})
    if _is_another_meter(before, after):
        # The readings of the meter before stay its own: see `reporting.histories`.
        gone = {**before, "until": meter_since or today.isoformat()}
        content[METERS_BEFORE] = [*old.get(METERS_BEFORE, ()), gone]
    return content


def _is_another_meter(before: Row, after: Row) -> bool:
    serials = [str(meter.get("serial", "")).casefold() for meter in (before, after)]
    return all(serials) and serials[0] != serials[1]


def next_owner(draft: Draft, old: Row, given: frozenset[str], today: date) -> dict[str, Any]:
    """Who owns the system by the file. Another name is a sale: the owner since that day, or since today."""
    values = draft.values
    content = dict(old["content"])
    for column, key in _OWNER_CONTENT:
        if column in given:
            content.pop(key, None)
            if column in values:
                content[key] = values[column]
    name = old["name"]
    if "owner_name" in given:
        name = " & ".join(dict.fromkeys(values[one] for one in ("owner_name", "owner_name_2") if one in values)) or None
    since = old["valid_from"]
    if "owner_since" in values:
        since = date.fromisoformat(values["owner_since"])
    elif old["name"] and not _is_same_name(old["name"], name):
        since = today
    email = values.get("owner_email") if "owner_email" in given else old["email"]
    return {"name": name, "email": email, "valid_from": since, "content": content}


def _is_same_name(one: str, other: str | None) -> bool:
    return " ".join(one.casefold().split()) == " ".join((other or "").casefold().split())


def _merged(
    old: Row,
    new: Row,
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
