"""What a digest brings beside its text: its duties as a table for spreadsheets, and as days for a calendar. Pure.

CSV by RFC 4180 with CRLF and a mark of UTF-8; a text that a spreadsheet would take for a formula begins with an
apostrophe. The calendar is made in `notifications.calendars`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from notifications.calendars import calendar_of, uid_of
from notifications.records import NoticeKind
from reporting.spreadsheets import BOM, csv_lines

__all__ = ["COLUMNS", "Attachment", "attachments_of", "calendar_of", "csv_of", "uid_of"]

COLUMNS: Final = (
    "municipality", "site_address", "permit_number", "parcel_number", "component", "component_ref", "owner_name",
    "access_notes", "due_on", "last_day", "because", "rule", "cite", "last_pumped_on", "last_gallons", "full_on",
    "latitude", "longitude", "map_url",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """A file of a mail. `media`: as in `text/csv`; its bytes are UTF-8."""

    name: str
    media: str
    data: bytes


def attachments_of(kind: str, content: Mapping[str, Any]) -> tuple[Attachment, ...]:
    """The files of a message: a contractor's digest has two, every other kind none."""
    if kind != NoticeKind.DUE_DIGEST:
        return ()
    name = f"due-{content['county']}-{content['written_on']}"
    lines = content["lines"]
    return (
        Attachment(name=f"{name}.csv", media="text/csv", data=csv_of(lines)),
        Attachment(name=f"{name}.ics", media="text/calendar", data=calendar_of(lines, content)),
    )


def csv_of(lines: Sequence[Mapping[str, Any]]) -> bytes:
    """The duties as a table, one a row."""
    return BOM + csv_lines([COLUMNS, *([line.get(name) for name in COLUMNS] for line in lines)])
