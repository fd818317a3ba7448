"""The four programs that ship: every rule is there with its section of law, and no code knows a county."""

import ast
import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.acts import FailureCodes, Pending, PeriodReport, ReportDeadline, ServiceInterval
from schemas.loader import shipped_program, shipped_slugs, shipped_text

ROOT = Path(__file__).parents[2]

# Every rule of the page of rules with the section it cites. S13 and WI7 point to other rules there; here to the law.
RULES = """
S1 | SPS 383.255(1)
S2 | SPS 383.255(2)(b)2
S3 | SPS 383.255(2)(b)3
S4 | SPS 383.255(2)(b)4
S5 | SPS 383.255(2)(b)6
S6 | SPS 383.255(3)
S7 | SPS 383.55(2)(b)
S8 | SPS 383.55(3)(a)–(e)
S9 | SPS 383.54(3)(b)
S10 | component manuals under SPS 383.54
S11 | SPS 383.52(1)(c)1–2
S12 | SPS 383.54(2)
S13 | Wis. Stat. § 281.48(3); NR 113.05(4)(e)
S14 | SPS 383.55(1)(c), (2)(c)
S15 | SPS 383.33
S16 | SPS 383.55(4)
S17 | NR 113.11(3)(c)
S19 | SPS 383.52(2)
S20 | Wis. Stat. § 145.20(5)(b)
S18 | Wis. Stat. § 137.25; 40 CFR 3.2000 as the model
OZ1 | 9.029(2)(a)1
OZ2 | 9.029(2)(a)2
OZ3 | 9.029(3)(a)1–2; § 145.20(5)(b)
OZ4 | 9.029(2)(a)3, (3)(a)3
OZ5 | 9.023(2)(b)
OZ6 | 9.029(4)(b)1
OZ7 | 9.029(4)(b)2
OZ8 | 9.029(4)(b)3
OZ9 | 9.029(4)(b)4
OZ10 | 9.029(4)(c)
OZ11 | 9.029(5)(b)1–8
OZ12 | 9.029(5)(c)
OZ13 | 9.024(7)(r), 9.029(2)(a)5, (3)(a)5, (4)(b)5
OZ14 | 9.026(3), (6)
OZ15 | 9.011(2), (3)(a)
OZ16 | 9.022(35), (14), (12)
OZ17 | 9.022(9)
OZ18 | 9.027(3)
OZ19 | 9.024(2)(b)8–9
OZ20 | 9.029(5)(b)3
OZ21 | 9.025(3)
OZ22 | 9.026(1), (5); 9.024(7)(d)
OZ23 | 9.031(1)(c); 9.024(7)(m)
OZ24 | 9.029(2)(a)2
PO1 | 7.9.34(1)–(2)
PO2 | 7.9.34(3)
PO3 | 7.9.34(3), 7.9.33(1)
PO4 | 7.9.34(4)
PO5 | 7.9.34(5)
PO6 | 7.9.24(3)–(4)
PO7 | 7.9.33(2)
PO8 | 7.9.33(3)–(5)
PO9 | 7.9.35(1)–(2)
PO10 | 7.9.35(3)
PO11 | 7.9.37(12)
PO12 | 7.9.10(5)(a)
PO13 | 7.9.10(6)(a), 7.9.42(9)–(10)
PO14 | 7.9.40, 7.9.38
PO15 | 7.9.11(1)
PO16 | 7.9.24(1)(b)–(d), (2)
PO17 | 7.9.11(2)
PO18 | 7.9.31(2)
PO19 | 7.9.10(6)(b)
PO20 | 7.9.35(1)
PO21 | 7.9.37(7), (10)
PO22 | 7.9.21(3)(d)–(e)
WI1 | 16.08(1)(c)
WI2 | 16.08(1)(d)
WI3 | 16.08(1)(e)
WI4 | 16.08(1)(b),(g)
WI5 | 16.08(1)(g)
WI6 | 16.05(4) / 16.08(2)
WI7 | 16.05(4)(a) / 16.08(2)(a)
WI8 | 16.05(4)(d) / 16.08(3)
WI9 | 16.05(2)(3)
WI10 | 16.05(3)(2)
WI11 | 16.05(1)(e)(4)–(5)
WI12 | 16.05(1)(g)(1)–(3)
WI13 | 16.04(2)(b)
WI14 | 16.05(4)(c) / 16.08(2)(c)
WI15 | 16.05(2)(4)
WI16 | 16.10(1)(e)
WI17 | 16.10(2)
WI18 | 16.12(1)(c) / 16.09(3)
WI19 | 16.12(1)(b) / 16.09(2)
WI20 | 16.05(2)
WI21 | 16.06(1)(a)
WI22 | 16.05(2)(3)
WI23 | 16.08(1)(g)
WI24 | 16.05(1)(e)(6)
WI25 | 16.10(1)(h), (3)
WI26 | 16.13 / 16.11(1)
WI27 | 16.05(3)(b)
LB1 | 4.01
LB2 | 4.02
LB3 | 4.03
LB4 | 4.04
LB5 | 5.01
LB6 | 5.02, 5.04
LB7 | 5.03
LB8 | 6.01
LB9 | 6.02
LB10 | 6.03
LB11 | 3.02
LB12 | 7.01 a
LB13 | 7.01 b
LB14 | 7.01 c
LB15 | 7.01 d
LB16 | 7.02, 7.03
LB17 | 7.04
LB18 | 9.01
LB19 | SPS 383.55(2)(b); 1.03
LB20 | 2.01–2.02
LB21 | 3.01
LB22 | 5.04
LB23 | 7.03
LB24 | 6.03
LB25 | 9.02–9.04
"""

