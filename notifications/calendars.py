"""Duties as all-day events of a calendar, RFC 5545: a mail's attachment, and a contractor's feed. Pure.

A duty's UID is made of its county, system, component, kind, rule and cycle: it stays the same when the day moves, and
the digest's event is the feed's. What was met is no longer in the feed, and so no longer in the calendar.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from icalendar import Alarm, Calendar, Event, vGeo, vText

_PRODUCT: Final = "-//pumper//due for service//EN"
ALARM_BEFORE: Final = timedelta(hours=16)
"""An all-day event's reminder: at eight in the morning of the day before."""
REFRESH: Final = timedelta(hours=6)
"""How often a calendar is to ask for the feed again."""


def calendar_of(lines: Sequence[Mapping[str, Any]], office: Mapping[str, Any]) -> bytes:
    """The duties as all-day events on their last day; what is overdue stands on the day of writing.

    office: `written_on`, `base_url`, `county` and `county_name` of the message.
    """
    written = date.fromisoformat(office["written_on"])
    calendar = _calendar(f"{office['county_name']}: due for service")
    for line in lines:
        calendar.add_component(_line_event(line, office, written))
    return bytes(calendar.to_ical())


def feed_of(duties: Iterable[Mapping[str, Any]], base_url: str, written: date) -> bytes:
    """A contractor's open duties over all counties as a feed, each on the day on which it is due.

    A duty has the columns of an obligation with its place, as `reporting.store.lists.list_obligations` gives them, and
    `county`, `county_name`, `component_name`. One without a day, such as a tank that is full, stands on `written`.
    Neither an owner's name nor how to get in is in it: calendars are shown to many.
    """
    calendar = _calendar("Septic service due")
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", vText("PT6H"))
    for duty in duties:
        calendar.add_component(_duty_event(duty, base_url, written))
    return bytes(calendar.to_ical())


def uid_of(line: Mapping[str, Any], office: Mapping[str, Any]) -> str:
    """What a calendar knows a digest's duty by: `duty`, as `duty_key` names it; its cause where that is not known."""
    return _uid(str(office["county"]), str(line.get("duty") or line["cause_key"]), str(office["base_url"]))


def duty_key(duty: Mapping[str, Any]) -> str:
    """A duty's name among those of its county: system, component, kind, rule, cycle, whatever its day."""
    names = ("system", "component", "component_ref", "kind", "rule", "cycle")
    return "due:" + ":".join(str(duty[name]) for name in names)


def duty_of_cause(cause_key: str, content: Mapping[str, Any]) -> str:
    """The same name for an event of a duty: a holding tank's call for service has its cause without kind and rule."""
    tank = ":".join(str(content.get(name) or "") for name in ("system", "component", "component_ref"))
    call = f"needs:{tank}:"
    if not content.get("obligation") or not cause_key.startswith(call):
        return cause_key
    return f"due:{tank}:{content['obligation']}:{content['rule']}:{cause_key.removeprefix(call)}"


def _uid(county: str, key: str, base_url: str) -> str:
    digest = sha256(f"{county}\n{key}".encode()).hexdigest()[:32]
    return f"{digest}@{urlsplit(base_url).hostname or 'localhost'}"


def _calendar(name: str) -> Calendar:
    calendar = Calendar()
    calendar.add("prodid", _PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", vText(name))
    return calendar


def _duty_event(duty: Mapping[str, Any], base_url: str, written: date) -> Event:
    day: date = duty["due_on"] or duty["last_day"] or written
    last: date | None = duty["last_day"]
    place = ", ".join(text for text in (duty["site_address"], duty["municipality"]) if text)
    tank = f"{duty['component_name']} {duty['component_ref'] or ''}".strip()
    said = [
        f"{duty['kind'].replace('_', ' ')}: {duty['state'].replace('_', ' ')}",
        f"Permit {duty['permit_number'] or 'not on file'}, {duty['county_name']}",
        str(duty["because"] or ""),
        f"Last day {last.isoformat()}" if last else "Due now",
        f"Rule {duty['rule']}, {duty['cite']}",
    ]
    event = Event()
    event.add("uid", _uid(str(duty["county"]), duty_key(duty), base_url))
    event.add("dtstamp", datetime.combine(written, time(0), UTC))
    _add_day(event, day)
    event.add("summary", f"{tank} due: {place or 'address not on file'}")
    if place:
        event.add("location", place)
    event.add("description", "\n".join(text for text in said if text))
    event.add("url", base_url)
    event.add("transp", "TRANSPARENT")
    _add_place(event, duty)
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", f"{tank} due: {place or 'address not on file'}")
    alarm.add("trigger", -ALARM_BEFORE)
    event.add_component(alarm)
    return event


def _add_day(event: Event, day: date) -> None:
    event.add("dtstart", day)
    event.add("dtend", day + timedelta(days=1) if day < date.max else day)


def _add_place(event: Event, place: Mapping[str, Any]) -> None:
    if place.get("latitude") and place.get("longitude"):
        event.add("geo", vGeo((float(place["latitude"]), float(place["longitude"]))))


def _line_event(line: Mapping[str, Any], office: Mapping[str, Any], written: date) -> Event:
    last = date.fromisoformat(line["last_day"]) if line.get("last_day") else written
    day = max(last, written)
    place = ", ".join(text for text in (line.get("site_address"), line.get("municipality")) if text)
    component = f"{line['component']} {line.get('component_ref') or ''}".strip()
    said = [
        f"Permit {line.get('permit_number') or 'not on file'}",
        f"Owner: {line['owner_name']}" if line.get("owner_name") else "",
        f"Access: {line['access_notes']}" if line.get("access_notes") else "",
        str(line.get("because") or ""),
        f"Last day {last.isoformat()}" if line.get("last_day") else "Due now",
        f"Rule {line['rule']}, {line['cite']}",
        str(line.get("map_url") or ""),
    ]
    event = Event()
    event.add("uid", uid_of(line, office))
    event.add("dtstamp", datetime.combine(written, time(0), UTC))
    _add_day(event, day)
    event.add("summary", f"{component} due: {place or 'address not on file'}")
    event.add("location", place)
    event.add("description", "\n".join(text for text in said if text))
    event.add("url", office["base_url"])
    event.add("transp", "TRANSPARENT")
    _add_place(event, line)
    return event
