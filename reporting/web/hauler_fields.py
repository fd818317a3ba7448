"""The fields of a report's form: those that a program asks for, each with its reason and its control. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from notifications.dates import long_day
from schemas.acts import EVENT_TYPES
from schemas.fields import FIELDS, Field, Type
from schemas.program import Program
from schemas.publish import asked
from schemas.report import Requirement, Traits

CARRIED: Final = ("event_type", "service_date", "component", "component_ref")
"""What was chosen before the form is shown."""
SIGNING: Final = ("signature", "signed_on")
"""What is given last, once everything that is signed is seen."""
_WHERE: Final = ("permit_number", "parcel_number", "site_address", "municipality", "owner_name")
_WHO: Final = ("business_name", "business_address", "technician_name", "license_number", "credential_kind")
_SECOND: Final = (
    "inspector_name", "inspector_license_number", "inspector_credential_kind", "inspector_signature",
)  # fmt: skip
_MORE: Final = (
    "report_ref", "partial", "defects", "surface_discharge", "tampering", "no_access", "notes", *_SECOND,
    "waste_type", "disposal_site", "disposal_date", "vehicle_operator", "load_ref",
)  # fmt: skip
_OTHERS: Final = {"reason": "reason", "confirm": "confirmation"}
"""What a form asks besides the fields of a report."""
_CONTROLS: Final[Mapping[Type, str]] = {
    Type.LONG_TEXT: "long",
    Type.CHOICE: "select",
    Type.YES_NO: "select",
    Type.DATE: "date",
    Type.TIME: "time",
    Type.GALLONS: "numeric",
    Type.READING: "decimal",
}


@dataclass(frozen=True, kw_only=True)
class Control:
    """One field as it stands in a form. `why`, `cite` and `rule` are empty for what nobody asks for."""

    name: str
    title: str
    help: str
    kind: str
    options: tuple[tuple[str, str], ...] = ()
    needed: bool = False
    why: str = ""
    cite: str = ""
    rule: str = ""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Fields that belong together; a `folded` group is open only where one of its fields has a value or an error."""

    title: str
    controls: tuple[Control, ...]
    folded: bool = False

    def is_open(self, values: Mapping[str, object], errors: Mapping[str, object]) -> bool:
        """Whether a folded group holds something to see."""
        return any(values.get(one.name) or errors.get(one.name) for one in self.controls)


def event_words() -> list[tuple[str, str]]:
    """Every kind of service with its words, for a choice."""
    return [(name, _words(name)) for name in EVENT_TYPES]


def groups_of(
    program: Program, component: str, event: str, day: dt.date, traits: Traits, also: Iterable[str] = ()
) -> tuple[Group, ...]:
    """The form of such a report on that day: what its program asks for, and folded away what else can be told.

    also: fields that must be shown besides, since they have a value or an error.
    """
    wanted = asked(program, component, event, day, traits)
    found = _asked_controls(wanted)
    shown = [name for name in FIELDS if (name in found or name in set(also)) and name not in (*CARRIED, *SIGNING)]
    main = [name for name in shown if name in found or name not in _MORE]
    place = [name for name in main if name in _WHERE]
    people = [name for name in main if name in _WHO or (name in _SECOND and name in found)]
    instead = {name: one for one in wanted for names in one.any_of[1:] for name in names if not found[name].needed}
    work = [name for name in main if name not in (*place, *people, *instead)]
    more = [name for name in _MORE if name not in main]
    groups = [
        Group(title="Where", controls=_controls(place, found)),
        Group(title="What was done", controls=_controls(work, found)),
        *_instead(instead, found),
        Group(title="Who did it", controls=_controls(people, found)),
        Group(title="Anything else (not asked for)", controls=_controls(more, found), folded=True),
    ]
    return tuple(group for group in groups if group.controls)


def _instead(instead: Mapping[str, Requirement], found: Mapping[str, Control]) -> list[Group]:
    """What may be given in the place of something else, folded away under its name."""
    groups: dict[str, list[str]] = {}
    for name, one in instead.items():
        groups.setdefault(" and the ".join(FIELDS[each].label for each in one.any_of[0]), []).append(name)
    return [
        Group(title=f"Instead of the {title}", controls=_controls(names, found), folded=True)
        for title, names in groups.items()
    ]


def plain_controls(names: Sequence[str]) -> tuple[Control, ...]:
    """Fields without a reason, for correcting a report."""
    return _controls([name for name in FIELDS if name in set(names)], {})


def shown_value(name: str, value: Any) -> str:
    """A kept value as a person writes it into the field."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "; ".join(str(one) for one in value)
    text = str(value)
    # Browsers leave out seconds that are none.
    return text.removesuffix(":00") if name in FIELDS and FIELDS[name].type is Type.TIME and len(text) == 8 else text


def seen_values(values: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What a report says, in the order of the fields: name, title and value in words."""
    found = []
    for name, field in FIELDS.items():
        text = shown_value(name, values.get(name))
        if text:
            found.append((name, title_of(name), _plain(field, text)))
    return found


def _plain(field: Field, text: str) -> str:
    if field.type is Type.GALLONS and text.isascii() and text.isdigit():
        return f"{int(text):,}"
    if field.type is Type.DATE:
        try:
            return long_day(dt.date.fromisoformat(text))
        except ValueError:
            return text
    return _words(text) if field.type is Type.CHOICE and len(text) > 1 else text


def title_of(name: str) -> str:
    """A field's label as a heading."""
    label = FIELDS[name].label if name in FIELDS else _OTHERS.get(name, name)
    return _sentence(label)


def _asked_controls(wanted: Sequence[Requirement]) -> dict[str, Control]:
    found: dict[str, Control] = {}
    for one in wanted:
        for name in one.fields:
            if not one.with_field:
                found[name] = _control(name, one, needed=True, why=_sentence(one.reason))
        for name in (name for names in one.any_of for name in names):
            found.setdefault(name, _control(name, one, needed=False, why=_choice(one)))
    return found


def _choice(one: Requirement) -> str:
    lists = [" and the ".join(FIELDS[name].label for name in names) for names in one.any_of]
    return f"Give the {', or the '.join(lists)}: {one.reason}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _controls(names: Iterable[str], found: Mapping[str, Control]) -> tuple[Control, ...]:
    return tuple(found.get(name) or _control(name, None) for name in names)


def _control(name: str, one: Requirement | None, *, needed: bool = False, why: str = "") -> Control:
    field = FIELDS[name]
    return Control(
        name=name,
        title=title_of(name),
        help=field.help,
        kind=_CONTROLS.get(field.type, "text"),
        options=_options(field),
        needed=needed,
        why=why,
        cite=one.cite if one else "",
        rule=one.rule if one else "",
    )


def _options(field: Field) -> tuple[tuple[str, str], ...]:
    if field.type is Type.YES_NO:
        return (("yes", "Yes"), ("no", "No"))
    return tuple((value, _words(value)) for value in dict.fromkeys((field.choices or {}).values()))


def _words(name: str) -> str:
    return _sentence(name.replace("_", " "))
