"""What becomes of each row of a chunk, before anything is written: rejected, duplicate, queued or accepted, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from reporting.domain.records import TREATMENT_TANKS, System
from reporting.histories import read_domain
from reporting.intake.contents import content_hash, content_of, identity_of, visit_of
from reporting.intake.places import Doubt, Place, find_places, norms_of
from reporting.intake.reading import ReadRow
from reporting.intake.words import normalize_license
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_events, load_history
from reporting.store.identities import SameDay, Taken, find_identities, find_same_day
from reporting.store.people import find_credentials
from schemas.issues import Code, Issue
from schemas.program import Program
from schemas.report import Traits, check_report


class Outcome(StrEnum):
    """What became of a row."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    REJECTED = "rejected"
    QUEUED = "queued_for_review"


@dataclass(frozen=True, kw_only=True)
class Known:
    """What the county knows of the system that a row is of."""

    stored: StoredHistory
    system: System

    @property
    def is_provisional(self) -> bool:
        """Whether the system was opened by a report and is not in the inventory yet."""
        return self.system.status == "provisional"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One row with its outcome. `identity`, `content` and the rest are there unless it was rejected.

    `alternate`: the identity that the report has when its component is named, or is not; a copy may be sent either way.
    `report_id`: given to what comes in; `duplicate_of`: the report that came in first.
    """

    row: ReadRow
    outcome: Outcome
    issues: tuple[Issue, ...] = ()
    warnings: tuple[Mapping[str, object], ...] = ()
    content: Mapping[str, object] = field(default_factory=dict)
    content_sha: str = ""
    identity: str = ""
    alternate: str = ""
    report_id: str = ""
    visit: str | None = None
    place: Place = field(default_factory=Place)
    known: Known | None = None
    component: str = ""
    contractor_id: str | None = None
    credential_kind: str = ""
    credential_expires_on: str | None = None
    duplicate_of: str | None = None
    possible_duplicate_of: str | None = None
    norms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Sender:
    """In whose name a submission is judged: a contractor's business, or staff (`contractor_id` None)."""

    name: str
    contractor_id: str | None = None


def judge_rows(
    store: Store,
    program: Program,
    sender: Sender,
    rows: Sequence[ReadRow],
    seen: dict[str, tuple[str, str, int]],
    new_report_id: Callable[[], str],
) -> list[Judged]:
    """The rows' outcomes in their order, in a bounded number of queries.

    seen: identity → (content hash, report id, row) of what earlier rows of the same submission brought in; added to
    here.
    """
    places = find_places(store, rows)
    known = _known_systems(store, {p.system for p in places.values() if p.system})
    credentials = find_credentials(store, {n for row in rows if (n := normalize_license(row.text("license_number")))})
    judged = [_check(program, sender, row, places[row.number], known, credentials) for row in rows]
    judged = _count_once(store, judged, seen, new_report_id)
    return _point_out_doubles(store, judged)


def _known_systems(store: Store, systems: Iterable[str]) -> dict[str, Known]:
    stored = load_history(store, sorted(systems))
    return {key: Known(stored=found, system=read_domain(found)[0]) for key, found in stored.items()}


def _check(
    program: Program,
    sender: Sender,
    row: ReadRow,
    place: Place,
    systems: Mapping[str, Known],
    credentials: Mapping[str, Sequence[Mapping[str, object]]],
) -> Judged:
    known = systems.get(place.system) if place.system else None
    place, component = _component(row, place, known)
    traits = _traits(known)
    issues = [
        *row.issues,
        *(i.at(row.number, f"{row.pointer}/{i.field}") for i in _asked(program, row, component, traits)),
    ]
    norms = norms_of(row)
    if not norms and not any(i.field in ("permit_number", "parcel_number", "site_address") for i in issues):
        message = "Say which system it is: give its permit number, its parcel number or its address."
        issues.append(
            Issue(code=Code.NO_PLACE, field="permit_number", message=message).at(
                row.number, f"{row.pointer}/permit_number"
            )
        )
    held = credentials.get(normalize_license(row.text("license_number")), ())
    issues += _foreign_license(sender, row, held)
    if issues:
        return Judged(
            row=row, outcome=Outcome.REJECTED, issues=tuple(issues), warnings=row.warnings, place=place, norms=norms
        )
    content = content_of(row.values)
    business = _business(sender, row, held)
    sha = content_hash(content)
    given = row.text("component")
    other = component if not given else ""
    queued = place.doubt is not None or known is None or known.is_provisional
    return Judged(
        row=row,
        outcome=Outcome.QUEUED if queued else Outcome.ACCEPTED,
        warnings=(*row.warnings, *_license_warning(row, held)),
        content=content,
        content_sha=sha,
        identity=identity_of(business, content, given, sha),
        alternate=identity_of(business, content, other, sha) if other != given else "",
        visit=visit_of(business, content, place.system or next(iter(norms.values()), "")),
        place=place,
        known=known,
        component=component,
        contractor_id=str(held[0]["contractor_id"]) if held else sender.contractor_id,
        credential_kind=_credential_kind(row, held),
        credential_expires_on=_expiry(row, held),
        norms=norms,
    )


def _asked(program: Program, row: ReadRow, component: str, traits: Traits) -> list[Issue]:
    """What the program asks for and the row lacks; a field that could not be read is not said to be missing too."""
    unread = {i.field for i in row.issues}
    return [i for i in check_report(program, row.values, traits, component) if i.field not in unread]


def _traits(known: Known | None) -> Traits:
    if known is None or known.is_provisional:
        return Traits()
    return Traits(building=known.system.building, use=known.system.use, flags=known.system.flags)


