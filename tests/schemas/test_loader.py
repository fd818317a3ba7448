"""A program file that is not understood is refused, with a sentence that names the file and the key."""

import datetime as dt
from pathlib import Path

import pytest

from schemas.loader import ProgramError, load_file, load_program, shipped_program, shipped_slugs, shipped_text

GOOD = """
slug = "elsewhere"
name = "Elsewhere County"
authority = "Elsewhere County Code, chapter 12"
governmental_unit = "Elsewhere County Zoning"

[[text]]
name = "old"
starts_on = 2010-01-01

[[text]]
name = "new"
starts_on = 2026-01-01
setting = "new_from"

[settings]
new_from = { value = 2026-01-01, meaning = "the day from which the new text holds" }

[[rule]]
id = "EL1"
title = "Pumped every three years, every two under the new text"
cite = "12.03(1)"
duty_of = "owner"
filing = false
act = [
    { effect = "service_interval", kind = "pump", months = 36, components = ["septic"], texts = ["old"] },
    { effect = "service_interval", kind = "pump", months = 24, components = ["septic"], texts = ["new"] },
]

[[rule]]
id = "EL2"
title = "Reported within 15 days"
cite = "12.04"
duty_of = "contractor"
filing = true
act = [{ effect = "report_deadline", days = 15, events = ["pumping"] }]
"""


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(ProgramError) as caught:
        load_program(text.encode(), "elsewhere.toml")
    return caught.value.problems


def test_a_good_file_is_loaded_on_top_of_the_state() -> None:
    program = load_program(GOOD.encode(), "elsewhere.toml")
    assert [t.name for t in program.texts] == ["old", "new"]
    assert program.at(dt.date(2025, 12, 31)).name == "old"
    assert program.at(dt.date(2026, 1, 1)).name == "new"
    assert program.at(dt.date(1999, 1, 1)).name == "old"
    assert program.rule("S7").cite == "SPS 383.55(2)(b)"
    assert program.days("lead_days") == 60
    assert len(program.sha256) == 64


def test_a_text_moves_with_its_setting() -> None:
    program = load_program(GOOD.encode(), "elsewhere.toml").with_settings({"new_from": dt.date(2027, 3, 1)})
    assert program.at(dt.date(2027, 2, 28)).name == "old"
    assert program.at(dt.date(2027, 3, 1)).name == "new"


def test_a_change_of_the_file_changes_its_hash() -> None:
    one = load_program(GOOD.encode(), "elsewhere.toml")
    other = load_program(GOOD.replace("15 days", "14 days").encode(), "elsewhere.toml")
    assert one.sha256 != other.sha256


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'slug = "elsewhere"',
            'slug = "elsewhere"\ncolour = "green"',
            "colour: this key is not known here; there are: aliases, authority, governmental_unit, name, names, note, "
            "settings, slug, text, timezone",
        ),
        (
            'slug = "elsewhere"',
            'slug = "Else Where"',
            "slug: small letters, digits and single hyphens, not 'Else Where'",
        ),
        ('name = "Elsewhere County"', 'name = " "', "name: is empty"),
        (
            "starts_on = 2010-01-01",
            "begins = 2010-01-01",
            "text old: begins: this key is not known here; there are: name, note, setting, starts_on",
        ),
        (
            "starts_on = 2026-01-01",
            "starts_on = 2009-01-01",
            "text: starts_on: the texts overlap: their dates must rise from one to the next",
        ),
        (
            "starts_on = 2026-01-01",
            "starts_on = 2010-01-01",
            "text: starts_on: the texts overlap: their dates must rise from one to the next",
        ),
        ('name = "new"', 'name = "old"', "text old: the name stands twice"),
        ('setting = "new_from"', 'setting = "newer_from"', "text new: setting: there is no setting newer_from"),
        ('cite = "12.03(1)"', 'cite = " "', "rule EL1: cite: name the section of law"),
        (
            'cite = "12.04"\n',
            "",
            'rule EL2: cite: this key is missing: name the section of law, such as cite = "12.03(1)"',
        ),
        ('title = "Reported within 15 days"', 'title = ""', "rule EL2: title: say in a line what the rule asks"),
        (
            'duty_of = "contractor"',
            'duty_of = "nobody"',
            "rule EL2: duty_of: 'nobody' is none of owner, contractor, county",
        ),
        ('id = "EL2"', 'id = "EL1"', "rule EL1: the id stands twice"),
        ('id = "EL2"', 'id = "S7"', "rule S7: the id is the state baseline's; give the county's rule one of its own"),
        ("days = 15,", 'days = "15",', "rule EL2: act 1: days: expected a whole number without quotes, got a text"),
        ("days = 15,", "days = -1,", "rule EL2: act 1: days: expected a whole number above 0, got -1"),
        ("months = 36,", "months = 0,", "rule EL1: act 1: months: expected a whole number above 0, got 0"),
        (
            'events = ["pumping"]',
            'weekdays = ["pumping"]',
            "rule EL2: act 1: weekdays: this key is not known here; did you mean days?",
        ),
        (
            'events = ["pumping"]',
            'events = ["pumpin"]',
            "rule EL2: act 1: events: 'pumpin' is none of pumping, inspection, pumping_and_inspection, maintenance, "
            "evaluation, meter_reading, no_service_statement, abandonment; did you mean pumping?",
        ),
        (
            'components = ["septic"], texts = ["old"]',
            'components = ["sceptic"], texts = ["old"]',
            "rule EL1: act 1: components: 'sceptic' is none of septic, holding, pump_chamber, pretreatment, dispersal, "
            "privy; did you mean septic?",
        ),
        (
            'effect = "report_deadline"',
            'effect = "report_deadlin"',
            "rule EL2: act 1: effect: there is no effect 'report_deadlin'; did you mean report_deadline?",
        ),
        (
            'texts = ["new"]',
            'texts = ["newer"]',
            "rule EL1: act 2: texts: there is no text newer; did you mean new?",
        ),
        (
            'texts = ["new"]',
            'texts = ["old"]',
            'rule EL1: act: nothing is said for the text new; write it down, or absent_in = ["new"]',
        ),
        ('texts = ["new"]', 'texts = ["old", "new"]', "rule EL1: act 2: overlaps act 1 in the text old"),
        (
            'id = "EL2"',
            'id = "EL2"\nabsent_in = ["old"]',
            "rule EL2: absent_in: an act stands in the text old all the same",
        ),
        (
            "months = 24,",
            'months = 24, inspection_below = "a third",',
            "rule EL1: act 2: inspection_below: expected a share such as 1/3, got 'a third'",
        ),
        (
            "months = 24,",
            'months = 24, only_contractor_setting = "hauler",',
            "rule EL1: act 2: only_contractor_setting: there is no setting hauler",
        ),
        (
            "[settings]",
            '[settings]\nlead_days = { value = "soon", meaning = "x" }',
            "settings.lead_days: expected a number, got 'soon'",
        ),
        (
            'governmental_unit = "Elsewhere County Zoning"',
            'governmental_unit = "Elsewhere County Zoning"\ntimezone = "America/Nowhere"',
            "timezone: there is no time zone 'America/Nowhere'",
        ),
    ],
)
def test_what_is_refused_and_in_which_words(old: str, new: str, said: str) -> None:
    assert GOOD.count(old) >= 1
    assert f"elsewhere.toml: {said}" in problems(GOOD.replace(old, new, 1))


