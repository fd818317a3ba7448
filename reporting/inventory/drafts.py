"""The rows of one system → what the file says of it, in the shapes in which the store keeps facts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from reporting.domain.records import INACTIVE_STATES
from reporting.intake.addresses import normalize_address
from reporting.intake.identifiers import normalize_identifier
from reporting.inventory.headed import ReadRow
from schemas.issues import Code, Issue

PLACEHOLDER: Final = 999
"""What old records hold where nobody knew the capacity: kept as sent, never calculated with."""
PLAN: Final = {
    "plan_pump_months": "pump_months",
    "plan_inspect_months": "inspect_months",
    "plan_dispersal_months": "dispersal_months",
}
METER: Final = {"meter_unit": "unit", "meter_digits": "digits", "meter_serial": "serial"}
SYSTEM_CONTENT: Final = (
    "postcode", "legal_description", "use", "season_from", "season_to", "building", "permit_issued_on", "installed_on",
    "occupied_on", "sewer_available_on", "design_flow_gpd", "service_area", "agreement_recorded_on", "assigned_due_on",
    "latitude", "longitude", "access_notes", "flags",
)  # fmt: skip
PLACE: Final = ("permit_number", "parcel_number", "site_address", "municipality")
OWNER: Final = (
    "owner_name", "owner_name_2", "owner_since", "owner_email", "owner_phone", "owner_mailing_address",
)  # fmt: skip
OF_SYSTEM: Final = (
    *SYSTEM_CONTENT, *PLACE, *OWNER, "designated_license_number", "contract_from", "contract_to", "exemption_kind",
    "exemption_granted_on",
)  # fmt: skip
_IDENTITY: Final = frozenset({"parcel_number", "site_address", "component"})
"""Where two rows of one system may not differ (or, the component, not agree)."""
BASELINES: Final = {"last_pumped_on": "pumping", "last_inspected_on": "inspection"}


_KEYS: Final = {"permit_number": "permit", "parcel_number": "parcel", "site_address": "address"}


class Key(NamedTuple):
    """What a system is known by: its permit, or without one its parcel and address; all normalised."""

    permit: str
    parcel: str
    address: str


class Part(NamedTuple):
    """One component of a system: its kind and its name among several of a kind."""

    component: str
    ref: str


@dataclass(kw_only=True)
class Draft:
    """What the good rows of a file say of one system.

    values: the columns that are about the system, its first filled cell each. parts: the columns of each component's
    own row. rows: the numbers of its rows; raw: their bytes.
    """

    key: Key
    values: dict[str, Any] = field(default_factory=dict)
    parts: dict[Part, Mapping[str, Any]] = field(default_factory=dict)
    rows: list[int] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    _norms: dict[str, str] = field(default_factory=dict)

    def norm(self, name: str) -> str:
        """The normal form of one of the identifiers among the values, worked out once."""
        if name not in self._norms:
            normalize = normalize_address if name == "site_address" else normalize_identifier
            text = self.values.get(name, "")
            self._norms[name] = getattr(self.key, _KEYS[name]) or (normalize(text) if text else "")
        return self._norms[name]


class Seen(NamedTuple):
    """What later rows of a system that was already taken from the file are held against."""

    row: int
    parcel: str
    address: str
    parts: tuple[Part, ...]
    outcome: str


@dataclass(frozen=True, kw_only=True)
class RowVerdict:
    """What is said of one row by itself and beside the others of its system."""

    row: int
    key: Key | None
    errors: tuple[Issue, ...] = ()
    warnings: tuple[Issue, ...] = ()


def key_of(values: Mapping[str, Any]) -> Key | None:
    """The system that a row is of, or None where it names none."""
    if permit := normalize_identifier(values.get("permit_number", "")):
        return Key(permit, "", "")
    parcel = normalize_identifier(values.get("parcel_number", ""))
    address = normalize_address(values.get("site_address", ""))
    return Key("", parcel, address) if parcel and address else None


def draft_system(key: Key, rows: Sequence[ReadRow], seen: Seen | None = None) -> tuple[Draft | None, list[RowVerdict]]:
    """One system from its rows. A row with an error is left out; with no good row there is no system.

    seen: the same system as rows further up gave it; then the draft has only what these rows say of components.
    """
    draft, firsts = Draft(key=key), dict[str, int]()
    if seen is not None:
        draft.values = {"parcel_number": seen.parcel, "site_address": seen.address}
        draft.parts = {part: {} for part in seen.parts}
        firsts = dict.fromkeys(draft.values, seen.row)
    verdicts: list[RowVerdict] = []
    for row in rows:
        errors, warnings = [*row.errors, *_row_errors(row)], list(row.warnings)
        if not errors:
            for issue in _clashes(draft, row, firsts):
                (errors if issue.field in _IDENTITY else warnings).append(issue)
        if not errors:
            _take(draft, row, firsts)
            warnings += _placeholder(row)
        verdicts.append(RowVerdict(row=row.number, key=key, errors=tuple(errors), warnings=tuple(warnings)))
    if seen is not None:
        draft.values = {}
        draft.parts = {part: values for part, values in draft.parts.items() if part not in seen.parts}
    return (draft if draft.rows else None), verdicts


def refuse_row(row: ReadRow) -> RowVerdict:
    """The verdict on a row that does not say which system it is of."""
    message = "Give the permit number; for a system without one, its parcel number and site address."
    errors = (*row.errors, row.issue(Code.NO_PLACE, "permit_number", message))
    return RowVerdict(row=row.number, key=None, errors=errors, warnings=row.warnings)


def content_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The system's content (contract.md's scenario, and the inventory's own columns) of one file's values."""
    content = {name: values[name] for name in SYSTEM_CONTENT if name in values}
    plan = plan_of(values)
    return {**content, "plan": plan} if plan else content


