"""What becomes of each row of a chunk, before anything is written: rejected, duplicate, queued or accepted, and why."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from reporting.histories import Licences
from reporting.ids import new_id, new_ids
from reporting.intake.candidates import find_candidates
from reporting.intake.contents import content_hash, content_of, identity_of, normal_ref, visit_of
from reporting.intake.counting import (
    Claim,
    First,
    Seen,
    Stored,
    Verdict,
    earlier_contents,
    judge_claim,
    load_former,
    load_same_day,
    load_taken,
    telling_of,
)
from reporting.intake.credentials import Sender as Sender
from reporting.intake.credentials import (
    foreign_license,
    held_by,
    holder_of,
    licences_of_rows,
    license_warnings,
    restore_zeros,
)
from reporting.intake.likeness import Named
from reporting.intake.memory import find_remembered, memory_key
from reporting.intake.outcomes import Judged, point_out, repeat
from reporting.intake.outcomes import Outcome as Outcome
from reporting.intake.places import (
    FIELD_OF,
    Doubt,
    Found,
    Known,
    Opening,
    Place,
    find_systems,
    load_known,
    norms_of,
    place_row,
    place_unknown,
)
from reporting.intake.plausible import gallons_warnings
from reporting.intake.reading import ReadRow
from reporting.intake.tanks import Tank, tank_of
from reporting.store.engine import Store
from schemas.acts import COMPONENTS
from schemas.calendar import local_date
from schemas.issues import Code, Issue
from schemas.program import Program
from schemas.report import Traits, check_report


@dataclass(kw_only=True)
class Progress:
    """What earlier rows of the same submission brought in: judging adds to it, chunk by chunk."""

    seen: Seen = field(default_factory=Seen)
    opening: Opening = field(default_factory=Opening)


@dataclass(frozen=True, kw_only=True)
class JudgedRows:
    """The rows of a chunk with their outcomes, and what is on file of the licences they name."""

    rows: list[Judged]
    licences: Licences


def judge_rows(
    store: Store, program: Program, sender: Sender, rows: Sequence[ReadRow], progress: Progress, now: dt.datetime
) -> JudgedRows:
    """The rows' outcomes in their order, in a bounded number of queries; nothing is written."""
    checked, known, licences = _check_all(store, program, sender, rows, now)
    claims = [j.claim for j in checked if j.stands]
    taken = load_taken(store, claims)
    earlier = earlier_contents(store, claims, taken)
    former = load_former(store, claims, taken)
    fresh = [j for j in checked if j.stands and taken.keys().isdisjoint(j.claim.identities)]
    same_day = load_same_day(store, {(s, d) for j in fresh for s, d in _where(j, known)})
    ids = iter(new_ids("rep", now, len(checked)))
    judged = []
    for j in checked:
        if j.stands:
            verdict = judge_claim(j.claim, taken, earlier, former, progress.seen, j.holder.business)
            j = repeat(j, verdict) if verdict else _come_in(j, known, same_day, progress, sender, next(ids), now)
        judged.append(j)
    return JudgedRows(rows=_with_candidates(store, judged), licences=licences)


def judge_correction(
    store: Store, program: Program, sender: Sender, row: ReadRow, corrected: str, now: dt.datetime
) -> tuple[Judged, Licences]:
    """One row judged as the correction of the report `corrected`, whose own identity it may keep."""
    checked, known, licences = _check_all(store, program, sender, [row], now)
    j = checked[0]
    if not j.stands:
        return j, licences
    taken = {i: t for i, t in load_taken(store, [j.claim]).items() if t.event != corrected}
    verdict = judge_claim(j.claim, taken, {}, {}, Seen(), j.holder.business)
    if verdict is not None:
        return repeat(j, verdict), licences
    nothing = Stored(tellings={}, copies={})
    come = _come_in(j, known, nothing, Progress(), sender, new_id("rep", now), now)
    return _with_candidates(store, [come])[0], licences


