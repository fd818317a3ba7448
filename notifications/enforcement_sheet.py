"""The enforcement sheet as a page of text and as an accessible PDF: the same words in both. Pure.

From the values of `reporting.cases.sheet`: what the record says, what the ordinance makes of it, nothing decided.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from notifications.dates import explain_deadline, plain_days, short_day
from notifications.letters_pdf import set_document
from schemas.program import Program

TITLE: Final = "Enforcement sheet"
_WIDTH: Final = 96
_PLACE: Final = {
    "permit_number": "Sanitary permit",
    "parcel_number": "Tax parcel",
    "site_address": "Location",
    "municipality": "Municipality",
    "owner_name": "Owner",
}


def sheet_pdf(sheet: Mapping[str, Any], program: Program) -> bytes:
    """Set a sheet (PDF/UA-1). Raises LettersUnavailable, LetterNotSet."""
    return set_document("sheet.typ", sheet_values(sheet, program))


def sheet_text(sheet: Mapping[str, Any], program: Program) -> str:
    """The same as plain text."""
    values = sheet_values(sheet, program)
    lines = [values["office"]["name"], "", values["title"], "=" * len(values["title"]), ""]
    lines += [line for said in values["statement"] for line in (*_wrapped(said), "")]
    lines += [f"{name + ':':<18}{text}" for name, text in values["facts"]]
    for section in (one for one in values["sections"] if one["blocks"]):
        lines += ["", section["heading"], "-" * len(section["heading"])]
        for block in section["blocks"]:
            lines += ["", *_wrapped(block["head"])] if block["head"] else [""]
            lines += [line for said in block["lines"] for line in _wrapped(said, "  ")]
    return "\n".join(lines) + "\n"


def sheet_values(sheet: Mapping[str, Any], program: Program) -> dict[str, Any]:
    """What the template is given: all of it text."""
    about = f"{sheet['case']}, kind {_words(sheet['case_kind'])}" if sheet["case"] else "all that stands on record"
    since = short_day(date.fromisoformat(sheet["text"]["in_force_since"]))
    statement = [
        f"{program.name}: {about}, as the record stands on {_long(sheet['as_of'])}. This sheet lays out the record and "
        "the ordinance; it decides nothing.",
        f"Ordinance: {sheet['authority']}, text “{sheet['text']['name']}”, in force since {since}.",
    ]
    place = [[label, str(sheet[name])] for name, label in _PLACE.items() if sheet.get(name)]
    return {
        "title": TITLE,
        "office": {"name": sheet["governmental_unit"]},
        "as-of": sheet["as_of"],
        "statement": statement,
        "facts": [*place, ["Standing", _words(sheet["standing"])]],
        "sections": [
            _section(
                "Facts on record",
                _facts(sheet["facts"], sheet["earlier_reports"]),
                "No report, step or letter is on record.",
            ),
            _section("Duties past their last day", _violations(sheet, program), "No duty is past its last day."),
            _section("Waived", _waived(sheet["waived"]), ""),
            _section("What it may cost", _costs(sheet), "The text on file names no amount: none is printed here."),
            _section("Who prosecutes", _prosecutes(sheet["prosecutes"]), "The text on file does not say."),
            _section("Appeal", _appeals(sheet["appeals"], program), "The text on file names no appeal."),
            _section("What the law says", _sentences(sheet["sentences"]), ""),
        ],
    }


Block = dict[str, Any]


def _section(heading: str, blocks: Iterator[Block], none: str) -> dict[str, Any]:
    found = list(blocks) or ([{"head": "", "lines": [none]}] if none else [])
    return {"heading": heading, "blocks": found}


def _facts(facts: Sequence[Mapping[str, Any]], earlier: int) -> Iterator[Block]:
    for fact in facts:
        hidden = ("on", "what", "said", "source", "proof")
        found = [f"{_words(name)}: {_shown(value)}" for name, value in fact.items() if name not in hidden]
        proof = [f"Proof of mailing: {fact['proof']}"] if fact.get("proof") else []
        yield {
            "head": f"{_long(fact['on'])}: {fact['said']}",
            "lines": [*found, plain_days(f"Source: {fact['source']}"), *proof],
        }
    if earlier:
        head = f"{earlier:,} earlier report{'s' * (earlier != 1)}"
        yield {"head": head, "lines": ["They stand in the permanent service record of the system."]}


def _violations(sheet: Mapping[str, Any], program: Program) -> Iterator[Block]:
    for one in sheet["violations"]:
        tank = program.names.get(one["component"], one["component"])
        due, last = date.fromisoformat(one["due_on"]), date.fromisoformat(one["last_day"])
        days = f"{one['days']:,} day{'s' * (one['days'] != 1)}"
        ended = "; met since" if one["ended"] else "; it goes on"
        yield {
            "head": f"{_words(one['kind']).capitalize()}{f' ({tank})' if tank else ''}: the {one['duty_of']}'s duty",
            "lines": [
                f"Rule {one['rule']}, {one['cite']}: {one['title']} (text “{one['text']}”).",
                f"Why: {plain_days(one['because'])}",
                f"Last day: {_long(one['last_day'])}.{_counted(due, last, one['because'], program)}",
                f"Past it: {days}, from {_long(one['first_on'])} through {_long(one['through'])}, both counted{ended}.",
            ],
        }


def _counted(due: date, last: date, because: str, program: Program) -> str:
    """How the last day was counted; of a day that the county itself has set only what moved it."""
    is_set = "set by the county" in because or "extended" in because
    return "" if is_set and due == last else f" {explain_deadline(due, last, program.calendar)}"


def _waived(duties: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    for one in duties:
        said = f"{_words(one['kind']).capitalize()}, due {_long(one['due_on'])}: {plain_days(one['suspended_because'])}"
        yield {"head": said, "lines": [f"Rule {one['rule']}, {one['cite']}."]}


def _costs(sheet: Mapping[str, Any]) -> Iterator[Block]:
    for one in sheet["violations"]:
        if one["forfeiture"] is not None:
            yield _cost(one, one["forfeiture"])
    sums = sheet["total"]
    if sums and len([one for one in sheet["violations"] if one["forfeiture"]]) > 1:
        said = _range(sums["cents_min"], sums["cents_max"])
        yield {"head": f"Together: {said}", "lines": ["Costs come on top; what waits for a notice is left out."]}


def _cost(one: Mapping[str, Any], asked: Mapping[str, Any]) -> Block:
    each = _range(asked["cents_min"], asked["cents_max"])
    costs = f", plus {asked['costs']}" if asked["costs"] else ""
    lines = [f"Rule {asked['rule']}, {asked['cite']}: {asked['name']}."]
    if asked["per_day"]:
        sums = _range(asked["total_cents_min"], asked["total_cents_max"])
        lines.append(f"Each day is a violation of its own: {one['days']:,} × {each} = {sums}.")
    if asked["after_notice"]:
        told = asked["notified_on"]
        lines.append(f"After notice: {f'given {_long(told)}' if told else 'none is on file, so it is not due yet'}.")
    a_day = " a day" if asked["per_day"] else ""
    return {"head": f"{_words(one['kind']).capitalize()}: {asked['called']} of {each}{a_day}{costs}", "lines": lines}


def _prosecutes(found: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    for one in found:
        yield {"head": f"{one['to'][:1].upper()}{one['to'][1:]}", "lines": [f"Rule {one['rule']}, {one['cite']}."]}


def _appeals(found: Sequence[Mapping[str, Any]], program: Program) -> Iterator[Block]:
    for one in found:
        lines = [f"Rule {one['rule']}, {one['cite']}{f': {more}' if (more := one['more']) else ''}."]
        if one["days"] is None:
            lines.append("The text gives no period.")
        elif one["last_day"] is None:
            lines.append(f"Within {one['days']} days of the notice; no notice is on file, so no last day is counted.")
        else:
            due, last = date.fromisoformat(one["due_on"]), date.fromisoformat(one["last_day"])
            counted = f"{_words(one['counted_from'].removesuffix('_on'))} {_long(one['start'])}"
            lines.append(f"Within {one['days']} days, counted from: {counted}. Last day: {_long(one['last_day'])}.")
            lines.append(explain_deadline(due, last, program.calendar))
        if one["fee_cents"]:
            lines.append(f"Fee: {_money(one['fee_cents'])}.")
        yield {"head": f"To {one['to']}", "lines": lines}


def _sentences(found: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    for one in found:
        yield {"head": "", "lines": [f"{one['sentence']} ({one['rule']}, {one['cite']})"]}


def _range(least: int, most: int) -> str:
    return _money(least) if least == most else f"{_money(least)} to {_money(most)}"


def _money(cents: int) -> str:
    return f"${cents / 100:,.2f}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)


def _long(day: str) -> str:
    return short_day(date.fromisoformat(day))


def _words(name: object) -> str:
    return str(name or "").replace("_", " ")


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
