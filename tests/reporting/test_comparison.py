"""Two programs over a county's systems: whose standing, duties and findings change, and that nothing is written."""

import datetime as dt
from pathlib import Path

import pytest

from reporting.comparison import Comparison, compare_programs, moves
from reporting.domain.answers import Assessment, Finding, Forecast, NeedsService, Obligation, Standing, State
from reporting.domain.assess import assess, assess_both
from reporting.domain.comparing import changed_duties, changed_findings
from reporting.owners import Teller, set_setting
from reporting.scenario import read_history, read_system
from reporting.store.engine import Database
from reporting.store.log import head
from reporting.store.signing import Signer
from schemas.loader import load_program, shipped_program, shipped_text
from schemas.program import Program
from tests.reporting.counties import NOW, a_report, a_row, load, the_system
from tests.reporting.domain.cases import load_cases, scenario_of
from tests.services.databases import DatabaseUrls

COUNTY = "portage"
DAY = dt.date(2026, 7, 13)
STRICTER = (b'kind = "pump", months = 36', b'kind = "pump", months = 24')


def changed(*replaced: tuple[bytes, bytes], county: str = COUNTY) -> Program:
    """The county's program with some words of its file replaced."""
    text = shipped_text(county)
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return load_program(text, f"{county}.toml")


@pytest.fixture
def filled(kept: Database, database: DatabaseUrls) -> str:
    """Three septic tanks, pumped and inspected one, two and a half, and four years ago; the address of the database."""
    pumped = {"A": "2025-07-01", "B": "2024-01-15", "C": "2022-07-01"}
    load(
        kept,
        *(a_row(n, last_pumped_on=day, last_inspected_on="2026-05-05") for n, day in pumped.items()),
        county=COUNTY,
    )
    return database.app_url


def told(found: Comparison) -> dict[str, tuple[Standing, Standing]]:
    return {change.permit_number: (change.before, change.after) for change in found.changes}


def test_a_stricter_interval_changes_dates_and_one_standing_and_writes_nothing(filled: str, kept: Database) -> None:
    with kept.reading(COUNTY) as store:
        size = head(store).size
    found = compare_programs(filled, COUNTY, shipped_program(COUNTY), changed(STRICTER), DAY)
    assert (found.systems, found.not_judged) == (3, ())
    assert told(found) == {
        "A": (Standing.COMPLIANT, Standing.COMPLIANT),
        "B": (Standing.COMPLIANT, Standing.OVERDUE),
        "C": (Standing.OVERDUE, Standing.OVERDUE),
    }
    assert list(moves(found.standings)) == [(Standing.COMPLIANT, Standing.OVERDUE, 1)]
    [duty] = found.changes[1].duties
    assert duty.before is not None
    assert duty.after is not None
    assert (duty.before.due_on, duty.before.state) == (dt.date(2027, 1, 15), State.UPCOMING)
    assert (duty.after.due_on, duty.after.state, duty.after.rule) == (dt.date(2026, 1, 15), State.OVERDUE, "PO2")
    assert "every 36 months" in duty.before.because
    assert "every 24 months" in duty.after.because
    assert [(f.before, f.either.kind) for f in found.changes[1].findings] == [(None, "overdue_service")]
    with kept.reading(COUNTY) as store:
        assert head(store).size == size


def test_the_same_program_changes_nothing_and_several_processes_find_what_one_finds(filled: str) -> None:
    old, new = shipped_program(COUNTY), changed(STRICTER)
    assert compare_programs(filled, COUNTY, old, old, DAY).changes == ()
    several = compare_programs(filled, COUNTY, old, new, DAY, worth_it=0)
    assert several.changes == compare_programs(filled, COUNTY, old, new, DAY, processes=1).changes
    assert sum(several.standings.values()) == 3


