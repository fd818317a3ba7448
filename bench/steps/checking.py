"""Checking alone: the rows of a file read and held against what the program asks for, no database.

Beside `csv.reader` over the same bytes, and beside the two ways that people would take: a marshmallow schema's `load`
for each row, and a pydantic-like check by hand (`msgspec`, which the service has anyway).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from functools import partial
from typing import Any

import marshmallow as ma
import msgspec

from bench.generated import CHECKED_ON, COUNTY, NO_LIMITS, reports_csv
from bench.measuring import Figure, in_turn
from reporting.intake.opening import open_file
from schemas.loader import shipped_program
from schemas.report import check_report

ROWS, FEWER = 20_000, 5_000
AIM = 4.0


def measured() -> Iterator[Figure]:
    """The service's check and the two others, each against the bare reader in the same turns."""
    data, few = reports_csv(ROWS, 4_000), reports_csv(FEWER, 1_000)
    against = "csv.reader alone"
    ours, bare = in_turn(partial(_checked, data), partial(read_bare, data))
    yield Figure(
        step=f"{ROWS:,} rows read and checked in full", database="", ours=ours, unit="s", baseline=bare,
        against=against, aim=f"≤ {AIM:.0f} ×", held=ours / bare <= AIM,
    )  # fmt: skip
    for name, work in (("marshmallow load", _by_marshmallow), ("msgspec convert", _by_msgspec)):
        taken, bare = in_turn(partial(work, few), partial(read_bare, few))
        yield Figure(
            step=f"for comparison: {name}, {FEWER:,} rows", database="", ours=taken, unit="s", baseline=bare,
            against=against,
        )  # fmt: skip


def read_bare(data: bytes) -> int:
    """The baseline: the rows as `csv.reader` splits them."""
    return sum(1 for _ in csv.reader(io.StringIO(data.decode(), newline="")))


def _checked(data: bytes) -> int:
    program = shipped_program(COUNTY)
    file = open_file(program, data, "round.csv", "text/csv", NO_LIMITS, CHECKED_ON)
    return sum(bool([*row.issues, *check_report(program, row.values)]) for row in file.rows())


def _rows(data: bytes) -> Iterator[dict[str, Any]]:
    for row in csv.DictReader(io.StringIO(data.decode(), newline="")):
        yield {name: value for name, value in row.items() if value}


class PlainReport(ma.Schema):
    """A report as somebody would check it who knows the columns and no law."""

    class Meta:
        unknown = ma.INCLUDE

    report_ref = ma.fields.String(required=True)
    permit_number = ma.fields.String(required=True)
    event_type = ma.fields.String(required=True, validate=ma.validate.OneOf(("pumping", "inspection")))
    service_date = ma.fields.Date(required=True, format="%m/%d/%Y")
    signed_on = ma.fields.Date(required=True, format="%m/%d/%Y")
    gallons_pumped = ma.fields.Integer(validate=ma.validate.Range(min=0))
    tank_condition = ma.fields.String(validate=ma.validate.OneOf(("good", "fair", "poor", "failed")))
    ponding = ma.fields.String(required=True)
    work_description = ma.fields.String(required=True)
    disposal_site = ma.fields.String(required=True)
    business_name = ma.fields.String(required=True)
    technician_name = ma.fields.String(required=True)
    license_number = ma.fields.String(required=True)
    owner_name = ma.fields.String(required=True)
    site_address = ma.fields.String(required=True)
    parcel_number = ma.fields.String(required=True)
    signature = ma.fields.String(required=True)


def _by_marshmallow(data: bytes) -> int:
    schema, wrong = PlainReport(), 0
    for row in _rows(data):
        try:
            schema.load(row)
        except ma.ValidationError:
            wrong += 1
    return wrong


class _Struct(msgspec.Struct):
    report_ref: str
    permit_number: str
    event_type: str
    service_date: str
    gallons_pumped: int
    license_number: str
    signature: str


def _by_msgspec(data: bytes) -> int:
    wrong = 0
    for row in _rows(data):
        try:
            msgspec.convert(row, _Struct, strict=False)
        except msgspec.ValidationError:
            wrong += 1
    return wrong
