"""What rules make of a system as a whole: its size class, its next service year, whether permits are withheld."""

from __future__ import annotations

from collections.abc import Mapping

from reporting.domain.answers import Outcome, Remark, State
from reporting.domain.turns import next_turn
from reporting.domain.view import View
from schemas.acts import PermitHold, SizeClasses


def remarks_on(view: View, parts: Outcome) -> Mapping[str, Remark]:
    """The remarks by name; `parts` is everything else that the assessment found."""
    named = {
        "service_year": next_turn(view),
        "size_class": _size_class(view),
        "permit_hold": _permit_hold(view, parts),
    }
    return {name: remark for name, remark in named.items() if remark is not None}


def _size_class(view: View) -> Remark | None:
    flow = view.system.design_flow_gpd
    for p in view.program.at(view.as_of).of(SizeClasses):
        if flow is not None:
            begun = [(start, name) for name, start in p.act.classes.items() if start <= flow]
            because = f"designed for {flow:,} gallons a day"
            return Remark(value=max(begun)[1], rule=p.id, cite=p.cite, because=because) if begun else None
    return None


def _permit_hold(view: View, parts: Outcome) -> Remark | None:
    """Withheld while a case or an order is past its date."""
    for p in view.program.at(view.as_of).of(PermitHold):
        late = [o for o in parts.obligations if o.is_of_case and o.state is State.OVERDUE]
        reasons = [f"{o.kind.replace('_', ' ')} was due {o.last_day} ({o.rule}, {o.cite}); {o.because}" for o in late]
        return Remark(value=bool(late), rule=p.id, cite=p.cite, because="; ".join(reasons))
    return None
