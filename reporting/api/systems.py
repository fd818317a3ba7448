"""Systems: lists, one in full, and the county's question in one call: how does it stand?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from flask import Response, request

from notifications.letters_pdf import LettersUnavailable
from notifications.standing_pdf import RecordHead, standing_pdf
from reporting.api.calls import Reply, call, next_link, own_licences, service
from reporting.api.moments import county_today, instant, program_at
from reporting.api.openapi import Answer, Section
from reporting.api.problems import Problem, absent, field_error, unprocessable
from reporting.api.queries import MomentQuery, StatusQuery, SystemsQuery
from reporting.api.shapes import ref
from reporting.api.visibility import licence_filter, visible_system, visible_systems, without_others
from reporting.errors import RecordNotFound
from reporting.intake.identifiers import normalize_identifier
from reporting.inventory.merging import merged_into
from reporting.status import StatusAnswer, find_systems, status_text, system_status
from reporting.store.derived import standings_of
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory
from reporting.store.lists import SystemFilter
from reporting.store.lists import list_systems as read_systems
from reporting.store.log import head_now
from schemas.loader import shipped_program

SECTION: Final = Section("systems", __name__, description="Systems and how they stand.")
_PLAIN: Final = ("permit_number", "parcel_number", "site_address", "municipality", "status")
_MOST: Final = 20
"""How many systems of one parcel or address are shown."""
_STANDING: Final = ("needs_service", "needs_service_on", "needs_service_because", "full_on", "next_change_on")


@SECTION.endpoint(
    "/v1/<slug:county>/systems",
    query=SystemsQuery,
    answers={200: Answer(tells="A page of systems.", schema=ref("Systems"), headers=("Link",))},
)
def list_systems(query: dict[str, Any], county: str) -> Response:
    """Systems with their standing, filtered. A contractor's key lists those that designate its business."""
    with service().database.reading(county) as store:
        page = read_systems(store, system_filter(store, query), query.get("cursor"), query["limit"])
    body = {"systems": [listed_system(row) for row in page.rows]}
    return Reply(status=200, body=body, headers=next_link(page.next_cursor)).response()


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>", answers={200: Answer(tells="The system.", schema=ref("System"))}
)
def show_system(query: dict[str, Any], county: str, system_id: str) -> Response:
    """One system as it is known now: its tanks, contracts, reports; for the county also owner, cases and the rest."""
    today = county_today()
    with service().database.reading(county) as store:
        stored = visible_system(store, system_id, today)
        standing = standings_of(store, [system_id]).get(system_id)
        licences = own_licences(store)
    body = _system(stored, standing or {})
    body |= _for_staff(stored) if call().is_staff else _for_owner(stored) or _for_business(stored, licences)
    return Reply(status=200, body=body | _went_to(stored)).response()


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>/status",
    query=MomentQuery,
    answers={200: Answer(tells="How it stands.", schema=ref("SystemStatus"), types=("application/json", "text/plain"))},
)
def show_system_status(query: dict[str, Any], county: str, system_id: str) -> Response:
    """How a system stands on any day, by what had been recorded at any time."""
    with service().database.reading(county) as store:
        stored = visible_system(store, system_id, county_today())
        status = _status(store, system_id, query)
        if status is None:
            raise absent()
        shown = _full(store, status, stored)
    if _wants_text():
        return _text(status_text(_as_seen(status, shown)))
    return Reply(status=200, body=shown | _went_to(stored)).response()


