"""Reports that wait for a person, as staff reads them: the list, and one report beside the systems it might be of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from reporting.errors import RecordNotFound
from reporting.histories import read_domain
from reporting.intake.addresses import normalize_address
from reporting.intake.candidates import find_candidates
from reporting.intake.identifiers import ExcelDamage, excel_damage, normalize_identifier
from reporting.intake.likeness import OWNER_ALIKE, Candidate, Named, owner_likeness
from reporting.intake.places import FIELD_OF, Doubt
from reporting.intake.tanks import tank_of
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_events, load_history
from reporting.store.log import detail_of, entries_of
from reporting.store.matching import ADDRESS
from reporting.store.paging import Page
from reporting.store.reviews import OPEN, ReviewFilter, get_review, open_reviews, page_reviews, standing_versions

STATES: Final = (OPEN, "matched", "new_system", "voided", "amended")
"""`voided`: of another county, or taken back by its sender; `amended`: the sender corrected it."""
REPUDIATED: Final = "repudiated"
"""The reason of a review that no doubt of ours has opened: the business denies the report."""
REASONS: Final = (*(doubt.value for doubt in Doubt), REPUDIATED)
_DENIED: Final = (
    "The business whose name it bears says that it is not its report: match it where it stands, or void it."
)
_COMPARED: Final = ("permit_number", "parcel_number", "site_address", "owner_name", "municipality")
_SHOWN: Final = ("permit_number", "parcel_number", "site_address", "municipality", "status")


def norms_of_content(content: Mapping[str, Any]) -> dict[str, str]:
    """A stored report's identifiers by kind in the form in which they are matched; empty ones left out."""
    found = {}
    for kind, name in FIELD_OF.items():
        text = str(content.get(name) or "")
        norm = normalize_address(text) if kind == ADDRESS else normalize_identifier(text)
        if norm:
            found[kind] = norm
    return found


def damage_of(content: Mapping[str, Any]) -> dict[str, ExcelDamage]:
    """What a spreadsheet did to a stored report's numbers, as far as their text shows it."""
    texts = {name: str(content.get(name) or "") for name in ("permit_number", "parcel_number")}
    found = {name: excel_damage(text) for name, text in texts.items() if text}
    return {name: damage for name, damage in found.items() if damage is not None}


def list_reviews(store: Store, filters: ReviewFilter, cursor: str | None, limit: int) -> Page:
    """One page of reviews, oldest first, each row as it is shown in a list; raises `BadCursor`."""
    page = page_reviews(store, filters, cursor, limit)
    return Page(rows=[_listed(row) for row in page.rows], next_cursor=page.next_cursor)


def show_review(store: Store, review_id: str) -> dict[str, Any]:
    """One review: the report as sent, the systems it might be of side by side with what differs, and what was decided.

    The candidates of an open review are those of now. Raises RecordNotFound.
    """
    review = get_review(store, review_id)
    event = load_events(store, [review["event"]]).get(review["event"]) if review else None
    if review is None or event is None:
        raise RecordNotFound
    candidates = _candidates(store, review, event)
    histories = load_history(store, [one.system for one in candidates])
    stands = standing_versions(store, [event["id"]]).get(event["id"])
    together = open_reviews(store, systems=[review["system"]]) if review["system"] else []
    return {
        **_head(review),
        "message": _message(review["reason"]),
        "provisional_system": review["system"] if review["state"] == OPEN else None,
        "report": _report(event),
        "now": {"report_id": stands["id"], "system": stands["system"]} if stands else None,
        "candidates": [_side(one, histories[one.system], event) for one in candidates if one.system in histories],
        "together_with": [one["id"] for one in together if one["id"] != review_id],
        "decided": _decided(store, review),
    }


def _candidates(store: Store, review: Mapping[str, Any], event: Mapping[str, Any]) -> list[Candidate]:
    if review["state"] != OPEN:
        return [Candidate(**one) for one in review["candidates"]]
    said = {name: str(event["content"].get(name) or "") for name in _COMPARED if name != "municipality"}
    named = Named(**said, damage=damage_of(event["content"]))
    kept = [str(one["system"]) for one in review["candidates"]]
    return list(find_candidates(store, {review["id"]: named}, {review["id"]: kept})[review["id"]])


