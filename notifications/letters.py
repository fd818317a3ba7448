"""What a letter says: from a queued message to its address, its title and its blocks of text, as plain values. Pure.

A letter has the words of the mail of its kind, `templates/<kind>/letter.txt`, so that nobody is told anything else on
paper; the end, which is about answering a mail, tells how the office is reached instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

from notifications.addresses import one_line
from notifications.dates import long_day
from notifications.letters_address import PostalAddress, printable
from notifications.render import render_letter
from notifications.wording import Part
from schemas.program import Program

SYSTEM_PAGE: Final = "/s/"
"""Where a system's page is, before its id."""
SMALL: Final = "small"
"""A paragraph in small print."""


@dataclass(frozen=True, kw_only=True)
class Office:
    """Who writes: the name on top, the return address, how the office is reached; as the letters of a run say it."""

    name: str
    address: tuple[str, ...]
    phone: str = ""
    email: str = ""

    def as_json(self) -> dict[str, Any]:
        """The office as it is kept with a run."""
        return {"name": self.name, "address": list(self.address), "phone": self.phone, "email": self.email}


@dataclass(frozen=True, kw_only=True)
class Letter:
    """One letter, all that is printed of it. `number`: the message's id; `link`: the page of its system.

    rule: id and citation, for the proof of mailing; window_from: the first day of the window that it tells of, or none.
    """

    number: str
    kind: str
    address: PostalAddress
    dated_on: date
    title: str
    blocks: tuple[Part, ...]
    link: str
    rule: str = ""
    window_from: str = ""

    def as_json(self) -> dict[str, Any]:
        """The letter as it is kept with its run and handed to the typesetter."""
        face = self.address.face
        return {
            "number": self.number,
            "kind": self.kind,
            "address": list(self.address.lines),
            "size": face.size,
            "pitch": face.pitch,
            "dated": long_day(self.dated_on),
            "title": self.title,
            "blocks": [_as_json(block) for block in self.blocks],
            "link": self.link,
            "rule": self.rule,
            "window_from": self.window_from,
        }


def read_office(program: Program) -> Office:
    """The county's office by its settings; without an address where none is set."""
    lines = (one_line(line) for line in re.split(r"[\n;]", program.text_of("office_address")))
    return Office(
        name=printable(one_line(program.text_of("office_name"))) or program.name,
        address=tuple(printable(line) for line in lines if line),
        phone=printable(one_line(program.text_of("office_phone"))),
        email=printable(one_line(program.text_of("county_email"))),
    )


def write_letter(
    message: Mapping[str, Any], address: PostalAddress, office: Office, dated_on: date, base_url: str
) -> Letter:
    """Write a queued message as a letter of a day.

    message: `id`, `kind`, `system`, `content`. Raises `jinja2.TemplateError`, `ValueError` (a kind that no
    letter is of).
    """
    content = message["content"]
    title, *body = map(_printable, render_letter(message["kind"], content, dated_on))
    system = str(message["system"] or content.get("system") or "")
    return Letter(
        number=message["id"],
        kind=message["kind"],
        address=address,
        dated_on=dated_on,
        title=_title(title.text, str(content.get("county_name") or "")),
        blocks=(*body, *_closing(content, office)),
        link=printable(f"{base_url}{SYSTEM_PAGE}{quote(system, safe='')}" if system else base_url),
        rule=printable(_rule(content)),
        window_from=_window(content),
    )


def text_of(letter: Mapping[str, Any], office: Mapping[str, Any]) -> str:
    """A letter (`as_json`) as plain text: what its hash is taken of, and what the record keeps."""
    lines = [office["name"], *office["address"], office["phone"], office["email"], "", *letter["address"], ""]
    lines += [letter["dated"], f"Notice {letter['number']}", "", letter["title"], ""]
    for block in letter["blocks"]:
        lines += [block["text"]] if "text" in block else []
        marks = "- " if block["kind"] == "list" else ""
        lines += [f"{marks}{item}" for item in block.get("items", ())]
        lines += [f"{name}: {value}" for name, value in block.get("facts", ())]
        lines.append("")
    return "\n".join([*lines, letter["link"]]) + "\n"


def hash_of(letter: Mapping[str, Any], office: Mapping[str, Any]) -> str:
    """SHA-256 in hex of a letter's text in UTF-8: the same whenever and wherever it is printed again."""
    return sha256(text_of(letter, office).encode()).hexdigest()


def _rule(content: Mapping[str, Any]) -> str:
    """The rules and sections that a letter stands on, as its content tells them."""
    told = content.get("lines") or [content.get("tank") or content]
    rules = (", ".join(one_line(one[name]) for name in ("rule", "cite") if one.get(name)) for one in told)
    return "; ".join(dict.fromkeys(rules))


def _window(content: Mapping[str, Any]) -> str:
    """The first day (ISO) of the window that a letter tells of, or ""."""
    day = content.get("opens_on")
    return date.fromisoformat(str(day)).isoformat() if day else ""


def _title(text: str, county: str) -> str:
    """The title without the county's name, which stands on top of the sheet."""
    rest = text.removeprefix(f"{county}: ") if county else text
    return rest[:1].upper() + rest[1:]


def _printable(part: Part) -> Part:
    return Part(
        kind=part.kind,
        text=printable(part.text),
        items=tuple(map(printable, part.items)),
        facts=tuple((printable(name), printable(value)) for name, value in part.facts),
    )


def _as_json(part: Part) -> dict[str, Any]:
    """A part with what it has."""
    told = {"text": part.text, "items": list(part.items), "facts": [list(pair) for pair in part.facts]}
    return {"kind": part.kind, **{name: value for name, value in told.items() if value}}


def _closing(content: Mapping[str, Any], office: Office) -> Iterator[Part]:
    """How the office is reached, and which law the sections are of."""
    ways = ["write to the address at the top"]
    ways += [f"call {office.phone}"] if office.phone else []
    ways += [f"send a mail to {office.email}"] if office.email else []
    reach = f"{', '.join(ways[:-1])} or {ways[-1]}" if len(ways) > 1 else ways[0]
    yield Part(kind="paragraph", text=f"To reach {office.name}, {reach}. Name the notice's number or the permit.")
    if content.get("authority"):
        law = f"Section numbers are those of {one_line(content['authority'])}; SPS and NR are chapters of the"
        yield Part(kind=SMALL, text=printable(f"{law} Wisconsin Administrative Code."))
