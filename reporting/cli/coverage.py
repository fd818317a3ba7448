"""`pumper programs coverage`: of every rule where it acts and what tests it. A rule with neither is a failure."""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from reporting.cli.words import JSON, print_json
from schemas.loader import own_slugs, shipped_program, shipped_slugs
from schemas.program import Program, Rule

_DUTY, _FINDING, _REPORT = "duty in status and lists", "finding", "report's required fields"
WHERE: Final[Mapping[str, str]] = {
    "abandonment": _FINDING,
    "accepted_values": "check of a report",
    "after_the_fact": "charges of permits",
    "appeal": "enforcement sheet",
    "area_notice": "duty of the county, letters",
    "area_window": "duty of the owner, windows",
    "case_closing": "case",
    "case_deadline": "duty of a case",
    "case_proposal": "proposals of cases",
    "contract_change": _DUTY,
    "contract_needed": _FINDING,
    "contract_renewal": _DUTY,
    "defective": _FINDING,
    "deferral": _DUTY,
    "designation": _FINDING,
    "document_needed": _FINDING,
    "document_renewal": _FINDING,
    "exemption": "suspended duties",
    "exemption_conditions": "applications for an exemption",
    "exemption_term": "end of an exemption",
    "failure_codes": _FINDING,
    "fee": "fees due",
    "fees_until_certificate": "fees due",
    "flow_limit": _FINDING,
    "full_tank": _DUTY,
    "handover": _FINDING,
    "meter_checks": _FINDING,
    "no_access": _FINDING,
    "not_necessary": _FINDING,
    "open_inquiry": _FINDING,
    "penalty": "enforcement sheet",
    "period_report": "period reports",
    "permit_hold": "GET /v1/{county}/permit-hold",
    "plan_intervals": _DUTY,
    "presumption": "mailing log",
    "pumping_gap": _FINDING,
    "questionnaire": "duty of the owner",
    "records_violation": _FINDING,
    "referral": "legal action list, enforcement sheet",
    "report_copies": "copies of reports, by mail",
    "report_deadline": "late reports, notices",
    "required_fields": _REPORT,
    "service_areas": "remark in the status",
    "service_interval": _DUTY,
    "service_level": "forecast, needs service",
    "service_year_inspection": _DUTY,
    "serviced_notice": "missing reports, notices",
    "sheet_sentence": "enforcement sheet",
    "size_classes": "remark in the status",
    "submitter": "finding `wrong_submitter`, whose duty",
    "suspension": "suspended duties",
    "system_deadline": _DUTY,
    "tampering": _FINDING,
    "tax_roll": "fee roll for the tax bill",
    "verification": "finding and state of a report",
    "who_may": "finding `not_qualified`",
    "window_deferral": "deferral",
    "window_notice": "duty of the county, letters",
    "yearly_certification": "duty of the owner",
    "yearly_service": _DUTY,
}
"""Where each effect of the program files is seen."""
FEATURES: Final[Mapping[str, str]] = {
    "accept_reports": "POST /v1/{county}/reports",
    "accept_unknown_system": "GET /v1/{county}/reviews",
    "copy_of_record": "GET /v1/{county}/reports/{report_id}/copy",
    "delinquent_notice": "pumper notices preview",
    "exemption_changes": "POST /v1/{county}/exemptions/{exemption_id}/changes",
    "due_notice": "GET /v1/contractors/me/due",
    "hazard_words": "pumper notices preview",
    "inactive_states": "GET /v1/{county}/systems/{system_id}/status",
    "inventory_columns": "pumper inventory import",
    "owner_notices": "POST /v1/{county}/owner-notices",
    "permanent_record": "GET /v1/{county}/systems/{system_id}/records",
    "verification_requests": "POST /v1/{county}/reports/{report_id}/verification",
    "service_log": "GET /v1/contractors/me/service-log.csv",
    "yearly_summary": "GET /v1/{county}/summary",
}
"""Where a rule is carried out that is no calculation: an address, a command, or what people see."""
BATTERIES: Final[Mapping[str, str]] = {
    "case_deadline": "reporting/domain/test_battery_papers.py",
    "document_needed": "reporting/domain/test_battery_papers.py",
    "fee": "reporting/domain/test_battery_papers.py",
    "report_deadline": "reporting/domain/test_battery.py",
    "required_fields": "schemas/test_report.py",
    "window_notice": "reporting/domain/test_battery_papers.py",
}
"""The tests that go over every rule of an effect in every program file, on both sides of its limit."""
_RULE: Final = re.compile(r"\b(?:S|OZ|PO|WI|LB)[0-9]{1,2}\b")
_LISTS: Final = ("test_programs.py", "test_examples.py", "test_coverage.py")
"""Files that name every rule and test none of them."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One rule: where it acts, how many worked cases and which other tests hold it."""

    rule: str
    cite: str
    title: str
    programs: tuple[str, ...]
    where: tuple[str, ...]
    pending: bool
    cases: int
    tests: tuple[str, ...]

    @property
    def fails(self) -> bool:
        """Whether it neither acts nor is tested, and nobody says that it waits."""
        return not self.pending and not (self.where and (self.cases or self.tests))

    def as_json(self) -> dict[str, Any]:
        """The same as JSON."""
        names = ("rule", "cite", "title", "programs", "where", "pending", "cases", "tests")
        return {name: getattr(self, name) for name in names}


