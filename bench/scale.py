"""What a system costs in rows, bytes and time, at two sizes, on both databases, and what that would be for many more.

    python bench/scale.py [--systems 1000,10000] [--events 5] [--posts 300] [--database both] [--write]

Each system has a tank and a dispersal cell, and so many reports, taken from files of 2,000 rows as an office sends
them. Look-ups and a status call are timed one at a time. Then one node, two web workers as `pumper serve` starts them,
takes single reports over HTTP from 8 clients. PostgreSQL is a server of our own with its usual durability. The clock is
the wall's: on a shared machine it tells of the others too. --write puts the figures into docs/scale.json and
docs/scale.md.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sqlalchemy import event, func, select, text  # noqa: E402

from reporting import tables  # noqa: E402
from reporting.intake.accept import Options, Refused, Upload, submit  # noqa: E402
from reporting.intake.credentials import Sender  # noqa: E402
from reporting.status import find_systems  # noqa: E402
from reporting.store.engine import Database  # noqa: E402
from reporting.store.lists import SystemFilter, list_systems  # noqa: E402
from schemas.loader import shipped_program  # noqa: E402
from tests.promises.arenas import lasting_arena  # noqa: E402
from tests.promises.posting import Posting, posts  # noqa: E402
from tests.promises.servers import ServerGroup, serving  # noqa: E402
from tests.promises.stocking import stocked  # noqa: E402
from tests.reporting.api.world import HOME, NOW, World, a_report  # noqa: E402
from tests.reporting.counties import csv_of  # noqa: E402

PAGE, KEPT = ROOT / "docs" / "scale.md", ROOT / "docs" / "scale.json"
SIZES = (1_000_000, 10_000_000, 100_000_000)
ROWS_A_FILE, LOOKS, CALLS, CLIENTS = 2_000, 200, 60, 8
WORK_SECONDS_A_YEAR, BUSIEST = 250 * 8 * 3600, 10
"""Of the extrapolation: reports come in on 250 days of 8 hours, in the busiest hour ten times as many as on average."""

Figures = dict[str, Any]


def main() -> None:
    """Measure, print, and write what is asked for."""
    options = _options()
    kinds = ("sqlite", "postgresql") if options.database == "both" else (options.database,)
    began = time.monotonic()
    figures: list[Figures] = []
    for kind in kinds:
        for systems in options.systems:
            with lasting_arena(kind) as arena:
                before = arena.new_database()
                empty = _bytes(Database.connect(before.owner_url))
                with stocked(arena, systems) as world:
                    figures.append({"database": kind, "systems": systems, "events": options.events})
                    figures[-1] |= measured(world, systems, options.events, options.posts, empty)
            print(json.dumps(figures[-1]), flush=True)
    print(measured_table(figures))
    print(extrapolated_table(figures))
    print(f"{time.monotonic() - began:.0f} s in all")
    if options.write:
        KEPT.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")


def measured(world: World, systems: int, events: int, count: int, empty: int) -> Figures:
    """The figures of one stocked world."""
    began = time.monotonic()
    for number in range(events):
        _send(world, systems, dt.date(2025, 6, 1) + dt.timedelta(days=60 * number))
    taken = time.monotonic() - began
    rows, size = _rows(world.database), _bytes(world.database) - empty
    permits = [f"P-{random.Random(1).randrange(systems)}"] + [f"P-{n * systems // LOOKS}" for n in range(LOOKS)]
    with world.database.reading(HOME) as store:
        look = _median_ms([lambda p=p: find_systems(store, permit=p) for p in permits])
        page = _median_ms([lambda: list_systems(store, SystemFilter(), None, 50)] * 20)
    asked = [f"/v1/{HOME}/status?permit={permit}" for permit in permits[:CALLS]]
    for warm in asked[:3]:
        assert world.get(warm, "county").status_code == 200
    with counted(world.database) as statements:
        status = _median_ms([lambda a=a: world.get(a, "county") for a in asked])
    return {
        "rows a system": round(rows / systems, 1),
        "bytes a system": round(size / systems),
        "rows of files a second": round(systems * events / taken),
        "look-up by permit, ms": look,
        "first page of the list, ms": page,
        "status call, ms": status,
        "statements a status call": round(len(statements) / len(asked), 1),
        "reports a second": _posted(world, systems, count),
    }


def _send(world: World, systems: int, day: dt.date) -> None:
    program, sender = shipped_program(HOME), Sender(name="bench", contractor_id="con_mine")
    for first in range(0, systems, ROWS_A_FILE):
        rows = []
        for n in range(first, min(first + ROWS_A_FILE, systems)):
            permit = f"P-{n}"
            rows.append(
                a_report(
                    report_ref=f"{day}-{n}", permit_number=permit, parcel_number=f"08-{permit}",
                    site_address=f"N{sum(permit.encode())} County Road K", service_date=f"{day}", signed_on=f"{day}",
                )
            )  # fmt: skip
        upload = Upload(data=csv_of(*rows), file_name="round.csv", content_type="text/csv")
        with world.database.transaction(HOME) as store:
            answer = submit(store, program, sender, upload, NOW, world.signer, Options(historical=True))
        assert not isinstance(answer, Refused), answer
        assert answer.counts["accepted"] == len(rows), answer.counts


def _posted(world: World, systems: int, count: int) -> float:
    """Single reports a second that one node takes from several clients at once."""
    with serving(ServerGroup(world=world)) as group:
        group.start()
        clients = Posting(port=group.port, key=world.keys["contractor"])
        began = time.monotonic()
        clients.start(posts(count, systems, 7), CLIENTS)
        for thread in clients.threads:
            thread.join()
        assert len(clients.acknowledged) == count, clients.faults[:3]
        return round(count / (time.monotonic() - began), 1)


@contextmanager
def counted(database: Database) -> Iterator[list[str]]:
    """Every statement that goes to the database meanwhile."""
    found: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        found.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


def _rows(database: Database) -> int:
    """Rows of the county, and of those tables that belong to none."""
    with database.reading(HOME) as store:
        named = tables.metadata.sorted_tables
        return sum(store.connection.execute(select(func.count()).select_from(table)).scalar_one() for table in named)


def _bytes(database: Database) -> int:
    asked = {
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        "postgresql": "SELECT pg_database_size(current_database())",
    }
    with database.reading(None) as store:
        return int(store.connection.execute(text(asked[database.dialect])).scalar_one())


def _median_ms(work: Sequence[Callable[[], Any]]) -> float:
    taken = []
    for one in work:
        began = time.perf_counter()
        one()
        taken.append((time.perf_counter() - began) * 1000)
    return round(median(taken), 2)


def measured_table(figures: Sequence[Figures]) -> str:
    """The figures as a table in Markdown, a column for each database and size."""
    heads = [f"{one['database']}, {one['systems']:,}" for one in figures]
    names = [name for name in figures[0] if name not in ("database", "systems", "events")]
    lines = [[f"{one[name]:,}" for one in figures] for name in names]
    return _table(["", *heads], [[name, *line] for name, line in zip(names, lines, strict=True)])


def extrapolated_table(figures: Sequence[Figures]) -> str:
    """What the figures of the largest size on PostgreSQL (else the last) would be for many more systems."""
    many = [one for one in figures if one["database"] == "postgresql"] or list(figures)
    base = max(many, key=lambda one: int(one["systems"]))
    lines = []
    for systems in SIZES:
        busiest = systems / WORK_SECONDS_A_YEAR * BUSIEST
        nodes = max(1, -(-busiest // base["reports a second"]))
        size, rows = base["bytes a system"] * systems / 1e9, base["rows a system"] * systems / 1e6
        lines.append([f"{systems:,}", f"{rows:,.0f} million", f"{size:,.0f} GB", f"{busiest:,.1f}", f"{nodes:.0f}"])
    return _table(["systems", "rows", "disk", "reports a second in the busiest hour", "such nodes"], lines)


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [heads, ["---"] + ["---:"] * (len(heads) - 1), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def written(page: str, figures: Sequence[Figures]) -> str:
    """The page with both tables in their places; raises `ValueError` where there is no place."""
    for name, table in (("measured", measured_table(figures)), ("extrapolated", extrapolated_table(figures))):
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not place.search(page):
            raise ValueError(f"docs/scale.md has no place {name}")
        page = place.sub(lambda found, table=table: f"{found[1]}{table}\n{found[2]}", page)
    return page


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=lambda text: [int(part) for part in text.split(",")], default=[1000, 10_000])
    parser.add_argument("--events", type=int, default=5)
    parser.add_argument("--posts", type=int, default=300, help="single reports over HTTP")
    parser.add_argument("--database", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--write", action="store_true", help="keep the figures in docs/scale.json and docs/scale.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
