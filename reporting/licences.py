"""Whose licence is what: the credentials on file, who services a system, whether an owner worked on an own tank."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reporting.intake.words import normalize_license
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory
from reporting.store.people import find_credentials
from schemas.calendar import add_days
from schemas.program import Program

_REGISTERED: Final = "registered_owner"
_NAMING_ACTS: Final = ("only_contractor_setting", "contractor_setting")
"""Where an act names the setting that holds a licence number."""


@dataclass(frozen=True, kw_only=True)
class Licences:
    """What is on file of the licences that some histories name.

    by_norm: normalised number → its credentials. in_settings: normalised number → as the county's settings spell it.
    """

    by_norm: Mapping[str, Sequence[Mapping[str, Any]]]
    in_settings: Mapping[str, str]

    def number(self, norm: str) -> str:
        """The number as the county's settings or the credential spell it, else its normal form: always one spelling."""
        if norm in self.in_settings:
            return self.in_settings[norm]
        held = self.by_norm.get(norm)
        return str(held[0]["license_number"]) if held else norm

    def business(self, norm: str) -> str:
        """The business that holds a licence; for one that is not on file the licence stands for itself."""
        held = self.by_norm.get(norm)
        return str(held[0]["contractor_id"]) if held else norm

    def credential(self, norm: str, kind: str | None) -> tuple[str | None, dt.date | None]:
        """Kind and last day of a licence: of the kind reported; where none was, of the only kind on file."""
        held = self.by_norm.get(norm, ())
        fit = [row for row in held if kind is None or row["kind"] == kind]
        if len(fit) != 1:
            return kind, None
        return str(fit[0]["kind"]), fit[0]["expires_on"]

    def credentials(self, norm: str, kind: str | None) -> dict[str, Any]:
        """The same as an event of a scenario has it; of a licence that stands for several, and of which the report does
        not say which, all of them (`credentials`)."""
        found, expires_on = self.credential(norm, kind)
        several = [
            {"kind": row["kind"], **({"expires_on": row["expires_on"].isoformat()} if row["expires_on"] else {})}
            for row in self.by_norm.get(norm, ())
        ]
        return {
            **({"credential_kind": found} if found else {}),
            **({"credential_expires_on": expires_on.isoformat()} if expires_on else {}),
            **({"credentials": several} if not found and len(several) > 1 else {}),
        }


NO_LICENCES: Final = Licences(by_norm={}, in_settings={})


def load_licences(store: Store, program: Program, histories: Iterable[StoredHistory]) -> Licences:
    """The licences named by reports, contracts, designations and the county's settings."""
    in_settings = {normalize_license(number): number for number in _numbers_in_settings(program)}
    norms = set(in_settings)
    for history in histories:
        norms.update(row["license_norm"] for row in (*history.designations, *history.contracts, *history.events))
        norms.update(normalize_license(inspector_number(row)) for row in history.events)
    return Licences(by_norm=find_credentials(store, (norm for norm in norms if norm)), in_settings=in_settings)


def designated_license(stored: StoredHistory, as_of: dt.date) -> str | None:
    """The normalised licence of the contractor designated on `as_of`: of the designations that hold, the latest."""
    held = [
        row
        for row in stored.designations
        if (row["valid_from"] or dt.date.min) <= as_of <= (row["valid_to"] or dt.date.max)
    ]
    return max(held, key=lambda row: (row["valid_from"] or dt.date.min, row["seq"]))["license_norm"] if held else None


def servicing_license(stored: StoredHistory, as_of: dt.date) -> str | None:
    """The normalised licence of who services a system on `as_of`: the designated contractor; where none is designated,
    who has a contract that runs, the latest filed first. Whoever is named only by a contract has its tanks in lists and
    digests all the same; that none is designated stays said (OZ7)."""
    named = designated_license(stored, as_of)
    if named is not None:
        return named
    running = [
        row
        for row in stored.contracts
        if (row["from_on"] or dt.date.min) <= as_of <= (row["to_on"] or dt.date.max)
        and (row["filed_on"] or dt.date.min) <= as_of
    ]
    servicing = [row for row in running if row["kind"] in (None, "", "servicing")] or running
    latest = max(servicing, key=lambda row: (row["from_on"] or dt.date.min, row["seq"]), default=None)
    return latest["license_norm"] if latest else None


def servicing_days(stored: StoredHistory) -> set[dt.date]:
    """The days from which somebody else may service a system: designations and contracts begin and end."""
    rows = [(row["valid_from"], row["valid_to"]) for row in stored.designations]
    rows += [(row["from_on"], row["to_on"]) for row in stored.contracts]
    ends = {add_days(last, 1) for _, last in rows if last is not None and last < dt.date.max}
    return {first for first, _ in rows if first is not None} | ends


def own_tank(event: Mapping[str, Any], stored: StoredHistory, licences: Licences) -> dict[str, bool]:
    """Whether an owner who works under a registration worked on an own tank: by the owner on file, a designation or a
    contract. Where no owner is on file nobody knows."""
    held = licences.by_norm.get(event["license_norm"] or "", ())
    kinds = {row["kind"] for row in held}
    said = event["content"].get("credential_kind")
    if said != _REGISTERED and (said or kinds != {_REGISTERED}):
        return {}
    norms = {row["license_norm"] for row in (*stored.designations, *stored.contracts)}
    if event["license_norm"] and event["license_norm"] in norms:
        return {"own_tank": True}
    owner = _words_of(stored.owner["name"] if stored.owner else None)
    if not owner:
        return {}
    on_file = [row["business_name"] for row in held if row["kind"] == _REGISTERED]
    named = on_file or [event["content"].get("technician_name"), event["content"].get("business_name")]
    return {"own_tank": any(_is_named(owner, _words_of(name)) for name in named)}


def _words_of(name: str | None) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", (name or "").casefold()))


def _is_named(owner: frozenset[str], who: frozenset[str]) -> bool:
    """Whether a name is the owner's, in any order, or of one of several: `Laverne Lor` of `Lor, Otis & Laverne`."""
    return who == owner or (len(who) > 1 and who < owner)


def inspector_number(row: Mapping[str, Any]) -> str:
    """The licence number of the second person of a report, as it is written; '' for none."""
    return str(row["content"].get("inspector_license_number") or "")


def _numbers_in_settings(program: Program) -> set[str]:
    """The licence numbers that the county's settings hold: such as the district's contractor."""
    names = {getattr(act, named, "") for rule in program.rules for act in rule.acts for named in _NAMING_ACTS}
    return {number for name in names if name and (number := program.text_of(name))}