def _listed(row: Mapping[str, Any]) -> dict[str, Any]:
    content = row["content"]
    best = row["candidates"][0] if row["candidates"] else None
    return {
        **_head(row),
        "message": _message(row["reason"]),
        "event_type": row["event_type"],
        "service_date": row["service_date"].isoformat(),
        "received_at": row["received_at"],
        "license_number": row["license_number"],
        "report_ref": row["report_ref"],
        **{name: content.get(name) for name in ("permit_number", "parcel_number", "site_address", "owner_name")},
        "candidates": len(row["candidates"]),
        "best": dict(best) if best else None,
    }


def _head(review: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": review["id"],
        "state": review["state"],
        "reason": review["reason"],
        "report_id": review["event"],
        "system": review["system"],
    }


def _message(reason: str) -> str:
    if reason == REPUDIATED:
        return _DENIED
    return Doubt(reason).message if reason in REASONS else reason.replace("_", " ")


def _report(event: Mapping[str, Any]) -> dict[str, Any]:
    """The report as it was sent."""
    return {
        "id": event["id"],
        "received_at": event["received_at"],
        "first_received_at": event["first_received_at"],
        "submission": event["submission"],
        "row": event["row"],
        "license_number": event["license_number"],
        "contractor_id": event["contractor_id"],
        "content": event["content"],
        "spoilt": {name: damage.message for name, damage in damage_of(event["content"]).items()},
    }


def _side(one: Candidate, stored: StoredHistory, event: Mapping[str, Any]) -> dict[str, Any]:
    """A candidate beside the report: what is on file, and what of it is not what the report says."""
    row: Mapping[str, Any] = stored.system or {}
    on_file = {**{name: row.get(name) for name in _SHOWN}, "owner_name": (stored.owner or {}).get("name")}
    content = event["content"]
    tank = tank_of(read_domain(stored)[0], str(content.get("component") or ""), str(content.get("component_ref") or ""))
    return {
        **one.as_json(),
        **on_file,
        "components": [
            {"component": part["component"], "component_ref": part["component_ref"] or None}
            for part in stored.components
        ],
        "tank": {"component": tank.kind, "component_ref": tank.ref or None} if tank.certain else None,
        "last_service_on": max((e["service_date"].isoformat() for e in stored.events), default=None),
        "differences": [
            {"field": name, "sent": content[name], "on_file": on_file.get(name)}
            for name in _COMPARED
            if content.get(name) and not _same(name, str(content[name]), str(on_file.get(name) or ""))
        ],
    }


def _same(name: str, sent: str, filed: str) -> bool:
    if name == "site_address":
        return normalize_address(sent) == normalize_address(filed)
    if name == "owner_name":
        return owner_likeness(sent, filed) >= OWNER_ALIKE
    if name == "municipality":
        return " ".join(sent.upper().split()) == " ".join(filed.upper().split())
    return normalize_identifier(sent) == normalize_identifier(filed)


def _decided(store: Store, review: Mapping[str, Any]) -> dict[str, Any] | None:
    """Who decided what, when and why, as the record has it."""
    seq = review["resolved_seq"]
    if seq is None:
        return None
    entry = json.loads(entries_of(store, [seq])[seq])
    words = detail_of(store, seq).get("words", {})
    return {
        "state": review["state"],
        "system": review["system"],
        "by": review["resolved_by"],
        "at": entry["recorded_at"],
        "reason": words.get("reason"),
        "seq": seq,
    }


def candidates_text(shown: Sequence[Mapping[str, Any]]) -> str:
    """The candidates of a review as plain text, one paragraph each."""
    blocks = []
    for number, one in enumerate(shown, 1):
        name = one["permit_number"] or one["parcel_number"] or one["system"]
        lines = [f"{number}. {name} (score {one['score']:.2f}): {one['why']}", f"   {one['site_address'] or '-'}"]
        lines += [f"   {d['field']}: sent {d['sent']!r}, on file {d['on_file']!r}" for d in one["differences"]]
        blocks.append("\n".join(lines))
    return "\n".join(blocks)
