"""The description as one page that loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

STYLE: Final = """
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; color: #1b1b1b }
h2 { margin-top: 2.5rem; text-transform: capitalize } h3 { margin-bottom: 0 } code { overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .2rem .6rem }
th { border-bottom: 2px solid #71767a } td { border-bottom: 1px solid #dfe1e2 } .who { margin: 0; color: #565c65 }
"""


def docs_page(document: Mapping[str, Any]) -> str:
    """The whole page: every endpoint by theme, who may call it, its parameters and answers."""
    info = document["info"]
    parts = [
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(info['title'])} API</title>",
        f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style></head><body><main>",
        f"<h1>{escape(info['title'])} API {escape(info['version'])}</h1><p>{escape(info['description'])}</p>",
        "<p>For programs: <a href='/openapi.json'>openapi.json</a></p>",
    ]
    for tag in document["tags"]:
        parts.append(f"<h2>{escape(tag['name'])}</h2><p>{escape(tag['description'])}</p>")
        parts += [_operation(*one) for one in _operations(document, tag["name"])]
    return "".join([*parts, "</main></body></html>\n"])


def _operations(document: Mapping[str, Any], tag: str) -> Iterator[tuple[str, str, Mapping[str, Any], list[Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method != "parameters" and tag in operation["tags"]:
                yield path, method, operation, [*item.get("parameters", []), *operation.get("parameters", [])]


def _operation(path: str, method: str, operation: Mapping[str, Any], parameters: list[Any]) -> str:
    title = f"<h3 id='{escape(operation['operationId'])}'><code>{method.upper()} {escape(path)}</code></h3>"
    who = f"<p class='who'>{escape(operation['x-who'])}</p><p>{escape(operation.get('summary', ''))}</p>"
    more = f"<p>{escape(operation['description'])}</p>" if operation.get("description") else ""
    taken = [(p["name"], p["in"], _about(p)) for p in parameters]
    bodies = [("body", kind, "") for kind in operation.get("requestBody", {}).get("content", {})]
    answers = [(code, answer["description"]) for code, answer in sorted(operation["responses"].items())]
    asked = _table(("Parameter", "in", "meaning"), [*taken, *bodies]) if taken or bodies else ""
    return title + who + more + asked + _table(("Answer", "meaning"), answers)


def _about(parameter: Mapping[str, Any]) -> str:
    schema = parameter.get("schema", {})
    words = [parameter.get("description", ""), f"One of {', '.join(schema['enum'])}." if "enum" in schema else ""]
    return " ".join(word for word in words if word)


def _table(headings: tuple[str, ...], rows: list[Any]) -> str:
    head = "".join(f"<th scope='col'>{escape(heading)}</th>" for heading in headings)
    lines = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
