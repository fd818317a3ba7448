"""Which component of a system a report is of. A tank is never credited with another's service: in doubt a person
decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reporting.domain.records import INACTIVE_STATES, TREATMENT_TANKS, Component, System
from reporting.intake.identifiers import normalize_identifier

# Parts that inventories seldom list; a service of one meets no duty of another.
_UNLISTED = ("pump_chamber",)
_PRIMARY = ("septic", "holding", "privy")


@dataclass(frozen=True, kw_only=True)
class Tank:
    """The component that a report is of: its kind and the inventory's name for it; `certain` False: a person decides.

    What the sender calls it stays in the report's content.
    main: what a report of this system means that names no component.
    """

    kind: str
    ref: str = ""
    certain: bool = True
    main: str = ""


def tank_of(system: System, kind: str, ref: str) -> Tank:
    """The component of a known system that a report means by `kind` and `ref` ('' where it does not say)."""
    in_use = [c for c in system.components if c.status not in INACTIVE_STATES] or list(system.components)
    main = _main(in_use)
    meant = kind or main
    if not meant:
        return Tank(kind=kind, ref=ref, certain=False)
    alike = [c for c in in_use if c.kind == meant]
    if not alike:
        listed = meant in _UNLISTED or (meant == "dispersal" and any(c.kind in TREATMENT_TANKS for c in in_use))
        return Tank(kind=meant, ref=ref, certain=listed, main=main)
    if meant == "dispersal":  # its duties are one a system
        return Tank(kind=meant, ref="", main=main)
    fit = _fit(alike, ref)
    return Tank(kind=meant, ref=fit.ref if fit else ref, certain=fit is not None, main=main)


def _main(in_use: Sequence[Component]) -> str:
    """The kind of tank that a report means which names none; '' where there are several sorts of main tank."""
    kinds = {c.kind for c in in_use}
    primary = [kind for kind in _PRIMARY if kind in kinds]
    if primary:
        return primary[0] if len(primary) == 1 else ""
    return next((kind for kind in ("pretreatment", "pump_chamber") if kind in kinds), "")


def _fit(alike: Sequence[Component], ref: str) -> Component | None:
    """The one of several like components that a name means; a name of the hauler's own is no doubt where there is one
    tank without a name.
    """
    wanted = normalize_identifier(ref)
    if not wanted:
        return alike[0] if len(alike) == 1 else None
    named = [c for c in alike if normalize_identifier(c.ref) == wanted]
    if len(named) == 1:
        return named[0]
    return alike[0] if len(alike) == 1 and not alike[0].ref else None
