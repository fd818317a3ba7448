"""The tables of docs/haulers.md, from the code.

python docs/haulers.py            rewrite them
python docs/haulers.py --check    say whether they are as the code is; exit 1 if not
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from reporting.intake.places import Doubt
from schemas.fields import FIELDS, Field, Type
from schemas.issues import CODES, VALUE_CODES, WARNING_CODES

PAGE = Path(__file__).resolve().with_name("haulers.md")

REFUSALS = {
    "broken_xlsx": "the workbook is damaged: open it in Excel, save it again, send it again",
    "duplicate_heading": "two columns bear one name or mean one field: rename or remove one",
    "duplicate_key": "a name stands twice in one JSON object: remove one",
    "empty_file": "there is nothing in the file: check what was saved",
    "encoding": "the file holds bytes that are no text: save it as “CSV UTF-8”",
    "hidden_sheet": "the reports stand on a hidden sheet: unhide it",
    "markup": "the file is a web page or XML, whatever its name: save it as .xlsx or CSV",
    "misnamed_text": "the file is a CSV named as a workbook: rename it to .csv",
    "missing_columns": "columns that every report needs are missing; all of them are named: add them",
    "no_heading": "no known heading was found: put column names into the first row, or teach yours (below)",
    "no_rows": "there is a heading and nothing below it",
    "not_a_list": "a JSON file is a list of objects",
    "not_an_object": "one JSON report is one object",
    "not_json": "the file breaks off or is no JSON; line and column are named",
    "number": "a number is too large or none (NaN)",
    "old_excel": "the file is an old workbook (.xls): save it as .xlsx",
    "password": "the workbook has a password: remove it",
    "received_in_future": "a day of receipt lies in the future (the county's own staff only)",
    "several_sheets": "two sheets hold reports: put them on one sheet, or send each",
    "surrogate": "a name holds half a character",
    "too_big": "the file is too large: split it",
    "too_big_unpacked": "the workbook is too large once unpacked: remove what is not a report",
    "too_deep": "the JSON is nested too deeply",
    "too_many_columns": "there are more than 64 columns: leave out what is no part of a report",
    "too_many_rows": "there are more rows than one file may have: split it",
    "wrong_kind": "the file is a PDF, a picture, a Word document or another kind: send the workbook or CSV",
    "zip": "the file is a zip: unpack it and send what is in it",
}
"""What is wrong with a file as a whole, and what to do."""

_HOW = {
    Type.IDENTIFIER: "text, kept as it is sent",
    Type.LICENSE: "in any spelling: `00412`, `00-412`",
    Type.DATE: "`2026-07-02`, `7/2/2026`, `July 2, 2026`",
    Type.TIME: "`14:30`, `2:30 PM`",
    Type.GALLONS: "`1500`, `1,500`, `1500 gal`",
    Type.READING: "digits as on the meter: `012345`, `12,345.6`",
    Type.FRACTION: "`1/4`, `25%`, `.25`",
    Type.YES_NO: "`yes`, `no`, `x`, `true`, `1`, `0`",
    Type.LIST: "text; several parted by `;`",
}


def tables() -> dict[str, str]:
    """Each table by its name in the page."""
    return {
        "fields": _table(
            ("column", "what it holds", "how"), [(f"`{f.name}`", f.help, _how(f)) for f in FIELDS.values()]
        ),
        "refusals": _table(
            ("code", "what is wrong, and what to do"), [(f"`{c}`", m) for c, m in sorted(REFUSALS.items())]
        ),
        "errors": _table(
            ("code", "what is wrong with the row"),
            [(f"`{code}`", m) for code, m in sorted({**VALUE_CODES, **{str(c): m for c, m in CODES.items()}}.items())],
        ),
        "warnings": _table(("code", "what to look at"), [(f"`{c}`", m) for c, m in sorted(WARNING_CODES.items())]),
        "reviews": _table(("`review`", "why the county looks at it"), [(f"`{d.value}`", _why(d)) for d in Doubt]),
    }


def _how(field: Field) -> str:
    if field.choices is not None:
        return ", ".join(f"`{value}`" for value in dict.fromkeys(field.choices.values()))
    return _HOW.get(field.type, "text")


def _why(doubt: Doubt) -> str:
    return doubt.message.partition(": ")[2].rstrip(".")


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def written(page: str) -> str:
    """The page with its tables as the code has them."""
    for name, table in tables().items():
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        page, count = mark.subn(lambda found, table=table: found[1] + table + "\n" + found[2], page)  # type: ignore[misc]
        if count != 1:
            raise ValueError(f"the page has no place for {name}")
    return page


def main() -> None:
    """Rewrite the page, or check it."""
    old = PAGE.read_text(encoding="utf-8")
    new = written(old)
    if "--check" in sys.argv[1:]:
        sys.exit("docs/haulers.md is not as the code is; run docs/haulers.py" if new != old else 0)
    PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
