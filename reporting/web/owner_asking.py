"""How the owner's pages ask and tell: of the one system of the session, by the functions that answer over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from flask import Response, request

from reporting.api.calls import call
from reporting.web.asking import DONE, Told, tell
from reporting.web.rendering import render
from schemas.loader import shipped_program

HOME: Final = "/my-system"


def own_system() -> str:
    """The one system that the owner who asks was let in for."""
    system = call().own_system
    assert system is not None, "the policy lets owners in only"
    return system


def render_owner(template: str, *, status: int = 200, **values: Any) -> Response:
    """A page of `templates/owner`, with the county's name, and what was done just before."""
    name, done = shipped_program(call().tenant).name, request.args.get(DONE, "")
    return render(f"owner/{template}", status=status, county=call().tenant, county_name=name, done=done, **values)


def tell_own(view: Callable[..., Response], values: Mapping[str, Any], *names: str) -> Told:
    """Tell of the own system what these fields of a form say; whatever else a form sends along is left out.

    So a form can name no other system, and say nothing that the page does not ask for.
    """
    told = tell(view, {**{name: values[name] for name in names if name in values}, "system": own_system()})
    errors = {name or names[0]: message for name, message in told.errors.items()}
    return replace(told, errors=errors)
