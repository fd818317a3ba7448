"""Fees as people read them: lists, a system's statement of account, and a year's roll for the tax bill."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

import xlsxwriter  # type: ignore[import-untyped]

from reporting.domain.fee_rolls import judged_on
from reporting.domain.ledger import Account, EntryKind, dollars
from reporting.fees.ledger import accounts_of
from reporting.fees.rolls import ALREADY, Line, all_lines, roll_page
from reporting.scenario_facts.ledger import entry_of
from reporting.store.engine import Store
from reporting.store.facts import StoredHistory
from reporting.store.fees import ChargeFilter, page_charges
from reporting.store.paging import LARGEST_PAGE
from schemas.acts import TaxRoll
from schemas.program import Program

FEE_COLUMNS: Final = (
    "charge", "permit_number", "parcel_number", "site_address", "rule", "what", "period", "year", "on", "due_on",
    "charged", "paid", "refunded", "waived", "left", "cite", "system",
)  # fmt: skip
BILL_COLUMNS: Final = (
    "parcel_number", "owner_name", "legal_description", "owner_mailing_address", "site_address", "municipality",
    "permit_number", "what", "period", "outcome", "because", "charged", "paid", "waived", "left", "rule", "cite",
    "taxed_as", "lien", "taxed_by", "charge", "system",
)  # fmt: skip
MONEY_COLUMNS: Final = frozenset({"charged", "paid", "refunded", "waived", "left"})

Row = Mapping[str, Any]


def charge_pages(store: Store, filters: ChargeFilter) -> Iterator[dict[str, Any]]:
    """Every charge that a filter lets through."""
    cursor: str | None = None
    while True:
        page = page_charges(store, filters, cursor, LARGEST_PAGE)
        yield from map(charge_json, page.rows)
        cursor = page.next_cursor
        if cursor is None:
            return


def charge_json(row: Row) -> dict[str, Any]:
    """A row of `page_charges` as plain JSON values; amounts in cents."""
    content = row["content"]
    place = {name: row[name] for name in ("permit_number", "parcel_number", "site_address")}
    sums = {name: int(row[name]) for name in ("charged", "paid", "refunded", "waived", "left")}
    return {"charge": row["id"], "system": row["system"], **place, **_said(content), **sums}


def in_dollars(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The same rows for a spreadsheet: amounts in dollars and cents, yes and no as words."""
    for row in rows:
        shown = {name: _words(value) if isinstance(value, bool) else value for name, value in row.items()}
        amounts = {name: dollars(row[name]) for name in MONEY_COLUMNS & row.keys() if row[name] is not None}
        yield {**shown, **amounts}


def statement(stored: StoredHistory) -> dict[str, Any]:
    """A system's account: each charge with what came of it, every entry in order of its day, and what is left.

    Amounts in cents. What was paid ahead of its charge stands among the entries, and counts once it is charged.
    """
    rows = [row for kind in EntryKind for row in stored.facts.get(kind.value, ())]
    accounts = accounts_of(rows)
    charges = [row for row in rows if row["kind"] == EntryKind.CHARGE and row["content"]["cents"]]
    told = {row["id"]: row["content"] for row in charges}
    made = {(row["content"]["on"], row["id"]): row for row in rows}
    entries = [_entry(row) for _, row in sorted(made.items())]
    ahead = sum(account.paid - account.refunded for account in accounts.values() if account.charged is None)
    known = [accounts[key] for key in told]
    return {
        "system": stored.system_id,
        "charges": [{"charge": key, **_said(told[key]), **_sums(accounts[key])} for key in told],
        "entries": entries,
        "total": _sums(Account(
            charged=sum(one.charged or 0 for one in known), paid=sum(one.paid for one in known),
            refunded=sum(one.refunded for one in known), waived=sum(one.waived for one in known),
        )),
        "paid_ahead": ahead,
    }  # fmt: skip


def bill_page(
    store: Store, program: Program, year: int, today: date, cursor: str | None, limit: int
) -> tuple[list[dict[str, Any]], str | None]:
    """The rows (`BILL_COLUMNS`, amounts in cents) of the next `limit` systems; raises `BadCursor`."""
    lines, following = roll_page(store, program, year, today, cursor, limit)
    return list(bill_rows(lines, program, year, today)), following


def all_bills(store: Store, program: Program, year: int, today: date) -> Iterator[dict[str, Any]]:
    """Every row of a year's roll."""
    return bill_rows(all_lines(store, program, year, today), program, year, today)