@SECTION.endpoint(
    "/v1/<slug:county>/systems/<id:system_id>/standing.pdf",
    query=MomentQuery,
    answers={
        200: Answer(tells="A certificate to print or to keep.", schema={"type": "string"}, types=("application/pdf",))
    },
    problems={503: "The typesetter is not installed, or the database is busy."},
)
def standing_certificate(query: dict[str, Any], county: str, system_id: str) -> Response:
    """A certificate of standing as an accessible PDF, as for a sale: each duty with its rule, and the record's head."""
    with service().database.reading(county) as store:
        visible_system(store, system_id, county_today())
        status = _status(store, system_id, query)
        signed = head_now(store, service().signer, call().now)
    if status is None:
        raise absent()
    head = RecordHead(size=signed.size, root=signed.root.hex(), at=instant(signed.signed_at))
    try:
        data = standing_pdf(status.as_json(), head, shipped_program(county))
    except LettersUnavailable as error:
        raise Problem(503, "no-typesetter", str(error)) from error
    response = Response(data, mimetype="application/pdf")
    name = f"standing-{county}-{system_id}-{status.as_of}.pdf"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@SECTION.endpoint(
    "/v1/<slug:county>/status",
    query=StatusQuery,
    answers={200: Answer(tells="How each stands.", schema=ref("Status"), types=("application/json", "text/plain"))},
)
def find_status(query: dict[str, Any], county: str) -> Response:
    """The county's question in one call: by permit, parcel or address. Without a key: standing and dates, no names.

    With one system found, its members stand beside `systems` too.
    """
    if not any(query.get(name) for name in ("permit", "parcel", "address")):
        message = "Say which system: permit, parcel or address."
        raise unprocessable(message, [{**field_error("permit", "required", message), "pointer": ""}], "query")
    today = county_today()
    found: list[tuple[dict[str, Any], str]] = []
    with service().database.reading(county) as store:
        systems = find_systems(store, **{name: query.get(name) for name in ("permit", "parcel", "address")})
        full = visible_systems(store, systems, today) if call().principal else {}
        for system in systems[:_MOST]:
            status = _status(store, system, query)
            if status is None:
                continue
            if system in full:
                shown = _full(store, status, full[system])
                found.append((shown, status_text(_as_seen(status, shown))))
            else:
                found.append((status.public_view(), public_text(status.public_view())))
    if not found:
        raise absent()
    if _wants_text():
        return _text("\n\n".join(text for _shown, text in found))
    all_shown = [shown for shown, _text_of in found]
    head = {"county": county, "as_of": (query.get("as_of") or today).isoformat()}
    body = {**head, **(all_shown[0] if len(all_shown) == 1 else {}), "systems": all_shown}
    return Reply(status=200, body=body).response()


def public_text(view: Mapping[str, Any]) -> str:
    """What anybody may see, as plain text."""
    lines = [f"Permit {view['permit_number'] or '-'}, parcel {view['parcel_number'] or '-'}"]
    lines.append(f"Standing on {view['as_of']}: {view['standing'].replace('_', ' ').upper()}")
    lines += [
        f"  {duty['kind'].replace('_', ' ')}: {duty['state'].replace('_', ' ')}, due {duty['due_on']} "
        f"(last day {duty['last_day']}) [{duty['rule']}, {duty['cite']}]"
        for duty in view["obligations"]
    ]
    lines += [f"  last {kind.replace('_', ' ')}: {day}" for kind, day in view["last_services"].items()]
    return "\n".join(lines) + "\n"


def _went_to(stored: StoredHistory) -> dict[str, str]:
    kept = merged_into(stored)
    return {"merged_into": kept} if kept else {}


def _status(store: Store, system: str, query: Mapping[str, Any]) -> StatusAnswer | None:
    """How a system stands; `None` when it was not known at the time asked about."""
    today, as_of, known_at = county_today(), query.get("as_of"), query.get("known_at")
    program = program_at(store, as_of or today, known_at)
    try:
        return system_status(store, program, system, as_of=as_of, known_at=known_at, today=today)
    except RecordNotFound:
        return None


def _full(store: Store, status: StatusAnswer, stored: StoredHistory) -> dict[str, Any]:
    """The whole answer; a business is shown nothing of what others reported but that a service was done."""
    shown = status.as_json()
    if call().is_staff or call().own_system is not None:
        return shown
    mine = {row["id"] for row in stored.events if call().owns(row)}
    shown["services"] = without_others(status.services, own_licences(store))
    shown["findings"] = [f for f in status.answer["findings"] if not f.get("event") or f["event"] in mine]
    return shown


