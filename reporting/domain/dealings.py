"""What passed between owner, county and contractor beside service: windows, mail, deferrals, payments, documents."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True, kw_only=True)
class Window:
    """The days in which the contractor pumps an area. `area` None: the window is this system's own, whichever it is in.

    `to_on` None: as long as the ordinance makes it. `mailed_on`: when its notice was mailed, where the window says so.
    """

    from_on: dt.date
    to_on: dt.date | None = None
    area: int | None = None
    mailed_on: dt.date | None = None


@dataclass(frozen=True, kw_only=True)
class Mailing:
    """Something mailed to the owner: `window_notice`, `area_notice`, `questionnaire`, `inquiry`; '' a notice of any.

    `received_on`: when it reached the owner, where that is known. `window_from`: of which window it tells.
    """

    kind: str
    on: dt.date
    mail_class: str = ""
    area: int | None = None
    window_from: dt.date | None = None
    received_on: dt.date | None = None
    answered_on: dt.date | None = None


@dataclass(frozen=True, kw_only=True)
class DeferralRequest:
    """An owner's request for another window. `paid` and `written` None: nobody said. `fee`: what was paid, in dollars.

    `window_from`: the first day of the window that it asks to put off, where it names one.
    """

    requested_on: dt.date
    from_on: dt.date | None = None
    to_on: dt.date | None = None
    paid: bool | None = None
    fee: Fraction | None = None
    written: bool | None = None
    window_from: dt.date | None = None


@dataclass(frozen=True, kw_only=True)
class Payment:
    """A fee paid: what it was for, for which year, how much (dollars), when. None: nobody said.

    `charge`: the county's charge that it is about; `left`: how many dollars of that charge were then still to be paid.
    Of several about one charge the last one says how it stands, also one of a charge of which nothing was paid yet.
    """

    kind: str = ""
    year: int | None = None
    amount: Fraction | None = None
    on: dt.date | None = None
    charge: str = ""
    left: Fraction | None = None

    @property
    def is_open(self) -> bool:
        """Whether something of the charge is left to pay."""
        return self.left is not None and self.left > 0


@dataclass(frozen=True, kw_only=True)
class Document:
    """A document on file: what it is, since when (None: nobody said), for which year.

    `recorded`: whether it is recorded with the register of deeds; None: nobody said.
    """

    kind: str
    on: dt.date | None = None
    year: int | None = None
    recorded: bool | None = None

    def is_on_file(self, as_of: dt.date) -> bool:
        """Whether it had been filed by the end of a day."""
        return self.on is None or self.on <= as_of


@dataclass(frozen=True, kw_only=True)
class Dealings:
    """All of it for one system. `mailings`, `payments`, `documents` None: unknown, and not none."""

    windows: tuple[Window, ...] = ()
    mailings: tuple[Mailing, ...] | None = None
    deferrals: tuple[DeferralRequest, ...] = ()
    payments: tuple[Payment, ...] | None = None
    documents: tuple[Document, ...] | None = None

    def days(self) -> Iterator[dt.date]:
        """The days on which one of these facts begins to count."""
        named = [w.mailed_on for w in self.windows]
        named += [d for m in self.mailings or () for d in (m.on, m.received_on, m.answered_on)]
        named += [r.requested_on for r in self.deferrals]
        named += [p.on for p in self.payments or ()]
        named += [d.on for d in self.documents or ()]
        yield from (d for d in named if d is not None)

    def known(self, today: dt.date) -> Dealings:
        """What had been recorded by the end of a day: a fact is never recorded before its own day."""
        mailings, payments, documents = self.mailings, self.payments, self.documents
        return Dealings(
            windows=tuple(replace(w, mailed_on=_by(w.mailed_on, today)) for w in self.windows),
            mailings=None if mailings is None else tuple(_known(m, today) for m in mailings if m.on <= today),
            deferrals=tuple(r for r in self.deferrals if r.requested_on <= today),
            payments=None if payments is None else tuple(p for p in payments if p.on is None or p.on <= today),
            documents=None if documents is None else tuple(d for d in documents if d.on is None or d.on <= today),
        )


def _known(mailing: Mailing, today: dt.date) -> Mailing:
    return replace(mailing, received_on=_by(mailing.received_on, today), answered_on=_by(mailing.answered_on, today))


def _by(day: dt.date | None, today: dt.date) -> dt.date | None:
    return day if day is not None and day <= today else None
