"""Where each role's work begins, and what day it is there."""

from __future__ import annotations

from datetime import date

from flask import g

from reporting.store.roles import Principal, Role
from schemas.calendar import local_date
from schemas.loader import shipped_program


def home_path(principal: Principal | None) -> str | None:
    """The first page of whoever is signed in; `None` for those who have none."""
    if principal is None or principal.session is None:
        return None
    if principal.role is Role.OWNER:
        return "/my-system"
    if principal.role is Role.COUNTY:
        return "/desk"
    if principal.role is Role.CONTRACTOR:
        return "/work"
    return None


def today_in(county: str) -> date:
    """The county's date at the moment of the call."""
    return local_date(g.now, shipped_program(county).timezone)
