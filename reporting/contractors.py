"""Contractors and their licences from a file: an upsert by licence, several licences to a business.

Businesses belong to no county, so the file is imported in a transaction of none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256
from typing import Any, Final

from reporting.ids import new_id
from reporting.intake.moments import parse_date
from reporting.intake.sheet import Cell, Limits
from reporting.intake.values import clean_text, parse_text, raw_value
from reporting.intake.words import normalize_license, parse_choice, parse_emails, parse_license
from reporting.inventory.answers import (
    ADDED,
    CHANGED,
    REJECTED,
    UNTOUCHED,
    InventoryAnswer,
    RowOutcome,
    ShownDifference,
    count_outcomes,
)
from reporting.inventory.columns import Column, Day
from reporting.inventory.headed import ReadRow, open_headed
from reporting.store.engine import Store
from reporting.store.people import (
    contractors_of,
    find_contractors_by_name,
    find_credentials,
    licences_of,
    upsert_contractors,
    upsert_credentials,
)
from schemas.calendar import COUNTY_TIME_ZONE, local_date
from schemas.fields import FIELDS
from schemas.issues import Code, Issue

_PARTICULARS: Final = ("business_name", "email", "phone", "address")
_SHOWN_DIFFERENCES: Final = 20
_REQUIRED: Final = (("license_number",), ("credential_kind",), ("business_name",))


def _text(cell: Cell, day: Day) -> str:
    raw_value(cell)
    return " ".join(clean_text(cell.text).split())


def _long_text(cell: Cell, day: Day) -> str:
    raw_value(cell)
    return parse_text(cell.text)


def _license(cell: Cell, day: Day) -> str:
    parse_license(raw_value(cell))
    return clean_text(cell.text)


def _kind(cell: Cell, day: Day) -> str:
    return parse_choice(raw_value(cell), FIELDS["credential_kind"].choices or {})


def _date(cell: Cell, day: Day) -> date:
    return parse_date(raw_value(cell), today=day.today, time_zone=day.time_zone)


def _emails(cell: Cell, day: Day) -> str:
    return "; ".join(parse_emails(raw_value(cell)))


def _counties(cell: Cell, day: Day) -> list[str]:
    words = (part.strip().casefold().replace(" ", "-") for part in _text(cell, day).replace(",", ";").split(";"))
    return sorted({word for word in words if word})


_COLUMNS: Final[Mapping[str, Column]] = {
    column.name: column
    for column in (
        Column(name="license_number", parse=_license, aliases=("license", "license no", "licence", "certification no")),
        Column(name="credential_kind", parse=_kind, aliases=("credential", "license type", "kind")),
        Column(name="business_name", parse=_text, aliases=("business", "company", "company name", "name")),
        Column(name="email", parse=_emails, aliases=("e-mail", "email address")),
        Column(name="phone", parse=_text, aliases=("telephone",)),
        Column(name="address", parse=_long_text, aliases=("business address", "company address")),
        Column(name="expires_on", parse=_date, aliases=("expires", "expiration", "expiration date", "valid until")),
        Column(name="counties", parse=_counties, aliases=("county",)),
    )
}


def import_contractors(
    store: Store,
    data: bytes,
    *,
    counties: Collection[str],
    now: datetime,
    file_name: str | None = None,
    content_type: str | None = None,
    dry_run: bool = False,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> InventoryAnswer:
    """Import a contractors' file; counts and outcomes are of licences.

    store: a transaction of no county. counties: the slugs that may stand in the column. An empty cell of a column that
    the file has clears the value. Raises `FileRefused`.
    """
    day = Day(today=local_date(now, COUNTY_TIME_ZONE), time_zone=COUNTY_TIME_ZONE)
    file = open_headed(
        data,
        file_name=file_name,
        content_type=content_type,
        limits=limits,
        columns=_COLUMNS,
        required=_REQUIRED,
        day=day,
    )
    run = _Run(store=store, given=file.given, counties=counties, new_id=lambda: new_id("con", now), now=now)
    run.take(list(file.rows()))
    if not dry_run:
        run.write()
    found = [one.outcome for one in run.outcomes]
    counts: dict[str, Any] = count_outcomes(found)
    return InventoryAnswer(
        county=None,
        file_name=file_name,
        file_sha256=sha256(data).hexdigest(),
        dry_run=dry_run,
        rows=len(found),
        rejected=found.count(REJECTED),
        columns=file.shown_columns(),
        outcomes=tuple(run.outcomes),
        differences=tuple(run.differences[:_SHOWN_DIFFERENCES]),
        notes=file.sheet.notes,
        **counts,
    )


@dataclass(kw_only=True)
class _Run:
    """One file: the businesses and licences as they will be, by id and by (number, kind)."""

    store: Store
    given: frozenset[str]
    counties: Collection[str]
    new_id: Callable[[], str]
    now: datetime
    businesses: dict[str, dict[str, Any]] = field(default_factory=dict)
    credentials: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    stored_businesses: dict[str, dict[str, Any]] = field(default_factory=dict)
    stored_credentials: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    by_name: dict[str, str] = field(default_factory=dict)
    first_rows: dict[tuple[str, str], int] = field(default_factory=dict)
    outcomes: list[RowOutcome] = field(default_factory=list)
    differences: list[ShownDifference] = field(default_factory=list)

    def take(self, rows: Sequence[ReadRow]) -> None:
        """Hold the rows against what is on file."""
        good = [row for row in rows if "license_number" in row.values]
        held = find_credentials(self.store, (normalize_license(row.values["license_number"]) for row in good))
        for credentials in held.values():
            self.stored_credentials.update(((c["license_norm"], c["kind"]), c) for c in credentials)
        names = {row.values["business_name"].lower() for row in good if "business_name" in row.values}
        for name, found in find_contractors_by_name(self.store, names).items():
            self.by_name[name] = str(found[0]["id"])
        ids = {c["contractor_id"] for c in self.stored_credentials.values()} | set(self.by_name.values())
        self.stored_businesses = contractors_of(self.store, sorted(ids))
        renamed = self._renamed(good)
        for row in rows:
            errors = (*row.errors, *self._row_errors(row))
            if errors:
                number = row.values.get("license_number")
                self.outcomes.append(RowOutcome(row.number, REJECTED, number, None, errors, row.warnings))
            else:
                self._take(row, renamed)

    def _row_errors(self, row: ReadRow) -> list[Issue]:
        failed = {issue.field for issue in row.errors}
        errors = [
            row.issue(Code.REQUIRED, name, f"Give the {name.replace('_', ' ')}.")
            for name in ("license_number", "credential_kind", "business_name")
            if name not in row.values and name not in failed
        ]
        for slug in row.values.get("counties", ()):
            if slug not in self.counties:
                known = ", ".join(sorted(self.counties))
                errors.append(row.issue("unknown_county", "counties", f"There is no program {slug}: give {known}."))
        key = _key(row) if not errors and not row.errors else None
        if key in self.first_rows:
            message = f"This licence stands in row {self.first_rows[key]} already."
            errors.append(row.issue(Code.INCONSISTENT, "license_number", message, row.values["license_number"]))
        return errors

    def _renamed(self, rows: Sequence[ReadRow]) -> dict[str, str]:
        """Businesses all of whose licences stand in the file under one other name: those have a new name."""
        told: dict[str, set[str]] = {}
        for row in rows:
            stored = self.stored_credentials.get(_key(row)) if "credential_kind" in row.values else None
            if stored and "business_name" in row.values:
                told.setdefault(stored["contractor_id"], set()).add(row.values["business_name"].lower())
        keys = {_key(row) for row in rows if "credential_kind" in row.values}
        return {
            business: next(iter(names))
            for business, names in told.items()
            if len(names) == 1
            and all((c["license_norm"], c["kind"]) in keys for c in licences_of(self.store, business))
        }

    def _take(self, row: ReadRow, renamed: Mapping[str, str]) -> None:
        key = _key(row)
        self.first_rows[key] = row.number
        stored = self.stored_credentials.get(key)
        business = self._business_of(row, stored, renamed)
        old = self.stored_businesses.get(business, {"id": business, "created_at": self.now})
        values = {name: row.values.get(name) if name in self.given else old.get(name) for name in _PARTICULARS}
        # Of several rows of one business the first that fills a cell gives its value.
        before = self.businesses.get(business, {})
        values = {name: before.get(name) or value for name, value in values.items()}
        self.businesses[business] = {**old, **values}
        old_credential = stored or {"counties": [], "expires_on": None}
        credential = {
            "license_norm": key[0],
            "kind": key[1],
            "license_number": row.values["license_number"],
            "contractor_id": business,
            "expires_on": row.values.get("expires_on") if "expires_on" in self.given else old_credential["expires_on"],
            "counties": row.values.get("counties", []) if "counties" in self.given else old_credential["counties"],
        }
        self.credentials[key] = credential
        changed = [
            ShownDifference(row.number, row.values["license_number"], name, stored[name], value)
            for name, value in credential.items()
            if stored and stored[name] != value
        ]
        if stored:
            changed += [
                ShownDifference(row.number, row.values["license_number"], name, old.get(name), value)
                for name, value in values.items()
                if old.get(name) != value
            ]
        self.differences += changed
        outcome = ADDED if stored is None else CHANGED if changed else UNTOUCHED
        self.outcomes.append(RowOutcome(row.number, outcome, row.values["license_number"], business, (), row.warnings))

    def _business_of(self, row: ReadRow, stored: Mapping[str, Any] | None, renamed: Mapping[str, str]) -> str:
        """The business that holds a licence: the one it had unless it went to another name, else the one so named."""
        name = row.values["business_name"].lower()
        if stored:
            business = str(stored["contractor_id"])
            if name in (self.stored_businesses[business]["business_name"].lower(), renamed.get(business)):
                self.by_name.setdefault(name, business)
                return business
        return self.by_name.setdefault(name, self.new_id())

    def write(self) -> None:
        """Write what the file says."""
        upsert_contractors(self.store, list(self.businesses.values()))
        upsert_credentials(self.store, list(self.credentials.values()))


def _key(row: ReadRow) -> tuple[str, str]:
    return normalize_license(row.values["license_number"]), row.values["credential_kind"]