def _check_all(
    store: Store, program: Program, sender: Sender, rows: Sequence[ReadRow], now: dt.datetime
) -> tuple[list[Judged], Mapping[str, Known], Licences]:
    today = local_date(now, program.timezone)
    licences = licences_of_rows(store, program, rows)
    rows, restored = restore_zeros(store, sender, rows, licences)
    licences = licences_of_rows(store, program, rows) if restored else licences
    norms = {row.number: norms_of(row) for row in rows}
    found = find_systems(store, rows, norms)
    keys = {
        row.number: memory_key(holder_of(sender, row, held_by(licences, row)).business, norms[row.number], row.damage)
        for row in rows
    }
    for number, system in find_remembered(store, keys).items():
        found[number] = replace(found[number], remembered=system)
    known = load_known(store, found.values(), licences, today)
    checked = [_check(program, sender, row, found[row.number], known, licences) for row in rows]
    return checked, known, licences


def _with_candidates(store: Store, judged: Sequence[Judged]) -> list[Judged]:
    """The rows; those that go to a person with the systems that they might be of."""
    doubted = {n: j for n, j in enumerate(judged) if j.stands and j.place.doubt}
    names = ("permit_number", "parcel_number", "site_address", "owner_name")
    named = {n: Named(**{name: j.row.text(name) for name in names}, damage=j.row.damage) for n, j in doubted.items()}
    near = find_candidates(store, named, {n: j.place.candidates for n, j in doubted.items()})
    return [replace(j, near=near[n]) if n in near else j for n, j in enumerate(judged)]


def _check(
    program: Program, sender: Sender, row: ReadRow, found: Found, systems: Mapping[str, Known], licences: Licences
) -> Judged:
    place = place_row(row, found, systems)
    known = systems[place.system] if place.system else None
    kind, ref = row.text("component"), row.text("component_ref")
    tank = tank_of(known.system, kind, ref) if known else Tank(kind=kind, ref=ref, certain=False)
    if place.system and not tank.certain:
        place = Place(doubt=Doubt.WHICH_TANK, candidates=(place.system,))
    held = held_by(licences, row)
    issues = [*row.issues, *_asked(program, row, tank, known)]
    issues += _nowhere(row, found, issues)
    issues += foreign_license(sender, row, held)
    warnings = (*row.warnings, *_damage_warnings(row, found, place))
    warnings = (*warnings, *gallons_warnings(row, known.system if known else None, tank))
    if issues:
        return Judged(
            row=row, outcome=Outcome.REJECTED, issues=tuple(issues), warnings=warnings, place=place, found=found
        )
    content = content_of(row.values)
    holder = holder_of(sender, row, held)
    return Judged(
        row=row,
        outcome=Outcome.QUEUED if place.doubt else Outcome.ACCEPTED,
        warnings=(*warnings, *license_warnings(row, held)),
        content=content,
        claim=_claim(holder.business, content, row, tank),
        found=found,
        place=place,
        known=known,
        tank=tank,
        holder=holder,
    )


def _asked(program: Program, row: ReadRow, tank: Tank, known: Known | None) -> list[Issue]:
    """What the program asks for and the row lacks; a field that could not be read is not said to be missing too."""
    unread = {i.field for i in row.issues}
    if any(i.field is None for i in row.issues):  # a shifted or unreadable row: what is under which heading is unknown
        return []
    traits = Traits()
    if known is not None:
        traits = Traits(building=known.system.building, use=known.system.use, flags=known.system.flags)
    issues = check_report(program, row.values, traits, tank.kind)
    return [row.place(i) for i in issues if i.field not in unread]


def _nowhere(row: ReadRow, found: Found, issues: Sequence[Issue]) -> list[Issue]:
    """What is wrong with a row that names no place, or only by a number that a spreadsheet has spoilt."""
    if found.norms or any(i.field in FIELD_OF.values() or i.field is None for i in issues):
        return []
    if row.damage:
        name, damage = next(iter(row.damage.items()))
        return [row.place(Issue(code=Code.NO_PLACE, field=name, message=damage.message, value=row.text(name)[:200]))]
    message = "Say which system it is: give its permit number, its parcel number or its address."
    return [row.place(Issue(code=Code.NO_PLACE, field="permit_number", message=message))]


