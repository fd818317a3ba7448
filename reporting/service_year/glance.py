"""A district's year at a glance: turn, windows and notices, requests, certificates, fees (4.01–7.04)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reporting.domain.answers import Obligation, State
from reporting.domain.areas import WindowMail
from reporting.domain.service_year import SystemYear, is_open, served_area, system_year
from reporting.service_year.deferrals import GRANTED, REFUSED, list_deferrals
from reporting.service_year.exemptions import list_exemptions
from reporting.service_year.mailings import list_mailings
from reporting.service_year.systems import all_views
from reporting.store.engine import Store
from reporting.windows import list_windows
from schemas.acts import (
    Act,
    AreaNotice,
    AreaWindow,
    ExemptionTerm,
    Fee,
    Questionnaire,
    ServiceAreas,
    WindowDeferral,
    WindowNotice,
)
from schemas.calendar import add_days
from schemas.program import Program

_RUNNING = ("in_force", "ending")


def year_at_a_glance(store: Store, program: Program, year: int, today: dt.date) -> dict[str, Any]:
    """What a year of service areas holds on `today`, as plain JSON values; each part with its rule and citation.

    Counts are of systems (a system with two septic tanks is one). Every system of the county is looked at.
    """
    systems = [system_year(view, year) for _stored, view in all_views(store, program, today)]
    area, areas = served_area(program, year, today)
    served = [one for one in systems if area is not None and one.area == area]
    law = _Law(program, today)
    return {
        "county": program.slug,
        "year": year,
        "as_of": today.isoformat(),
        "area": {"served": area, "of": areas, **law.of(ServiceAreas)},
        "systems": {
            "in_use": sum(1 for one in systems if one.tanks),
            "without_area": sum(1 for one in systems if one.tanks and one.area is None),
            "in_area": sum(1 for one in served if one.tanks),
            "septic": sum("septic" in one.tanks for one in served),
            "holding": sum("holding" in one.tanks for one in served),
            "exempt_or_on_hold": sum(one.at_rest for one in served),
            "pumped": sum(one.pumped for one in served),
        },
        "windows": [_window(row, systems, law, area) for row in _windows_of(store, year)],
        "area_notice": _area_notice(served, law),
        "deferrals": _deferrals(store, year, law),
        "questionnaires": _questionnaires(store, program, systems, year, today, law),
        "exemptions": _exemptions(store, program, systems, today, law),
        "fees": _fees(systems, law),
    }


class _Law:
    """The citations of a program's rules by what they do."""

    def __init__(self, program: Program, on: dt.date) -> None:
        self.program, self.text = program, program.at(on)

    def of(self, effect: type[Act]) -> dict[str, str | None]:
        """Rule and section of the first rule that does this."""
        found = next(iter(self.text.of(effect)), None)
        return {"rule": found.id if found else None, "cite": found.cite if found else None}

    def fee(self, every: str) -> dict[str, str | None]:
        """The same of a fee."""
        found = next((p for p in self.text.of(Fee) if p.act.every == every), None)
        return {"rule": found.id if found else None, "cite": found.cite if found else None}


def _windows_of(store: Store, year: int) -> Iterator[dict[str, Any]]:
    return (row for row in list_windows(store) if row["from"].startswith(f"{year:04}-"))


def _window(row: Mapping[str, Any], systems: Sequence[SystemYear], law: _Law, turn: int | None) -> dict[str, Any]:
    """A window with its last mailing day and its letters: owed, mailed in time, late or missing, waiting."""
    first = dt.date.fromisoformat(row["from"])
    length = max((p.act.days for p in law.text.of(AreaWindow)), default=1)
    last = dt.date.fromisoformat(row["to"]) if row.get("to") else add_days(first, length - 1)
    mails = [_mail_of(one, first, row.get("area")) for one in systems]
    owed = [mail for mail in mails if mail is not None and not mail.excused]
    mailed = [mail for mail in owed if mail.mailed_on is not None]
    late = [mail for mail in owed if mail.late]
    notice = next(iter(law.text.of(WindowNotice)), None)
    delivery = law.program.days(notice.act.delivery_setting) if notice else 0
    return {
        "id": row["id"],
        "from": first.isoformat(),
        "to": last.isoformat(),
        "area": row.get("area", turn),
        "days": (last - first).days + 1,
        "mail_by": add_days(first, -notice.act.days - delivery).isoformat() if notice else None,
        "counted": f"{notice.act.days} days before {first} and {delivery} of delivery; not moved" if notice else None,
        "letters": {
            "owed": len(owed),
            "mailed": len(mailed),
            "late": sum(1 for mail in late if mail.mailed_on is not None),
            "missing": sum(1 for mail in late if mail.mailed_on is None),
            "waiting": sum(1 for mail in owed if mail.mailed_on is None and not mail.late),
            "excused": sum(1 for mail in mails if mail is not None and mail.excused),
        },
        **law.of(WindowNotice),
    }


