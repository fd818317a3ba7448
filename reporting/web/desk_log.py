"""The county's append-only record on pages: entries newest first, one with all that it says, its receipt, the head."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from reporting.api.calls import Reply, call, service
from reporting.api.problems import Problem, absent
from reporting.api.queries import read_day
from reporting.errors import RecordNotFound
from reporting.receipts import stored_receipt
from reporting.store.engine import Store
from reporting.store.log import detail_of, head, head_now, seq_at
from reporting.store.log_pages import Entry, entry_at, page_entries
from reporting.store.signing import checkpoint_note
from reporting.web.asking import Told, in_own_county
from reporting.web.desk_words import render_desk, web_query
from schemas.loader import shipped_program

PAGE: Final = 50
_LONGEST_KIND: Final = 60
_LINKS: Final = {
    "system": "/desk/systems/",
    "report": "/desk/reports/",
    "event": "/desk/reports/",
    "case": "/desk/cases/",
    "review": "/desk/reviews/",
}
"""Where what an entry names is shown: by the name of the member."""


@in_own_county
def show_log() -> AnyResponse:
    """A page of the record, of one kind of entry or all, between two days or all; and its signed head."""
    values = {name: request.args.get(name, "").strip() for name in ("kind", "since", "until")}
    days, errors = {}, {}
    for name in ("since", "until"):
        try:
            days[name] = read_day(name, values[name]) if values[name] else None
        except Problem as problem:
            errors[name] = problem.detail
    told = Told(status=422, summary="The days cannot be read.", errors=errors) if errors else None
    with service().database.reading(call().tenant) as store:
        now = head(store)
        before, after = _bounds(store, now.size, days if not errors else {})
        page = page_entries(store, values["kind"][:_LONGEST_KIND].replace(" ", "_").lower(), before, after, PAGE)
        signed = head_now(store, service().signer, call().now) if now.size else None
    more = web_query(**values, before=str(page.before)) if page.before else ""
    return render_desk(
        "log",
        status=told.status if told else 200,
        entries=[_shown(one) for one in page.entries],
        kinds=sorted({one.type for one in page.entries}),
        more=more,
        size=now.size,
        note=checkpoint_note(signed) if signed else "",
        values=values,
        told=told,
    )


@in_own_county
def show_entry(seq: str) -> AnyResponse:
    """One entry: what it says, what lies beside it, the hash of its leaf."""
    with service().database.reading(call().tenant) as store:
        entry = entry_at(store, _number(seq))
        if entry is None:
            raise absent()
        detail = detail_of(store, entry.seq)
    return render_desk(
        "log_entry",
        found=_shown(entry),
        leaf=entry.leaf.hex(),
        parts=list(_parts(entry.content)),
        words=list(_parts(detail.get("words", {}))),
        rows={
            name: [(table, len(rows)) for table, rows in sorted(detail[name].items())]
            for name in ("added", "ended")
            if detail.get(name)
        },
    )


@in_own_county
def receipt_of_entry(seq: str) -> Response:
    """The receipt of an entry, for `pumper verify`; absent until a signed head includes it."""
    with service().database.reading(call().tenant) as store:
        try:
            receipt = stored_receipt(store, _number(seq))
        except RecordNotFound as error:
            raise absent() from error
    body = {**receipt.to_json(), "checkpoint": checkpoint_note(receipt.head)}
    name = f"receipt-{call().tenant}-{receipt.seq}.json"
    return Reply(status=200, body=body, headers={"Content-Disposition": f'attachment; filename="{name}"'}).response()


def _number(seq: str) -> int:
    if not (seq.isascii() and seq.isdecimal() and len(seq) < 16):
        raise absent()
    return int(seq)


def _bounds(store: Store, size: int, days: Mapping[str, dt.date | None]) -> tuple[int, int]:
    """The numbers between which entries are looked for: below the first, above the second."""
    zone = ZoneInfo(shipped_program(call().tenant).timezone)
    asked = request.args.get("before", "")
    before = _number(asked) if asked else size + 1
    since, until = days.get("since"), days.get("until")
    if until:
        end = dt.datetime.combine(until + dt.timedelta(days=1), dt.time(), zone) - dt.timedelta(microseconds=1)
        before = min(before, seq_at(store, end) + 1)
    after = 0
    if since:
        after = seq_at(store, dt.datetime.combine(since, dt.time(), zone) - dt.timedelta(microseconds=1))
    return before, after


def _shown(entry: Entry) -> dict[str, Any]:
    at = entry.recorded_at.astimezone(ZoneInfo(shipped_program(call().tenant).timezone))
    by = entry.content.get("by") or entry.content.get("principal") or entry.content.get("person")
    about = [(name, str(entry.content[name])) for name in _LINKS if isinstance(entry.content.get(name), str)]
    return {
        "seq": entry.seq,
        "type": entry.type,
        "on": at.date(),
        "time": f"{at:%-I:%M} {'a.m.' if at.hour < 12 else 'p.m.'}",
        "by": by if isinstance(by, str) else "",
        "about": [(name, value, f"{_LINKS[name]}{value}") for name, value in about],
    }


def _parts(content: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    """The members of an entry with their values as text, and where what they name is shown."""
    found = []
    for name, value in sorted(content.items()):
        link = f"{_LINKS[name]}{value}" if name in _LINKS and isinstance(value, str) and value else ""
        found.append((name, value, link))
    return found
