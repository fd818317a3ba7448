"""The copy of record of a report: what was sent, what was understood, who answers for it, and what proves it.

For people: the submitter, the county, a court. As a list of titled parts, which the edges write as text or HTML.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from reporting.errors import RecordNotFound
from reporting.intake.signatures import drawn_words, is_drawn
from reporting.receipts import stored_receipt
from reporting.repudiations import repudiation_of
from reporting.store.engine import Store
from reporting.store.facts import load_events
from reporting.store.log import entries_of, raw_of, signed_head
from reporting.store.reviews import open_reviews, standing_versions
from reporting.store.signing import checkpoint_note
from reporting.store.submissions import get_submission
from schemas.program import Program

TITLE: Final = "COPY OF RECORD"
_SIGNING: Final = (
    "business_name", "license_number", "technician_name", "signature", "signed_on", "inspector_name",
    "inspector_license_number", "inspector_signature",
)  # fmt: skip
_COLUMN: Final = 26
_DESTROYED: Final = "(destroyed under a retention schedule)"


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a copy: named values, or lines as they stand."""

    title: str
    values: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Copy:
    """A report's copy of record."""

    heading: str
    parts: tuple[Part, ...]

    def as_text(self) -> str:
        """The copy as plain text."""
        blocks = [f"{TITLE}\n{self.heading}\n{'=' * len(self.heading)}"]
        for part in self.parts:
            lines = [part.title, "-" * len(part.title)]
            lines += [f"{name:<{_COLUMN}}  {value}" for name, value in part.values]
            blocks.append("\n".join([*lines, *part.lines]))
        return "\n\n".join(blocks) + "\n"


def copy_of_record(store: Store, program: Program, report_id: str, now: datetime) -> Copy:
    """The copy of one version of a report. Raises `RecordNotFound`."""
    event = load_events(store, [report_id]).get(report_id)
    if event is None or event["submission"] is None:
        raise RecordNotFound
    entry = entries_of(store, [event["seq"]])[event["seq"]]
    zone = ZoneInfo(program.timezone)
    return Copy(
        heading=f"Service report {report_id}, {program.name}",
        parts=(
            _about(store, event, json.loads(entry), zone, now),
            _sent(store, event),
            _understood(event),
            Part(title="Who answers for it", values=_pairs({k: event["content"].get(k) for k in _SIGNING})),
            *_denied(store, report_id),
            *_proof(store, event["seq"], entry),
        ),
    )


def _about(store: Store, event: Mapping[str, Any], entry: Mapping[str, Any], zone: ZoneInfo, now: datetime) -> Part:
    stands = standing_versions(store, [event["id"]]).get(event["id"])
    waits = [one["reason"] for one in open_reviews(store, events=[event["id"]])]
    state = "stands"
    if event["ended_seq"] is not None:
        state = f"replaced by {stands['id']}" if stands else "taken back"
    found = {
        "report": event["id"],
        "state": state,
        "in the place of": event["supersedes"],
        "waits for the county": ", ".join(one.replace("_", " ") for one in waits),
        "received": _moment(event["received_at"], zone),
        "first received": _moment(event["first_received_at"], zone),
        "sent with": event["submission"],
        "row": event["row"],
        "sent by (key)": entry["content"].get("by"),
        "system": event["system"] or "not decided yet",
        "copy made": _moment(now, zone),
    }
    return Part(title="The report", values=_pairs(found))


def _sent(store: Store, event: Mapping[str, Any]) -> Part:
    """The bytes as they came: of an amendment, the changes."""
    submission = get_submission(store, event["submission"]) or {}
    raw = raw_of(store, event["seq"])
    amended = event["supersedes"] is not None
    values = (
        {} if amended else {"file": submission.get("file_name"), "SHA-256 of the file": submission.get("file_sha256")}
    )
    lines = (_DESTROYED,) if raw is None else tuple(raw.decode("utf-8", "backslashreplace").splitlines())
    return Part(title="What was sent, as received", values=_pairs(values), lines=lines)


def _understood(event: Mapping[str, Any]) -> Part:
    content = {name: value for name, value in event["content"].items() if name not in _SIGNING}
    tank = " ".join(part for part in (event["component"], event["component_ref"]) if part)
    return Part(title="What was understood", values=(*_pairs({"tank": tank}), *_pairs(content)))


def _denied(store: Store, report_id: str) -> list[Part]:
    said = repudiation_of(store, report_id)
    if said is None:
        return []
    values = {"entry": said["seq"], "said by": said["contractor_id"] or said["by"], "reason": said["reason"]}
    return [Part(title="Denied by the business whose name it bears", values=_pairs(values))]


def _proof(store: Store, seq: int, entry: bytes) -> list[Part]:
    receipt, head = stored_receipt(store, seq), signed_head(store, seq)
    parts = [
        Part(title="The entry in the record, as it is signed for", lines=(entry.decode(),)),
        Part(
            title="Receipt (for: pumper verify FILE)", lines=tuple(json.dumps(receipt.to_json(), indent=2).splitlines())
        ),
    ]
    if head is not None:
        parts.append(Part(title="Checkpoint", lines=tuple(checkpoint_note(head).splitlines())))
    return parts


def _pairs(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, _words(value)) for name, value in values.items() if value not in (None, "", [], {}))


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_drawn(value):
        return drawn_words(value)  # the image itself stands in what was sent
    if isinstance(value, str):
        return " / ".join(value.splitlines())
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _moment(value: datetime, zone: ZoneInfo) -> str:
    return f"{value.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"
