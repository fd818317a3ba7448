"""The day's checkpoints: one for each log that has grown, mailed to the county's clerk, and good for a check."""

from datetime import timedelta
from pathlib import Path

from sqlalchemy import select

from notifications.outbox import claim_next
from notifications.queueing import queue_notices
from notifications.render import render
from reporting import tables
from reporting.checkpoints import make_checkpoints
from reporting.histories import county_program
from reporting.owners import Teller, set_setting
from reporting.store import log
from reporting.store.engine import Database
from reporting.store.log import SERVICE_LOG, NewEntry
from reporting.store.signing import Signer, read_heads
from reporting.store.verify import verify
from schemas.loader import shipped_program
from tests.reporting.counties import NOW, TODAY

COUNTIES = ("ozaukee", "portage")
DAY = timedelta(days=1)


def grow(database: Database, tenant: str, count: int = 2) -> None:
    with database.transaction(tenant) as store:
        log.append(store, [NewEntry(type="note", content={"n": n}) for n in range(count)], NOW)


def events(database: Database, county: str) -> list[dict[str, object]]:
    table = tables.domain_event
    with database.reading(county) as store:
        query = select(table).where(table.c.county == county, table.c.kind == "checkpoint").order_by(table.c.cause_key)
        return [dict(row) for row in store.connection.execute(query).mappings()]


def test_a_log_that_has_grown_is_signed_once_a_day(kept: Database, tmp_path: Path) -> None:
    signer = Signer.load(tmp_path / "signing.key")
    grow(kept, "ozaukee")
    first = make_checkpoints(kept, COUNTIES, signer, NOW)
    again = make_checkpoints(kept, COUNTIES, signer, NOW + DAY)
    assert [(head.county, head.size) for head in first] == [("ozaukee", 2)]  # Portage's has no entries
    assert again == first
    assert [event["cause_key"] for event in events(kept, "ozaukee")] == ["checkpoint:2"]
    grow(kept, "ozaukee", 1)
    grow(kept, SERVICE_LOG)
    later = make_checkpoints(kept, COUNTIES, signer, NOW + 2 * DAY)
    assert [(head.county, head.size) for head in later] == [(SERVICE_LOG, 2), ("ozaukee", 3)]
    assert [event["cause_key"] for event in events(kept, "ozaukee")] == ["checkpoint:2", "checkpoint:3"]
    assert events(kept, SERVICE_LOG) == []


def test_the_clerk_gets_it_and_can_check_with_it(kept: Database, tmp_path: Path) -> None:
    signer = Signer.load(tmp_path / "signing.key")
    grow(kept, "ozaukee")
    grow(kept, SERVICE_LOG)
    make_checkpoints(kept, COUNTIES, signer, NOW)
    with kept.transaction("ozaukee") as store:
        program = shipped_program("ozaukee")
        counts = queue_notices(store, program, TODAY, NOW, "https://reports.example.org")
    assert counts.skipped == {"no_clerk_address": 1}
    teller = Teller(program=program, by="clerk", now=NOW, signer=signer)
    with kept.transaction("ozaukee") as store:
        set_setting(store, teller, "clerk_email", "clerk@ozaukee.example", TODAY)
    make_checkpoints(kept, COUNTIES, signer, NOW + DAY)
    with kept.transaction("ozaukee") as store:
        program = county_program(store, "ozaukee", on=TODAY)
        counts = queue_notices(store, program, TODAY, NOW + DAY, "https://reports.example.org")
        claim = claim_next(store, NOW + DAY, DAY)
    assert counts.messages == {"checkpoint": 1}
    assert claim is not None
    assert claim.recipient == "clerk@ozaukee.example"
    mail = render(claim.kind, claim.content, TODAY).text
    heads = read_heads(mail, "mail", NOW)
    assert [head.county for head in heads] == ["ozaukee", SERVICE_LOG]
    for head in heads:
        with kept.reading(head.county) as store:
            assert verify(store, [signer.verifying_key], heads).problems == ()
