"""One call: who asks, in which county, at what moment; and how it is answered."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import urlencode

import structlog
from flask import Response, current_app, g, request

from reporting.api.counted import Counted
from reporting.api.limits import Limiter
from reporting.api.problems import PROBLEM_JSON, Problem, absent, encode_bytes
from reporting.config import Config
from reporting.intake.judging import Sender
from reporting.store.engine import Database, Store
from reporting.store.people import licences_of
from reporting.store.roles import Principal, Role
from reporting.store.signing import Signer

EXTENSION: Final = "pumper"
WorkerAlive = Callable[[Store, dt.datetime], bool]


@dataclass(frozen=True, kw_only=True)
class Service:
    """What every call needs of the process: made once, by whoever starts it.

    worker_alive: whether scheduler and delivery have been seen of late; `None` where nobody is to run them.
    """

    config: Config
    database: Database
    signer: Signer
    clock: Callable[[], dt.datetime]
    log: structlog.typing.FilteringBoundLogger
    limiter: Limiter
    counted: Counted
    worker_alive: WorkerAlive | None = None


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call. `principal` None: without a key. `county`: the one in the address, checked against the credential."""

    principal: Principal | None
    county: str | None
    now: dt.datetime

    @property
    def keyholder(self) -> Principal:
        """Who asks, where the policy lets nobody in without a key."""
        if self.principal is None:
            raise RuntimeError("the policy of this endpoint lets calls in without a key")
        return self.principal

    @property
    def tenant(self) -> str:
        """The county in the address."""
        if self.county is None:
            raise RuntimeError("this address names no county")
        return self.county

    @property
    def is_staff(self) -> bool:
        """Whether the county itself or an administrator asks."""
        return self.principal is not None and self.principal.role in (Role.COUNTY, Role.ADMIN)

    @property
    def own_system(self) -> str | None:
        """The one system that an owner was let in for; `None` for everybody else."""
        return self.principal.system if self.principal else None

    @property
    def sender(self) -> Sender:
        """In whose name what is sent is judged."""
        return Sender(name=self.keyholder.key_id, contractor_id=self.keyholder.contractor_id)

    def owns(self, row: Mapping[str, Any]) -> bool:
        """Whether a row with a `contractor_id` is for this caller: staff sees its county's, a business its own.

        An owner sees what is of the own system.
        """
        if self.own_system is not None:
            return row.get("system") == self.own_system
        return self.is_staff or row["contractor_id"] in {self.keyholder.contractor_id} - {None}


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer before it is written: a JSON value with its status and headers."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self, more_headers: Mapping[str, str] | None = None) -> Response:
        """The answer; one that tells of a problem says so in its type."""
        kind = PROBLEM_JSON if self.status >= 400 else "application/json"
        response = Response(encode_bytes(self.body), self.status, mimetype=kind)
        response.headers.update({**self.headers, **(more_headers or {})})
        return response


def service() -> Service:
    """The process's parts."""
    return cast(Service, current_app.extensions[EXTENSION])


def call() -> Call:
    """The call under way."""
    return cast(Call, g.call)


def problem_reply(problem: Problem) -> Reply:
    """A problem that is answered after something was stored of it."""
    return Reply(status=problem.status, body=problem.as_json(), headers=problem.headers)


def own(row: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """A row that is there and is this caller's; else the same 404."""
    if row is None or not call().owns(row):
        raise absent()
    return row


def own_business() -> str:
    """The business that asks, where the policy lets businesses in only."""
    business = call().keyholder.contractor_id
    assert business is not None, "the policy lets businesses in only"
    return business


def own_licences(store: Store) -> frozenset[str]:
    """The normalised licences of the business that asks; none for staff."""
    business = call().keyholder.contractor_id
    return frozenset(row["license_norm"] for row in licences_of(store, business)) if business else frozenset()


def address(*parts: str) -> str:
    """An address of this service in the call's county, as a path."""
    return "/".join(("", "v1", call().tenant, *parts))


def next_link(cursor: str | None) -> dict[str, str]:
    """The Link header (RFC 8288) of the next page, if there is one."""
    if cursor is None:
        return {}
    arguments = {name: value for name, value in request.args.items() if name != "cursor"}
    url = request.path + "?" + urlencode({**arguments, "cursor": cursor})
    return {"Link": f'<{url}>; rel="next"'}
