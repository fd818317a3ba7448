"""Are permits withheld? For a parcel, an owner or a licensed contractor, where the ordinance has such a rule."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reporting.intake.words import normalize_license
from reporting.status import find_systems
from reporting.store.cases import CASE, cases_about, systems_of_owner
from reporting.store.derived import obligations_of
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory, load_history
from reporting.store.people import find_credentials, licences_of
from schemas.acts import PermitHold
from schemas.program import Program


def permit_hold(
    store: Store,
    program: Program,
    today: dt.date,
    *,
    parcel: str | None = None,
    permit: str | None = None,
    license_number: str | None = None,
) -> dict[str, Any]:
    """Whether the county withholds permits, and for which violations: cases and orders past their last day.

    parcel, permit: of the place where something is to be built; its owner's other places count too. license_number: of
    the contractor who applies. `held` is None where the ordinance has no such rule.
    """
    answer = {"county": program.slug, "as_of": today.isoformat(), "parcel": parcel, "permit": permit}
    answer |= {"license": license_number}
    provisions = program.at(today).of(PermitHold)
    if not provisions:
        said = f"{program.authority} has no rule by which permits are withheld for a violation."
        return {**answer, "held": None, "rule": None, "cite": None, "because": said, "reasons": []}
    p = provisions[0]
    reasons = [*_of_place(store, today, parcel, permit), *_of_contractor(store, today, license_number)]
    unique = list({(one["system"], one["case"], one["duty"]): one for one in reversed(reasons)}.values())[::-1]
    said = "; ".join(one["because"] for one in unique) or "No violation is outstanding here."
    return {**answer, "held": bool(unique), "rule": p.id, "cite": p.cite, "because": said, "reasons": unique}


def _of_place(store: Store, today: dt.date, parcel: str | None, permit: str | None) -> Iterator[dict[str, Any]]:
    if not (parcel or permit):
        return
    here = find_systems(store, parcel=parcel, permit=permit)
    histories = load_history(store, here)
    yield from _outstanding(store, today, histories, "the parcel has an outstanding violation")
    names = {stored.owner["name"] for stored in histories.values() if stored.owner and stored.owner["name"]}
    others = {key for name in sorted(names) for key in systems_of_owner(store, name)} - set(here)
    of_owner = "an owner of this name is in violation at another place (make sure that it is the same person)"
    yield from _outstanding(store, today, load_history(store, sorted(others)), of_owner)


def _of_contractor(store: Store, today: dt.date, license_number: str | None) -> Iterator[dict[str, Any]]:
    """Cases that name the contractor: under this licence or another one of the business."""
    norm = normalize_license(license_number or "")
    if not norm:
        return
    held = find_credentials(store, [norm]).get(norm, ())
    norms = {norm, *(row["license_norm"] for one in held for row in licences_of(store, one["contractor_id"]))}
    cases = cases_about(store, norms)
    histories = load_history(store, sorted({row["system"] for row in cases}))
    only = {row["id"] for row in cases}
    yield from _outstanding(store, today, histories, "the licensed contractor is in violation", only)


def _outstanding(
    store: Store, today: dt.date, histories: Mapping[str, StoredHistory], why: str, only: set[str] | None = None
) -> Iterator[dict[str, Any]]:
    """What is past its last day in the cases of some systems."""
    duties: Mapping[str, Sequence[Mapping[str, Any]]] = obligations_of(store, sorted(histories))
    for key, stored in histories.items():
        kinds = {row["id"]: row["content"]["kind"] for row in stored.facts.get(CASE, ())}
        for duty in duties[key]:
            case = duty["cycle"].split(":")[1] if duty["cycle"].startswith("case:") else ""
            if duty["state"] != "overdue" or case not in kinds or (only is not None and case not in only):
                continue
            late, place = (today - duty["last_day"]).days, stored.system or {}
            told = f"{duty['kind'].replace('_', ' ')} was due {duty['last_day']} ({duty['rule']}, {duty['cite']})"
            yield {
                "why": why,
                "system": key,
                **{name: place.get(name) for name in ("permit_number", "parcel_number", "site_address")},
                "case": case,
                "case_kind": kinds[case],
                "duty": duty["kind"],
                "last_day": duty["last_day"].isoformat(),
                "days_late": late,
                "rule": duty["rule"],
                "cite": duty["cite"],
                "because": f"{why}: {told}",
            }
