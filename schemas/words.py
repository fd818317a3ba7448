"""The words that program files, reports and answers share: open lists, to which a rule adds what it needs."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

COMPONENTS = ("septic", "holding", "pump_chamber", "pretreatment", "dispersal", "privy")
EVENT_TYPES = (
    "pumping",
    "inspection",
    "pumping_and_inspection",
    "maintenance",
    "evaluation",
    "meter_reading",
    "no_service_statement",
    "abandonment",
)
CREDENTIALS = (
    "septage_operator",
    "master_plumber",
    "master_plumber_restricted",
    "journeyman_plumber",
    "journeyman_plumber_restricted",
    "powts_inspector",
    "powts_maintainer",
    "soil_tester",
    "registered_owner",
)
ACTIVITIES = ("pump", "inspect", "inspect_dispersal", "evaluate")
USES = ("year_round", "seasonal", "intermittent")
BUILDINGS = ("dwelling", "commercial", "industrial", "event_grounds", "public")
SYSTEM_DATES = ("permit_issued_on", "installed_on", "occupied_on", "sewer_available_on")
OBLIGATION_KINDS = (
    "pump",
    "inspect_tank",
    "pump_or_inspect",
    "pump_and_inspect",
    "inspect_dispersal",
    "service_holding",
    "period_report",
    "missing_report",
    "annual_certification",
    "contract",
    "correction",
    "failed_system_report",
    "failed_system_correction",
    "owner_response",
    "schedule_pumping",
    "area_pumping",
    "connect_sewer",
    "replace_temporary_tank",
    "payment",
    "abandon",
    "evaluation_report",
    "requested_report",
)
SUBMITTERS = ("contractor", "owner", "agent")
"""Who handed a report in, as the report says."""

FEATURES = (
    "inventory_columns",
    "accept_reports",
    "accept_unknown_system",
    "delinquent_notice",
    "service_log",
    "yearly_summary",
    "permanent_record",
    "inactive_states",
    "owner_or_agent",
    "owner_notices",
    "due_notice",
    "verification_requests",
    "copy_of_record",
    "hazard_words",
    "exemption_changes",
)


def nearest(word: str, known: Iterable[object]) -> str:
    """What follows a word that is not known, where one that is lies near; else nothing."""
    near = get_close_matches(word, sorted({str(one) for one in known if one}), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def meant(word: str, known: Iterable[object]) -> str:
    """What follows a word that is not known: the nearest that is, else all that there are."""
    words = sorted({str(one) for one in known if one})
    return nearest(word, words) or f"; there are: {', '.join(words)}"
