"""From stored facts to what the assessment reads: contract.md's scenario, the domain's values, the county's program.

For the sweep, the status queries and `pumper evaluate`: a scenario made here gives the same answer there.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from reporting.domain.records import INACTIVE_STATES, History, System
from reporting.intake.words import normalize_license
from reporting.licences import (
    NO_LICENCES as NO_LICENCES,
)
from reporting.licences import Licences as Licences
from reporting.licences import designated_license as designated_license
from reporting.licences import (
    inspector_number,
    own_tank,
)
from reporting.licences import load_licences as load_licences
from reporting.licences import servicing_days as servicing_days
from reporting.licences import servicing_license as servicing_license
from reporting.scenario import read_history, read_system
from reporting.scenario_facts.ledger import fees_paid
from reporting.store.encoding import canonical_json, instant_text
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_county_facts
from schemas.loader import shipped_program
from schemas.program import Program

PROVISIONAL: Final = "provisional"
SETTING: Final = "setting"
WINDOW: Final = "window"
"""A fact of the county's: the days in which the systems of an area are pumped."""
STATUS_SINCE: Final = "status_since"
"""Of a system or a component: the day since which it is out of use, or in use again."""
METERS_BEFORE: Final = "meters_before"
"""Of a component: the meters that it had before, each with its unit, digits, serial and the day on which it went."""
MAILING: Final = "mailing"
"""The fact that something was mailed to a system's owner."""
COUNTED_MAIL: Final = frozenset({"window_notice", "area_notice", "questionnaire", "inquiry"})
"""The letters to an owner that deadlines are counted from."""
_TEXTS: Final = ("note", "reason", "outcome")
"""What people wrote, and what was answered: the assessment has no use for it."""
_CERTIFICATE: Final = ("kind", "granted_on", "ends_on")


