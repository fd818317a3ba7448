"""The pages' addresses, registered in the application; their problems are told on pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flask import Blueprint, Flask, Response
from werkzeug.exceptions import HTTPException, InternalServerError

from reporting.api.edge import log_error
from reporting.api.forms import FRAME
from reporting.api.problems import Problem, of_error, of_http
from reporting.errors import PumperError
from reporting.web import admin_pages, desk_pages, hauler, owner_pages, public
from reporting.web.assets import serve_asset
from reporting.web.rendering import framed, problem_page

PAGES: Final[tuple[tuple[str, str, Callable[..., Any], tuple[str, ...]], ...]] = (
    ("/", "home", public.home, ("GET",)),
    ("/look-up", "look_up", public.look_up, ("GET",)),
    ("/s/<id:system_id>", "show_system", public.show_system, ("GET",)),
    ("/s/<id:system_id>/mine", "show_way_in", public.show_way_in, ("GET",)),
    ("/what-is-asked", "what_is_asked", public.what_is_asked, ("GET",)),
    ("/what-is-asked/<slug:county>", "what_county_asks", public.what_is_asked, ("GET",)),
    ("/assets/<id:version>/<path:name>", "asset", serve_asset, ("GET",)),
    *desk_pages.PAGES,
    *admin_pages.PAGES,
    *hauler.PAGES,
    *owner_pages.PAGES,
)
"""Address, name (its line in `reporting.api.policy` is `web.<name>`), what makes it, methods."""


def add_pages(app: Flask) -> None:
    """Register the pages. Call it once, before the first request."""
    pages = Blueprint("web", __name__)
    for rule, name, view, methods in PAGES:
        pages.add_url_rule(rule, name, view, methods=list(methods))
    pages.register_error_handler(Problem, problem_page)
    pages.register_error_handler(PumperError, lambda error: problem_page(of_error(error)))
    pages.register_error_handler(HTTPException, _framework)
    pages.register_error_handler(Exception, _mistake)
    app.register_blueprint(pages)
    app.extensions[FRAME] = framed


def _mistake(error: Exception) -> Response:
    log_error(error)
    return problem_page(of_http(InternalServerError()))


def _framework(error: HTTPException) -> Response:
    return problem_page(of_http(error))
