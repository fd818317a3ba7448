"""Forty ways to get a county's program file wrong: each is told in a sentence with the file, the key and what to do."""

from pathlib import Path

import pytest

from schemas.loader import ProgramError, load_program
from schemas.skeleton import skeleton

GOOD = (Path(__file__).parents[2] / "examples" / "programs" / "tamarack.toml").read_text("utf-8")
MISTAKES = [
    # TOML that is none
    ('slug = "tamarack"', "slug = tamarack", "line 4: this is not TOML: after = comes a text in quotes"),
    ('slug = "tamarack"', 'slug = "tamarack', "line 4: this is not TOML: close the quotes on the same line"),
    ('slug = "tamarack"', 'slug "tamarack"', "line 4: this is not TOML: a line is key = value"),
    ('slug = "tamarack"', 'slug = "tamarack"\nslug = "x"', "line 5: this is not TOML: the key stands twice"),
    ("starts_on = 2012-01-01", "starts_on = 2012-02-30", "there is no such day: a date is year-month-day"),
    ("starts_on = 2012-01-01", "starts_on = 2012-13-01", "there is no such day: a date is year-month-day"),
    ("[settings]", "[settings", "a heading is [name] or [[name]]"),
    (', texts = ["2012"] },', ', texts = ["2012" },', "not TOML"),
    ("[aliases]", "[settings]\n[aliases]", "the table stands twice: leave one of them out"),
    # keys
    ('name = "Tamarack County"', 'nam = "Tamarack County"', "nam: this key is not known here; did you mean name?"),
    ('name = "Tamarack County"\n', "", "name: this key is missing: add name = …"),
    ("starts_on = 2012-01-01", "start_on = 2012-01-01", "text 2012: start_on: this key is not known here; did"),
    ("starts_on = 2012-01-01\n", "", "text 2012: starts_on: this key is missing: say since when the text holds"),
    ("value = 90, meaning", "val = 90, meaning", "lead_days: val: this key is not known here; did you mean value"),
    ("lead_days = { value = 90, ", "lead_days = { ", "settings.lead_days: value: this key is missing"),
    ('cite = "14.05(1)"\n', "", "rule TA1: cite: this key is missing: name the section of law"),
    ('duty_of = "owner"', 'duty = "owner"', "rule TA1: duty: this key is not known here; did you mean duty_of?"),
    ("filing = false", 'filing = "no"', "rule TA1: filing: expected true or false, without quotes, got a text"),
    ("months = 36", "month = 36", "rule TA1: act 1: month: this key is not known here; did you mean months?"),
    (", months = 36", "", "rule TA1: act 1: months: this key is missing: say how many, such as months = 36"),
    # sorts of values
    ("months = 36", 'months = "36"', "rule TA1: act 1: months: expected a whole number without quotes, got a text"),
    ("months = 36", "months = 36.5", "rule TA1: act 1: months: expected a whole number without quotes"),
    ("months = 36", "months = -36", "rule TA1: act 1: months: expected a whole number above 0, got -36"),
    ('components = ["septic"] }]', 'components = "septic" }]', "act 1: components: expected a list in brackets"),
    ("starts_on = 2012-01-01", 'starts_on = "long ago"', "text 2012: starts_on: expected a date without quotes"),
    ("starts_on = 2012-01-01", "starts_on = 2012-01-01T08:00:00", "starts_on: expected a date without quotes"),
    ("value = 90", 'value = "soon"', "settings.lead_days: expected a number, got 'soon'"),
    ("value = 0.8", "value = -1", "settings.service_level_fraction: expected a number from 0 to 1,000,000, got -1"),
    ('act = [{ effect = "service_interval"', 'act = { effect = "service_interval" } #', "act: expected a list"),
    # words that are not known
    ('"service_interval"', '"service_intervall"', "no effect 'service_intervall'; did you mean service_interval"),
    ('effect = "service_interval", ', "", "rule TA1: act 1: effect: say what the act does"),
    ('kind = "pump_or_inspect"', 'kind = "pump_and"', "rule TA1: act 1: kind: 'pump_and' is none of"),
    ('kind = "pump_or_inspect"', 'kind = "payment"', "rule TA1: act 1: kind: no service meets 'payment'; write one of"),
    ('components = ["septic"] }]', 'components = ["sceptic"] }]', "did you mean septic?"),
    ('fields = ["gallons_pumped"]', 'fields = ["gallons"]', "no field of a report is named 'gallons'; did you mean"),
    ('fields = ["gallons_pumped"], ', "", "fields: say which fields a report must hold"),
    ('events = ["pumping", "pumping_and_inspection"]', 'events = ["pumpin"]', "'pumpin' is none of pumping"),
    ('duty_of = "contractor"', 'duty_of = "hauler"', "duty_of: 'hauler' is none of owner, contractor, county"),
    ("permit_number = [", "permit_nr = [", "aliases.permit_nr: no field of a report has this name; did you"),
    # dates and places that leave a gap, or overlap
    ("starts_on = 2025-07-01", "starts_on = 2011-07-01", "text: starts_on: the texts overlap"),
    ('texts = ["2025"]', 'texts = ["2024"]', "act 2: texts: there is no text 2024; did you mean 2025?"),
    ('texts = ["2025"]', 'texts = ["2012"]', "rule TA2: act: nothing is said for the text 2025; write it down"),
    ('texts = ["2025"]', 'texts = ["2012", "2025"]', "rule TA2: act 2: overlaps act 1 in the text 2012"),
    ('name = "2025"', 'name = "2012"', "text 2012: the name stands twice"),
    ('name = "2025"', 'name = "2025"\nsetting = "lead_days"', "text 2025: setting: lead_days holds no date"),
    # names that are taken, or lead nowhere
    ('id = "TA2"', 'id = "TA1"', "rule TA1: the id stands twice"),
    ('id = "TA2"', 'id = "S7"', "rule S7: the id is the state baseline's; give the county's rule one of its own"),
    ('slug = "tamarack"', 'slug = "Tamarack County"', "slug: small letters, digits and single hyphens"),
    ('meaning = "share', 'meaning = "" } # "share', "settings.service_level_fraction: meaning: say in a line"),
]  # fmt: skip


