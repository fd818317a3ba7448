"""The API's own description: OpenAPI 3.1, made from the endpoints themselves by flask-smorest, which stands behind this
module alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, cast

from flask import Flask, Response, current_app
from flask_smorest import Api, Blueprint
from werkzeug.exceptions import HTTPException

from reporting.api.access_documents import ACCESS_SCHEMAS
from reporting.api.documents import SCHEMAS
from reporting.api.documents_district import DISTRICT
from reporting.api.documents_webhooks import WEBHOOK_SCHEMAS
from reporting.api.policy import POLICIES, Policy
from reporting.api.problems import PROBLEM_JSON, of_http
from reporting.api.queries import NoQuery, Query, refuse_query
from reporting.api.shapes import ref

View = Callable[..., Response]
_API: Final = "pumper-api"
_LIMIT_FIELDS: Final = ("Retry-After", "RateLimit", "RateLimit-Policy")
_KEY_PARAMETER: Final = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    "description": "A word of your own for this request, such as a UUID: a repeat answers as the first did.",
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer of an endpoint: what it tells, its schema, its media types, its headers."""

    tells: str
    schema: Mapping[str, Any] | None = None
    types: tuple[str, ...] = ("application/json",)
    headers: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """The response object."""
        shown: dict[str, Any] = {
            "description": self.tells,
            "content": {kind: {"schema": dict(self.schema or {})} for kind in self.types},
        }
        if self.headers:
            shown["headers"] = {name: {"schema": {"type": "string"}} for name in self.headers}
        return shown


def problem_answer(tells: str, *, pages: bool = False) -> dict[str, Any]:
    """The response object of a problem document; with `pages`, which may come as a page too."""
    return Answer(tells=tells, schema=ref("Problem"), types=(PROBLEM_JSON, *(["text/html"] * pages))).document()


