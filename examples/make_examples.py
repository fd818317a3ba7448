"""Write the sample inventories, histories, report files and their README; the same bytes on every run.

python examples/make_examples.py [--out DIRECTORY]
"""

import argparse
from pathlib import Path

from maker import (
    contractors,
    lake_beulah,
    lake_beulah_reports,
    ozaukee,
    ozaukee_reports,
    portage,
    portage_reports,
    readme,
    winnebago,
    winnebago_reports,
    wrong,
)
from maker.columns import CONTRACTORS, INVENTORY, REPORTS
from maker.tickets import number_tickets
from maker.written import json_text, sheet_bytes, table


def make() -> dict[str, bytes]:
    """Make every sample file: its path below examples/ and its content."""
    counties = [ozaukee.make(), portage.make(), winnebago.make(), lake_beulah.make()]
    files = {"contractors.csv": table(CONTRACTORS, contractors.rows())}
    for county in counties:
        slug = county.place.slug
        files[f"inventory/{slug}.csv"] = table(INVENTORY, county.inventory)
        files[f"history/{slug}-history.csv"] = table(REPORTS, number_tickets(county.history))
    makers = (ozaukee_reports, portage_reports, winnebago_reports, lake_beulah_reports)
    sheets = [sheet for maker, county in zip(makers, counties, strict=True) for sheet in maker.make(county)]
    files |= {f"reports/{sheet.name}": sheet_bytes(sheet) for sheet in sheets}
    faults = wrong.make(sheets[0])
    files |= {f"reports/wrong/{fault.name}": fault.content for fault in faults}
    files["expected.json"] = json_text(readme.expected(sheets, faults))
    files["README.md"] = readme.write(counties, sheets, faults)
    return files


def main() -> None:
    """Write the files where they belong, or below --out."""
    parser = argparse.ArgumentParser(description="Write the sample data of examples/.")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent, help="directory to write to")
    out: Path = parser.parse_args().out
    for name, content in make().items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        print(f"{len(content):>8}  {name}")


if __name__ == "__main__":
    main()