def _as_seen(status: StatusAnswer, shown: Mapping[str, Any]) -> StatusAnswer:
    """The same answer with no more than what is shown of it, for the text."""
    services = [one for one in shown["services"] if "report_id" in one]
    return replace(status, services=services, answer={**status.answer, "findings": shown["findings"]})


def _wants_text() -> bool:
    kinds = ("application/json", "text/plain")
    if request.blueprint == "web":  # a page asks for itself, whatever the browser takes
        return False
    return request.accept_mimetypes.best_match(kinds, default=kinds[0]) == "text/plain"


def _text(text: str) -> Response:
    return Response(text, mimetype="text/plain")


def _norm(query: Mapping[str, Any], name: str) -> str | None:
    text = query.get(name)
    # A text without letter and figure names nothing; "" would match nothing either, and says so.
    return normalize_identifier(text) if text else None


def system_filter(store: Store, query: Mapping[str, Any]) -> SystemFilter:
    """Which systems are listed for the caller; query: as `SystemsQuery` reads it."""
    return SystemFilter(
        permit=_norm(query, "permit"),
        parcel=_norm(query, "parcel"),
        q=query.get("q"),
        standing=query.get("standing", ()),
        municipality=query.get("municipality"),
        contractor=licence_filter(store, query.get("contractor")),
    )


def listed_system(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of `reporting.store.lists.list_systems` as it is shown in lists."""
    return {
        "id": row["system"],
        **{name: row[name] for name in _PLAIN},
        "standing": row["standing"] or "unknown",
        **{name: row[name] for name in _STANDING},
        "contractor": row["contractor"],
        "out_of_date": bool(row["dirty"]),
    }


def _system(stored: StoredHistory, standing: Mapping[str, Any]) -> dict[str, Any]:
    row = stored.system or {}
    parts = [
        {"component": part["component"], "component_ref": part["component_ref"] or None, **part["content"]}
        for part in stored.components
    ]
    return {
        "id": stored.system_id,
        "county": call().tenant,
        **{name: row.get(name) for name in _PLAIN},
        "standing": standing.get("state", "unknown"),
        **{name: standing.get(name) for name in _STANDING},
        "details": row.get("content", {}),
        "components": parts,
    }


def _for_staff(stored: StoredHistory) -> dict[str, Any]:
    owner = stored.owner
    return {
        "owner": {"name": owner["name"], "email": owner["email"], **owner["content"]} if owner else None,
        "designations": [_dated(row, "license_number", "valid_from", "valid_to") for row in stored.designations],
        "contracts": [_dated(row, *_CONTRACT) for row in stored.contracts],
        "facts": {kind: [{"id": row["id"], **row["content"]} for row in rows] for kind, rows in stored.facts.items()},
        "reports": [_report(row) for row in stored.events],
    }


def _for_owner(stored: StoredHistory) -> dict[str, Any]:
    """What the county's staff sees of an owner's own system, but for the staff's own facts; nothing for others."""
    if call().own_system is None:
        return {}
    shown = _for_staff(stored)
    return {name: value for name, value in shown.items() if name != "facts"}


_CONTRACT: Final = ("license_number", "from_on", "to_on", "filed_on", "kind")


def _for_business(stored: StoredHistory, licences: frozenset[str]) -> dict[str, Any]:
    mine = [row for row in stored.contracts if row["license_norm"] in licences]
    held = [row for row in stored.designations if row["license_norm"] in licences]
    return {
        "designations": [_dated(row, "license_number", "valid_from", "valid_to") for row in held],
        "contracts": [_dated(row, *_CONTRACT) for row in mine],
        "reports": [_report(row) for row in stored.events if call().owns(row)],
    }


def _dated(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _report(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "report_id": row["id"],
        "event_type": row["event_type"],
        "service_date": row["service_date"],
        "component": row["component"] or None,
        "component_ref": row["component_ref"] or None,
        "received_at": instant(row["received_at"]),
        "license_number": row["license_number"],
        "report_ref": row["report_ref"],
        "baseline": bool(row["content"].get("baseline")),
    }
