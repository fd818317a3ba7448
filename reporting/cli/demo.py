"""`pumper demo`: the main job from start to end on the shipped examples, in var/demo, on a fixed day."""

from __future__ import annotations

import datetime as dt
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path

import click

from reporting.cli.common import signer_of
from reporting.cli.imports import AT_A_TERMINAL, show_answer
from reporting.cli.mail import counts_line, deliver_all, scan_county, scan_line
from reporting.cli.setup import prepare
from reporting.config import Config
from reporting.contractors import import_contractors
from reporting.errors import ConfigurationError
from reporting.histories import county_program
from reporting.intake.accept import Options, Upload, submit
from reporting.intake.answer import Answer
from reporting.intake.judging import Sender
from reporting.inventory.importing import load_inventory
from reporting.inventory.indexing import index_all
from reporting.owners import Teller, set_setting
from reporting.status import find_systems, list_due, status_text, system_status
from reporting.store.engine import Database
from reporting.store.people import find_credentials
from reporting.store.verify import verify
from reporting.sweep import assess_now
from schemas.loader import own_slugs, shipped_slugs

TODAY = dt.date(2026, 7, 13)
NOW = dt.datetime(2026, 7, 13, 14, 5, tzinfo=dt.UTC)
BEFORE = dt.datetime(2026, 7, 12, 14, 0, tzinfo=dt.UTC)
COUNTY = "ozaukee"
FILE = "ozaukee-hauler-export.csv"
PERMIT = "SP-1987"
LICENSE = "00412"
FOLDER = Path("var") / "demo"


def demo_environment(folder: Path) -> dict[str, str]:
    """The configuration of the demonstration: a database, a signing key and a folder for mail of its own."""
    return {
        "DATABASE_URL": f"sqlite:///{folder / 'pumper.db'}",
        "PUMPER_SIGNING_KEY_FILE": str(folder / "signing.key"),
        "PUMPER_MAIL_DIR": str(folder / "mail"),
        "MAIL_FROM": "Pumper demonstration <pumper@demo.example.org>",
    }


@click.command()
def demo() -> None:
    """Run the main job on the shipped examples and print it. Everything lies in var/demo and is made anew."""
    examples = Path("examples")
    if not (examples / "inventory").is_dir():
        raise ConfigurationError("Run the demonstration from the project's folder: it needs examples/.")
    shutil.rmtree(FOLDER, ignore_errors=True)
    config = Config.from_environment({**os.environ, **demo_environment(FOLDER)})
    prepare(config, BEFORE)
    database = Database.connect(config.database_url)
    try:
        for step in _steps(config, database, examples):
            click.echo(step)
    finally:
        database.dispose()


def fill(config: Config, examples: Path) -> None:
    """The demonstration's data without its words, for `pumper serve --demo`."""
    prepare(config, BEFORE)
    database = Database.connect(config.database_url)
    try:
        list(_load(config, database, examples))
    finally:
        database.dispose()


def _heading(text: str) -> str:
    return f"\n== {text} " + "=" * max(0, 96 - len(text))


def _steps(config: Config, database: Database, examples: Path) -> Iterator[str]:
    yield _heading("1. Contractors, inventories and years of past reports")
    yield from _load(config, database, examples)
    yield _heading(f"2. A hauler's file: pumper submit {COUNTY} examples/reports/{FILE}")
    _submit(config, database, examples / "reports" / FILE)
    yield _heading("3. The same file again: nothing counts twice")
    _submit(config, database, examples / "reports" / FILE, brief=True)
    yield _heading(f"4. What has come due or late on {TODAY}: pumper scan")
    for slug in shipped_slugs():
        yield scan_line(scan_county(database, slug, TODAY, NOW, config.base_url, config.map_url))
    yield _heading(f"5. What is due in {COUNTY}, the first ten: pumper due {COUNTY}")
    yield from _due(database)
    yield _heading("6. The mails: pumper deliver")
    yield counts_line(deliver_all(config, database, lambda: NOW))
    yield from _mails(FOLDER / "mail")
    yield _heading(f"7. The county's question: pumper status {COUNTY} --permit {PERMIT}")
    yield from _status(database)
    yield _heading("8. The chain of records: pumper verify")
    for slug in shipped_slugs():
        with database.reading(slug) as store:
            result = verify(store, [signer_of(config).verifying_key])
        word = "all hold" if result.ok else "BROKEN"
        yield f"{slug}: {result.size} entries, {result.checkpoints} signed heads: {word}"
    yield f"\nEverything lies in {FOLDER}; look at it in a browser with `make serve`."


