"""What notices are made of: events, people, what is known of a system, and what comes out. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Final

from notifications.addresses import AddressField
from schemas.program import Program


class EventKind(StrEnum):
    """The domain events that somebody is told of."""

    RECEIPT = "receipt"
    SERVICE_DUE = "service_due"
    NEEDS_SERVICE = "needs_service"
    LATE_REPORT = "late_report"
    MISSING_REPORT = "missing_report"
    VERIFICATION_REQUESTED = "verification_requested"
    CHECKPOINT = "checkpoint"
    OWNER_REMINDER = "owner_reminder"
    DELINQUENT_OWNER = "delinquent_owner"
    CONTRACT_EXPIRING = "contract_expiring"
    CREDENTIAL_EXPIRING = "credential_expiring"
    EXEMPTION_EXPIRING = "exemption_expiring"
    WINDOW_NOTICE = "window_notice"
    AREA_NOTICE = "area_notice"
    DEFERRAL_ANSWERED = "deferral_answered"
    EXEMPTION_ANSWERED = "exemption_answered"
    EXEMPTION_CHANGED = "exemption_changed"
    CONTACT_CHANGED = "contact_changed"
    REPORT_COPY = "report_copy"
    CASE_OPENED = "case_opened"
    CASE_STEP = "case_step"
    CASE_OVERDUE = "case_overdue"
    CASE_HANDED_OVER = "case_handed_over"
    CASE_CLOSED = "case_closed"


class NoticeKind(StrEnum):
    """The kinds of message; a copy is the county's own."""

    RECEIPT = "receipt"
    DUE_DIGEST = "due_digest"
    UNDESIGNATED_DIGEST = "undesignated_digest"
    LATE_REPORT = "late_report"
    LATE_REPORT_COPY = "late_report_copy"
    MISSING_REPORT = "missing_report"
    MISSING_REPORT_COPY = "missing_report_copy"
    VERIFICATION_REQUESTED = "verification_requested"
    CHECKPOINT = "checkpoint"
    SIGNIN_LINK = "signin_link"
    INVITATION = "invitation"
    OWNER_LINK = "owner_link"
    OWNER_REMINDER = "owner_reminder"
    DELINQUENT_OWNER = "delinquent_owner"
    CONTRACT_EXPIRING = "contract_expiring"
    CREDENTIAL_EXPIRING = "credential_expiring"
    EXEMPTION_EXPIRING = "exemption_expiring"
    WINDOW_NOTICE = "window_notice"
    AREA_NOTICE = "area_notice"
    DEFERRAL_ANSWER = "deferral_answer"
    EXEMPTION_ANSWER = "exemption_answer"
    EXEMPTION_CHANGE = "exemption_change"
    CONTACT_CHANGED = "contact_changed"
    REPORT_COPIES = "report_copies"
    CASE_OPENED = "case_opened"
    CASE_STEP = "case_step"
    CASE_OVERDUE = "case_overdue"
    CASE_HANDED_OVER = "case_handed_over"
    CASE_CLOSED = "case_closed"
    WEEKLY_SUMMARY = "weekly_summary"


class Channel(StrEnum):
    """How a notice travels. A letter waits in the same queue for the county's next print run."""

    MAIL = "mail"
    LETTER = "letter"


ACCESS_KINDS: Final = frozenset({NoticeKind.SIGNIN_LINK, NoticeKind.INVITATION, NoticeKind.OWNER_LINK})
"""Messages that somebody waits for to get in: always sent, never in a digest, and their link is not kept."""


