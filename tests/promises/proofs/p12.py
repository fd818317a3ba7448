"""P12: nobody sees another's data. Every address × method × caller × own, foreign and absent ids, in path, query, body,
file, filter, cursor, export and mail; every row carries a word that is looked for in all answers, mails and log lines.

What is another's answers like what is not there. On PostgreSQL, row security holds while the application's own filter
asks for the wrong county, as the role that owns nothing. The controls take one wall down each, and are found out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from reporting.cli.mail import deliver_all, scan_county
from reporting.config import Config
from reporting.store.engine import Database
from tests.promises import sabotage
from tests.promises.proof import Arena, Outcome, Proof, Size
from tests.promises.tenants import COUNTIES, EVERYBODY, KEYS, SOME, WORDS, Stage, may_see, stage
from tests.promises.trespass import PHASES, Search
from tests.reporting.counties import TODAY

Sabotage = Callable[[], AbstractContextManager[Any]]
CALLERS = {Size.SMOKE: SOME, Size.FULL: EVERYBODY}
PAGES = {Size.SMOKE: 12, Size.FULL: 1}
"""Of the pages each so many-th."""
ENOUGH = {Size.SMOKE: 1, Size.FULL: 20}
"""After so many a broken variant is found out."""
READERS = {"mine@business.example": "contractor", "others@business.example": "other contractor"}


def run(arena: Arena, size: Size) -> Outcome:
    """The promise."""
    with stage(arena) as found:
        search = Search(stage=found, callers=CALLERS[size], every=PAGES[size])
        for phase in PHASES.values():
            phase(search)
        mails(search, arena)
        unseen = set(WORDS) - search.seen
        if unseen:
            search.fail(f"nobody was ever shown {', '.join(sorted(unseen))}: the search may be blind")
        security = row_security(search) if arena.kind == "postgresql" else {"row security": "SQLite has none"}
    return Outcome(
        figures={**search.tried, **security},
        windows={name: search.tried[name] for name in LEAST},
        failures=tuple(search.failures[:20]),
    )


ONE_BUSINESS = {"SP-2": "other contractor", "PT-2": "other contractor"}
"""Systems that one business alone is named by and has reported of: a notice to another holds no word of theirs."""


def mails(search: Search, arena: Arena) -> None:
    """Scan both counties, send all that is queued to a folder, and read each mail with its reader's eyes."""
    world = search.stage.world
    folder = arena.folder / "mail"
    config = Config.from_environment({
        "DATABASE_URL": world.config.database_url, "PUMPER_MAIL_DIR": str(folder),
        "PUMPER_SIGNING_KEY_FILE": str(world.config.signing_key_file),
    })  # fmt: skip
    for county in COUNTIES:
        scan_county(world.database, county, TODAY, world.clock(), config.base_url)
    deliver_all(config, world.database, lambda: world.clock())
    for path in sorted(folder.glob("*.eml")):
        message = message_from_bytes(path.read_bytes(), policy=policy.default)
        assert isinstance(message, EmailMessage)
        _read_mail(search, message)
        path.unlink()


def _read_mail(search: Search, message: EmailMessage) -> None:
    said = "\n".join(part.get_content() for part in message.walk() if part.get_content_maintype() == "text")
    text = said + "\n".join(f"{name}: {value}" for name, value in message.items())
    for address in [one.addr_spec for one in message["To"].addresses]:
        search.tried["mails"] += 1
        for found in WORDS:
            if found in text and not _may_be_told(address, found):
                search.fail(f"a mail to {address} holds {found}: {message['Subject']}")
        for permit, business in ONE_BUSINESS.items():
            if re.search(rf"\b{permit}\b", text) and address in READERS and READERS[address] != business:
                search.fail(f"a mail to {address} holds {permit}, which only the {business} has served")


