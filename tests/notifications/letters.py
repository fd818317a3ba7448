"""Letters in the queue of an invented county, and a PDF read back: words with their places, tags, title."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from pypdf import PageObject, PdfReader

from notifications.letters_draft import Maker
from notifications.outbox import add_message
from notifications.records import Channel, Notice, NoticeKind
from notifications.samples import sample_notices
from reporting.store.engine import Store
from schemas.program import Program
from tests.notifications.builders import BASE_URL, NOON, TODAY, a_program

OFFICE = {
    "office_address": "Land and Water Management Department; 121 West Main Street; Port Washington, WI 53074",
    "office_phone": "262-555-0142",
}
STREET = "N5555 County Road K\nSaukville, WI 53080"


def an_office_program(slug: str = "ozaukee", **settings: object) -> Program:
    return a_program(slug, **{**OFFICE, **settings})


def a_maker(slug: str = "ozaukee", **values: Any) -> Maker:
    usual = {"program": an_office_program(slug), "by": "key_clerk", "today": TODAY, "now": NOON, "base_url": BASE_URL}
    return Maker(**{**usual, **values})


def letter_context(
    number: int = 1, *, kind: NoticeKind = NoticeKind.CASE_OPENED, slug: str = "ozaukee", **values: Any
) -> dict[str, Any]:
    """What the owner's letter of a kind is written from, about a tank of the county."""
    program = an_office_program(slug)
    content = next(
        dict(notice.context)
        for notice in sample_notices(kind, program, TODAY, BASE_URL)
        if notice.context.get("audience") == "owner"
    )
    place = {"permit_number": f"SP-{1986 + number}", "site_address": f"N{5550 + number} County Road K"}
    if "tank" in content:
        law = {"rule": "OZ5", "cite": "9.023(2)(b)"} if kind == NoticeKind.CASE_OPENED else {}
        content["tank"] = {**content["tank"], **place, **law, **values.pop("tank", {})}
    # No event that judging knows, so that the letter stays wanted.
    content["channel"] = str(Channel.LETTER)
    told = {"event_kind": "owner letter", "cause_key": f"letter:{number}", "system": f"sys_{number}"}
    return {**content, **told, **values}


def queue_letter(
    store: Store,
    number: int = 1,
    recipient: str | None = None,
    *,
    kind: NoticeKind = NoticeKind.CASE_OPENED,
    now: datetime = NOON,
    system: str | None = "",
    slug: str = "ozaukee",
    **values: Any,
) -> str:
    """A letter in the queue; its message's key."""
    about = f"sys_{number}" if system == "" else system
    notice = Notice(
        kind=kind,
        recipient=f"Laverne Lor\n{STREET}" if recipient is None else recipient,
        dedupe_key=f"{kind}|letter:{number}",
        context=letter_context(number, **{"kind": kind, "slug": slug, "system": about, **values}),
        channel=Channel.LETTER,
        system=about,
    )
    assert add_message(store, notice, now, "reports.example.org")
    return notice.dedupe_key


def a_message(number: int = 1, kind: NoticeKind = NoticeKind.CASE_OPENED, **values: Any) -> dict[str, Any]:
    """The same as the row of a message."""
    content = letter_context(number, kind=kind, **values)
    return {"id": f"msg_{number}", "kind": str(kind), "system": f"sys_{number}", "content": content}


@dataclass(frozen=True, kw_only=True)
class Word:
    """A piece of text on a page: inches from the upper left corner to where its baseline begins, size in points."""

    text: str
    left: float
    down: float
    size: float


def read_pdf(data: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(data), strict=True)


def words_of(page: PageObject) -> list[Word]:
    """The pieces of text of a page with their places."""
    found: list[Word] = []
    height = float(page.mediabox.height)

    def visit(text: str, cm: list[float], tm: list[float], _font: object, size: float) -> None:
        if text.strip():
            x, y = tm[4] * cm[0] + tm[5] * cm[2] + cm[4], tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
            scale = abs(tm[3] * cm[3])
            found.append(Word(text=text.strip(), left=x / 72, down=(height - y) / 72, size=size * scale))

    page.extract_text(visitor_text=visit)
    return found


def tags_of(reader: PdfReader) -> list[str]:
    """The structure elements' types in the order in which a screen reader comes to them."""
    return [str(node["/S"]).removeprefix("/") for node in _elements(reader) if "/S" in node]


def alternatives_of(reader: PdfReader) -> list[str]:
    """What a screen reader says of each picture."""
    return [str(node["/Alt"]) for node in _elements(reader) if "/Alt" in node]


def _elements(reader: PdfReader) -> Iterator[Any]:
    root: Any = reader.trailer["/Root"]

    def walk(node: Any) -> Iterator[Any]:
        node = node.get_object()
        for one in node if isinstance(node, list) else ():
            yield from walk(one)
        if isinstance(node, dict):
            yield node
            if "/K" in node:
                yield from walk(node["/K"])

    yield from walk(root["/StructTreeRoot"]["/K"])


GOLDEN = Path(__file__).with_name("golden_letters")
DAY = date(2026, 7, 13)
