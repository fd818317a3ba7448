"""The README of the samples, with its row-by-row tables made from the samples themselves."""

from maker.county import County
from maker.sheets import Sheet
from maker.wrong import Fault

_HEAD = """\
# Sample data

Made by `python examples/make_examples.py` (fixed seed; the same bytes each time). Do not edit the files: change
`maker/` and run it again. Names of people and businesses are invented, addresses and numbers too; the towns are real.
Mail addresses end in example.org, .com or .net and telephone numbers lie in 555-0100 to 555-0199.

Everything is arranged around **Monday, 2026-07-13**: no service is later than 2026-07-11 (mistyped days excepted), most
systems are in order that day, some come due within 60 days, some are overdue, and holding tanks stand at every level.

## What is here

| path | what it is | how it is read |
|---|---|---|
"""
_PROGRAMS = (
    "| `programs/tamarack.toml`, `programs/worked/` | written by hand: an invented county's own program, with worked "
    "examples, an inventory and reports | [docs/new-county.md](../docs/new-county.md) |\n"
)

_WORTH = """
### Worth looking at

- **Ozaukee**: `SP-1987` is overdue until its report comes in. Every septic system has a row for its dispersal cell,
  whose `last_inspected_on` is the plumber's visit. Some plans ask for 12 months and have a maintainer's contract;
  some new systems have no plan. Old permits often lack dates, a few systems have no dates at all. Holding tanks:
{ozaukee}
- **Portage**: four systems have a first due date that the county assigned, 2026-09-30, and `999` for capacity; six
  holding tanks are `meter_ordered`; of the others half have no meter, and then no forecast.
- **Winnebago**: six tanks on three festival grounds (two to a parcel; readings in hundreds); twelve at businesses and
  public buildings, two of which use more than 100 gallons a day; thirty-two cottages, of which four were not pumped in
  2025 and some not yet in 2026.
- **Lake Beulah**: service areas 1 to 3, counted from 2008, so that 2026 is area 1's year: part of it is pumped, part
  still to come. Exemptions of each kind, one of them past its seven years, one soon to be.

Two systems on one parcel: {pairs}.

## Report files, row by row

Expected when the files are submitted on 2026-07-13 after the inventories, contractors and histories are in. Row 1 is
the heading; a JSON list is counted as if it had one, a report that is the whole file is row 1. `expected.json` says the
same for programs.
"""

_TABLE = """
### `reports/{name}`

For {county}: {about}.

| row | ticket | outcome | field or finding | why |
|---|---|---|---|---|
"""

_REFUSED = """
## Files that are refused whole: `reports/wrong/`

Each is sent to ozaukee; nothing of it is stored but the refusal.

| file | why |
|---|---|
"""

_CONTRACTORS = (
    "| `contractors.csv` | 12 businesses and their 25 licences; 00857 ran out on 2026-03-31 "
    "| `pumper contractors import examples/contractors.csv` |\n"
)

_KINDS = {
    "inventory": "systems of {name}, one row a component: {systems} systems, {rows} rows",
    "history": "{events} past reports of {name}, the contract's field names, all in order",
}


def write(counties: list[County], sheets: list[Sheet], faults: list[Fault]) -> bytes:
    """Write README.md."""
    parts = [_HEAD, *_listing(counties, sheets), _WORTH.format(ozaukee=_ozaukee(counties[0]), pairs=_pairs(counties))]
    for sheet in sheets:
        parts.append(_TABLE.format(name=sheet.name, county=sheet.county, about=sheet.about))
        for number, line in enumerate(sheet.lines, start=first_row(sheet)):
            named = ", ".join(f"`{name}`" for name in (line.field, *line.findings) if name)
            parts.append(f"| {number} | {line.cells['report_ref']} | {line.outcome} | {named} | {line.why} |\n")
    parts.append(_REFUSED)
    parts += [f"| `{fault.name}` | {fault.why} |\n" for fault in faults]
    return "".join(parts).encode()


def first_row(sheet: Sheet) -> int:
    """The number of a file's first report: 2 below a heading and in a JSON list, 1 where it is the whole file."""
    return 1 if sheet.kind == "object" else 2


def expected(sheets: list[Sheet], faults: list[Fault]) -> object:
    """Say for programs what each report file should come to."""
    return {
        "received_on": "2026-07-13",
        "files": [
            {
                "file": f"reports/{sheet.name}",
                "county": sheet.county,
                "outcomes": [
                    {
                        "row": number,
                        "outcome": line.outcome,
                        "field": line.field,
                        "findings": list(line.findings),
                        "why": line.why,
                    }
                    for number, line in enumerate(sheet.lines, start=first_row(sheet))
                ],
            }
            for sheet in sheets
        ],
        "refused": [{"file": f"reports/wrong/{fault.name}", "county": "ozaukee", "why": fault.why} for fault in faults],
    }


def _listing(counties: list[County], sheets: list[Sheet]) -> list[str]:
    lines = []
    for kind, command in (
        ("inventory", "pumper inventory import {slug} {path}"),
        ("history", "pumper submit {slug} {path}"),
    ):
        for county in counties:
            slug = county.place.slug
            path = f"{kind}/{slug}.csv" if kind == "inventory" else f"{kind}/{slug}-history.csv"
            about = _KINDS[kind].format(
                name=slug,
                systems=len({row["permit_number"] for row in county.inventory}),
                rows=len(county.inventory),
                events=len(county.history),
            )
            lines.append(f"| `{path}` | {about} | `{command.format(slug=slug, path='examples/' + path)}` |\n")
    lines.append(_CONTRACTORS)
    lines += [
        f"| `reports/{sheet.name}` | {sheet.about} | `pumper submit {sheet.county} examples/reports/{sheet.name}` |\n"
        for sheet in sheets
    ]
    return [*lines, _PROGRAMS]


def _ozaukee(county: County) -> str:
    tanks = [str(row["permit_number"]) for row in county.inventory if row["component"] == "holding"]
    notes = {
        0: "pumps 0.6 of what its meter counts: water is lost",
        1: "pumps 1.4 times what its meter counts: ground water comes in",
        2: "meter turned over past 999999",
        3: "meter in cubic feet",
        4: "one reading estimated",
        5: "no contractor designated",
        6: "temporary tank",
    }
    return "\n".join(f"  - `{tanks[number]}`: {note}." for number, note in notes.items())


def _pairs(counties: list[County]) -> str:
    found = []
    for county in counties:
        parcels: dict[str, set[str]] = {}
        for row in county.inventory:
            parcels.setdefault(str(row["parcel_number"]), set()).add(str(row["permit_number"]))
        found += [f"`{parcel}` ({county.place.slug})" for parcel, permits in parcels.items() if len(permits) > 1]
    return ", ".join(found)