def scenario_of(
    stored: StoredHistory,
    county: str,
    licences: Licences = NO_LICENCES,
    *,
    as_of: dt.date = dt.date.max,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The stored facts of a system as a scenario (contract.md), judged on `as_of`.

    What was known when, `load_history` has chosen. A licence stands in one spelling, and another licence of the
    business with whom the contract is stands as the contract's: it is nobody else's pumping. settings: the county's
    own values, for a scenario that leaves the house.
    """
    current = {row["license_norm"] for row in stored.contracts} | set(licences.in_settings)
    known_as = {licences.business(norm): norm for norm in sorted(current)}
    asked = _asked(stored)
    return {
        "county": county,
        "as_of": as_of.isoformat(),
        "known_at": None,
        "system": _system(stored, licences, as_of),
        "events": [
            {
                **_event(row, licences, current, known_as),
                **_meter_then(row, stored.components),
                **own_tank(row, stored, licences),
                **(asked.get(row["id"]) or asked.get(row.get("supersedes") or "") or {}),
            }
            for row in stored.events
            if not _is_overtaken(row, stored.components)
        ],
        "owner_notices": [
            {**row["content"], **_canonical(row["content"], licences)} for row in stored.facts.get("owner_notice", ())
        ],
        "statements": [dict(row["content"]) for row in stored.facts.get("statement", ())],
        **_mailings(stored.facts.get("mailing", ())),
        **_filed(stored),
        **({"windows": [dict(row["content"]) for row in stored.facts[WINDOW]]} if WINDOW in stored.facts else {}),
        **({"settings": dict(settings)} if settings else {}),
    }


def with_windows(
    store: Store, histories: Mapping[str, StoredHistory], at_seq: int | None = None
) -> dict[str, StoredHistory]:
    """The histories with the county's windows among each one's facts; which are the system's own, the assessment says.

    at_seq: as the histories were loaded.
    """
    windows = load_county_facts(store, WINDOW, at_seq)
    if not windows:
        return dict(histories)
    return {
        key: replace(stored, facts={**stored.facts, WINDOW: [*stored.facts.get(WINDOW, ()), *windows]})
        for key, stored in histories.items()
    }


def read_domain(
    stored: StoredHistory, licences: Licences = NO_LICENCES, *, as_of: dt.date = dt.date.max
) -> tuple[System, History]:
    """The stored facts as the assessment reads them. Raises `ScenarioError` where a fact cannot be read."""
    scenario = scenario_of(stored, "", licences, as_of=as_of)
    return replace(read_system(scenario["system"]), id=stored.system_id), read_history(scenario)


def county_program(store: Store, slug: str, *, on: dt.date, at_seq: int | None = None) -> Program:
    """The county's program on a day: as it ships, with the county's own settings that hold then, as known at `at_seq`.

    A setting that the program no longer knows is left out. Its `sha256` tells text and settings together. Raises
    `KeyError` for an unknown slug, `SettingError` for a stored value that is none.
    """
    return with_county_settings(store, shipped_program(slug), on=on, at_seq=at_seq)


def with_county_settings(store: Store, program: Program, *, on: dt.date, at_seq: int | None = None) -> Program:
    """A program, shipped or not, with the county's own settings that hold on a day, as `county_program` has them."""
    values: dict[str, object] = {}
    for row in load_county_facts(store, SETTING, at_seq):
        name, since = row["id"], row["valid_from"]
        if name in program.settings and (since is None or since <= on):
            values[name] = program.settings[name].read(row["content"].get("value"))
    if not values:
        return program
    digest = sha256(program.sha256.encode() + canonical_json(values)).hexdigest()
    return replace(program.with_settings(values), sha256=digest)


def next_setting_on(store: Store, after: dt.date) -> dt.date | None:
    """The first day after `after` from which another setting holds: the county's answers may change that day."""
    days = (row["valid_from"] for row in load_county_facts(store, SETTING))
    return min((day for day in days if day is not None and day > after), default=None)


def _system(stored: StoredHistory, licences: Licences, as_of: dt.date) -> dict[str, Any]:
    version = stored.system or {"status": PROVISIONAL, "content": {}}
    system: dict[str, Any] = {**version["content"], "status": version["status"]}
    system["components"] = [_component(row, as_of) for row in stored.components]
    # Of a system that is not in the inventory nobody knows who is designated or whether a contract is on file.
    if version["status"] != PROVISIONAL:
        norm = designated_license(stored, as_of)
        system["designated_contractor"] = licences.number(norm) if norm else None
        system["contracts"] = [_contract(row, licences) for row in stored.contracts]
    system["exemption"] = [
        {name: row["content"][name] for name in _CERTIFICATE if row["content"].get(name)}
        for row in stored.facts.get("exemption", ())
    ]
    system["cases"] = [{**row["content"], "id": row["id"]} for row in stored.facts.get("case", ())]
    return system


def _component(row: Mapping[str, Any], as_of: dt.date) -> dict[str, Any]:
    """A component as it was on the day: one that went out of use later was in use."""
    content = {key: value for key, value in row["content"].items() if key not in (STATUS_SINCE, METERS_BEFORE)}
    since = row["content"].get(STATUS_SINCE)
    if since and as_of < dt.date.fromisoformat(since) and content.get("status") in INACTIVE_STATES:
        content["status"] = "active"
    return {**content, "component": row["component"], **_ref(row["component_ref"])}


def _is_overtaken(event: Mapping[str, Any], components: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a report says that a component is abandoned which the inventory has in use again since a later day."""
    if event["event_type"] != "abandonment":
        return False
    again = [part["content"] for part in components if _is_of(event, part) and STATUS_SINCE in part["content"]]
    day = event["service_date"].isoformat()
    return any(one.get("status", "active") not in INACTIVE_STATES and day < one[STATUS_SINCE] for one in again)


def _meter_then(event: Mapping[str, Any], components: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Which meter a reading that does not say it is of, where the tank had another one on that day."""
    if event["content"].get("meter_reading") is None or event["content"].get("meter_serial"):
        return {}
    day = event["service_date"].isoformat()
    for part in components:
        meters = part["content"].get(METERS_BEFORE, ()) if _is_of(event, part) else ()
        for meter in meters:
            if day < meter["until"]:
                unit = event["content"].get("meter_unit") or meter.get("unit")
                return {"meter_serial": meter["serial"], **({"meter_unit": unit} if unit else {})}
    return {}


def _mailings(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The letters mailed, where one of them is of a kind that deadlines count from.

    A reminder tells nothing of what notices there were: without such a letter the mailings are unknown, and not none.
    """
    told = [{k: v for k, v in fact["content"].items() if k not in _TEXTS} for fact in facts]
    return {"mailings": told} if any(one["kind"] in COUNTED_MAIL for one in told) else {}


def _filed(stored: StoredHistory) -> dict[str, Any]:
    """Documents, deferrals and money, where any is on file: of what nobody filed here nothing is known."""
    kinds = {"document": "documents", "deferral": "deferrals"}
    return {
        name: [{k: v for k, v in row["content"].items() if k not in _TEXTS} for row in stored.facts[kind]]
        for kind, name in kinds.items()
        if kind in stored.facts
    } | fees_paid(stored.facts)


def _asked(stored: StoredHistory) -> dict[str, dict[str, str]]:
    """By report: since when the county waits for a verification, and by when it asked for it."""
    found = {}
    for row in stored.facts.get("verification", ()):
        content = row["content"]
        if content["state"] == "requested":
            by = {"verification_answer_by": content["answer_by"]} if content.get("answer_by") else {}
            found[content["report"]] = {"verification_asked_on": content["asked_on"], **by}
    return found


def _is_of(event: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    same_kind = event["component"] in ("", part["component"])
    return same_kind and event["component_ref"] in ("", part["component_ref"])


def _contract(row: Mapping[str, Any], licences: Licences) -> dict[str, Any]:
    days = {"from": row["from_on"], "to": row["to_on"], "filed_on": row["filed_on"]}
    return {
        "license_number": licences.number(row["license_norm"]),
        **{name: day.isoformat() for name, day in days.items() if day},
        **({"kind": row["kind"]} if row["kind"] else {}),
    }


def _event(
    row: Mapping[str, Any], licences: Licences, current: set[str], known_as: Mapping[str, str]
) -> dict[str, Any]:
    event: dict[str, Any] = {
        **row["content"],
        "id": row["id"],
        "event_type": row["event_type"],
        "service_date": row["service_date"].isoformat(),
        **({"component": row["component"]} if row["component"] else {}),
        **_ref(row["component_ref"]),
    }
    if row["historical"]:
        event["historical"] = True
    if not event.get("baseline"):
        event["received_on"] = instant_text(row["first_received_at"])
    norm = row["license_norm"]
    if norm:
        event |= licences.credentials(norm, event.get("credential_kind"))
        shown = norm if norm in current else known_as.get(licences.business(norm), norm)
        event["license_number"] = licences.number(shown)
    if inspector := normalize_license(inspector_number(row)):
        found = licences.credentials(inspector, event.get("inspector_credential_kind"))
        event |= {f"inspector_{name}": value for name, value in found.items()}
    return event


def _canonical(content: Mapping[str, Any], licences: Licences) -> dict[str, str]:
    number = content.get("license_number")
    return {"license_number": licences.number(normalize_license(number))} if number else {}


def _ref(component_ref: str) -> dict[str, str]:
    return {"component_ref": component_ref} if component_ref else {}
