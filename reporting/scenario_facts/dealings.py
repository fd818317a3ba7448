"""What passed beside the service, as a scenario tells it: windows, mailings, deferrals, payments, documents.

The contract names these keys and not their inner shape: several spellings are read, and what is not understood is told
by its place rather than refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from reporting.domain.dealings import Dealings, DeferralRequest, Document, Mailing, Payment, Window
from reporting.scenario_facts.entries import Entry
from reporting.values import Json, object_of

T = TypeVar("T")

FROM = ("from", "from_on", "starts_on", "start", "start_on", "starts", "opens_on", "first_day", "window_from")
TO = ("to", "to_on", "ends_on", "end", "end_on", "ends", "closes_on", "last_day", "until", "window_to")
MAILED = ("mailed_on", "notice_mailed_on", "on", "date", "sent_on")
DESIRED = (
    "desired_from",
    "desired_on",
    "requested_from",
    "new_from",
    "from",
    "from_on",
    "starts_on",
    "start",
    "window_from",
)
DESIRED_TO = ("desired_to", "requested_to", "new_to", "to", "to_on", "ends_on", "end", "until", "window_to")
CLASSES = {"first": "first_class", "1st_class": "first_class", "firstclass": "first_class"}


def read_dealings(raw: Json) -> tuple[Dealings, tuple[str, ...]]:
    """The dealings of a scenario, told beside its system or in it, and the places of what could not be read."""
    unread: list[str] = []

    def told(key: str, read: Callable[[Entry], T | None]) -> tuple[T, ...] | None:
        found: list[T] = []
        known = False
        for place, holder in ((key, raw), (f"system.{key}", object_of(raw, "system"))):
            value = holder.get(key)
            if value is not None:
                known = True
                found += _each(place, value, read, unread)
        return tuple(found) if known else None

    dealings = Dealings(
        windows=told("windows", _window) or (),
        mailings=told("mailings", _mailing),
        deferrals=told("deferrals", _deferral) or (),
        payments=told("fees_paid", _payment),
        documents=told("documents", _document),
    )
    return dealings, tuple(unread)


def _each(place: str, value: object, read: Callable[[Entry], T | None], unread: list[str]) -> Iterator[T]:
    for where, raw in _items(place, value, unread):
        entry = Entry(raw, where, unread)
        found = read(entry)
        if found is None:
            unread.append(where)
        else:
            entry.report_rest()
            yield found


def _items(place: str, value: object, unread: list[str]) -> Iterator[tuple[str, Json]]:
    """The objects of a list; an object alone is one of them, or names them by its keys; a word or year stands alone."""
    if isinstance(value, Mapping):
        named = {k: v for k, v in value.items() if re.fullmatch("[0-9]{4}", str(k))}
        if named and len(named) == len(value):
            for year, each in named.items():
                yield f"{place}.{year}", _of_year(str(year), each)
        elif value:
            yield place, value
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for i, each in enumerate(value):
            one = each if isinstance(each, Mapping) else _word(each)
            if one is None:
                unread.append(f"{place}[{i}]")
            else:
                yield f"{place}[{i}]", one
    else:
        unread.append(place)


def _of_year(year: str, value: object) -> Json:
    if isinstance(value, Mapping):
        return {"year": int(year), **value}
    return {"year": int(year), **({} if value is True or value is None else {"amount": value})}


def _word(value: object) -> Json | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return {"year": value}
    return {"kind": value} if isinstance(value, str) and value else None


def _window(entry: Entry) -> Window | None:
    start, end = entry.day(*FROM), entry.day(*TO)
    area = entry.whole("area", "service_area")
    mailed = entry.day(*MAILED)
    entry.skip("year", "kind", "id")
    return Window(from_on=start, to_on=end, area=area, mailed_on=mailed) if start is not None else None


def _mailing(entry: Entry) -> Mailing | None:
    kind, on = _mailing_kind(entry.word("kind", "type", "what")), entry.day(*MAILED)
    window = entry.span("window", FROM, TO)
    back = entry.day("answered_on", "returned_on", "responded_on", "response_on", "answer_received_on")
    received = entry.day("received_on", "delivered_on")
    if kind == "questionnaire":
        back, received = back or received, None
    mail_class = entry.word("class", "mail_class", "mailing_class")
    area = entry.whole("area", "service_area")
    named = entry.day("window_from", "window_start", "window_starts_on")
    entry.skip("to", "year", "id", "hash", "file_sha256", "printed_sha256", "proof")
    if on is None:
        return None
    return Mailing(
        kind=kind,
        on=on,
        mail_class=CLASSES.get(mail_class, mail_class),
        area=area,
        window_from=named or (window[0] if window else None),
        received_on=received,
        answered_on=back,
    )


def _mailing_kind(word: str) -> str:
    for part, kind in (("question", "questionnaire"), ("inquir", "inquiry"), ("window", "window_notice")):
        if part in word:
            return kind
    if "area" in word or "holding" in word:
        return "area_notice"
    if "septic" in word or "inspection" in word or "pumping" in word:
        return "window_notice"
    return "" if word in ("notice", "service_notice") else word


def _deferral(entry: Entry) -> DeferralRequest | None:
    requested = entry.day("requested_on", "request_on", "received_on", "filed_on", "on", "date")
    desired = (
        entry.span("desired_window", FROM, TO) or entry.span("desired", FROM, TO) or entry.span("to_window", FROM, TO)
    )
    start, end = entry.day(*DESIRED), entry.day(*DESIRED_TO)
    window = entry.span("window", FROM, TO)
    if desired is None and start is not None:
        desired = (start, end)
    if desired is None:  # a window alone is the one desired; beside another it is the one to put off
        desired, window = window, None
    scheduled = entry.day("scheduled_from", "of", "window_starts_on", "original_from")
    fee, paid = _fee(entry)
    paid_on = entry.day("fee_paid_on", "paid_on")
    written = entry.flag("written", "in_writing")
    entry.skip("id", "reason", "area")
    if requested is None:
        return None
    return DeferralRequest(
        requested_on=requested,
        from_on=desired[0] if desired else None,
        to_on=desired[1] if desired else None,
        paid=True if paid is None and paid_on is not None else paid,
        fee=fee,
        written=written,
        window_from=scheduled or (window[0] if window else None),
    )


def _fee(entry: Entry) -> tuple[Fraction | None, bool | None]:
    """What was paid in dollars, and whether: a number, or true or false."""
    names = ("fee_paid", "fee", "fee_amount", "deferral_fee", "amount", "paid")
    said = entry.first(*names)
    if isinstance(said, bool):
        return None, said
    if isinstance(said, str) and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", said):
        return None, entry.day(*names) is not None
    return entry.number(*names), None


def _payment(entry: Entry) -> Payment | None:
    kind = entry.word("kind", "rule", "type", "for", "what")
    year, amount = entry.whole("year", "period"), entry.number("amount", "dollars", "fee", "paid")
    on = entry.day("on", "paid_on", "date", "received_on")
    charge, left = entry.word("charge"), entry.number("left")
    entry.skip("id", "method", "receipt")
    if not kind and year is None and amount is None and on is None:
        return None
    return Payment(kind=kind, year=year, amount=amount, on=on, charge=charge, left=left)


def _document(entry: Entry) -> Document | None:
    kind = entry.word("kind", "type", "name", "what")
    recorded = entry.first("recorded_on") if entry.has("recorded_on") else entry.flag("recorded")
    days = [entry.day(name) for name in ("filed_on", "recorded_on", "received_on", "on", "date", "signed_on")]
    year = entry.whole("year", "period")
    entry.skip("id", "number", "reason", "signed_by", "license_number", "with", "notarized")
    if not kind:
        return None
    return Document(
        kind=kind,
        on=next((d for d in days if d is not None), None),
        year=year,
        recorded=_is_recorded(recorded, entry.has("recorded_on")),
    )


def _is_recorded(said: Any, dated: bool) -> bool | None:
    return said is not None if dated else said
