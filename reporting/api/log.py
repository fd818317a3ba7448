"""The logs' signed heads and keys, for anybody who keeps or checks them."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final

from flask import Response

from reporting.api.calls import Reply, call, service
from reporting.api.openapi import Answer, Section
from reporting.api.shapes import ref
from reporting.store.log import SERVICE_LOG, head_now
from reporting.store.rotation import keys_of
from reporting.store.signing import checkpoint_note, origin
from schemas.loader import shipped_slugs

SECTION: Final = Section("log", __name__, description="Signed heads of the record, and the keys that sign them.")
_NOTE: Final = {"type": "string", "description": "A signed note (C2SP tlog-checkpoint)."}


@SECTION.endpoint(
    "/v1/<slug:county>/checkpoint",
    answers={200: Answer(tells="The signed head.", schema=_NOTE, types=("text/plain",))},
)
def show_checkpoint(query: dict[str, Any], county: str) -> Response:
    """The signed head of the county's record as it stands: keep it, and nothing before it can change unseen."""
    with service().database.reading(county) as store:
        head = head_now(store, service().signer, call().now)
    return Response(checkpoint_note(head), mimetype="text/plain")


@SECTION.endpoint("/v1/keys.json", answers={200: Answer(tells="Every key of every log.", schema=ref("SigningKeys"))})
def show_keys(query: dict[str, Any]) -> Response:
    """The keys that have signed the counties' records and the service's own, each from which entry on."""
    keys: list[dict[str, Any]] = []
    for slug in (*shipped_slugs(), SERVICE_LOG):
        with service().database.reading(slug) as store:
            for seq, key in keys_of(store):
                name, key_id = origin(slug), key.key_id(slug)
                verifier = f"{name}+{key_id}+{b64encode(bytes([1]) + key.raw).decode()}"
                keys.append({"log": name, "key_id": key_id, "from_entry": seq, "verifier_key": verifier})
    return Reply(status=200, body={"keys": keys}).response()