IDS = [f"{n} {wrong[:40]}" for n, (_, wrong, _) in enumerate(MISTAKES)]


@pytest.mark.parametrize(("right", "wrong", "said"), MISTAKES, ids=IDS)
def test_a_mistake_is_told_with_its_file_its_key_and_what_to_do(right: str, wrong: str, said: str) -> None:
    assert right in GOOD
    with pytest.raises(ProgramError) as caught:
        load_program(GOOD.replace(right, wrong, 1).encode(), "tamarack.toml")
    problems = caught.value.problems
    assert any(said in problem for problem in problems), problems
    assert all(problem.startswith("tamarack.toml: ") and "\n" not in problem for problem in problems)
    assert not [problem for problem in problems if "`" in problem or "Expected" in problem]


def test_the_example_is_right_and_all_mistakes_of_a_file_are_told_at_once() -> None:
    assert load_program(GOOD.encode(), "tamarack.toml").slug == "tamarack"
    wrong = (
        GOOD.replace('cite = "14.05(1)"\n', "").replace("days = 15", 'days = "15"').replace("value = 90", "val = 90")
    )
    with pytest.raises(ProgramError) as caught:
        load_program(wrong.encode(), "tamarack.toml")
    assert len(caught.value.problems) == 4  # the setting has a key too many, and one too few


def test_a_number_is_asked_of_a_setting_that_holds_one() -> None:
    act = '{ effect = "period_report", period = "year", days_setting = "office_name", finding_rule = "TA5" }'
    wrong = GOOD[: GOOD.index('act = [{ effect = "case_deadline"')] + f"act = [{act}]\n"
    with pytest.raises(ProgramError, match="days_setting: the setting office_name holds no number"):
        load_program(wrong.encode(), "tamarack.toml")


def test_the_draft_is_right_as_it_is_and_with_every_example_taken_in() -> None:
    text = skeleton("marsh-county", 'Marsh "Old" County')
    program = load_program(text.encode(), "marsh-county.toml")
    assert (program.slug, program.name) == ("marsh-county", 'Marsh "Old" County')
    assert [rule.id for rule in program.rules if not rule.id.startswith("S")] == ["MC1"]
    keys = "[[rule]] id title cite duty_of filing act timezone note [aliases] permit_number"
    lines = []
    for line in text.splitlines():
        bare = line.removeprefix("# ")
        example = (
            bare.split(" ")[0] in keys.split() and (" = " in bare or bare.startswith("[")) and "   " not in bare[:12]
        )
        lines.append(bare if example or bare.startswith(("    {", "]")) else line)
    whole = load_program("\n".join(lines).encode(), "marsh-county.toml")
    assert [rule.id for rule in whole.rules if not rule.id.startswith("S")] == [f"MC{n}" for n in range(1, 9)]


@pytest.mark.parametrize(
    ("slug", "name"), [("Marsh", "Marsh County"), ("marsh_county", "x"), ("", "x"), ("marsh", "  ")]
)
def test_a_draft_needs_a_short_name_and_a_name(slug: str, name: str) -> None:
    with pytest.raises(ValueError, match=r"short name|name is empty"):
        skeleton(slug, name)
