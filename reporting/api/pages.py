"""The description as one page that loads nothing from anywhere: every endpoint, its fields, problems, examples."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --quiet: #565c65; --line: #a9aeb1; --link: #005ea2 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #f0f0f0; --paper: #1b1b1b; --quiet: #c6cace; --line: #71767a; --link: #73b3e7 } }
body { background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 60rem; padding: 1rem }
a { color: var(--link) } h2 { margin-top: 2.5rem } h2::first-letter { text-transform: uppercase }
h3 { margin-bottom: 0 }
code, pre, dd, h1 { overflow-wrap: anywhere } pre { border-left: .25rem solid var(--line); padding-left: .75rem;
  white-space: pre-wrap }
table { border-collapse: collapse; width: 100% } th, td { overflow-wrap: anywhere; padding: .2rem .6rem .2rem 0;
  text-align: left; vertical-align: top } thead th { border-bottom: 2px solid var(--line) }
tbody th { font-weight: 400 } td, tbody th { border-bottom: 1px solid var(--line) }
.who { margin: 0; color: var(--quiet) }
nav ul { columns: 12rem; padding-left: 1.1rem } summary { cursor: pointer }
"""
_REF: Final = "#/components/schemas/"
_CODE: Final = re.compile("`([^`]+)`")
_DEPTH: Final = 4
SHAPES: Final = "/docs/shapes"
"""Where the second page is: both together are too heavy for a phone."""
_ANY: Final = frozenset({"422", "429", "500", "503"})
_EXAMPLES: Final = {"date": "2026-07-13", "date-time": "2026-07-13T14:05:00Z", "email": "office@example.org"}
Json = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class _Described:
    """The document, and what most endpoints answer under each status where something is wrong."""

    document: Json
    usual: Mapping[str, str]

    def shape(self, schema: Json) -> Json:
        """A schema, or the one that it refers to."""
        named = schema.get("$ref", "").removeprefix(_REF)
        found: Json = self.document["components"]["schemas"][named] if named else schema
        return found


def docs_page(document: Mapping[str, Any]) -> str:
    """The page of how to call, and of the endpoints by theme."""
    info, about = document["info"], _Described(document=document, usual=_usual(document))
    parts = [
        f"<h1>{escape(info['title'])} API {escape(info['version'])}</h1><p>{escape(info['description'])}</p>",
        "<p>For programs: <a href='/openapi.json'>openapi.json</a></p>",
        _how_to_call(about),
    ]
    for tag in document["tags"]:
        parts.append(f"<h2 id='of-{escape(tag['name'])}'>{escape(tag['name'])}</h2><p>{_text(tag['description'])}</p>")
        parts += [_operation(about, *one) for one in _operations(document, tag["name"])]
    return _whole(f"{info['title']} API", parts)


def shapes_page(document: Mapping[str, Any]) -> str:
    """The page of the shapes that bodies and answers have."""
    about = _Described(document=document, usual={})
    parts = ["<p><a href='/docs'>Endpoints</a></p><h1>Shapes</h1><p>What bodies and answers are made of.</p>"]
    for name, schema in sorted(document["components"]["schemas"].items()):
        told = f"<p>{_text(schema['description'])}</p>" if schema.get("description") else ""
        parts.append(f"<h2 id='{escape(name)}'>{escape(name)}</h2>{told}{_fields(schema)}{_sample(about, schema)}")
    return _whole(f"Shapes – {document['info']['title']} API", parts)


def _whole(title: str, parts: list[str]) -> str:
    head = (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style></head><body><main>"
    )
    return "".join([head, *parts, "</main></body></html>\n"])


def _how_to_call(about: _Described) -> str:
    """The index, the key, and the problems that most calls may meet."""
    themes = "".join(
        f"<li><a href='#of-{escape(tag['name'])}'>{escape(tag['name'])}</a></li>" for tag in about.document["tags"]
    )
    example = {"type": "…", "title": "…", "status": 422, "detail": "…", "errors": [_example(about, _ISSUE, 1)]}
    return (
        f"<nav aria-label='Themes'><ul>{themes}<li><a href='{SHAPES}'>Shapes</a></li></ul></nav>"
        "<h2 id='calling'>How to call</h2><p>Send the key with every call; JSON in, JSON out:</p>"
        "<pre><code>curl -H 'Authorization: Bearer KEY' …/v1/{county}/systems?permit=…</code></pre>"
        '<p>Lists come in pages: follow the header <code>Link: &lt;…&gt;; rel="next"</code>.</p>'
        f"<h2 id='problems'>Problems</h2><p>Any call may meet {', '.join(sorted(_ANY))}, most others too; an endpoint "
        "tells what it means by them otherwise.</p>"
        + _table(("Status", "meaning"), [(code, _text(told)) for code, told in about.usual.items()])
        + f"<p>A problem is a document of its own (RFC 9457):</p>{_pre(example)}"
    )


_ISSUE: Final = {"$ref": f"{_REF}Issue"}


def _usual(document: Json) -> dict[str, str]:
    """What most endpoints say of each status of a problem."""
    told: dict[str, Counter[str]] = {}
    for item in document["paths"].values():
        for method, operation in item.items():
            for code, answer in operation["responses"].items() if method != "parameters" else ():
                if int(code) >= 400:
                    told.setdefault(code, Counter())[answer["description"]] += 1
    return {code: counted.most_common(1)[0][0] for code, counted in sorted(told.items())}


