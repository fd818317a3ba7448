"""Documents that have to be on file: agreements recorded, contracts handed in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reporting.domain.answers import Finding, Outcome, note
from reporting.domain.dealings import Document
from reporting.domain.records import Component
from reporting.domain.view import View
from schemas.acts import DocumentNeeded, DocumentRenewal
from schemas.program import Provision


def assess_documents(view: View) -> Outcome:
    """The documents missing from the file; where nobody said what is on file, nothing."""
    if view.documents is None:
        return Outcome()
    found: list[Finding] = []
    for p in view.program.at(view.as_of).of(DocumentNeeded):
        main = view.system.main_tank
        for component in view.active_components if p.act.components else (main,) if main else ():
            missing = tuple(_missing(view, p)) if view.applies(p.act, component) else ()
            if missing and not any(f.rule == p.id and f.component == component.kind for f in found):
                found.append(_finding(p, component, missing))
    return Outcome(findings=(*found, *_renewals(view)))


def _finding(p: Provision[DocumentNeeded], component: Component, missing: Iterable[str]) -> Finding:
    recorded = "recorded " if p.act.recorded else ""
    names = ", ".join(name.replace("_", " ") for name in missing)
    return note(p, "document_missing", f"no {recorded}{names} on file", of=component)


def _missing(view: View, p: Provision[DocumentNeeded]) -> Iterator[str]:
    for name, others in p.act.documents.items():
        if not (_is_filed(view, p, {name, *others}) or _is_known_otherwise(view, p, name)):
            yield name


def _is_filed(view: View, p: Provision[DocumentNeeded], names: set[str]) -> bool:
    return any(
        d.kind in names and d.is_on_file(view.as_of) and not (p.act.recorded and d.recorded is False)
        for d in view.documents or ()
    )


def _is_known_otherwise(view: View, p: Provision[DocumentNeeded], name: str) -> bool:
    """Whether a contract on file, or the inventory's date of a recorded agreement, is the document."""
    if name == p.act.contract_as and any(
        c.filed_on is None or c.filed_on <= view.as_of for c in view.system.contracts or ()
    ):
        return True
    recorded = view.system.agreement_recorded_on
    return name == p.act.agreement_as and recorded is not None and recorded <= view.as_of


def _renewals(view: View) -> Iterator[Finding]:
    """Documents that another one on file asks for anew, such as an agreement after a reconnection."""
    for p in view.program.at(view.as_of).of(DocumentRenewal):
        main = view.system.main_tank
        asking = max((d.on for d in _filed(view, p.act.after) if d.on is not None), default=None)
        if main is None or asking is None or not view.applies(p.act, main):
            continue
        since = [d for d in view.documents or () if d.is_on_file(view.as_of) and d.on is not None and d.on >= asking]
        if any(d.kind in p.act.waived_as for d in since):
            continue
        kinds = {d.kind for d in since}
        missing = [n for n, others in p.act.documents.items() if not kinds & {n, *others}]
        contracts = [c.filed_on or c.from_on for c in view.system.contracts or ()]
        if p.act.contract_as in missing and any(d is not None and asking <= d <= view.as_of for d in contracts):
            missing.remove(p.act.contract_as)
        if missing:
            names = ", ".join(name.replace("_", " ") for name in missing)
            because = f"{p.act.after[0].replace('_', ' ')} of {asking}; no new {names} on file since"
            yield note(p, "document_renewal", because, of=main)


def _filed(view: View, kinds: Iterable[str]) -> Iterator[Document]:
    return (d for d in view.documents or () if d.kind in set(kinds) and d.is_on_file(view.as_of))