def _component(row: ReadRow, place: Place, known: Known | None) -> tuple[Place, str]:
    """The component that a report is of; where the inventory does not bear it out, the report goes to a person."""
    given = row.text("component")
    if known is None or known.is_provisional or place.system is None:
        return place, given
    kinds = [c.kind for c in known.system.components]
    main = known.system.main_tank
    kind = given or (main.kind if main else "")
    if kind == "dispersal" and any(k in TREATMENT_TANKS for k in kinds):
        return place, kind
    alike = [c for c in known.system.components if c.kind == kind]
    fits = [c for c in alike if not row.text("component_ref") or c.ref == row.text("component_ref")]
    if (len(alike) > 1 and len(fits) != 1) or (not alike and kind in ("septic", "holding")):
        return Place(system=None, doubt=Doubt.WHICH_TANK, candidates=(place.system,)), given
    return place, kind


def _foreign_license(sender: Sender, row: ReadRow, held: Sequence[Mapping[str, object]]) -> list[Issue]:
    if sender.contractor_id is None or not held or any(c["contractor_id"] == sender.contractor_id for c in held):
        return []
    message = (
        "Send this report with the key of the business that holds this licence, or give a licence of your own business."
    )
    issue = Issue(
        code=Code.LICENSE_NOT_YOURS, field="license_number", message=message, value=row.text("license_number")
    )
    return [issue.at(row.number, f"{row.pointer}/license_number")]


def _business(sender: Sender, row: ReadRow, held: Sequence[Mapping[str, object]]) -> str:
    """The business that a report is counted under: its licence's, else the sender's, else the licence itself."""
    if held:
        return str(held[0]["contractor_id"])
    return sender.contractor_id or f"license:{normalize_license(row.text('license_number'))}"


def _credential_kind(row: ReadRow, held: Sequence[Mapping[str, object]]) -> str:
    return row.text("credential_kind") or (str(held[0]["kind"]) if len(held) == 1 else "")


def _expiry(row: ReadRow, held: Sequence[Mapping[str, object]]) -> str | None:
    """When the credential that the report names expires, as an ISO date."""
    kind = _credential_kind(row, held)
    ends = [c["expires_on"] for c in held if c["kind"] == kind and c["expires_on"]]
    return str(ends[0]) if ends else None


def _license_warning(row: ReadRow, held: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    if held or not row.text("license_number"):
        return []
    message = "The licence is not in the list of contractors; the county may ask for it."
    return [
        {"field": "license_number", "code": "license_unknown", "message": message, "value": row.text("license_number")}
    ]


def _count_once(
    store: Store, judged: Sequence[Judged], seen: dict[str, tuple[str, str, int]], new_report_id: Callable[[], str]
) -> list[Judged]:
    """Reports whose identity is taken: the same content is a duplicate, other content a conflict to amend."""
    taken = find_identities(store, {i for j in judged for i in (j.identity, j.alternate) if i})
    counted = []
    for j in judged:
        if not j.identity:
            counted.append(j)
            continue
        first = _first(j, taken, seen)
        if first is None:
            j = replace(j, report_id=new_report_id())
            seen[j.identity] = (j.content_sha, j.report_id, j.row.number)
            counted.append(j)
        else:
            counted.append(_again(j, first))
    return counted


def _first(
    j: Judged, taken: Mapping[str, Taken], seen: Mapping[str, tuple[str, str, int]]
) -> tuple[str, str, int] | None:
    for identity in (j.identity, j.alternate):
        if identity in seen:
            return seen[identity]
        if identity in taken:
            return taken[identity].content_sha, taken[identity].event, 0
    return None


def _again(j: Judged, first: tuple[str, str, int]) -> Judged:
    sha, report, row = first
    if sha == j.content_sha:
        return replace(j, outcome=Outcome.DUPLICATE, duplicate_of=report)
    where = f"row {row} of this file" if row else f"report {report}"
    message = (
        f"This ticket number was used for {where} with other content: "
        "amend that report, or give this one a number of its own."
    )
    issue = Issue(code=Code.REF_CONFLICT, field="report_ref", message=message, value=j.row.text("report_ref"))
    return replace(j, outcome=Outcome.REJECTED, issues=(issue.at(j.row.number, f"{j.row.pointer}/report_ref"),))


def _point_out_doubles(store: Store, judged: Sequence[Judged]) -> list[Judged]:
    """Accepted reports that tell of what another report tells of, under another ticket: for staff to look at."""
    wanted = {
        (j.place.system, day)
        for j in judged
        if j.outcome is Outcome.ACCEPTED and j.place.system is not None and (day := j.row.service_date) is not None
    }
    same = find_same_day(store, wanted)
    contents = load_events(store, [e.event for found in same.values() for e in found])
    result = []
    for j in judged:
        if j.outcome is Outcome.ACCEPTED and j.place.system and j.row.service_date:
            others = same.get((j.place.system, j.row.service_date), [])
            double = next((e for e in others if _tells_the_same(j, e, contents)), None)
            if double is not None:
                warning = {
                    "field": None,
                    "code": "possible_duplicate",
                    "message": f"Report {double.event} tells of the same service.",
                    "value": double.event,
                }
                j = replace(j, possible_duplicate_of=double.event, warnings=(*j.warnings, warning))
        result.append(j)
    return result


def _tells_the_same(j: Judged, other: SameDay, contents: Mapping[str, Mapping[str, object]]) -> bool:
    if (other.component, other.event_type) != (j.component, j.content.get("event_type")):
        return False
    content = contents.get(other.event, {}).get("content")
    said = content if isinstance(content, Mapping) else {}
    return all(
        said.get(n) == j.content.get(n) for n in ("gallons_pumped", "meter_reading", "component_ref", "service_time")
    )
