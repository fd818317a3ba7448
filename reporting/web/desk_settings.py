"""The county's own settings on a page: what each means, what holds, what held before; and set from a day on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from werkzeug.wrappers import Response as AnyResponse

from reporting.api.moments import county_today
from reporting.api.settings import change_setting
from reporting.api.settings import show_settings as read_settings
from reporting.web.asking import Told, ask, form_values, go, in_own_county, tell
from reporting.web.desk_words import render_desk

LIST: Final = "/desk/settings"
_YES_NO: Final = {"yes": True, "true": True, "no": False, "false": False}


@in_own_county
def show_settings() -> AnyResponse:
    """Every setting of the county's program."""
    return _page({}, None)


@in_own_county
def set_one_setting() -> AnyResponse:
    """Set one setting from a day on."""
    values = form_values()
    usual = {row["name"]: row["of_program"] for row in ask(read_settings).body["settings"]}
    body = {name: value for name, value in values.items() if value != ""}
    if "value" in body or values.get("name") in usual:
        body["value"] = read_value(values.get("value", ""), usual.get(str(values.get("name"))))
    told = tell(change_setting, body)
    return go(f"{LIST}#{values['name']}", "set") if told.ok else _page(values, told)


def read_value(text: object, usual: object) -> object:
    """What was typed, as a value of the sort that the program file has; what cannot be one stays as it is."""
    if not isinstance(text, str):
        return text
    word = text.strip()
    if isinstance(usual, bool):
        return _YES_NO.get(word.lower(), word)
    if isinstance(usual, int | float):
        return _number(word)
    if isinstance(usual, list):
        return [_number(part.strip()) for part in word.split(",") if part.strip()]
    return word


def write_value(value: object) -> str:
    """A setting's value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _number(word: str) -> object:
    try:
        return int(word) if word.lstrip("-").isdecimal() else float(word)
    except ValueError:
        return word


def _page(values: Mapping[str, Any], told: Told | None) -> AnyResponse:
    rows = ask(read_settings).body["settings"]
    return render_desk(
        "settings",
        status=told.status if told else 200,
        settings=[{**row, "shown": write_value(row["value"]), "usual": write_value(row["of_program"]),
                   "own": [{**one, "shown": write_value(one["value"])} for one in reversed(row["own"])]}
                  for row in rows],
        names=[(row["name"], row["name"].replace("_", " ")) for row in rows],
        today=county_today(),
        values={"valid_from": county_today().isoformat(), **values},
        told=told,
    )  # fmt: skip