def json_body(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The request body of an endpoint that takes one JSON object."""
    return {"required": True, "content": {"application/json": {"schema": dict(schema)}}}


def form_body(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The request body of an endpoint that takes one JSON object, or the same members as a form of a page."""
    kinds = ("application/json", "application/x-www-form-urlencoded")
    return {"required": True, "content": {kind: {"schema": dict(schema)} for kind in kinds}}


def file_body(*types: str) -> dict[str, Any]:
    """The request body of an endpoint that takes a file, as it is or as the field `file` of a form."""
    content: dict[str, Any] = {kind: {"schema": {}} for kind in types}
    if "application/json" in content:
        content["application/json"] = {"schema": {"type": "array", "items": {"type": "object"}}}
    part = {"type": "string", "contentMediaType": "application/octet-stream"}
    form = {"type": "object", "properties": {"file": part}, "required": ["file"]}
    return {"required": True, "content": {**content, "multipart/form-data": {"schema": form}}}


class Section(Blueprint):  # type: ignore[misc]  # flask-smorest ships no types
    """Endpoints of one theme."""

    ARGUMENTS_PARSER = type(Blueprint.ARGUMENTS_PARSER)()

    def endpoint(
        self,
        rule: str,
        *,
        method: str = "GET",
        query: type[Query] = NoQuery,
        body: Mapping[str, Any] | None = None,
        once: bool = False,
        answers: Mapping[int, Answer],
        problems: Mapping[int, str] | None = None,
        pages: bool = False,
    ) -> Callable[[View], View]:
        """Register a function `view(query, **path) -> Response` with everything that the document says of it.

        once: takes an Idempotency-Key. problems: further problems than those that every such endpoint may have.
        pages: tells its problems on a page where a browser asks.
        """

        def register(view: View) -> View:
            policy = POLICIES[f"{self.name}.{view.__name__}"]
            told = {**_usual_problems(policy, query, rule, body is not None, once), **(problems or {})}
            responses = {
                **{status: problem_answer(tells, pages=pages) for status, tells in told.items()},
                **{status: answer.document() for status, answer in answers.items()},
            }
            if 429 in told:
                responses[429]["headers"] = {name: {"schema": {"type": "string"}} for name in _LIMIT_FIELDS}
            described: dict[str, Any] = {
                "operationId": view.__name__,
                "responses": {status: responses[status] for status in sorted(responses)},
                "security": _security(policy),
                "x-who": policy.words,
            }
            if body is not None:
                described["requestBody"] = dict(body)
            documented = self.doc(**described)(self.arguments(query, location="query", unknown=None)(view))
            self.route(rule, methods=[method], parameters=[dict(_KEY_PARAMETER)] if once else None)(documented)
            return view

        return register


Section.ARGUMENTS_PARSER.error_handler(refuse_query)


class _Api(Api):  # type: ignore[misc]  # flask-smorest ships no types
    DEFAULT_ERROR_RESPONSE_NAME = None

    def handle_http_exception(self, error: HTTPException) -> Response:
        return of_http(error).response()


def document_sections(app: Flask, sections: Iterable[Section]) -> None:
    """Register the sections' endpoints in the application and in its document."""
    app.config.update(API_TITLE="pumper", API_VERSION=_version(), OPENAPI_VERSION="3.1.0")
    about = (
        "Service reports of septic systems, for haulers and Wisconsin counties. Problems are RFC 9457 documents. "
        "RateLimit and RateLimit-Policy say how many calls a minute your key may make and how many are left."
    )
    spec = {"info": {"description": about}, "servers": [{"url": "/"}]}
    api = _Api(app, spec_kwargs=spec)
    bearer = {"type": "http", "scheme": "bearer", "description": "A key as `pumper key create` prints it."}
    api.spec.components.security_scheme("key", bearer)
    cookie = {"type": "apiKey", "in": "cookie", "name": "__Host-pumper", "description": "Of whoever is signed in."}
    api.spec.components.security_scheme("session", cookie)
    shapes = {**SCHEMAS, **ACCESS_SCHEMAS, **WEBHOOK_SCHEMAS, **DISTRICT}
    for name, schema in shapes.items():
        api.spec.components.schema(name, dict(schema))
    for section in sections:
        api.register_blueprint(section)
    told = api.spec.to_dict()
    # flask-smorest adds shapes of its own, which no endpoint here answers with.
    told["components"] = {
        "schemas": {name: told["components"]["schemas"][name] for name in shapes},
        "securitySchemes": told["components"]["securitySchemes"],
    }
    app.extensions[_API] = told


def document() -> dict[str, Any]:
    """The OpenAPI document of the running application."""
    return cast(dict[str, Any], current_app.extensions[_API])


def _usual_problems(policy: Policy, query: type[Query], rule: str, has_body: bool, once: bool) -> dict[int, str]:
    """The problems that an endpoint may answer with by what it is."""
    found = {500: "Something went wrong on our side."}
    if rule.startswith(("/v1", "/sign", "/s/", "/owner", "/invitations", "/unsubscribe")):
        found |= {
            403: "Plain http from outside, or a key or sign-in that this is not for.",
            503: "The database is away or busy: try again shortly.",
        }
    if rule != "/healthz":
        found[429] = "Too many calls of this key, county or address in this minute; Retry-After says when to go on."
    if not policy.ignores_key:
        found[401] = "No key, or one that is not known, was revoked or has expired."
    if "<" in rule:
        found[404] = "There is no such thing, or it is not for this key to see."
    found[422] = "The parameters or the body cannot be used; `errors` says what to do."
    if has_body:
        found |= {
            400: "The request cannot be read.",
            413: "The body is too large.",
            415: "The body is of another type, or packed.",
            507: "The database is full; nothing was stored.",
        }
    if once:
        found[409] = "A request with this Idempotency-Key is still being carried out."
    return found


def _security(policy: Policy) -> list[dict[str, list[str]]]:
    key: dict[str, list[str]] = {"key": []}
    session: dict[str, list[str]] = {"session": []}
    if policy.ignores_key:
        return []
    if policy.signed_in:
        return [session]
    return [{}, key, session] if policy.public else [key, session]


def _version() -> str:
    try:
        return version("pumper-reporting")
    except PackageNotFoundError:
        return "0"
