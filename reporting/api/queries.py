"""What may stand behind the `?` of each address, read strictly; an unknown or repeated parameter is refused."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, cast

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, validate

from reporting.api.problems import field_error, unprocessable
from reporting.domain.answers import Standing, State
from reporting.reviews.reading import REASONS, STATES
from schemas.acts import COMPONENTS, EVENT_TYPES, OBLIGATION_KINDS

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?([Zz]|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)
_CONTROL: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_FIRST, _LAST = dt.date(1900, 1, 1), dt.date(2199, 12, 31)
LARGEST_PAGE: Final = 200


class DayField(fields.Date):
    """A day as YYYY-MM-DD, between 1900 and 2199."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dt.date:
        return _day(str(value))


class InstantField(fields.DateTime):
    """An instant with its time zone (RFC 3339)."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dt.datetime:
        # A plus sign that was not escaped arrives as a blank.
        text = re.sub(r" (?=[0-9]{2}:[0-9]{2}$)", "+", str(value))
        try:
            if _INSTANT.fullmatch(text):
                found = dt.datetime.fromisoformat(text.upper())
                _day(text[:10])
                return found.astimezone(dt.UTC)
        except (ValueError, OverflowError):
            pass
        raise ValidationError("Give an instant with its time zone, such as 2026-07-13T14:05:00Z.")


class TextField(fields.String):
    """A short text of one line."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = str(value).strip()
        if not text or len(text) > 200 or _CONTROL.search(text):
            raise ValidationError("Give a text of 1 to 200 characters in one line.")
        return text


class WordsField(fields.Field[tuple[str, ...]]):
    """One or several of some words, parted by commas."""

    def __init__(self, words: Sequence[str], what: str) -> None:
        self.words = tuple(dict.fromkeys(words))
        super().__init__(metadata={"description": f"{what}; several parted by commas: {', '.join(self.words)}."})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[str, ...]:
        given = tuple(dict.fromkeys(word.strip() for word in str(value).split(",")))
        wrong = [word for word in given if word not in self.words]
        if wrong:
            raise ValidationError(f"{wrong[0][:60]!r} is none of {', '.join(self.words)}.")
        return given


class SwitchField(fields.Boolean):
    """`true` or `false`, and nothing else."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise ValidationError("Write true or false.")
        return bool(value == "true")


class CountField(fields.Integer):
    """A plain whole number: `int()` takes `1_0`, `+5` and Arabic digits too."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not re.fullmatch(r"[0-9]{1,6}", str(value), re.ASCII):
            raise ValidationError("Give a whole number.")
        return int(value)


def _day(text: str) -> dt.date:
    try:
        found = dt.date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        found = None
    if found is None or not _FIRST <= found <= _LAST:
        raise ValidationError(f"Give a day as YYYY-MM-DD, from {_FIRST} to {_LAST}.")
    return found


def read_day(name: str, value: object) -> dt.date:
    """A day in a member of a JSON body; else the problem for it."""
    try:
        return _day(value if isinstance(value, str) else "")
    except ValidationError as error:
        message = str(error.messages[0])
        raise unprocessable(message, [field_error(name, "bad_value", message, value)]) from error


def _about(text: str) -> dict[str, str]:
    return {"description": text}


class Query(Schema):
    """The parameters of an address; another one is refused."""

    class Meta:
        unknown = RAISE


class NoQuery(Query):
    """An address without parameters."""


class CallbackQuery(Query):
    """What a county's provider sends along; it may say more, which is left out."""

    class Meta:
        unknown = EXCLUDE

    code = fields.String(validate=validate.Length(1, 4_000), metadata=_about("What the ID token is got with."))
    state = fields.String(validate=validate.Length(1, 200), metadata=_about("As it was sent there."))
    iss = fields.String(validate=validate.Length(1, 500), metadata=_about("The issuer (RFC 9207)."))
    error = fields.String(validate=validate.Length(1, 200), metadata=_about("Why nobody was let in."))


class OnQuery(Query):
    """A day."""

    on = DayField(metadata=_about("The day whose text of the ordinance is shown; by default today."))


class ReportSchemaQuery(OnQuery):
    """Which report a schema is of."""

    component = fields.String(load_default="septic", validate=validate.OneOf(COMPONENTS))
    event = fields.String(load_default="pumping", validate=validate.OneOf(EVENT_TYPES))
    format = fields.String(
        load_default="json-schema", validate=validate.OneOf(("json-schema", "table-schema", "csv", "xlsx"))
    )


class ReceivedQuery(Query):
    """When a report was received."""

    received_on = DayField(
        metadata=_about("The day of receipt or postmark of a paper report. For the county's own keys.")
    )


