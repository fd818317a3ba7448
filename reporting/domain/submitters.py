"""Who files a report: whether the text leaves it to whoever did, and whose duty the filing was."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.domain.answers import Finding, note
from reporting.domain.records import Component, Event
from reporting.domain.view import View
from schemas.acts import CREDENTIALS, Submitter

OWNER = "owner"
_ROLES = {
    "contractor": ("agent", "licensed_individual"),  # who is paid to do the work acts for the owner as well
    "licensed_individual": ("agent", "licensed_individual"),
    "owner": ("owner",),
    "agent": ("agent",),
}


def names_submitter(event: Event) -> bool:
    """Whether a report says who filed it, in words or by the credential of an owner."""
    return bool(event.submitter) or event.credential_kind == "registered_owner"


def submitter_findings(view: View, event: Event, subject: Component | None) -> Iterator[Finding]:
    """A report filed by somebody whom its text does not leave it to. It counts all the same."""
    said = event.submitter or (OWNER if event.credential_kind == "registered_owner" else "")
    if said not in _ROLES or event.baseline:
        return
    roles = {*_ROLES[said], *((event.credential_kind,) if event.own_tank is not False else ())}
    acts = [p for p in view.program.at(event.service_date).of(Submitter) if view.applies(p.act, subject, event)]
    held = {who for p in acts if not p.act.only for who in p.act.who if who in CREDENTIALS}
    for p in acts:
        if p.act.only and not roles & {*p.act.who, *held}:
            wanted = " or ".join(p.act.who).replace("_", " ")
            because = f"filed by the {said.replace('_', ' ')}; the {wanted} files it"
            yield note(p, "wrong_submitter", because, event=event.id, of=subject)


def filing_duty(view: View, event: Event, subject: Component | None, usual: str) -> str:
    """Whose duty it was to file a report: the owner's who did the work under a registration, else the usual one's."""
    if event.own_tank is False or event.credential_kind not in CREDENTIALS:
        return usual
    acts = view.program.at(event.service_date).of(Submitter)
    held = any(event.credential_kind in p.act.who and view.applies(p.act, subject, event) for p in acts)
    return OWNER if held else usual