def _may_be_told(address: str, found: str) -> bool:
    if address in READERS:
        return may_see(READERS[address], found, by_mail=True)
    local, _, domain = address.partition("@")
    if domain == "owner.example":  # an owner: of the one system whose words name it
        return local[2] == found[2] and local[6:] == found[6:]
    return domain == f"{WORDS[found][0]}.example"  # the county's office


def row_security(search: Search) -> dict[str, int]:
    """PostgreSQL alone: nothing asked for; then everything asked for in the wrong county's name."""
    seen, wrong = sabotage.rows_of_others(search.stage.world.database)
    for text in wrong:
        search.fail(text)
    under = Search(stage=search.stage, callers=search.callers, every=search.every)
    with sabotage.filter_sabotaged(search.stage):
        for name in ("own", "cursors"):
            PHASES[name](under)
    # What breaks without its rows is no matter here; what is shown is.
    for text in under.failures:
        if " shows " in text:
            search.fail(f"with the filter sabotaged: {text}")
    return {"rows read without a filter": seen, "answers with the filter sabotaged": under.tried["answers searched"]}


class FoundOut(Exception):
    """A search for a wall that was taken down has found enough."""


@dataclass
class Hunt(Search):
    """A search that ends when it has told of so many words or differences; its own mistakes are none of them."""

    enough: int = 1
    found_out: list[str] = field(default_factory=list)

    def fail(self, text: str) -> None:
        """A failure; the last that is needed ends the search."""
        super().fail(text)
        self.found_out = [
            text for text in self.failures if any(say in text for say in (" shows ", "another's", " holds "))
        ]
        if len(self.found_out) >= self.enough:
            raise FoundOut


def control(phases: Sequence[str], wall: Sabotage) -> Callable[[Arena, Size], Outcome]:
    """The same search with a wall taken down. It must tell of words or of differences, and not of its own mistakes."""

    def broken(arena: Arena, size: Size) -> Outcome:
        with stage(arena) as found, wall():
            search = Hunt(stage=found, callers=CALLERS[size], enough=ENOUGH[size])
            with suppress(FoundOut):
                for name in phases:
                    mails(search, arena) if name == "mails" else PHASES[name](search)
        return Outcome(figures=dict(search.tried), failures=tuple(search.found_out[:20]))

    return broken


def unfiltered(arena: Arena, size: Size) -> Outcome:
    """The application's filter asks for the wrong county, and no row security stands behind it."""
    with stage(arena) as found:
        search = Search(stage=found, callers=KEYS)
        with _without_row_security(arena, found), sabotage.filter_sabotaged(found):
            PHASES["own"](search)
            wrong = sabotage.rows_of_others(found.world.database)[1] if arena.kind == "postgresql" else ["SQLite"]
    shown = [text for text in search.failures if " shows " in text]
    return Outcome(figures=dict(search.tried), failures=tuple(shown[:20]) if wrong else ())


@contextmanager
def _without_row_security(arena: Arena, found: Stage) -> Iterator[None]:
    if arena.kind == "sqlite":
        yield
        return
    owner = Database.connect(found.urls.owner_url)
    try:
        with sabotage.policies_off(owner):
            yield
    finally:
        owner.dispose()


LEAST = ("answers searched", "foreign against absent", "in bodies", "in files", "cursors", "mails", "log lines")
PROOF = Proof(
    promise="P12",
    says="nobody sees another's data",
    run=run,
    in_small=("sqlite",),
    controls={
        "every business sees every system": control(["own"], sabotage.visibility_broken),
        "a key is good for every county": control(["own"], sabotage.county_unchecked),
        "reports are everybody's": control(["paths"], sabotage.owner_unchecked),
        "the filter asks for another county": unfiltered,
        "the log names addresses with their queries": control(["filters", "log"], sabotage.log_names_queries),
        "mail goes to a neighbour": control(["mails"], sabotage.mail_to_a_neighbour),
    },
    least={name: (count, count) for name, count in zip(LEAST, (2_000, 1_000, 30, 4, 60, 6, 2_000), strict=True)},
)
