"""A county's own settings: read with their meaning and history, set from a day on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, service
from reporting.api.moments import county_today
from reporting.api.openapi import Answer, Section, json_body
from reporting.api.queries import read_day
from reporting.api.shapes import ref
from reporting.api.telling import tell
from reporting.owners import NotTold, Teller, Told, set_setting
from reporting.settings import list_settings
from reporting.store.engine import Store
from schemas.issues import Code, Issue
from schemas.loader import shipped_program

SECTION: Final = Section("settings", __name__, description="The county's own values of its program's settings.")


@SECTION.endpoint(
    "/v1/<slug:county>/settings", answers={200: Answer(tells="Every setting.", schema=ref("CountySettings"))}
)
def show_settings(query: dict[str, Any], county: str) -> Response:
    """Every setting of the county's program: what it means, what holds today, what the county has set and when."""
    with service().database.reading(county) as store:
        rows = list_settings(store, shipped_program(county), county_today())
    return Reply(status=200, body={"county": county, "settings": rows}).response()


@SECTION.endpoint(
    "/v1/<slug:county>/settings",
    method="POST",
    once=True,
    body=json_body(ref("NewSetting")),
    answers={201: Answer(tells="Kept; signed for.", schema=ref("Told"))},
)
def change_setting(query: dict[str, Any], county: str) -> Response:
    """Set one setting from a day on (today). What held before stays known, and every system is judged again."""
    return tell(_set)


def _set(store: Store, teller: Teller, values: Mapping[str, object]) -> Told | NotTold:
    unknown = [name for name in values if name not in ("name", "value", "valid_from")]
    if unknown:
        message = f"Leave out {unknown[0][:60]!r}; there are: name, value, valid_from."
        return NotTold(issues=(Issue(code=Code.UNKNOWN_FIELD, field=unknown[0][:60], message=message),))
    name = values.get("name")
    if not isinstance(name, str) or "value" not in values:
        field = "name" if not isinstance(name, str) else "value"
        return NotTold(issues=(Issue(code=Code.REQUIRED, field=field, message=f"Give the setting's {field}."),))
    return set_setting(store, teller, name, values["value"], _day(values, teller))


def _day(values: Mapping[str, object], teller: Teller) -> dt.date:
    return read_day("valid_from", values["valid_from"]) if values.get("valid_from") else teller.today