class SkipReason(StrEnum):
    """Why somebody is not told; every one of them is counted."""

    NOT_LIVE_YET = "not_live_yet"
    NO_CONTRACTOR = "no_contractor"
    UNKNOWN_CONTRACTOR = "unknown_contractor"
    NO_ADDRESS = "no_address"
    BAD_ADDRESS = "bad_address"
    NO_COUNTY_ADDRESS = "no_county_address"
    NO_CLERK_ADDRESS = "no_clerk_address"
    NO_SUBMITTER_ADDRESS = "no_submitter_address"
    NO_POSTAL_ADDRESS = "no_postal_address"
    NO_SANITARIAN_ADDRESS = "no_sanitarian_address"
    NO_OFFICE_ADDRESS = "no_office_address"
    OPTED_OUT = "opted_out"
    SUPPRESSED = "suppressed"
    INACTIVE = "inactive"
    EXEMPT = "exempt"
    ON_HOLD = "on_hold"
    ALREADY_SERVICED = "already_serviced"
    NO_LONGER_DUE = "no_longer_due"
    REPORT_RECEIVED = "report_received"
    REPORT_TAKEN_BACK = "report_taken_back"
    REPORT_MOVED = "report_moved"
    REPORT_NOT_LATE = "report_not_late"
    ANSWERED = "answered"
    LATER_STAGE = "later_stage"
    RENEWED = "renewed"
    CASE_CLOSED = "case_closed"
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
    """Who can be reached: businesses by id, the business of each licence number as on file, the county's office, the
    county sanitarian, the counsel, the municipalities (by name in small letters; '' for whichever it is). `refusing`:
    address → the kinds of optional mail that its owner does not want.
    """

    contractors: Mapping[str, Contractor] = field(default_factory=dict)
    licences: Mapping[str, str] = field(default_factory=dict)
    county: AddressField = field(default_factory=AddressField)
    sanitarian: AddressField = field(default_factory=AddressField)
    counsel: AddressField = field(default_factory=AddressField)
    municipalities: Mapping[str, AddressField] = field(default_factory=dict)
    refusing: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def office(self, office: str, municipality: str = "") -> AddressField:
        """Where an office is reached that cases are handed to: `sanitarian`, `counsel` or the `municipality`."""
        if office != "municipality":
            return self.counsel if office == "counsel" else self.sanitarian
        found = self.municipalities.get(municipality.strip().lower()) or self.municipalities.get("")
        return found or AddressField()

    def contractor_of(self, content: Mapping[str, Any]) -> Contractor | None:
        """The business an event names: by `contractor_id`, else by the licence on file."""
        key = content.get("contractor_id") or self.licences.get(str(content.get("contractor_license") or ""))
        return self.contractors.get(str(key)) if key else None


@dataclass(frozen=True, kw_only=True)
class SystemNow:
    """What is known of a system at the moment. `duties` (cause key → state) is `None` while it waits to be assessed.

    owner_postal: name and mailing address in lines, '' while none is on file. `due_on`: of the duties, by the same
    keys. `cases`: by id, what is on file of each. `full_on`: when a metered holding tank is forecast to be full.
    """

    status: str = "active"
    on_hold: bool = False
    exempt: bool = False
    needs_service: bool | None = None
    duties: Mapping[str, str] | None = None
    owner_name: str = ""
    access_notes: str = ""
    owner_mail: AddressField = field(default_factory=AddressField)
    owner_postal: str = ""
    due_on: Mapping[str, date] = field(default_factory=dict)
    cases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    latitude: str = ""
    longitude: str = ""
    last_pumped_on: date | None = None
    last_gallons: int | None = None
    full_on: date | None = None


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One message to one recipient. `context`: plain JSON, all that its text is written from.

    recipient: a mail address; of a letter, the postal address with its line breaks.
    """

    kind: NoticeKind
    recipient: str
    dedupe_key: str
    context: Mapping[str, Any]
    channel: Channel = Channel.MAIL
    system: str | None = None


@dataclass(frozen=True, kw_only=True)
class Line:
    """One duty for the message that `group` (a business, the county's office, the owner of a system) gets today.

    channel, system, audience: of the whole message, where it is an owner's.
    """

    kind: NoticeKind
    recipient: str
    group: str
    addressee: str
    context: Mapping[str, Any]
    channel: Channel = Channel.MAIL
    system: str | None = None
    audience: str = ""


@dataclass(frozen=True, kw_only=True)
class NoNotice:
    """Somebody who is not told, and why."""

    reason: SkipReason
    cause_key: str


Told = Notice | Line | NoNotice


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """What all notices of one run share: the county's program, the book, the day and where people reach the service.

    map_url: a map's address with `{lat}` and `{lon}` in it; '' for none.
    """

    program: Program
    book: AddressBook
    today: date
    base_url: str
    map_url: str = ""