def coverage(folder: Path | None) -> list[Line]:
    """Every rule of every shipped program, the state's once. folder: of the tests; `None` leaves them uncounted."""
    cases, named = (count_cases(folder), find_tests(folder)) if folder else (Counter[str](), {})
    found: dict[str, tuple[Rule, list[str]]] = {}
    for program in map(shipped_program, (slug for slug in shipped_slugs() if slug not in own_slugs())):
        for rule in program.rules:
            found.setdefault(rule.id, (rule, []))[1].append(program.slug)
    lines = [_line(rule, slugs, cases, named) for rule, slugs in found.values()]
    return sorted(lines, key=lambda line: (re.sub("[0-9]", "", line.rule), int(re.sub("[^0-9]", "", line.rule))))


def _line(rule: Rule, slugs: list[str], cases: Mapping[str, int], named: Mapping[str, set[str]]) -> Line:
    effects = [str(act.__struct_config__.tag) for act in rule.acts]
    where = {_where(act, effect) for act, effect in zip(rule.acts, effects, strict=True)} - {""}
    tests = {BATTERIES[effect] for effect in effects if effect in BATTERIES} | set(named.get(rule.id, ()))
    return Line(
        rule=rule.id,
        cite=rule.cite,
        title=rule.title,
        programs=tuple(slugs),
        where=tuple(sorted(where)),
        pending=rule.pending,
        cases=cases.get(rule.id, 0),
        tests=tuple(sorted(tests)),
    )


def _where(act: Any, effect: str) -> str:
    return FEATURES.get(act.feature, "") if effect == "feature" else WHERE.get(effect, "")


def count_cases(folder: Path) -> Counter[str]:
    """How many worked cases (`cases/*.toml`) expect each rule or are named for it."""
    counts: Counter[str] = Counter()
    for path in sorted((folder / "cases").glob("*.toml")):
        for case in tomllib.loads(path.read_text("utf-8"))["case"]:
            counts.update(set(_RULE.findall(case["name"].partition(":")[0])) | set(_expected(case.get("expect"))))
    return counts


def _expected(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("rule"), str):
            yield value["rule"]
        for inner in value.values():
            yield from _expected(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _expected(inner)


def find_tests(folder: Path) -> dict[str, set[str]]:
    """The Python tests that name each rule, as paths within the folder."""
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        if path.name not in _LISTS:
            for rule in set(_RULE.findall(path.read_text("utf-8"))):
                found.setdefault(rule, set()).add(path.relative_to(folder).as_posix())
    return found


def markdown(lines: list[Line]) -> Iterator[str]:
    """The lines as a table of a README."""
    yield "| rule | section | where it acts | tests |"
    yield "|---|---|---|---|"
    for line in lines:
        tested = [f"{line.cases} worked cases"] * bool(line.cases) + [f"`{Path(test).stem}`" for test in line.tests]
        state = "pending" if line.pending else "; ".join(line.where)
        yield f"| {line.rule} | {line.cite} | {state} | {', '.join(tested)} |"


def table(lines: list[Line]) -> Iterator[str]:
    """The lines as text."""
    for line in lines:
        state = "pending" if line.pending else "FAILS" if line.fails else "; ".join(line.where)
        tested = [f"{line.cases} cases"] * bool(line.cases) + [Path(test).stem for test in line.tests]
        yield f"{line.rule:<5} {line.cite[:34]:<34} {state[:60]:<60} {', '.join(tested)[:70]}"


@click.command("coverage")
@click.option(
    "--tests",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("tests"),
    help="The folder of the tests that are counted (default: tests).",
)
@JSON
def show_coverage(folder: Path, as_json: bool) -> None:
    """Each rule of the programs: section, where it acts, what tests it; exit 1 for one with neither."""
    lines = coverage(folder if folder.is_dir() else None)
    pending, failing = [x.rule for x in lines if x.pending], [x.rule for x in lines if x.fails]
    if as_json:
        print_json([line.as_json() for line in lines])
    else:
        for text in table(lines):
            click.echo(text)
        click.echo(f"\n{len(lines)} rules, {len(pending)} pending: {', '.join(pending) or 'none'}")
    if not folder.is_dir():
        click.echo(f"The tests were not counted: there is no folder {folder}.", err=True)
    elif failing:
        click.echo(f"Neither effect nor test, and not marked pending: {', '.join(failing)}", err=True)
        sys.exit(1)


def program_effects(program: Program) -> set[str]:
    """The effects that a program's rules have."""
    return {str(act.__struct_config__.tag) for rule in program.rules for act in rule.acts}