def plan_of(values: Mapping[str, Any]) -> dict[str, int]:
    """The management plan's months that a row or a system has."""
    return {key: values[name] for name, key in PLAN.items() if name in values}


def part_content(values: Mapping[str, Any], system_plan: Mapping[str, Any]) -> dict[str, Any]:
    """A component's content; its plan only where it is another than the system's."""
    content: dict[str, Any] = {"status": values.get("status", "active")}
    if "status_since" in values:
        content["status_since"] = values["status_since"]
    capacity = values.get("capacity_gallons")
    if capacity == PLACEHOLDER:
        content["capacity_as_sent"] = str(capacity)
    elif capacity:
        content["capacity_gallons"] = capacity
    meter = {key: values[name] for name, key in METER.items() if name in values}
    if meter:
        content["meter"] = meter
    plan = plan_of(values)
    if plan and plan != system_plan:
        content["plan"] = plan
    return content


def status_of(states: Iterable[str]) -> str:
    """A system is in use while one of its components is; else it is what its first component is."""
    found = list(states)
    return next((state for state in found if state not in INACTIVE_STATES), found[0] if found else "active")


def _row_errors(row: ReadRow) -> Iterator[Issue]:
    values = row.values
    failed = {issue.field for issue in row.errors} if row.errors else frozenset[str | None]()
    if "component" not in values and "component" not in failed:
        yield row.issue(Code.REQUIRED, "component", "Give the component: septic, holding, pump_chamber, dispersal, …")
    if "exemption_kind" in values and not {"exemption_granted_on"} & (values.keys() | failed):
        yield row.issue(Code.REQUIRED, "exemption_granted_on", "Give the day on which the exemption was granted.")
    contract = "contract_from" in values or "contract_to" in values
    if contract and not {"designated_license_number"} & (values.keys() | failed):
        message = "Give the licence of the contractor with whom the contract is."
        yield row.issue(Code.REQUIRED, "designated_license_number", message)
    start, end = values.get("contract_from"), values.get("contract_to")
    if start and end and end < start:
        yield row.issue(Code.INCONSISTENT, "contract_to", f"The contract ends before it begins ({start}).", end)


def _clashes(draft: Draft, row: ReadRow, firsts: Mapping[str, int]) -> Iterator[Issue]:
    """Where a row contradicts an earlier one of its system."""
    part = _part(row)
    if part in draft.parts:
        name = " ".join(word for word in part if word)
        message = f"The component {name} of this system stands in a row above: name each tank in component_ref."
        yield row.issue(Code.INCONSISTENT, "component", message)
    for name in OF_SYSTEM:
        if name in row.values and name in draft.values and not _is_same(name, row.values[name], draft.values[name]):
            message = f"Row {firsts[name]} of the same system says {draft.values[name]}."
            if name in _IDENTITY:
                message += " One permit is one place: give a system of its own its own permit number."
            yield row.issue(Code.INCONSISTENT, name, message, row.values[name])


def _is_same(name: str, one: Any, other: Any) -> bool:
    if one == other:
        return True
    if name in ("permit_number", "parcel_number"):
        return normalize_identifier(one) == normalize_identifier(other)
    if name == "site_address":
        return normalize_address(one) == normalize_address(other)
    return False


def _take(draft: Draft, row: ReadRow, firsts: dict[str, int]) -> None:
    for name in (*OF_SYSTEM, *PLAN):
        if name in row.values and name not in draft.values:
            draft.values[name] = row.values[name]
            firsts[name] = row.number
    draft.parts[_part(row)] = row.values
    draft.rows.append(row.number)
    draft.raw.append(row.raw)


def _placeholder(row: ReadRow) -> list[Issue]:
    if row.values.get("capacity_gallons") != PLACEHOLDER:
        return []
    message = "999 stands for a capacity that nobody knew: it is kept and not calculated with."
    return [row.issue("placeholder", "capacity_gallons", message, PLACEHOLDER)]


def _part(row: ReadRow) -> Part:
    return _part_named(row.values["component"], row.values.get("component_ref", ""))


@lru_cache(maxsize=4_096)
def _part_named(component: str, ref: str) -> Part:
    """One object for all the components of a name: a long file has a hundred thousand of them."""
    return Part(component, ref)