def _operations(document: Json, tag: str) -> Iterator[tuple[str, str, Json, list[Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method != "parameters" and tag in operation["tags"]:
                yield path, method, operation, [*item.get("parameters", []), *operation.get("parameters", [])]


def _operation(about: _Described, path: str, method: str, operation: Json, parameters: list[Any]) -> str:
    name = f"{method.upper()} {path}"
    title = f"<h3 id='{escape(operation['operationId'])}'><code>{escape(name)}</code></h3>"
    who = f"<p class='who'>{_text(operation['x-who'])}</p><p>{_text(operation.get('summary', ''))}</p>"
    more = f"<p>{_text(operation['description'])}</p>" if operation.get("description") else ""
    taken = [
        (f"<code>{escape(p['name'])}</code>", escape(p["in"]), _about(p))
        for p in parameters
        if p["in"] != "path" or _about(p)
    ]
    asked = _table(("Parameter", "in", "meaning"), taken) if taken else ""
    answers = [
        (code, _text(answer["description"]) + _shapes(answer))
        for code, answer in sorted(operation["responses"].items())
        if answer["description"] != about.usual.get(code)
    ]
    others = [
        code for code, one in sorted(operation["responses"].items()) if one["description"] == about.usual.get(code)
    ]
    others = [code for code in others if code not in _ANY]
    rest = f"<p>Also {', '.join(others)}: see <a href='#problems'>Problems</a>.</p>" if others else ""
    shown = "".join(f"<p><strong>{code}</strong> {told}</p>" for code, told in answers)
    return title + who + more + asked + _body(operation) + shown + rest


def _body(operation: Json) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return ""
    first = next(iter(content.values()))["schema"]
    named = first.get("$ref", "").removeprefix(_REF)
    kinds = ", ".join(f"<code>{escape(kind)}</code>" for kind in content)
    shape = f": <a href='{SHAPES}#{escape(named)}'>{escape(named)}</a>" if named else ""
    return f"<p>Body {kinds}{shape}</p>{'' if named else _fields(first)}"


def _sample(about: _Described, schema: Json) -> str:
    """An example of a shape, with the members that it always has."""
    example = _example(about, schema, 0)
    return f"<details><summary>Example</summary>{_pre(example)}</details>" if example not in ("…", {}, []) else ""


def _shapes(answer: Json) -> str:
    names = {
        one["schema"]["$ref"].removeprefix(_REF)
        for one in answer.get("content", {}).values()
        if "$ref" in one.get("schema", {})
    }
    linked = (f" <a href='{SHAPES}#{escape(name)}'>{escape(name)}</a>" for name in sorted(names - {"Problem"}))
    return "".join(linked)


def _example(about: _Described, schema: Json, depth: int) -> Any:
    """What such a value may look like: of an object the members that it must have, or its first ones."""
    schema = about.shape(schema)
    if depth > _DEPTH:
        return "…"
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", ("…",))[0])
    kind = schema.get("type", "")
    if kind == "object" or "properties" in schema:
        members = schema.get("properties", {})
        names = schema.get("required") or list(members)[:5]
        return {name: _example(about, members.get(name, {}), depth + 1) for name in names}
    if kind == "array":
        return [_example(about, schema.get("items", {}), depth + 1)]
    known = {"integer": schema.get("minimum", 1), "number": 1.5, "boolean": True}
    plain = next((one for one in kind if one != "null"), "") if isinstance(kind, list) else kind
    return known.get(plain, _EXAMPLES.get(schema.get("format", ""), "…"))


def _fields(schema: Json) -> str:
    members, needed = schema.get("properties", {}), schema.get("required", ())
    rows = [
        (f"<code>{escape(name)}</code>", _kind(one), "yes" if name in needed else "", _about({"schema": one, **one}))
        for name, one in members.items()
    ]
    if not rows:
        return f"<p>{_kind(schema)}</p>"
    return _table(("Member", "is", "always", "meaning"), rows)


def _kind(schema: Json) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].removeprefix(_REF))
        return f"<a href='{SHAPES}#{name}'>{name}</a>"
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    kind = schema.get("type", "any")
    return escape(" or ".join(kind) if isinstance(kind, list) else str(schema.get("format", kind)))


def _about(parameter: Json) -> str:
    schema = parameter.get("schema", {})
    listed = [str(one) for one in schema.get("enum", ())]
    return " ".join(part for part in (_text(parameter.get("description", "")),
                                      f"One of {escape(', '.join(listed))}." if listed else "") if part)  # fmt: skip


def _text(text: str) -> str:
    """A sentence of the document, what stands between backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(text, quote=False))


def _pre(value: Any) -> str:
    return f"<pre><code>{escape(json.dumps(value, ensure_ascii=False), quote=False)}</code></pre>"


def _table(headings: tuple[str, ...], rows: list[Any]) -> str:
    """A table of cells that are HTML already; the first of each line names it."""
    head = "".join(f"<th>{escape(heading)}" for heading in headings)
    # Closing tags that HTML does without are left out: there are thousands of them.
    lines = "".join(f"<tr><th>{row[0]}" + "".join(f"<td>{cell}" for cell in row[1:]) for row in rows)
    return f"<table><thead><tr>{head}<tbody>{lines}</table>"