class SubmitQuery(ReceivedQuery):
    """How a file of reports is taken."""

    dry_run = SwitchField(load_default=False, metadata=_about("Judge every row and store nothing."))
    atomic = SwitchField(load_default=False, metadata=_about("Take all rows or none."))
    historical = SwitchField(
        load_default=False,
        metadata=_about("Backlog: judged for duties, never for lateness. For the county's own keys."),
    )


class LicenseQuery(Query):
    """Which business."""

    license = TextField(
        metadata=_about("A licence number of the business, in any spelling; for the county's own keys.")
    )


class ImportQuery(Query):
    """How an inventory is taken."""

    dry_run = SwitchField(load_default=False, metadata=_about("Say what would change and store nothing."))


class SpanQuery(Query.from_dict({"from": DayField(metadata=_about("The first day counted; by default all before."))})):  # type: ignore[misc]
    """A span of days; `from` is no name that Python lets a class have."""

    to = DayField(metadata=_about("The last day counted; by default all after."))


class RequestedQuery(SpanQuery):
    """Which reports a records request asks for, and whether parts are left out."""

    redacted = SwitchField(
        load_default=True, metadata=_about("Leave out what the county keeps back; false gives all. By default true.")
    )


class YearQuery(Query):
    """A calendar year."""

    year = CountField(
        validate=validate.Range(1900, 2199), metadata=_about("The calendar year; by default the one before this.")
    )


class PageQuery(Query):
    """One page of a list."""

    limit = CountField(
        load_default=50, validate=validate.Range(1, LARGEST_PAGE), metadata=_about("How many at most, up to 200.")
    )
    cursor = fields.String(
        validate=validate.Length(1, 2_000), metadata=_about("Where to go on: from the Link header of the page before.")
    )


class OutcomesQuery(PageQuery):
    """One page of a submission's rows."""

    limit = CountField(
        load_default=LARGEST_PAGE, validate=validate.Range(1, LARGEST_PAGE), metadata=_about("Rows, up to 200.")
    )
    outcome = fields.String(
        validate=validate.OneOf(("accepted", "duplicate", "rejected", "queued_for_review")),
        metadata=_about("Only rows with this outcome."),
    )


class SystemsQuery(PageQuery):
    """Which systems."""

    permit = TextField(metadata=_about("A permit number, in any spelling."))
    parcel = TextField(metadata=_about("A parcel number, in any spelling."))
    q = TextField(metadata=_about("A piece of a permit number, parcel number or address."))
    standing = WordsField([s.value for s in Standing], "Only systems that stand so")
    municipality = TextField(metadata=_about("The municipality as the inventory writes it."))
    contractor = TextField(metadata=_about("The licence number of the designated contractor."))


class ReviewsQuery(PageQuery):
    """Which reports in doubt."""

    state = WordsField(STATES, "Only reviews in this state; by default those that are open")
    reason = WordsField(REASONS, "Only reviews for this reason")
    license = TextField(metadata=_about("The licence number that the report names, in any spelling."))
    system = TextField(metadata=_about("The id of the provisional system that the report is of."))


class LettersQuery(PageQuery):
    """Which letters."""

    state = WordsField(("queued", "printed", "sent", "failed", "cancelled"), "Only letters in this state")


class DuesQuery(PageQuery):
    """Which duties of a contractor's systems."""

    state = WordsField([s.value for s in State], "Only obligations in this state")
    kind = WordsField(OBLIGATION_KINDS, "Only obligations of this kind")
    due_before = DayField(metadata=_about("Only what is due before this day."))


class ObligationsQuery(DuesQuery):
    """Which duties of a county."""

    contractor = TextField(metadata=_about("The licence number of the designated contractor."))
    municipality = TextField(metadata=_about("The municipality as the inventory writes it."))


class MomentQuery(Query):
    """The day judged, and by what was known when."""

    as_of = DayField(metadata=_about("The day judged; by default today, by the county's clock."))
    known_at = InstantField(metadata=_about("What had been recorded by then counts; by default all of it."))


class StatusQuery(MomentQuery):
    """Which system, and the day judged."""

    permit = TextField(metadata=_about("A permit number, in any spelling."))
    parcel = TextField(metadata=_about("A parcel number, in any spelling."))
    address = TextField(metadata=_about("The site's address; it must match exactly but for spelling."))


def refuse_query(error: ValidationError, _request: object, schema: Schema, **_more: object) -> NoReturn:
    """Raise the problem for a query that cannot be used; an unknown parameter is answered with the known ones."""
    found = cast(Mapping[str, Any], error.messages)
    known = ", ".join(schema.fields) or "none"
    errors = []
    for name, messages in found.get("query", found).items():
        unknown = name not in schema.fields
        message = f"There is no parameter {name[:60]!r} here; there are: {known}." if unknown else " ".join(messages)
        code = "unknown_parameter" if unknown else "bad_value"
        errors.append({**field_error(name[:60], code, message), "pointer": ""})
    raise unprocessable("The parameters of the address cannot be used: " + errors[0]["message"], errors, "query")