def _load(config: Config, database: Database, examples: Path) -> Iterator[str]:
    with database.transaction(None) as store:
        data = (examples / "contractors.csv").read_bytes()
        answer = import_contractors(store, data, counties=shipped_slugs(), now=BEFORE, file_name="contractors.csv")
    yield f"contractors: {answer.added} licences of {answer.rows} rows"
    for slug in (slug for slug in shipped_slugs() if slug not in own_slugs()):
        yield _load_county(config, database, examples, slug)


def _load_county(config: Config, database: Database, examples: Path, slug: str) -> str:
    signer = signer_of(config)
    with database.transaction(slug) as store:
        program = county_program(store, slug, on=TODAY)
        teller = Teller(program=program, by="demo", now=BEFORE, signer=signer)
        set_setting(store, teller, "county_email", f"clerk@{slug}.example.org", BEFORE.date())
    inventory = load_inventory(
        database,
        program,
        (examples / "inventory" / f"{slug}.csv").read_bytes(),
        file_name=f"{slug}.csv",
        content_type=None,
        principal="demo",
        now=BEFORE,
    )
    index_all(database, slug)
    upload = Upload(data=(examples / "history" / f"{slug}-history.csv").read_bytes(), file_name=f"{slug}-history.csv")
    options = Options(historical=True, limits=AT_A_TERMINAL)
    with database.transaction(slug) as store:
        past = submit(store, program, Sender(name="demo"), upload, BEFORE, signer, options)
    assert isinstance(past, Answer)
    counts = past.counts
    return (
        f"{slug}: {inventory.added} systems of {inventory.rows} rows ({inventory.rejected} rejected); "
        f"{counts['accepted']} past reports of {counts['rows']} rows"
    )


def _submit(config: Config, database: Database, path: Path, *, brief: bool = False) -> None:
    with database.transaction(COUNTY) as store:
        program = county_program(store, COUNTY, on=TODAY)
        upload = Upload(data=path.read_bytes(), file_name=path.name)
        business = str(find_credentials(store, [LICENSE])[LICENSE][0]["contractor_id"])
        sender = Sender(name="the hauler's key", contractor_id=business)
        answer = submit(store, program, sender, upload, NOW, signer_of(config))
        assert isinstance(answer, Answer)
        assess_now(store, program, answer.systems, TODAY, NOW)
    if brief:
        counts = {k: v for k, v in answer.counts.items() if v}
        click.echo(", ".join(f"{v} {k.replace('_', ' ')}" for k, v in counts.items()))
    else:
        show_answer(answer)


def _due(database: Database) -> Iterator[str]:
    with database.reading(COUNTY) as store:
        rows = list(list_due(store, today=TODAY))
    for row in rows[:10]:
        late = f"{row['days_late']} days late" if row["days_late"] else "due soon"
        place = row["permit_number"] or row["parcel_number"]
        yield f"{row['last_day']}  {late:<14} {row['kind']:<16} {place:<14} [{row['rule']}, {row['cite']}]"
    yield f"… {len(rows)} in all"


def _mails(folder: Path) -> Iterator[str]:
    """How many mails there are of each subject, and one of them whole."""
    mails = [message_from_bytes(p.read_bytes(), policy=policy.default) for p in sorted(folder.glob("*.eml"))]
    subjects = Counter(str(mail["Subject"]).partition(", permit")[0] for mail in mails)
    for subject, count in sorted(subjects.items()):
        yield f"  {count:>3} {subject}"
    late = [m for m in mails if "late" in str(m["Subject"]).lower()]
    if late:
        body = late[0].get_body(("plain",))
        yield f"\nOne of them:\n\nTo: {late[0]['To']}\nSubject: {late[0]['Subject']}\n"
        yield body.get_content() if body is not None else ""


def _status(database: Database) -> Iterator[str]:
    with database.reading(COUNTY) as store:
        program = county_program(store, COUNTY, on=TODAY)
        for system in find_systems(store, permit=PERMIT):
            yield status_text(system_status(store, program, system, today=TODAY))