def test_all_problems_of_a_file_are_told_at_once() -> None:
    text = GOOD.replace('cite = "12.03(1)"', 'cite = ""').replace('duty_of = "contractor"', 'duty_of = "nobody"')
    assert len(problems(text)) == 2


def test_no_text_no_rule_no_toml() -> None:
    assert problems("slug = ") == (
        "elsewhere.toml: line 1: this is not TOML: after = comes a text in quotes, a number, true, false, a date, "
        "a list in [ ] or a table in { }. The line is: slug =",
    )
    assert problems('slug = "elsewhere"') == (
        "elsewhere.toml: rule: there is no [[rule]] in this file: write down at least one",
    )
    without = GOOD[: GOOD.index("[[text]]")] + GOOD[GOOD.index("[[rule]]") :]
    without = without.replace(', texts = ["old"]', "").replace(', texts = ["new"]', ', events = ["inspection"]')
    assert "elsewhere.toml: text: there is no [[text]]: say since when the ordinance holds" in problems(without)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(ProgramError, match=r"elsewhere\.toml: line 1: this is not TOML: the file is not in UTF-8"):
        load_program(b"\xff\xfe", "elsewhere.toml")


def test_an_act_without_a_rule_it_names_is_refused() -> None:
    plan = '{ effect = "plan_intervals", months_without_plan = 36, rule_without_plan = "S99", components = ["septic"] }'
    text = GOOD.replace('{ effect = "report_deadline", days = 15, events = ["pumping"] }', plan)
    assert "elsewhere.toml: rule EL2: act 1: rule_without_plan: there is no rule S99; did you mean S9?" in problems(
        text
    )


def test_a_file_is_named_without_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.toml"
    path.write_text(GOOD.replace('cite = "12.04"', 'cite = ""'), "utf-8")
    with pytest.raises(ProgramError) as caught:
        load_file(path)
    assert caught.value.problems == ("elsewhere.toml: rule EL2: cite: name the section of law",)


def test_the_shipped_programs_load_and_an_unknown_one_does_not() -> None:
    assert [shipped_program(slug).slug for slug in shipped_slugs()] == list(shipped_slugs())
    assert b"[[rule]]" in shipped_text("state")
    with pytest.raises(KeyError):
        shipped_program("state")
    with pytest.raises(KeyError):
        shipped_program("../programs/state")


def test_a_broken_baseline_is_told_by_its_own_name() -> None:
    broken = shipped_text("state").replace(b'cite = "SPS 383.33"', b'cite = ""')
    with pytest.raises(ProgramError) as caught:
        load_program(GOOD.encode(), "elsewhere.toml", broken)
    assert caught.value.problems == ("state.toml: rule S15: cite: name the section of law",)


FEE = """
[[rule]]
id = "EL3"
title = "A yearly fee"
cite = "12.05"
duty_of = "owner"
filing = true
act = [{{ effect = "fee", every = "year", paid_as = ["annual"]{how} }}]
"""


def test_a_fee_says_how_much_it_is_one_way() -> None:
    load_program((GOOD + FEE.format(how=", cents = 4000")).encode(), "elsewhere.toml")
    for how in ("", ', cents = 4000, cents_setting = "lead_days"'):
        (said,) = problems(GOOD + FEE.format(how=how))
        assert said.startswith("elsewhere.toml: rule EL3: ")
        assert "a fee says either its cents or the setting that holds them" in said
    (said,) = problems(GOOD + FEE.format(how=", cents = 0"))
    assert "expected a whole number without quotes, 1 or more" in said
    assert problems(GOOD + FEE.format(how=', cents_setting = "fee"')) == (
        "elsewhere.toml: rule EL3: act 1: cents_setting: there is no setting fee",
    )
