"""The shapes of windows, mailings, requests for another window, certificates of exemption, and the year at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reporting.api.shapes import COUNT, DAY, MAYBE_DAY, MAYBE_TEXT, TEXT, Json, an_object, list_of, ref, strict
from reporting.service_year.exemptions import GROUNDS
from reporting.service_year.exemptions import STATES as EXEMPTION_STATES
from reporting.service_year.mailings import CLASSES, KINDS, STATES

_FLAG: Final[Json] = {"type": "boolean"}
_PLACE: Final[dict[str, Json]] = {
    "system": {**TEXT, "description": "The system's id; or name it by its numbers or address."},
    "permit_number": TEXT,
    "parcel_number": TEXT,
    "site_address": TEXT,
}
_LAW: Final[dict[str, Json]] = {"rule": MAYBE_TEXT, "cite": MAYBE_TEXT}
_ROW: Final[dict[str, Json]] = {
    "id": TEXT, "system": TEXT, "permit_number": MAYBE_TEXT, "site_address": MAYBE_TEXT, **_LAW,
}  # fmt: skip
_TOLD: Final[dict[str, Json]] = {"id": TEXT, "county": TEXT, "system": MAYBE_TEXT, "receipt": ref("Receipt")}
_ANSWER: Final[dict[str, Json]] = {
    "answer": {"enum": ["granted", "refused"]},
    "window_from": {**DAY, "description": "The window that was to be put off, as it stood."},
    "window_to": DAY,
    "last_day_to_ask": {**DAY, "description": "Counted in business days before the window; never moved."},
    "from": {**DAY, "description": "The window granted."},
    "to": DAY,
    "reasons": {**list_of(TEXT), "description": "Why it is refused."},
}
_PAPERS: Final[dict[str, Json]] = {
    "paid": {**_FLAG, "description": "Whether the certificate's fee came."},
    "affidavit_on": {**DAY, "description": "When the sworn affidavit was signed."},
    "people": COUNT,
    "days_a_year": COUNT,
    "serviced_on": {**DAY, "description": "Last inspected or pumped, as the affidavit has it."},
    "verified_on": {**DAY, "description": "When the contractor verified it."},
    "verified_by": {**TEXT, "description": "By which license."},
}
_UNMET: Final = list_of(strict("field message rule cite", field=TEXT, message=TEXT, rule=TEXT, cite=TEXT))
_COUNTS: Final[Json] = {"type": "object", "description": "Counts, with the rule and its section."}

DISTRICT: Final[Mapping[str, Json]] = {
    "Windows": an_object(
        "county windows",
        county=TEXT,
        windows=list_of(an_object("id from", id=TEXT, **{"from": DAY}, to=DAY, area=COUNT)),
    ),
    "NewWindow": strict(
        "from",
        **{"from": DAY},
        to={**DAY, "description": "Without it the window is as long as the ordinance makes it."},
        area={**COUNT, "description": "Without it the window is that of the area whose turn the year is."},
    ),
    "NewMailing": strict(
        "kind mailed_on mail_class",
        **_PLACE,
        area={**COUNT, "description": "Instead of a place: every system of the area that such a notice is for."},
        kind={"enum": list(KINDS)},
        mailed_on=DAY,
        mail_class={"enum": list(CLASSES)},
        window_from={**DAY, "description": "Of which window it tells."},
        received_on={**DAY, "description": "When it reached the owner, where that is known."},
        note=TEXT,
    ),
    "MailingCorrection": strict(
        "reason", mailed_on=DAY, mail_class={"enum": list(CLASSES)}, received_on=DAY, reason=TEXT
    ),
    "MailingAnswer": strict("", answered_on=DAY, note=TEXT),
    "Mailings": an_object(
        "county mailings",
        county=TEXT,
        mailings=list_of(
            an_object(
                "id system kind mailed_on state",
                **_ROW,
                kind=TEXT,
                mailed_on=DAY,
                mail_class=MAYBE_TEXT,
                window_from=MAYBE_DAY,
                received_on=MAYBE_DAY,
                answered_on=MAYBE_DAY,
                state={"enum": list(STATES)},
                last_day={**MAYBE_DAY, "description": "To answer it; of a window's notice: to mail it."},
                note=MAYBE_TEXT,
            )
        ),
    ),
    "NewDeferral": strict(
        "paid",
        **_PLACE,
        received_on=DAY,
        desired_from=DAY,
        desired_to=DAY,
        window_from={**DAY, "description": "The window to be put off; without it the first not yet over."},
        paid={**_FLAG, "description": "Whether the fee came with the request."},
        reference={**TEXT, "description": "Of the payment, such as a check's number."},
        written=_FLAG,
        note=TEXT,
    ),
    "AnsweredDeferral": an_object("id county system receipt answer", **_TOLD, **_LAW, **_ANSWER),
    "Deferrals": an_object(
        "county deferrals",
        county=TEXT,
        deferrals=list_of(an_object("id system received_on", **_ROW, received_on=DAY, **_ANSWER)),
    ),
    "NewExemption": strict("kind", **_PLACE, kind=TEXT, received_on=DAY, note=TEXT, **_PAPERS),
    "ExemptionPapers": strict("", **_PAPERS),
    "AppliedExemption": an_object("id county system receipt unmet", **_TOLD, unmet=_UNMET),
    "ExemptionGrant": strict("", granted_on=DAY, reference={**TEXT, "description": "Of the fee's payment."}),
    "Reason": strict("reason", reason={**TEXT, "maxLength": 2_000}),
    "ExemptionEnd": strict("ground reason", ground={"enum": list(GROUNDS)}, notified_on=DAY, ends_on=DAY, reason=TEXT),
    "ExemptionChange": strict("note conditions_met", note=TEXT, reported_on=DAY, conditions_met=_FLAG, since=DAY),
    "Exemptions": an_object(
        "county exemptions",
        county=TEXT,
        exemptions=list_of(
            an_object(
                "id system kind state since",
                **_ROW,
                kind=TEXT,
                state={"enum": list(EXEMPTION_STATES)},
                since=DAY,
                last_day=MAYBE_DAY,
                because=TEXT,
                unmet=_UNMET,
                certification={
                    "type": ["object", "null"],
                    "description": "The first yearly certification that is not on file, where one is asked for.",
                },
                changes=list_of({"type": "object"}),
                end_proposed=_FLAG,
            )
        ),
    ),
    "ServiceYear": an_object(
        "county year as_of area systems windows area_notice deferrals questionnaires exemptions fees",
        county=TEXT,
        year=COUNT,
        as_of=DAY,
        area=_COUNTS,
        systems=_COUNTS,
        windows=list_of({"type": "object"}),
        area_notice=_COUNTS,
        deferrals=_COUNTS,
        questionnaires=_COUNTS,
        exemptions=_COUNTS,
        fees=_COUNTS,
    ),
}