def _damage_warnings(row: ReadRow, found: Found, place: Place) -> list[Mapping[str, object]]:
    """What a spreadsheet did to identifiers that did not turn out to be right as they stand."""
    right = (
        {FIELD_OF[kind] for kind, norm in norms_of(row).items() if norm == found.norms.get(kind)} if row.damage else ()
    )
    shown = [(name, harm) for name, harm in row.damage.items() if name not in right or place.system is None]
    return [
        {"field": name, "code": harm.harm.value, "message": harm.message, "value": row.text(name)[:200]}
        for name, harm in shown
    ]


def _claim(business: str, content: Mapping[str, object], row: ReadRow, tank: Tank) -> Claim:
    """What the report is counted by. It may have been sent before with its component named or not, and before the
    system was in the inventory.
    """
    sha = content_hash(content)
    kind, ref = row.text("component"), row.text("component_ref")
    others: list[str] = []
    if not tank.certain:
        others = [""] if kind else list(COMPONENTS)
    elif normal_ref(ref) != normal_ref(tank.ref):
        others = [tank.kind]
    same = [identity_of(business, content, tank.kind, tank.ref, sha)]
    if tank.certain and tank.kind == tank.main:
        same.append(identity_of(business, content, "", ref, sha))
    alike = tuple(identity_of(business, content, each, ref, sha) for each in others)
    return Claim(content_sha=sha, same=tuple(same), alike=alike)


def _where(j: Judged, known: Mapping[str, Known]) -> list[tuple[str, dt.date]]:
    """The systems and the day on which other reports may tell of the same service."""
    day = j.row.service_date
    if day is None:
        return []
    named = {s for ids in j.found.systems.values() for s in ids if s in known}
    return [(s, day) for s in ({j.place.system} if j.place.system else named)]


def _come_in(
    j: Judged,
    known: Mapping[str, Known],
    stored: Stored,
    progress: Progress,
    sender: Sender,
    report_id: str,
    now: dt.datetime,
) -> Judged:
    """A report that is new: placed, numbered, and held against what else is told of the same service."""
    j = _settle(j, known, progress.opening, report_id, now)
    business = j.holder.contractor_id or ""
    copy = stored.copy_of(j.place.system, j.tank.kind, j.claim, j.row.text("report_ref"), business)
    if copy is not None:
        return repeat(j, Verdict(copy, is_copy=True))
    first = First(j.claim.content_sha, report_id, j.row.number, business)
    progress.seen.identities[j.claim.same[0]] = first
    told = telling_of(j.place.system, j.row.service_date, j.tank.kind, j.tank.ref, j.content)
    if told is None:
        return j
    double = progress.seen.tellings.get(told) or stored.tellings.get(told)
    progress.seen.tellings.setdefault(told, first)
    return j if double is None else point_out(j, double, sender)


def _settle(j: Judged, known: Mapping[str, Known], opening: Opening, report_id: str, now: dt.datetime) -> Judged:
    """The report with its id and visit and, if need be, with its provisional system."""
    place, opens = j.place, False
    if place.doubt is Doubt.NOT_IN_INVENTORY:
        place = place_unknown(j.found, known, opening)
        opens = place.system is None and place.doubt is Doubt.NOT_IN_INVENTORY
        if opens:
            place = replace(place, system=new_id("sys", now))
        if place.system:
            opening.note(place.system, j.found.norms)
    warnings = j.warnings
    if place.matched_by:
        message = "The county decided before which system this business means by these numbers."
        warnings = (*warnings, {"field": None, "code": "matched_by", "message": message, "value": place.matched_by})
    if place.doubt is not None:
        said = {"field": None, "code": "review", "message": place.doubt.message, "value": place.doubt.value}
        warnings = (*warnings, said)
    visit = visit_of(j.holder.business, j.content, place.system or "/".join(j.found.norms.values()))
    return replace(j, report_id=report_id, place=place, opens=opens, warnings=warnings, visit=visit)
