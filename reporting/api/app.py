"""The application: everything that `wsgi.py` and the tests need to serve reports over HTTP."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from flask import Flask
from werkzeug.routing import BaseConverter

from reporting.api import (
    cases,
    copies,
    district,
    enforcement,
    exemptions,
    exports,
    facts,
    fee_rolls,
    feeds,
    fees,
    headings,
    invitations,
    keys,
    letters,
    mailing,
    merges,
    meters,
    metrics,
    obligations,
    oidc,
    periods,
    programs,
    records,
    reports,
    repudiation,
    reviews,
    sessions,
    settings,
    signin,
    staff,
    submissions,
    systems,
    unsubscribe,
    verifications,
    ways_in,
    webhooks,
)
from reporting.api import log as log_endpoints
from reporting.api import service as service_endpoints
from reporting.api.calls import EXTENSION, Service, WorkerAlive
from reporting.api.counted import Counted
from reporting.api.edge import guard
from reporting.api.limits import Limiter, Rates
from reporting.api.logs import make_log
from reporting.api.openapi import document_sections
from reporting.api.policy import POLICIES
from reporting.config import Config
from reporting.store.engine import Database
from reporting.store.signing import Signer
from reporting.web.pages import add_pages

SECTIONS = (
    service_endpoints.SECTION,
    programs.SECTION,
    reports.SECTION,
    copies.SECTION,
    exports.SECTION,
    repudiation.SECTION,
    submissions.SECTION,
    headings.SECTION,
    merges.SECTION,
    reviews.SECTION,
    systems.SECTION,
    obligations.SECTION,
    facts.SECTION,
    cases.SECTION,
    enforcement.SECTION,
    settings.SECTION,
    fees.SECTION,
    fee_rolls.SECTION,
    letters.SECTION,
    district.SECTION,
    exemptions.SECTION,
    mailing.SECTION,
    metrics.SECTION,
    records.SECTION,
    meters.SECTION,
    periods.SECTION,
    verifications.SECTION,
    log_endpoints.SECTION,
    keys.SECTION,
    feeds.SECTION,
    webhooks.SECTION,
    signin.SECTION,
    ways_in.SECTION,
    unsubscribe.SECTION,
    oidc.SECTION,
    sessions.SECTION,
    invitations.SECTION,
    staff.SECTION,
)


class PolicyMissing(Exception):
    """An endpoint has no line in `reporting.api.policy`."""


class _Slug(BaseConverter):
    regex = r"[a-z0-9][a-z0-9-]{0,63}"
    part_isolating = True


class _Id(BaseConverter):
    regex = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
    part_isolating = True


class _Token(BaseConverter):
    regex = r"[a-z0-9_]{1,120}"
    part_isolating = True


class _Application(Flask):
    """Flask that registers no endpoint without a policy."""

    def add_url_rule(self, rule: str, endpoint: str | None = None, *args: Any, **options: Any) -> None:
        if endpoint not in POLICIES:
            raise PolicyMissing(f"{endpoint} ({rule}): say in reporting.api.policy who may call it")
        super().add_url_rule(rule, endpoint, *args, **options)


def create_app(
    config: Config,
    database: Database,
    signer: Signer,
    clock: Callable[[], dt.datetime],
    worker_alive: WorkerAlive | None = None,
) -> Flask:
    """The service over one database. `clock` gives the moment of a call; connect `database` after any fork.

    worker_alive: what `/readyz` asks beside the database, where a worker is to run.
    """
    app = _Application("reporting.api", static_folder=None, template_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=config.max_upload_bytes,
        MAX_FORM_MEMORY_SIZE=100_000,
        MAX_FORM_PARTS=16,
        PROVIDE_AUTOMATIC_OPTIONS=False,
        PROPAGATE_EXCEPTIONS=False,
    )
    app.url_map.strict_slashes = True
    app.url_map.redirect_defaults = False
    app.url_map.merge_slashes = False
    app.url_map.converters |= {"slug": _Slug, "id": _Id, "token": _Token}
    app.extensions[EXTENSION] = make_service(config, database, signer, clock, worker_alive)
    document_sections(app, SECTIONS)
    add_pages(app)
    guard(app)
    return app


def make_service(
    config: Config,
    database: Database,
    signer: Signer,
    clock: Callable[[], dt.datetime],
    worker_alive: WorkerAlive | None = None,
) -> Service:
    """What the endpoints find of the process (`calls.service`), for an application over one database."""
    log = make_log(config.log_level)
    return Service(
        config=config,
        database=database,
        signer=signer,
        clock=clock,
        log=log,
        limiter=Limiter(database, Rates.of(config), config.web_concurrency, log),
        counted=Counted(),
        worker_alive=worker_alive,
    )
