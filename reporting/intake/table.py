"""What CSV and workbooks have in common: finding the heading among the first rows, and cutting rows along it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reporting.intake.sheet import Cell, FileRefused, Limits, Row, RowFault, column_letter, is_blank, is_summary

KnownHeading = Callable[[str], bool]

# Title, address and date lines above the heading; nobody puts more.
ROWS_SEARCHED = 40
# The width of Excel's own sheets; what is wider is no table, and is not looked at cell by cell.
_WIDEST = 16_384


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading row: its number, its texts by column (blank ones too), and how many of them are known."""

    number: int
    texts: tuple[str, ...]
    known: int


def find_heading(rows: Iterable[tuple[int, Sequence[str]]], known_heading: KnownHeading) -> Heading | None:
    """The row with most known headings among the first filled ones (the earlier at a tie); None when all are blank.

    rows: (row number, texts). When no heading is known at all, the first filled row is returned with `known=0`.
    """
    best: Heading | None = None
    filled = 0
    for number, texts in rows:
        texts = texts[: _WIDEST + 1]
        if all(is_blank(text) for text in texts):
            continue
        known = len({text.strip().casefold() for text in texts if not is_blank(text) and known_heading(text)})
        if best is None or known > best.known:
            best = Heading(number=number, texts=_without_trailing_blanks(texts), known=known)
        filled += 1
        if filled == ROWS_SEARCHED:
            break
    return best


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The columns of a table: heading texts by column, "" for a column without heading and without content."""

    heading_row: int
    texts: tuple[str, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings that name something, in order."""
        return tuple(text for text in self.texts if text)

    def is_heading_again(self, texts: Sequence[str]) -> bool:
        """Whether a row repeats the heading, as lists printed page by page do."""
        return _without_trailing_blanks([text.strip() for text in texts]) == self.texts

    def cut(self, number: int, cells: Sequence[Cell | None], raw: bytes, fault: RowFault | None = None) -> Row:
        """One row cut along the columns; None stands for a blank cell."""
        width = len(self.texts)
        named = {text: cell for text, cell in zip(self.texts, cells, strict=False) if cell is not None and text}
        return Row(
            number=number,
            pointer=f"/{number - self.heading_row - 1}",
            cells=named,
            raw=raw,
            surplus=tuple(cell.text for cell in cells[width:] if cell is not None),
            missing=tuple(text for text in self.texts[len(cells) :] if text),
            is_summary=is_summary(cell.text for cell in cells if cell is not None and not _is_merged(cell)),
            fault=fault,
        )


def make_columns(heading: Heading, used: frozenset[int], limits: Limits) -> Columns:
    """The columns below a heading row. FileRefused when there are too many or two bear the same name.

    used: columns (from 0) without a heading that hold something below it; they are named `(column C)`.
    """
    if len(heading.texts) > _WIDEST:
        raise _refuse_too_many_columns(limits)
    texts = tuple(
        f"(column {column_letter(index)})"
        if is_blank(text) and index in used
        else ""
        if is_blank(text)
        else text.strip()
        for index, text in enumerate(heading.texts)
    )
    if sum(1 for text in texts if text) > limits.max_columns:
        raise _refuse_too_many_columns(limits)
    twice = _first_repeated(texts)
    if twice is not None:
        first, second = twice
        raise FileRefused(
            "duplicate_heading",
            f"The heading “{shorten(texts[second])}” stands in column {column_letter(first)} and again in column "
            f"{column_letter(second)}: name each column once and save the file again.",
            headings=tuple(text for text in texts if text),
        )
    return Columns(heading_row=heading.number, texts=texts)


def refuse_unknown(heading: Heading) -> FileRefused:
    """The refusal of a file in which no heading was recognised."""
    texts = [text.strip() for text in heading.texts if not is_blank(text)]
    shown = ", ".join(shorten(text) for text in texts[:6])
    return FileRefused(
        "no_heading",
        f"No known heading was found; the first row reads “{shown}”: put the column names of the template, for example "
        "permit_number and service_date, in the first row and save the file again.",
        headings=[shorten(text, 200) for text in texts[:200]],
    )


def refuse_empty() -> FileRefused:
    """The refusal of a file without anything in it."""
    return FileRefused(
        "empty_file", "The file is empty: check that it was saved with the reports in it and send it again."
    )


def refuse_no_rows() -> FileRefused:
    """The refusal of a file with a heading and nothing below it."""
    return FileRefused("no_rows", "The file has a heading row and no reports below it: add them and send it again.")


def refuse_too_many_rows(limits: Limits) -> FileRefused:
    """The refusal of a file with more rows than one file may have."""
    return FileRefused(
        "too_many_rows", f"The file has more than {limits.max_rows:,} rows: split it and send each part by itself.", 413
    )


def shorten(text: str, length: int = 60) -> str:
    """A text of the sender's for a message: one printable line of limited length."""
    line = "".join(char if char.isprintable() else " " for char in text[: length + 1])
    return line if len(line) <= length else line[:length] + "…"


def _refuse_too_many_columns(limits: Limits) -> FileRefused:
    return FileRefused(
        "too_many_columns",
        f"The file has more than {limits.max_columns} columns: leave out those that are no part of a report.",
    )


def _is_merged(cell: Cell) -> bool:
    return cell.fault is not None and not cell.text


def _first_repeated(texts: Sequence[str]) -> tuple[int, int] | None:
    seen: dict[str, int] = {}
    for index, text in enumerate(texts):
        key = " ".join(text.casefold().split())
        if key and key in seen:
            return seen[key], index
        seen[key] = index
    return None


def _without_trailing_blanks(texts: Sequence[str]) -> tuple[str, ...]:
    end = len(texts)
    while end and is_blank(texts[end - 1]):
        end -= 1
    return tuple(texts[:end])
