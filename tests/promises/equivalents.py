"""Mutants that no test can notice, by name, with the reason: the code does the same for all that it can be given."""

from __future__ import annotations

ALL_ALIKE = "what is added to every way alike changes no choice between them"
AFTER_ITS_DAY = "it is made only after its deadline, when nothing lies ahead any more"
LAST_CLAIM = "an inspection is the last that a report claims: nothing comes after it"
MET = "what is met is neither ahead nor late: its lead days are not asked for"
MONDAYS = "it is asked for Mondays only, whose number is 0"
THREEFOLD = "both tables are asked for the county and joined by it: any two of the three say the third"
SHORT_CUT = "it only spares work: what it lets through is judged with the same end"

EQUIVALENT: dict[str, str] = {
    "schemas.calendar.Calendar._count_business_days: break -> continue": "the end of the calendar stays the end",
    "schemas.calendar._last_weekday: last.weekday() - weekday -> last.weekday() + weekday": MONDAYS,
    "schemas.calendar._last_weekday: 7 -> 8": MONDAYS,
    "reporting.domain.balance._balance: 0 -> 1": "out of balance is -1 or 1",
    "reporting.domain.balance._read_intervals: 0 -> 1": "it is set again before it is first added to",
    "reporting.domain.balance._read_intervals: 0 -> -1": "it is set again before it is first added to",
    "reporting.domain.intervals._met: 0 -> 1": MET,
    "reporting.domain.intervals._met: 0 -> -1": MET,
    "reporting.domain.meters._readings: 0 -> -1": "none was asked for before: 0 is none",
    "reporting.domain.missing.match_days: 1 -> 2 (3)": "twice as much for each orders the ways alike",
    "reporting.domain.missing.match_days: 0 -> 1": ALL_ALIKE,
    "reporting.domain.missing.match_days: 0 -> -1": ALL_ALIKE,
    "reporting.domain.missing.match_days: 0 -> 1 (2)": ALL_ALIKE,
    "reporting.domain.missing.match_days: 0 -> -1 (2)": ALL_ALIKE,
    "reporting.domain.missing.match_days: 0 -> -1 (3)": "before the first report there is one way only",
    "reporting.domain.missing.assess_missing_reports: 0 -> 1": AFTER_ITS_DAY,
    "reporting.domain.missing.assess_missing_reports: 0 -> -1": AFTER_ITS_DAY,
    "reporting.domain.reports.report_deadline: 1 -> 0": "of deadlines that are equal the first is found in any case",
    "reporting.domain.reports._refused: continue -> break (2)": LAST_CLAIM,
    "reporting.domain.reports._refused: continue -> break (3)": LAST_CLAIM,
    "reporting.store.services.count_late: finding.c.county == store.tenant -> finding.c.county == finding.c.county": (
        THREEFOLD
    ),
    "reporting.store.services.count_late: event.c.county == finding.c.county -> event.c.county == event.c.county": (
        THREEFOLD
    ),
    "reporting.domain.reports._is_looked_at: (received - event.service_date).days <= view.program.shortest_deadline"
    " -> (received - event.service_date).days < view.program.shortest_deadline": SHORT_CUT,
}