def test_the_countys_own_settings_hold_under_both(filled: str, kept: Database, tmp_path: Path) -> None:
    teller = Teller(program=shipped_program(COUNTY), by="clerk", now=NOW, signer=Signer.load(tmp_path / "k"))
    with kept.transaction(COUNTY) as store:
        set_setting(store, teller, "lead_days", 200, dt.date(2026, 7, 13))
    longer = changed((b"lead_days = { value = 60", b"lead_days = { value = 10"))
    assert compare_programs(filled, COUNTY, shipped_program(COUNTY), longer, DAY).changes == ()
    earlier = compare_programs(filled, COUNTY, shipped_program(COUNTY), longer, dt.date(2026, 7, 12))
    assert earlier.old.days("lead_days") == 60  # the county's own value holds from its day on
    assert earlier.new.days("lead_days") == 10


def test_a_text_as_if_it_had_always_held(kept: Database, database: DatabaseUrls) -> None:
    """Winnebago's abandonment notice is the amended text's: received after 31 days it is late under that text alone."""
    load(kept, a_row("A"), county="winnebago")
    with kept.transaction("winnebago") as store:
        system = the_system(store, "A").system_id
        a_report(store, system, "E1", dt.date(2026, 6, 1), at=NOW, event_type="abandonment", content={})
    program = shipped_program("winnebago")
    old, new = program.only(dt.date(2026, 6, 30)), program.only(dt.date(2026, 7, 1))
    [change] = compare_programs(database.app_url, "winnebago", old, new, DAY).changes
    assert [(f.either.kind, f.either.rule) for f in change.findings if f.after] == [("late_report", "WI13")]


def an_assessment(*obligations: Obligation, findings: tuple[Finding, ...] = ()) -> Assessment:
    return Assessment(
        as_of=DAY,
        standing=Standing.COMPLIANT,
        obligations=obligations,
        findings=findings,
        needs_service=NeedsService(),
        forecast=Forecast(),
        next_change_on=None,
    )


def a_duty(rule: str = "PO2", due: dt.date = DAY, cycle: str = "event:E1", **changes: object) -> Obligation:
    usual = {
        "kind": "pump",
        "state": State.UPCOMING,
        "cite": "",
        "because": "",
        "duty_of": "owner",
        "component": "septic",
    }
    return Obligation(rule=rule, due_on=due, last_day=due, cycle=cycle, **{**usual, **changes})  # type: ignore[arg-type]


def test_duties_are_held_against_the_like_ones_whatever_their_rule_and_cycle() -> None:
    later = DAY + dt.timedelta(days=1)
    assert changed_duties(an_assessment(a_duty()), an_assessment(a_duty(because="in other words"))) == []
    assert changed_duties(an_assessment(a_duty(state=State.MET)), an_assessment()) == []
    for after in (a_duty("PO9"), a_duty(due=later), a_duty(state=State.OVERDUE), a_duty("PO9", later, "installed:x")):
        [found] = changed_duties(an_assessment(a_duty()), an_assessment(after))
        assert (found.before, found.after) == (a_duty(), after)
    both = changed_duties(an_assessment(a_duty()), an_assessment(a_duty(kind="inspect_tank")))
    assert [(d.before is None, d.after is None) for d in both] == [(True, False), (False, True)]


def test_findings_are_told_apart_by_their_report_and_rule() -> None:
    one = Finding(kind="late_report", rule="PO5", cite="", because="", event="E1")
    other = Finding(kind="late_report", rule="S7", cite="", because="", event="E1")
    before, after = an_assessment(findings=(one, other)), an_assessment(findings=(other,))
    [gone] = changed_findings(before, after)
    assert (gone.before, gone.after) == (one, None)
    assert changed_findings(before, before) == []


def test_two_programs_at_once_say_what_each_says_alone() -> None:
    """Over all worked examples: the texts of one program, a stricter one, and another's credentials."""
    tried = 0
    for county, _, case in load_cases():
        scenario = scenario_of(county, case)
        facts = read_system(scenario["system"]), read_history(scenario)
        as_of, old = dt.date.fromisoformat(scenario["as_of"]), shipped_program(county)
        for new in (old.only(old.texts[0].starts_on), old.only(dt.date.max), shipped_program("portage")):
            both = assess_both(*facts, old, new, as_of)
            assert both == tuple(assess(*facts, program, as_of, include_met=False) for program in (old, new))
            tried += 1
    assert tried > 1_000
