"""Parameters of addresses that give out meters, reporting periods and verifications."""

from __future__ import annotations

from typing import Final

from notifications.outbox import MessageState
from notifications.records import NoticeKind
from reporting.api.queries import (
    CountField,
    DayField,
    PageQuery,
    Query,
    SwitchField,
    SystemsQuery,
    TextField,
    WordsField,
)
from reporting.domain.periods import PeriodState
from reporting.service_year.exemptions import STATES as EXEMPTION_STATES
from reporting.service_year.mailings import KINDS as MAILING_KINDS
from reporting.service_year.mailings import STATES as MAILING_STATES
from reporting.store.received import Became
from reporting.verifications import STATES as VERIFICATION_STATES


class AsOfQuery(Query):
    """A day judged."""

    as_of = DayField(metadata={"description": "The day judged; by default today, by the county's clock."})


class CasesQuery(PageQuery):
    """Which cases."""

    kind = TextField(metadata={"description": "Only cases of this kind."})
    open = SwitchField(metadata={"description": "Only open cases (true), or only closed ones (false)."})
    overdue = SwitchField(metadata={"description": "Only those with a duty past its last day (true), or without one."})
    referred = SwitchField(
        metadata={"description": "Only those handed over or referred for prosecution (true), or the others."}
    )


class HoldQuery(Query):
    """Of what or whom it is asked whether permits are withheld."""

    parcel = TextField(metadata={"description": "The parcel on which something is to be permitted."})
    permit = TextField(metadata={"description": "The sanitary permit of a system on it."})
    license = TextField(metadata={"description": "A licence number of the contractor who applies."})


class PeriodsQuery(PageQuery):
    """Which reporting period."""

    period = TextField(
        metadata={"description": "A year or a half of one, such as 2026-H1; by default the last that has ended."}
    )
    state = WordsField([s.value for s in PeriodState], "Only tanks that stand so")


class VerificationsQuery(PageQuery):
    """Which verifications."""

    state = WordsField(VERIFICATION_STATES, "Only those in this state")


class FeesQuery(Query):
    """Which charges."""

    system = TextField(metadata={"description": "Only those of this system, by its id."})
    year = CountField(metadata={"description": "Only those of this calendar year."})
    unpaid = SwitchField(
        metadata={"description": "Only those of which something is left to pay (true), or of which nothing is (false)."}
    )


class FeesListQuery(FeesQuery, PageQuery):
    """One page of charges."""


class MailingsQuery(Query):
    """Which mailings."""

    kind = WordsField(MAILING_KINDS, "Only these kinds")
    state = WordsField(
        MAILING_STATES, "Only those that stand so: `late` is a notice mailed, or an answer due, too late"
    )


class DeferralsQuery(Query):
    """Which requests."""

    year = CountField(metadata={"description": "Only of windows of this year."})


class ExemptionsQuery(Query):
    """Which certificates and applications."""

    kind = TextField(metadata={"description": "Only of this kind, as the county's program has it."})
    state = WordsField(EXEMPTION_STATES, "Only those that stand so")


_RECEIVED_FROM: Final = DayField(metadata={"description": "Received on this day or later."})
_WRITTEN_FROM: Final = DayField(metadata={"description": "Written on this day or later."})


class ReceivedQuery(PageQuery.from_dict({"from": _RECEIVED_FROM})):  # type: ignore[misc]
    """Which reports received; `from` is no name that Python lets a class have."""

    to = DayField(metadata={"description": "Received on this day or before."})
    served_from = DayField(metadata={"description": "Served on this day or later."})
    served_to = DayField(metadata={"description": "Served on this day or before."})
    contractor = TextField(metadata={"description": "The licence number that the report names, in any spelling."})
    state = WordsField([one.value for one in Became], "Only reports that became so; by default those that stand")


class MailsQuery(PageQuery.from_dict({"from": _WRITTEN_FROM})):  # type: ignore[misc]
    """Which mails."""

    to = DayField(metadata={"description": "Written on this day or before."})
    q = TextField(metadata={"description": "A piece of the address that it goes to."})
    kind = WordsField([one.value for one in NoticeKind], "Only these kinds")
    state = WordsField(
        [one.value for one in MessageState if one is not MessageState.PRINTED], "Only mails in this state"
    )


class MapQuery(SystemsQuery):
    """Which systems of a map's view."""

    bbox = TextField(metadata={"description": "West, south, east, north in degrees, parted by commas (RFC 7946, 5)."})
