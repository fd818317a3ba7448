"""`pumper verify`: the record against itself, the tables, and what was kept outside of the service."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import click

from reporting import export_verifier
from reporting.cli.common import opened, signer_of
from reporting.cli.words import JSON, moment, print_json, read_file
from reporting.config import Config
from reporting.receipts import Receipt, verify_receipt
from reporting.store.engine import Database
from reporting.store.log import SERVICE_LOG, head
from reporting.store.projection import WHOLE, Span
from reporting.store.signing import SignedHead, VerifyingKey, read_heads
from reporting.store.verify import Part, VerifyResult, verify_part
from reporting.store.verify import verify as verify_log
from schemas.loader import shipped_slugs

_AT_ONCE: Final = 20_000
"""Up to so many entries the check is made in this process; of more, in two."""
_PROCESSES: Final = 2
_SPANS: Final = 6


@click.command()
@click.argument("file", required=False, metavar="[RECEIPT_FILE|EXPORT]")
@click.option(
    "--against",
    multiple=True,
    metavar="FILE",
    help="A checkpoint that was kept outside, such as a clerk's mail; may be given again.",
)
@click.option("--county", "only", metavar="COUNTY", help="This log alone; `_service` for what belongs to no county.")
@JSON
def verify(file: str | None, against: tuple[str, ...], only: str | None, as_json: bool) -> None:
    """Check the record of every county and of the service, one receipt against it, or an export.

    Without a checkpoint that was kept outside, what is found is what disagrees with itself: whoever has database and
    key could have rewritten both.
    """
    if only is not None and only not in _logs():
        raise click.UsageError(f"there is no log {only!r}; there are: {', '.join(_logs())}")
    if file is not None and _is_export(file):
        sys.exit(export_verifier.main(_words(file, against, as_json)))
    saved = _saved(against)
    with opened() as (settings, database):
        results = _verify(database, settings, file, saved, only)
    if as_json:
        print_json([_as_json(r) for r in results])
    else:
        for result in results:
            click.echo(_as_text(result, saved=saved))
    if not all(r.ok for r in results):
        sys.exit(1)


def _logs() -> tuple[str, ...]:
    return (*shipped_slugs(), SERVICE_LOG)


def _is_export(name: str) -> bool:
    path = Path(name)
    return name != "-" and (path.is_dir() or (path.is_file() and zipfile.is_zipfile(path)))


def _words(file: str, against: Sequence[str], as_json: bool) -> list[str]:
    checkpoints = [word for name in against for word in ("--checkpoint", name)]
    return [file, *checkpoints, *(["--json"] if as_json else [])]


def _saved(against: Sequence[str]) -> list[SignedHead]:
    heads = []
    for name in against:
        text = read_file(name).decode("utf-8", "replace")
        heads += read_heads(text, name, moment())
    unknown = sorted({head.county for head in heads} - set(_logs()))
    if unknown:
        raise click.UsageError(f"a checkpoint is of {', '.join(unknown)}, which has no program here")
    return heads


def _verify(
    database: Database, settings: Config, file: str | None, saved: list[SignedHead], only: str | None
) -> list[VerifyResult]:
    keys = [signer_of(settings).verifying_key]
    if file is None:
        logs = [only] if only else list(_logs())
        sizes = {slug: _size(database, slug) for slug in logs}
        if sum(sizes.values()) > _AT_ONCE:
            return _verify_apart(settings.database_url, sizes, keys, saved)
        return [_verify_log(database, slug, keys, saved) for slug in logs]
    receipt = Receipt.parse(read_file(file))
    if receipt.county not in _logs():
        raise click.UsageError(f"the receipt is of {receipt.county!r}, which has no program here")
    return [_verify_receipt(database, receipt, keys, saved)]


def _size(database: Database, slug: str) -> int:
    with database.reading(slug) as store:
        return head(store).size


def _verify_log(
    database: Database, slug: str, keys: Sequence[VerifyingKey], saved: Sequence[SignedHead]
) -> VerifyResult:
    with database.reading(slug) as store:
        return verify_log(store, keys, saved)


def _verify_apart(
    url: str, sizes: Mapping[str, int], keys: Sequence[VerifyingKey], saved: Sequence[SignedHead]
) -> list[VerifyResult]:
    """The logs, and the tables against them, in processes of their own: the longest first."""
    order = sorted(sizes, key=lambda slug: -sizes[slug])
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as pool:
        logs = {slug: pool.submit(verify_part, url, slug, Part.LOG, WHOLE, keys, saved) for slug in order}
        tables = [
            (slug, pool.submit(verify_part, url, slug, Part.TABLES, span))
            for slug in order
            for span in _spans(sizes[slug])
        ]
        found = {slug: one.result() for slug, one in logs.items()}
        for slug, one in tables:
            found[slug] = replace(found[slug], problems=(*found[slug].problems, *one.result().problems))
    return [found[slug] for slug in sizes]


def _spans(size: int) -> list[Span]:
    """A log's entries in parts that are about alike; the last one has no end, so that nothing lies beyond it."""
    step = max(size // _SPANS + 1, _AT_ONCE)
    starts = range(1, max(size, 1) + 1, step)
    return [
        Span(first=start if start > 1 else None, last=start + step - 1 if start + step <= size else None)
        for start in starts
    ]


def _verify_receipt(
    database: Database, receipt: Receipt, keys: list[VerifyingKey], saved: list[SignedHead]
) -> VerifyResult:
    with database.reading(receipt.county) as store:
        return verify_receipt(store, receipt, keys, saved)


def _as_json(result: VerifyResult) -> dict[str, object]:
    problems = [{"code": p.code, "seq": p.seq, "message": p.message} for p in result.problems]
    shown = {"county": result.county, "ok": result.ok, "size": result.size, "root": result.root.hex()}
    return {**shown, "checkpoints": result.checkpoints, "first_bad": result.first_bad, "problems": problems}


def _as_text(result: VerifyResult, *, saved: Sequence[SignedHead]) -> str:
    kept = sum(head.county == result.county for head in saved)
    if result.ok:
        outside = f", {kept} kept outside" if kept else ""
        return f"{result.county}: {result.size} entries, {result.checkpoints} signed heads{outside}: all hold"
    first = f"the first at entry {result.first_bad}" if result.first_bad else "none of them at one entry"
    lines = [f"{result.county}: {len(result.problems)} problems, {first}"]
    return "\n".join([*lines, *(f"  {p.message}" for p in result.problems)])
