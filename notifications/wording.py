"""A notice whose words stand in one text for mail and post, `templates/<kind>/letter.txt`: read into its parts. Pure.

A line's beginning says what it is: `# ` the title, `## ` a heading, `- ` an item of a list, `: Name: value` a line of a
table; other lines that follow each other are one paragraph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

_MARKS: Final = {"# ": "title", "## ": "heading", "- ": "item", ": ": "fact"}
ANSWER: Final = "How to answer"
"""The heading over what the reader can do."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A piece of the text: `title`, `heading`, `paragraph` (`text`), `list` (`items`) or `facts` (names and values)."""

    kind: str
    text: str = ""
    items: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


def read_parts(text: str) -> Iterator[Part]:
    """The parts of a text whose lines begin as the module says."""
    marked = [_marked(line.strip()) for line in text.splitlines()]
    for kind, group in groupby(marked, key=lambda pair: pair[0]):
        texts = [text for _, text in group]
        if kind in ("title", "heading"):
            yield from (Part(kind=kind, text=text) for text in texts)
        elif kind == "item":
            yield Part(kind="list", items=tuple(texts))
        elif kind == "fact":
            yield Part(kind="facts", facts=tuple(_pair(text) for text in texts))
        elif kind:
            yield Part(kind=kind, text=" ".join(texts))


def plain_lines(parts: Iterable[Part]) -> Iterator[str]:
    """The parts as lines of plain text, an empty one after each; they are not yet broken."""
    for part in parts:
        if part.kind == "heading":
            yield part.text.upper() if part.text == ANSWER else part.text
            if part.text == ANSWER:
                yield ""
            continue
        yield from (f"- {item}" for item in part.items)
        yield from (f"{name}: {value}" for name, value in part.facts)
        if part.text:
            yield part.text
        yield ""


def _marked(line: str) -> tuple[str, str]:
    for mark, kind in _MARKS.items():
        if line.startswith(mark):
            return kind, line[len(mark) :].strip()
    return ("paragraph" if line else ""), line


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition(": ")
    return name, value.strip()
