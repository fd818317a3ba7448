"""What a form of a business brings: what was done to which tank on which day, the fields, what is wrong with them."""

from __future__ import annotations

import datetime as dt
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reporting.intake.reading import keepable
from reporting.web.hauler_fields import CARRIED, title_of
from schemas.acts import COMPONENTS, EVENT_TYPES
from schemas.fields import FIELDS

Errors = dict[str, list[dict[str, Any]]]
"""Each field with what is wrong with it: `message` and `cite`."""
_ONCE: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_FIRST_DAY: Final = dt.date(1900, 1, 1)


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What was done to which tank on which day."""

    component: str
    ref: str
    event: str
    on: dt.date

    @property
    def values(self) -> dict[str, str]:
        """As fields of the report."""
        given = (self.event, self.on.isoformat(), self.component, self.ref)
        return {name: value for name, value in zip(CARRIED, given, strict=True) if value}


def given_of(values: Mapping[str, str]) -> dict[str, str]:
    """The fields of a report among what came, without the empty ones, in the texts that were typed."""
    found = {name: keepable(values.get(name, "")).replace("\r\n", "\n").strip() for name in FIELDS}
    tank = keepable(values.get("tank", "")).strip()
    if tank:
        found["component"], _, found["component_ref"] = tank.partition(":")
    if values.get("drawn"):  # instead of a typed name
        found["signature"] = keepable(values["drawn"])
    if values.get("day") in ("today", "yesterday"):
        found["service_date"] = values["day"]
    return {name: text for name, text in found.items() if text}


def chosen_of(given: Mapping[str, str], today: dt.date) -> tuple[Chosen | None, Errors]:
    """What was done to which tank on which day, or what has to be chosen still."""
    errors: Errors = {}
    component, event = given.get("component", ""), given.get("event_type", "")
    if component not in COMPONENTS:
        errors["component"] = [said("Say which part the work was on.")]
    if event not in EVENT_TYPES:
        errors["event_type"] = [said("Say what was done.")]
    days = {"today": today, "yesterday": today - dt.timedelta(days=1)}
    text = given.get("service_date", "")
    on = days.get(text) or _day(text)
    if on is None:
        errors["service_date"] = [said("Give the day of the work, such as 7/2/2026.")]
    elif on > today:
        errors["service_date"] = [said("Give a day that is not in the future.")]
    if errors or on is None:
        return None, errors
    return Chosen(component=component, ref=given.get("component_ref", ""), event=event, on=on), {}


def _day(text: str) -> dt.date | None:
    us = re.fullmatch(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})", text, re.ASCII)
    iso = f"{us[3]}-{us[1]:0>2}-{us[2]:0>2}" if us else text
    try:
        found = dt.date.fromisoformat(iso) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", iso, re.ASCII) else None
    except ValueError:
        return None
    return found if found is not None and found >= _FIRST_DAY else None


def is_day(text: str) -> bool:
    """Whether a text is a date as a report keeps it, 2026-07-02."""
    found = _day(text)
    return found is not None and found.isoformat() == text


def said(message: str) -> dict[str, Any]:
    """What is wrong, where no rule asks for it."""
    return {"message": message, "cite": None}


def errors_of(issues: Iterable[Any], without: Sequence[str] = ()) -> Errors:
    """Each field with what is wrong with it; what is of no field stands under ``""``."""
    found: Errors = {}
    for issue in issues:
        told = issue if isinstance(issue, Mapping) else issue.as_json()
        name = str(told["field"] or "")
        if name not in without:
            found.setdefault(name, []).append(dict(told))
    return found


def summary_of(errors: Errors) -> list[dict[str, str]]:
    """What is wrong, in the order of the fields, for the top of the page."""
    order = {name: number for number, name in enumerate(("", *FIELDS))}
    names = sorted(errors, key=lambda name: order.get(name, len(order)))
    pairs = [(name, one) for name in names for one in errors[name]]
    return [{"name": name, "title": title_of(name), "message": str(one["message"])} for name, one in pairs]


def new_once() -> str:
    """What makes a form one: whoever presses twice sends once."""
    return secrets.token_urlsafe(18)


def once_of(form: Mapping[str, str]) -> str:
    """What a form was given when it was shown; a new one where it brings none."""
    once = form.get("once", "")
    return once if _ONCE.fullmatch(once) else new_once()