PREFIXES = {"lake-beulah": "LB", "ozaukee": "OZ", "portage": "PO", "winnebago": "WI"}


def _rules() -> dict[str, str]:
    return dict(line.split(" | ", 1) for line in RULES.strip().splitlines())


def test_there_are_118_rules_and_each_ships_with_its_citation() -> None:
    wanted = _rules()
    shipped = {rule.id: rule.cite for slug in shipped_slugs() for rule in shipped_program(slug).rules}
    assert len(wanted) == 118
    assert shipped == wanted


@pytest.mark.parametrize("slug", shipped_slugs())
def test_each_program_has_its_own_rules_and_the_states(slug: str) -> None:
    ids = [rule.id for rule in shipped_program(slug).rules]
    letters = {re.sub(r"\d", "", i) for i in ids}
    assert letters == {PREFIXES[slug], "S"}
    assert len(ids) == len(set(ids))


def test_one_ordinance_is_there_in_two_texts() -> None:
    texts = {slug: [(t.name, t.starts_on) for t in shipped_program(slug).texts] for slug in shipped_slugs()}
    assert texts["winnebago"] == [("2019", dt.date(2019, 8, 20)), ("amended", dt.date(2026, 7, 1))]
    assert all(len(found) == 1 for slug, found in texts.items() if slug != "winnebago")
    program = shipped_program("winnebago")
    assert [p.act.period for p in program.at(dt.date(2026, 6, 30)).of(PeriodReport)] == ["half_year"]
    assert [p.act.period for p in program.at(dt.date(2026, 7, 1)).of(PeriodReport)] == ["year"]


def test_both_dates_of_the_two_texts_are_the_countys_to_set() -> None:
    moved = shipped_program("winnebago").with_settings({"text_amended_from": dt.date(2027, 1, 1)})
    assert moved.at(dt.date(2026, 12, 31)).name == "2019"


def test_old_and_new_text_name_different_failing_conditions() -> None:
    program = shipped_program("winnebago")
    old, new = (program.at(day).of(FailureCodes)[0].act for day in (dt.date(2026, 6, 30), dt.date(2026, 7, 1)))
    assert list(old.codes) == ["a", "b", "c", "d"]
    assert list(new.codes) == ["a", "b", "c", "d", "e"]
    assert "back-up" in old.codes["a"]
    assert "back-up" in new.codes["e"]
    assert "surface of the ground" in old.codes[old.surface]
    assert "surface of the ground" in new.codes[new.surface]


@pytest.mark.parametrize("slug", shipped_slugs())
def test_every_text_has_a_rule_for_service_and_for_reports(slug: str) -> None:
    for text in shipped_program(slug).texts:
        assert text.of(ServiceInterval)
        assert text.of(ReportDeadline)
        assert all(p.cite for p in text.provisions)


@pytest.mark.parametrize("slug", shipped_slugs())
def test_a_rule_either_acts_or_is_pending(slug: str) -> None:
    for rule in shipped_program(slug).rules:
        assert rule.pending or not any(isinstance(act, Pending) for act in rule.acts)


def test_filings_work_and_prior_deadlines_are_told_apart() -> None:
    flags = {
        rule_id: (rule.filing, rule.prior)
        for slug in shipped_slugs()
        for rule in shipped_program(slug).rules
        for rule_id in [rule.id]
    }
    assert {flags[i] for i in ("OZ5", "PO5", "WI5", "WI6", "WI7", "WI10", "WI13", "LB10", "LB12", "LB15", "S7")} == {
        (True, False)
    }
    assert {flags[i] for i in ("OZ1", "PO2", "WI1", "WI9", "LB5", "LB8", "LB9", "OZ15", "S9", "S20")} == {
        (False, False)
    }
    assert {flags[i][1] for i in ("PO8", "LB2", "LB7")} == {True}


SHOWS_ONE_COUNTY = {"reporting/cli/demo.py"}  # the demo is of one county's example files


def test_no_county_is_named_in_the_code() -> None:
    names = re.compile(rf"\b({'|'.join([*shipped_slugs(), 'lake.?beulah', 'beulah', 'walworth'])})\b", re.IGNORECASE)
    found = {
        f"{path.relative_to(ROOT)}: {said}"
        for folder in ("schemas", "reporting")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for said in _said_in_code(ast.parse(path.read_text("utf-8")))
        if names.search(said) and str(path.relative_to(ROOT)) not in SHOWS_ONE_COUNTY
    }
    assert found == set()


def _said_in_code(tree: ast.AST) -> Iterator[str]:
    """Every name and every text of a module but its docstrings, which may give an example."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id


def test_a_county_named_in_code_would_be_found() -> None:
    code = 'def f(slug):\n    """As in portage."""\n    return slug == "portage"\n'
    assert [said for said in _said_in_code(ast.parse(code)) if "portage" in said] == ["portage"]


def test_the_state_baseline_names_no_county() -> None:
    text = shipped_text("state").decode().lower()
    assert not [slug for slug in shipped_slugs() if slug in text]
