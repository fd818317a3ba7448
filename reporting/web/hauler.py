"""For a business: what is due of its systems today, by town, with what it takes to get there and do it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, g, request

from reporting.api.calls import call, service
from reporting.api.obligations import my_duties
from reporting.api.visibility import visible_systems
from reporting.status import due_row
from reporting.store.derived import standings_of
from reporting.store.facts import StoredHistory
from reporting.web import hauler_files, hauler_find, hauler_report, hauler_reports, hauler_waiting
from reporting.web.places import today_in
from reporting.web.rendering import render
from schemas.calendar import COUNTY_TIME_ZONE, local_date
from schemas.loader import shipped_slugs

MOST: Final = 60
"""How many systems are shown at once; the files hold all."""
_LONGEST: Final = 200


def my_work() -> Response:
    """What is due soon or overdue at the systems that name this business, as `/v1/contractors/me/due` lists it."""
    systems = _systems()
    towns = Counter(one["town"] for one in systems)
    town = request.args.get("town", "")[:_LONGEST]
    wanted = [one for one in systems if not town or one["town"] == town]
    wanted.sort(key=lambda one: (one["town"], one["due"], one["system"]))
    shown = wanted[:MOST]
    _add_details(shown)
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in shown:
        groups.setdefault(one["town"], []).append(one)
    return render(
        "hauler/work",
        today=local_date(g.now, COUNTY_TIME_ZONE),
        groups=groups,
        towns=sorted(towns.items()),
        town=town,
        count=len(wanted),
        most=MOST,
        overdue=sum(any(duty["state"] == "overdue" for duty in one["duties"]) for one in systems),
        all=len(systems),
        forms=[path for one in shown for path in _forms(one)] + _other_forms(),
    )


def service_log() -> Response:
    """Where the business gets its service log, NR 113.11(3)(c), by years."""
    today = local_date(g.now, COUNTY_TIME_ZONE)
    return render("hauler/service_log", today=today, years=[today.year - n for n in range(6)])


def _systems() -> list[dict[str, Any]]:
    """Each system with something due, with its duties, soonest first."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for county in shipped_slugs():
        today = today_in(county)
        with service().database.reading(county) as store:
            rows = list(my_duties(store, {}))
        for row in rows:
            duty = due_row(row, today)
            one = found.setdefault((county, row["system"]), _card(county, row, duty))
            one["duties"].append(duty)
    return list(found.values())


def _card(county: str, row: Mapping[str, Any], duty: Mapping[str, Any]) -> dict[str, Any]:
    names = ("system", "permit_number", "parcel_number", "site_address", "municipality")
    tank = ":".join(text for text in (row["component"], row["component_ref"]) if text)
    return {
        "county": county,
        **{name: row[name] for name in names},
        "town": row["municipality"] or "",
        "due": duty["due_on"] or "",  # a tank that is full is due now
        "duties": [],
        "tank": tank,
        "map": map_link(row),
        "report": f"/report/{county}/{row['system']}" + (f"?{urlencode({'tank': tank})}" if tank else ""),
        "access_notes": "",
        "last": None,
        "full_on": None,
    }


def _forms(one: Mapping[str, Any]) -> list[str]:
    """The forms of a listed system that a phone keeps, so that it can be reported of without a signal."""
    place, tank = f"/report/{one['county']}/{one['system']}", one["tank"]
    looks = any("inspect" in duty["kind"] for duty in one["duties"])
    kinds = hauler_waiting.KINDS if looks else hauler_waiting.KINDS[:1]
    return [one["report"], *(_form(place, kind, tank) for kind in kinds if tank)]


def _other_forms() -> list[str]:
    """The same for any system that is not on the list: a report of it finds its system when it comes in."""
    places = [f"/report/{county}" for county in hauler_find.my_counties()]
    tanks = ("septic", "holding")
    return [path for place in places for path in (place, *(_form(place, hauler_waiting.KINDS[0], t) for t in tanks))]


def _form(place: str, kind: str, tank: str) -> str:
    return f"{place}?{urlencode({'day': 'today', 'service_date': '', 'event_type': kind, 'tank': tank})}"


def map_link(row: Mapping[str, Any]) -> str:
    """A public map at a system's coordinates, else one that looks its address up; empty where neither is on file."""
    if row.get("latitude") and row.get("longitude"):
        place = {"mlat": row["latitude"], "mlon": row["longitude"]}
        return f"https://www.openstreetmap.org/?{urlencode(place)}#map=17/{row['latitude']}/{row['longitude']}"
    if not row.get("site_address"):
        return ""
    address = ", ".join(str(text) for text in (row["site_address"], row.get("municipality"), "Wisconsin") if text)
    return "https://www.openstreetmap.org/search?" + urlencode({"query": address})


def _add_details(cards: list[dict[str, Any]]) -> None:
    """Access notes, the last load of this business and the meter's forecast, where a system names the business now."""
    for county in {one["county"] for one in cards}:
        ids = [one["system"] for one in cards if one["county"] == county]
        with service().database.reading(county) as store:
            seen = visible_systems(store, ids, today_in(county))
            standings = standings_of(store, seen)
        for one in (one for one in cards if one["county"] == county and one["system"] in seen):
            stored = seen[one["system"]]
            one["access_notes"] = ((stored.system or {}).get("content") or {}).get("access_notes") or ""
            one["last"] = _last_load(stored)
            one["full_on"] = standings.get(one["system"], {}).get("full_on")


def _last_load(stored: StoredHistory) -> Mapping[str, Any] | None:
    mine = [row for row in stored.events if call().owns(row) and row["content"].get("gallons_pumped")]
    return {"gallons": mine[-1]["content"]["gallons_pumped"], "on": mine[-1]["service_date"]} if mine else None


PAGES: Final = (
    ("/work", "my_work", my_work, ("GET",)),
    ("/waiting", "show_waiting", hauler_waiting.show_waiting, ("GET",)),
    ("/waiting/who", "show_who", hauler_waiting.show_who, ("GET",)),
    ("/worker.js", "serve_worker", hauler_waiting.serve_worker, ("GET",)),
    ("/service-log", "service_log", service_log, ("GET",)),
    ("/report", "find_to_report", hauler_find.find_to_report, ("GET",)),
    ("/report/<slug:county>", "report_other", hauler_report.show_form, ("GET",)),
    ("/report/<slug:county>", "send_other", hauler_report.take_form, ("POST",)),
    ("/report/<slug:county>/<id:place>", "report_here", hauler_report.show_form, ("GET",)),
    ("/report/<slug:county>/<id:place>", "send_here", hauler_report.take_form, ("POST",)),
    ("/sent/<slug:county>/<id:submission_id>", "show_sent", hauler_reports.show_sent, ("GET",)),
    ("/reports", "my_reports", hauler_reports.my_reports, ("GET",)),
    ("/reports/<slug:county>/<id:report_id>", "my_report", hauler_reports.my_report, ("GET",)),
    ("/reports/<slug:county>/<id:report_id>/amend", "show_amend", hauler_reports.show_amend, ("GET",)),
    ("/reports/<slug:county>/<id:report_id>/amend", "amend", hauler_reports.take_amend, ("POST",)),
    ("/reports/<slug:county>/<id:report_id>/void", "void", hauler_reports.take_void, ("POST",)),
    ("/files", "my_files", hauler_files.my_files, ("GET",)),
    ("/files/<slug:county>", "show_file_form", hauler_files.show_file_form, ("GET",)),
    ("/files/<slug:county>", "take_file", hauler_files.take_file, ("POST",)),
)
"""Address, name, what makes it, methods: for `reporting.web.pages`."""
