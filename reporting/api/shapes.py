"""The small parts that the shapes of bodies are made of (JSON Schema)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Json = Mapping[str, Any]

DAY: Final = {"type": "string", "format": "date"}
MAYBE_DAY: Final = {"type": ["string", "null"], "format": "date"}
INSTANT: Final = {"type": "string", "format": "date-time"}
TEXT: Final = {"type": "string"}
MAYBE_TEXT: Final = {"type": ["string", "null"]}
COUNT: Final = {"type": "integer", "minimum": 0}


def ref(name: str) -> Json:
    """A reference to one of `SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def list_of(items: Json) -> Json:
    """An array of such items."""
    return {"type": "array", "items": dict(items)}


def an_object(required: str, **properties: Json) -> Json:
    """An object with these members, of which the `required` words must be there."""
    return {"type": "object", "required": required.split(), "properties": {k: dict(v) for k, v in properties.items()}}


def strict(required: str, **properties: Json) -> Json:
    """The same where no other member may be."""
    return {**an_object(required, **properties), "additionalProperties": False}
