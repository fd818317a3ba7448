"""The windows in which a district's contractor pumps its service areas: set, called off, listed.

A window is a fact of the county itself; the assessment says which systems it is of (`reporting.domain.areas`).
"""

from __future__ import annotations

from typing import Any

from reporting import tables
from reporting.errors import RecordNotFound
from reporting.forms import Form
from reporting.histories import WINDOW
from reporting.owners import NotTold, Teller, Told, Values, keep, keep_fact
from reporting.store.derived import mark_all_dirty
from reporting.store.engine import Store
from reporting.store.facts import end_versions, load_county_facts
from schemas.acts import AreaWindow, ServiceAreas


def set_window(store: Store, teller: Teller, values: Values) -> Told | NotTold:
    """The days in which the systems of an area are pumped. Values: `from`, `to`, `area`. Every system is judged again.

    Without `area` it is the window of the systems whose turn that year is; without `to` as long as the ordinance makes
    it.
    """
    values = {**values, **({"area": str(values["area"])} if isinstance(values.get("area"), int) else {})}
    form = Form(values=values, today=teller.today)
    form.refuse_unknown(("from", "to", "area"))
    first, last = form.day("from", required=True), form.day("to")
    form.before("from", "to")
    area = form.matching("area", "[1-9][0-9]{0,3}", "Give the area's number.") if values.get("area") else ""
    _refuse_elsewhere(form, teller, area)
    if form.issues or first is None:
        return NotTold(issues=tuple(form.issues))
    content: dict[str, object] = {"from": first.isoformat()}
    content |= {"to": last.isoformat()} if last else {}
    content |= {"area": int(area)} if area else {}
    told = keep_fact(store, teller, WINDOW, "", content, values, valid_from=first)
    mark_all_dirty(store)
    return told


def _refuse_elsewhere(form: Form, teller: Teller, area: str) -> None:
    """A window where the ordinance has none, or of an area that it does not have, is an issue."""
    text = teller.program.at(teller.today)
    if not text.of(AreaWindow):
        form.refuse("from", "This county's ordinance has no windows in which areas are pumped.")
    areas = max((p.act.areas for p in text.of(ServiceAreas)), default=0)
    if area and areas and int(area) > areas:
        form.refuse("area", f"Give an area from 1 to {areas}.", area)


def call_off_window(store: Store, teller: Teller, window_id: str) -> Told:
    """Take a window back; that it was set stays known. Every system is judged again. Raises RecordNotFound."""
    if all(row["id"] != window_id for row in load_county_facts(store, WINDOW)):
        raise RecordNotFound

    def end(row: dict[str, Any]) -> None:
        end_versions(store, tables.fact, [{"kind": WINDOW, "system": "", "id": window_id}], row["seq"])

    told = keep(store, teller, "window_called_off", "", {}, {"id": window_id}, end, {"id": window_id})
    mark_all_dirty(store)
    return told


def list_windows(store: Store) -> list[dict[str, Any]]:
    """The windows set, in order of their first day: `id`, `from`, and where they were given `to` and `area`."""
    rows = load_county_facts(store, WINDOW)
    return [{"id": row["id"], **row["content"]} for row in rows]
