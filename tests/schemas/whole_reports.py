"""Reports that hold whatever a program asks for."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

from schemas.fields import FIELDS, Type
from schemas.program import Program
from schemas.report import Traits, requirements

DAYS = (dt.date(2015, 3, 2), dt.date(2026, 6, 30), dt.date(2026, 7, 1))
_SAMPLES: dict[Type, object] = {
    Type.TEXT: "a text",
    Type.LONG_TEXT: "a text",
    Type.IDENTIFIER: "SP-1",
    Type.LICENSE: "00412",
    Type.TIME: dt.time(14, 30),
    Type.GALLONS: 900,
    Type.READING: Decimal(12345),
    Type.FRACTION: Fraction(1, 4),
    Type.YES_NO: True,
    Type.LIST: ("lid cracked",),
}


def whole_report(program: Program, component: str, event: str, day: dt.date) -> dict[str, object]:
    """A report with every field that the program asks for without knowing the system, and nothing that contradicts."""
    values: dict[str, object] = {"event_type": event, "service_date": day}
    if component:
        values["component"] = component
    for asked in requirements(program.at(day), component, event, day, Traits()):
        chosen = asked.any_of[-1 if event == "inspection" else 0] if asked.any_of else ()
        for name in (*(() if asked.with_field else asked.fields), *chosen):
            values.setdefault(name, _sample(name, day))
    return values


def _sample(name: str, day: dt.date) -> object:
    field = FIELDS[name]
    if field.type is Type.DATE:
        return day + dt.timedelta(days=300)
    if field.choices is not None:
        return next(iter(field.choices.values()))
    return _SAMPLES[field.type]