def _mail_of(one: SystemYear, first: dt.date, area: int | None) -> WindowMail | None:
    return next((m for m in one.windows if m.window.from_on == first and m.window.area == area), None)


def _area_notice(served: Sequence[SystemYear], law: _Law) -> dict[str, Any]:
    """The notice to the holding tanks of the area, and the days in which their owners schedule a pumping."""
    holding = [one for one in served if "holding" in one.tanks]
    told = [one for one in holding if one.scheduling]
    duties = [duty for one in told for duty in one.scheduling]
    days = next((p.act.days for p in law.text.of(AreaNotice)), None)
    return {
        "days": days,
        "systems": len(holding),
        "told": len(told),
        "scheduled_or_pumped": sum(not any(map(is_open, one.scheduling)) for one in told),
        **_open_of(duties),
        "last_days": sorted({duty.last_day.isoformat() for duty in duties}),
        **law.of(AreaNotice),
    }


def _open_of(duties: Sequence[Obligation]) -> dict[str, int]:
    overdue = sum(duty.state is State.OVERDUE for duty in duties)
    return {"open": sum(map(is_open, duties)) - overdue, "overdue": overdue}


def _deferrals(store: Store, year: int, law: _Law) -> dict[str, Any]:
    rows = list_deferrals(store, year)
    answers = [row.get("answer") for row in rows]
    return {
        "asked": len(rows),
        GRANTED: answers.count(GRANTED),
        REFUSED: answers.count(REFUSED),
        **law.of(WindowDeferral),
    }


def _questionnaires(
    store: Store, program: Program, systems: Sequence[SystemYear], year: int, today: dt.date, law: _Law
) -> dict[str, Any]:
    """Questionnaires mailed in the year; `inquiries_open`: every inquiry that nobody has answered, of whatever year."""
    duties = [duty for one in systems for duty in one.questionnaires]
    inquiries = list_mailings(store, program, today, ("inquiry",), ("open",))
    return {
        "mailed": sum(1 for one in systems if one.questionnaires),
        "answered": sum(1 for one in systems if one.questionnaires and not any(map(is_open, one.questionnaires))),
        **_open_of(duties),
        "inquiries_open": len(inquiries),
        **law.of(Questionnaire),
    }


def _exemptions(
    store: Store, program: Program, systems: Sequence[SystemYear], today: dt.date, law: _Law
) -> dict[str, Any]:
    rows = list_exemptions(store, program, today)
    return {
        "in_force": sum(row["state"] in _RUNNING for row in rows),
        "applied": sum(row["state"] == "applied" for row in rows),
        "ending_this_year": sum(len(one.ends_on) for one in systems),
        "certifications_due": sum(_is_due(row.get("certification"), today) for row in rows),
        "end_proposed": sum(bool(row.get("end_proposed")) for row in rows),
        **law.of(ExemptionTerm),
    }


def _is_due(certification: Mapping[str, Any] | None, today: dt.date) -> bool:
    """Whether a yearly certification of this year, or of one before, is not on file."""
    return certification is not None and int(certification["year"]) <= today.year


def _fees(systems: Sequence[SystemYear], law: _Law) -> dict[str, Any]:
    owing = [one.fee_cents for one in systems if one.fee_cents]
    return {"systems": len(owing), "cents": sum(owing), **law.fee("year")}
