"""The rejected rows of a submission as a table to mend: as they came, with what is wrong beside. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from reporting.intake.headings import match_headings
from reporting.intake.reading import BEYOND, keepable

ERRORS: Final = "errors"
# What a column without a heading is called in answers (`table.make_columns`).
_NAMELESS: Final = re.compile(r"\(column [A-Z]{1,3}\)")


def rejected_table(
    headings: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    fields: Mapping[str, Sequence[str]],
    learned: Mapping[str, str | None],
) -> list[list[str]]:
    """The lines of the file, heading first.

    headings: of the file that was sent, in its order. rows: stored outcomes. fields, learned: what headings mean.
    Beside the file's own columns there is `errors`, and an empty one for each field that a row lacks and no column
    gives. They come last; where a row has cells beyond the last heading they come first, so that these stay beyond it
    and the cells can be moved back under their headings.
    """
    more = dict.fromkeys(keepable(h) for row in rows for h in row["cells"] if not h.startswith(BEYOND))
    own = [h for h in dict.fromkeys((*headings, *more)) if h != ERRORS]  # `errors` is from the time before
    covered = set(match_headings(own, fields, learned=learned).mapping.values())
    asked = dict.fromkeys(e["field"] for row in rows for e in row["errors"] if e["field"] in fields)
    added = [name for name in asked if name not in covered]
    surplus = [_beyond(row["cells"]) for row in rows]
    first = any(surplus)
    before, after = ([ERRORS, *added], []) if first else ([], [*added, ERRORS])
    lines = [[*before, *("" if _NAMELESS.fullmatch(h) else h for h in own), *after]]
    for row, beyond in zip(rows, surplus, strict=True):
        cells = {keepable(h): text for h, text in row["cells"].items()}
        beside = [errors_text(row["errors"]) if name == ERRORS else "" for name in (*before, *after)]
        shown = [cells.get(h, "") for h in own]
        lines.append([*beside, *shown, *beyond] if first else [*shown, *beside])
    return lines


def errors_text(errors: Iterable[Mapping[str, Any]]) -> str:
    """What is wrong with a row, in one cell."""
    return "; ".join(f"{e['field']}: {e['message']}" if e["field"] else str(e["message"]) for e in errors)


def _beyond(cells: Mapping[str, str]) -> list[str]:
    return [text for heading, text in cells.items() if heading.startswith(BEYOND)]
