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

VALUE_CODES: dict[str, str] = {
    "ambiguous_number": "a point where it could part thousands or decimals",
    "bad_character": "characters that are no text, or a line break in a number",
    "bad_image": "no small, whole PNG where the image of a signature is asked for",
    "blank": "only invisible characters",
    "choice": "a value is none of those that its field allows",
    "date": "no date that can be read",
    "date_impossible": "a day that no calendar has (month first)",
    "date_incomplete": "a date without its day or year",
    "date_number": "a number where a date is asked for",
    "date_two_digit_year": "a year of two digits that would lie in the future",
    "date_year": "a year that cannot be meant",
    "email": "no address of mail",
    "excel_date": "a spreadsheet made a date of a fraction",
    "formula_error": "a formula that ends in an error",
    "formula_without_value": "a formula whose result was not saved",
    "fraction": "no share from 0 to 1",
    "instant": "no date and time with a zone",
    "latitude": "no degrees north",
    "license": "no licence number",
    "longitude": "no degrees east",
    "merged_cell": "a cell that is merged with another",
    "month_day": "no day of the year as MM-DD",
    "negative": "a number below 0",
    "not_a_number": "no number",
    "not_text": "a list, an object or yes/no where a text is asked for",
    "not_whole": "no whole number in digits",
    "reading": "no meter reading in digits",
    "time": "no time of day",
    "too_large": "a number beyond what its field holds",
    "too_long": "a text beyond what its field holds",
    "too_small": "a number below what its field holds",
    "yes_no": "neither yes nor no",
    "zone": "no time zone",
    "zone_missing": "a time without its zone",
}
"""What can be wrong with one value by itself, in the same place as a `Code`."""

WARNING_CODES: dict[str, str] = {
    "duplicate": "the report is in already; nothing was added",
    "excel_date": "a spreadsheet made a date of an identifier",
    "excel_decimal": "a spreadsheet made a decimal number of an identifier",
    "excel_rounded": "a spreadsheet cut off digits of an identifier",
    "excel_scientific": "a spreadsheet shows an identifier with an exponent",
    "excel_zeros": "a spreadsheet holds an identifier as a number: zeros in front are lost",
    "implausible_gallons": "more gallons than such a tank holds",
    "license_unknown": "the licence is not in the list of contractors",
    "license_zeros": "zeros in front of a licence number were lost; it is taken as the business's own",
    "matched_by": "its numbers did not tell the system; `value` says what did (`remembered`: a person, before)",
    "possible_duplicate": "another report tells of the same service",
    "review": "the report is kept, and a person decides which system it is of; `value` says why",
    "taken_as_pumping": "no type of service was given; gallons were",
}
"""What a row that came in is to be looked at for."""


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
