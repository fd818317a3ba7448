"""What notices are made of: events, people, what is known of a system, and what comes out. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from notifications.addresses import AddressField
from schemas.program import Program


class EventKind(StrEnum):
    """The domain events that somebody is told of."""

    RECEIPT = "receipt"
    SERVICE_DUE = "service_due"
    NEEDS_SERVICE = "needs_service"
    LATE_REPORT = "late_report"
    MISSING_REPORT = "missing_report"


class NoticeKind(StrEnum):
    """The kinds of message; a copy is the county's own."""

    RECEIPT = "receipt"
    DUE_DIGEST = "due_digest"
    UNDESIGNATED_DIGEST = "undesignated_digest"
    LATE_REPORT = "late_report"
    LATE_REPORT_COPY = "late_report_copy"
    MISSING_REPORT = "missing_report"
    MISSING_REPORT_COPY = "missing_report_copy"


class SkipReason(StrEnum):
    """Why somebody is not told; every one of them is counted."""

    NOT_LIVE_YET = "not_live_yet"
    NO_CONTRACTOR = "no_contractor"
    UNKNOWN_CONTRACTOR = "unknown_contractor"
    NO_ADDRESS = "no_address"
    BAD_ADDRESS = "bad_address"
    NO_COUNTY_ADDRESS = "no_county_address"
    NO_SUBMITTER_ADDRESS = "no_submitter_address"
    INACTIVE = "inactive"
    EXEMPT = "exempt"
    ON_HOLD = "on_hold"
    ALREADY_SERVICED = "already_serviced"
    NO_LONGER_DUE = "no_longer_due"
    REPORT_RECEIVED = "report_received"
    REPORT_TAKEN_BACK = "report_taken_back"
    REPORT_MOVED = "report_moved"
    REPORT_NOT_LATE = "report_not_late"
    LATER_STAGE = "later_stage"
    ALREADY_QUEUED = "already_queued"
    UNKNOWN_EVENT = "unknown_event"
    UNREADABLE_EVENT = "unreadable_event"


@dataclass(frozen=True, kw_only=True)
class DomainEvent:
    """One thing that reporting left behind; `content` as the sweep or the intake wrote it."""

    id: str
    kind: str
    cause_key: str
    system: str | None
    content: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Contractor:
    """A business that can be told something."""

    id: str
    name: str
    mail: AddressField


@dataclass(frozen=True, kw_only=True)
class AddressBook:
    """Who can be reached: businesses by id, the business of each licence number as on file, and the county's office."""

    contractors: Mapping[str, Contractor] = field(default_factory=dict)
    licences: Mapping[str, str] = field(default_factory=dict)
    county: AddressField = field(default_factory=AddressField)

    def contractor_of(self, content: Mapping[str, Any]) -> Contractor | None:
        """The business an event names: by `contractor_id`, else by the licence on file."""
        key = content.get("contractor_id") or self.licences.get(str(content.get("contractor_license") or ""))
        return self.contractors.get(str(key)) if key else None


@dataclass(frozen=True, kw_only=True)
class SystemNow:
    """What is known of a system at the moment. `duties` (cause key → state) is `None` while it waits to be assessed."""

    status: str = "active"
    on_hold: bool = False
    exempt: bool = False
    needs_service: bool | None = None
    duties: Mapping[str, str] | None = None
    owner_name: str = ""
    access_notes: str = ""


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One message to one recipient. `context`: plain JSON, all that its text is written from."""

    kind: NoticeKind
    recipient: str
    dedupe_key: str
    context: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One tank for the digest that `group` (a business, or the county's office) gets today."""

    kind: NoticeKind
    recipient: str
    group: str
    addressee: str
    context: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class NoNotice:
    """Somebody who is not told, and why."""

    reason: SkipReason
    cause_key: str


Told = Notice | Line | NoNotice


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """What all notices of one run share: the county's program, the book, the day and where people reach the service."""

    program: Program
    book: AddressBook
    today: date
    base_url: str