def bill_rows(lines: Iterable[Line], program: Program, year: int, today: date) -> Iterator[dict[str, Any]]:
    """The rows of a roll's lines: the fees of the roll, and whatever else was charged to the system for the year."""
    by = next(iter(program.at(judged_on(year, today)).of(TaxRoll)), None)
    taxed = {"taxed_as": by.act.charges_as, "lien": by.act.lien, "taxed_by": by.cite} if by else {}
    seen = ""
    for line in lines:
        rows = [row for kind in EntryKind for row in line.stored.facts.get(kind.value, ())]
        accounts = accounts_of(rows)
        place = {**dict.fromkeys(BILL_COLUMNS), **_place(line.stored)}
        if line.stored.system_id != seen:
            seen = line.stored.system_id
            for row in rows:
                if row["kind"] == EntryKind.CHARGE and row["content"]["cents"] and row["content"]["year"] == year:
                    yield {**place, **taxed, **_charged(row, accounts[row["id"]])}
        if line.outcome != ALREADY:
            said = {"outcome": line.outcome, "because": line.because, "rule": line.rule or None}
            yield {**place, **said, "cite": line.cite or None, "period": str(year)}


def bills_xlsx(title: str, rows: Iterable[Row]) -> bytes:
    """A workbook of a year's roll: numbers that are names are texts, amounts are numbers with a row of their sums."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_formulas": False, "strings_to_numbers": False})
    book.set_properties({"title": title, "created": datetime(2000, 1, 1, tzinfo=UTC)})
    sheet, bold = book.add_worksheet("Fee roll"), book.add_format({"bold": True})
    money, text = book.add_format({"num_format": "#,##0.00"}), book.add_format({"num_format": "@"})
    for column, name in enumerate(BILL_COLUMNS):
        sheet.write_string(0, column, name, bold)
        sheet.set_column(column, column, max(12, len(name) + 2))
    sums = dict.fromkeys(MONEY_COLUMNS & set(BILL_COLUMNS), 0)
    last = 0
    for last, row in enumerate(rows, start=1):
        for column, name in enumerate(BILL_COLUMNS):
            value = row.get(name)
            if name in sums and value is not None:
                sums[name] += value
                sheet.write_number(last, column, value / 100, money)
            elif value is not None:
                sheet.write_string(last, column, _words(value), text)
    sheet.write_string(last + 1, 0, "Total", bold)
    for name, cents in sums.items():
        sheet.write_number(last + 1, BILL_COLUMNS.index(name), cents / 100, money)
    sheet.freeze_panes(1, 0)
    book.close()
    return out.getvalue()


def _words(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _charged(row: Row, account: Account) -> dict[str, Any]:
    content = _said(row["content"])
    names = ("what", "period", "rule", "cite")
    sums = _sums(account)
    return {
        "charge": row["id"], "outcome": "charged", "because": f"charged {content['on']}",
        **{name: content[name] for name in names}, **{name: sums[name] for name in ("charged", "waived", "left")},
        "paid": account.paid - account.refunded,
    }  # fmt: skip


def _place(stored: StoredHistory) -> dict[str, Any]:
    system, owner = stored.system or {}, stored.owner or {}
    names = ("permit_number", "parcel_number", "site_address", "municipality")
    return {
        "system": stored.system_id,
        **{name: system.get(name) for name in names},
        "legal_description": (system.get("content") or {}).get("legal_description"),
        "owner_name": owner.get("name"),
        "owner_mailing_address": (owner.get("content") or {}).get("mailing_address"),
    }


def _said(content: Row) -> dict[str, Any]:
    """What a charge says of itself; one that comes of a rule goes by the name of its fee."""
    names = ("rule", "cite", "period", "year", "on", "due_on", "usual_cents", "note")
    what = content.get("what") or str(content["kind"]).replace("_", " ")
    return {"what": what, **{name: content.get(name) for name in names}}


def _sums(account: Account) -> dict[str, int]:
    names: Sequence[str] = ("paid", "refunded", "waived", "left")
    return {"charged": account.charged or 0, **{name: getattr(account, name) for name in names}}


def _entry(row: Row) -> dict[str, Any]:
    entry, content = entry_of(row), row["content"]
    names = ("reason", "authority", "reference", "method")
    told = {name: content[name] for name in names if content.get(name)}
    kind = entry.kind.value.removeprefix("fee_")
    return {"id": row["id"], "kind": kind, "charge": entry.charge, "on": content["on"], "cents": entry.cents, **told}
