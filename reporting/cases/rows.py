"""Cases as they are shown: in the county's lists, and one with all that happened in it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from reporting.cases.duties import duties_of, judged_system
from reporting.domain.cases import referral_steps
from reporting.owners import TEXTS
from reporting.scenario import show_obligation
from reporting.store.cases import CASE, PLACE, CaseFilter, messages_about, page_cases, places_of, versions_of
from reporting.store.derived import obligations_of
from reporting.store.engine import Store
from reporting.store.paging import LARGEST_PAGE, Page
from schemas.calendar import local_date
from schemas.program import Program

COLUMNS: Final = (
    "id", "kind", "permit_number", "parcel_number", "site_address", "municipality", "owner_name", "opened_on",
    "notified_on", "duty", "due_on", "last_day", "days_late", "rule", "cite", "because", "referred_on",
    "handed_over_on", "closed_on", "system",
)  # fmt: skip
"""Of the file: one row a case, with the duty that is longest past its day."""
_DUTY: Final = ("kind", "component", "component_ref", "state", "due_on", "last_day", "rule", "cite", "because")
_GRANTS: Final = ("extensions", "waivers")


def list_page(
    store: Store, program: Program, query: Mapping[str, Any], cursor: str | None, limit: int, today: dt.date
) -> Page:
    """A page of the county's cases, newest first, each with its place and open duties. Raises `BadCursor`.

    query: `kind`, `open`, `overdue`, `referred`.
    """
    asked = {name: query.get(name) for name in ("kind", "open", "overdue", "referred")}
    page = page_cases(store, CaseFilter(**asked, referral_steps=frozenset(referral_steps(program))), cursor, limit)
    systems = sorted({row["system"] for row in page.rows})
    duties, places = obligations_of(store, systems), places_of(store, systems)
    rows = [_listed({**row, **places[row["system"]]}, duties[row["system"]], today) for row in page.rows]
    return Page(rows=rows, next_cursor=page.next_cursor)


def all_rows(store: Store, program: Program, query: Mapping[str, Any], today: dt.date) -> Iterator[dict[str, Any]]:
    """The same list whole, as rows of `COLUMNS`."""
    cursor: str | None = None
    while True:
        page = list_page(store, program, query, cursor, LARGEST_PAGE, today)
        yield from map(flat_case, page.rows)
        cursor = page.next_cursor
        if cursor is None:
            return


def case_page(store: Store, program: Program, system: str, case_id: str, today: dt.date) -> dict[str, Any]:
    """One case: its place, what it asks for, every step with who entered it, what was mailed about it.

    Raises RecordNotFound.
    """
    judged = judged_system(store, program, system, today)
    stored = judged.stored
    versions = versions_of(store, CASE, case_id)
    content = versions[-1]["content"]
    row = stored.system or {}
    history = timeline(versions, program)
    return {
        "id": case_id,
        "county": program.slug,
        "system": system,
        **{name: row.get(name) for name in PLACE},
        "owner_name": stored.owner["name"] if stored.owner else None,
        **_plain(content),
        "open": not content.get("closed_on"),
        "duties": [show_obligation(o) for o in duties_of(judged.assessment, case_id)],
        **{name: [_granted(one, name, history) for one in content.get(name, ())] for name in _GRANTS},
        "timeline": history,
        "messages": [_message(one, program) for one in messages_about(store, system, case_id)],
    }


def timeline(versions: Sequence[Mapping[str, Any]], program: Program) -> list[dict[str, Any]]:
    """What each entry of the record added to a case, oldest first: steps with their days, by whom, what they wrote."""
    found: list[dict[str, Any]] = []
    before: Mapping[str, Any] = {}
    for version in versions:
        content = version["content"]
        steps = [
            {"step": name, "on": day, **({"was": before[name]} if before.get(name) else {})}
            for name, day in content.items()
            if name.endswith("_on") and day and before.get(name) != day
        ]
        added = {name: list(content.get(name, ()))[len(before.get(name, ())) :] for name in _GRANTS}
        found.append(
            {
                "entry": version["seq"],
                "entered_on": local_date(version["recorded_at"], program.timezone).isoformat(),
                "by": version["by"],
                "steps": sorted(steps, key=lambda one: one["on"]),
                **{name: given for name, given in added.items() if given},
                **{name: content[name] for name in TEXTS if content.get(name)},
            }
        )
        before = content
    return found


def _plain(content: Mapping[str, Any]) -> dict[str, Any]:
    """What stands of a case now; what people wrote stands with the step that they wrote it for."""
    hidden = {*TEXTS, *_GRANTS, "license_norm"}
    return {"opened_on": None, **{name: value for name, value in content.items() if name not in hidden}}


def _granted(one: Mapping[str, Any], name: str, history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """More time or a waiver with who gave it and why, from the entry that it came with."""
    entry = next((step for step in history if one in step.get(name, ())), {})
    return {**one, **{word: entry.get(word) for word in ("reason", "authority", "by")}}


def _listed(row: Mapping[str, Any], duties: Sequence[Mapping[str, Any]], today: dt.date) -> dict[str, Any]:
    mine = f"case:{row['id']}:"
    return {
        "id": row["id"],
        "system": row["system"],
        **{name: row[name] for name in (*PLACE, "owner_name")},
        **_plain(row["content"]),
        "duties": [_duty(duty, today) for duty in duties if duty["cycle"].startswith(mine)],
    }


def _duty(duty: Mapping[str, Any], today: dt.date) -> dict[str, Any]:
    late = (today - duty["last_day"]).days if duty["state"] == "overdue" and duty["last_day"] else 0
    return {**{name: duty[name] for name in _DUTY}, "days_late": max(0, late)}


def flat_case(row: Mapping[str, Any]) -> dict[str, Any]:
    """A case of a page as a row of `COLUMNS`."""
    worst: Mapping[str, Any] = max(row["duties"], key=lambda duty: duty["days_late"], default={})
    of_duty = ("due_on", "last_day", "days_late", "rule", "cite", "because")
    flat = {name: row.get(name) for name in COLUMNS if name == "due_on" or name not in of_duty}
    return {**flat, **{name: worst[name] for name in of_duty if name in worst}, "duty": worst.get("kind")}


def _message(one: Mapping[str, Any], program: Program) -> dict[str, Any]:
    days = {f"{name}_on": local_date(at, program.timezone) for name in ("created", "sent") if (at := one[f"{name}_at"])}
    mailed = {name: one[name] for name in ("run", "position", "mail_class", "text_sha256") if one["mailed_on"]}
    return {
        "id": one["id"],
        "kind": one["kind"],
        "channel": one["channel"],
        "state": one["state"],
        **{name: day.isoformat() for name, day in days.items()},
        **({"mailed_on": one["mailed_on"].isoformat(), "log_entry": one["seq"], **mailed} if one["mailed_on"] else {}),
    }
