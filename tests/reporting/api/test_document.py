"""The OpenAPI document says exactly what there is."""

import re

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from reporting.api.policy import POLICIES
from tests.reporting.api.offline import offline_world
from tests.reporting.api.world import World


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return offline_world(tmp_path_factory.mktemp("offline"))


@pytest.fixture(scope="module")
def document(world: World) -> dict:  # type: ignore[type-arg]
    found = world.get("/openapi.json", "").json
    assert isinstance(found, dict)
    return found


def test_the_document_is_valid(document: dict) -> None:  # type: ignore[type-arg]
    assert document["openapi"].startswith("3.1")
    assert [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_every_route_is_in_the_document_and_the_reverse(world: World, document: dict) -> None:  # type: ignore[type-arg]
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in world.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD"}
        if not rule.endpoint.startswith("web.")  # pages are for people; the document is for programs
    }
    told = {(path, method) for path, item in document["paths"].items() for method in item if method != "parameters"}
    assert told == routes
    assert len(told) == len([name for name in POLICIES if not name.startswith("web.")])


def test_every_operation_says_who_may_and_how_it_fails(document: dict) -> None:  # type: ignore[type-arg]
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            assert operation["summary"], path
            assert operation["x-who"], path
            assert "500" in operation["responses"], path
            for status, answer in operation["responses"].items():
                assert answer["description"], (path, status)
                kinds = set(answer["content"])
                assert ("application/problem+json" in kinds) == (int(status) >= 400), (path, status)
                assert kinds <= {"application/problem+json", "text/html"} or int(status) < 400, (path, status)
            if operation["security"] and {} not in operation["security"]:
                assert {"401", "503"} <= set(operation["responses"]), path


def test_parameters_are_told(document: dict) -> None:  # type: ignore[type-arg]
    told = {p["name"] for p in document["paths"]["/v1/{county}/systems"]["get"]["parameters"]}
    assert {"permit", "parcel", "q", "standing", "municipality", "contractor", "limit", "cursor"} <= told
    posted = document["paths"]["/v1/{county}/reports"]
    assert "Idempotency-Key" in {p["name"] for p in [*posted["parameters"], *posted["post"].get("parameters", [])]}


def test_the_page_loads_nothing_from_elsewhere(world: World, document: dict) -> None:  # type: ignore[type-arg]
    page = world.get("/docs", "")
    assert (page.status_code, page.mimetype) == (200, "text/html")
    assert re.findall(r"(?:src|href|url)\s*[=(]\s*['\"]?(?!/openapi\.json|/docs|#|')([^'\" )>]+)", page.text) == []
    assert "<script" not in page.text
    for path in document["paths"]:
        assert path in page.text
    shapes = world.get("/docs/shapes", "")
    assert "<script" not in shapes.text
    linked = set(re.findall(r"'/docs/shapes#(\w+)'", page.text + shapes.text))
    assert linked
    assert linked <= set(re.findall(r"<h2 id='(\w+)'", shapes.text)) == set(document["components"]["schemas"])
    assert max(len(page.data), len(shapes.data)) < 200_000


def test_every_named_schema_is_used_or_public(document: dict) -> None:  # type: ignore[type-arg]
    named = set(document["components"]["schemas"])
    used = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert used == named
