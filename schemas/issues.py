"""What can be wrong with a report, as values: a code, where it is, what to do about it, and the section that asks for
it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Code(StrEnum):
    """The catalogue of codes. The words beside each are its documentation (`CODES`)."""

    REQUIRED = "required"
    REQUIRED_ONE_OF = "required_one_of"
    BAD_VALUE = "bad_value"
    IN_FUTURE = "in_future"
    NOT_A_CHOICE = "not_a_choice"
    UNKNOWN_FIELD = "unknown_field"
    SHIFTED_ROW = "shifted_row"
    UNREADABLE_ROW = "unreadable_row"
    REF_CONFLICT = "ref_conflict"
    LICENSE_NOT_YOURS = "license_not_yours"
    INCONSISTENT = "inconsistent"
    ALL_OR_NOTHING = "all_or_nothing"
    NO_PLACE = "no_place"


CODES: dict[Code, str] = {
    Code.REQUIRED: "a field that the program asks for is empty",
    Code.REQUIRED_ONE_OF: "none of several fields, one of which the program asks for, is filled in",
    Code.BAD_VALUE: "a value cannot be read as what its field holds",
    Code.IN_FUTURE: "a date of service lies in the future",
    Code.NOT_A_CHOICE: "a value is none of those that its field allows",
    Code.UNKNOWN_FIELD: "a single JSON report has a field that is not known",
    Code.SHIFTED_ROW: "a row has more cells than the file has headings",
    Code.UNREADABLE_ROW: "a row cannot be read",
    Code.REF_CONFLICT: "the ticket number was used before, with other content: amend that report instead",
    Code.LICENSE_NOT_YOURS: "the licence belongs to another business than the one that sends the report",
    Code.INCONSISTENT: "two fields of a row contradict each other",
    Code.ALL_OR_NOTHING: "another row was rejected, and all or nothing was asked for",
    Code.NO_PLACE: "nothing in the row says which system it is of",
}


@dataclass(frozen=True, kw_only=True)
class Issue:
    """One thing wrong with one row. `row`: the sheet's own number; `pointer`: RFC 6901; `cite`: the section that asks
    for the field.
    """

    code: str
    message: str
    field: str | None = None
    row: int | None = None
    pointer: str = ""
    value: str | None = None
    cite: str | None = None

    def at(self, row: int, pointer: str) -> Issue:
        """The same issue in a row."""
        return replace(self, row=row, pointer=pointer)

    def as_json(self) -> dict[str, object]:
        """The issue as contract.md's `errors[]` has it."""
        return {
            "row": self.row,
            "field": self.field,
            "pointer": self.pointer,
            "code": self.code,
            "message": self.message,
            "value": self.value,
            "cite": self.cite,
        }
