"""Papers for the owner: the certificate of standing, as for a sale."""

from __future__ import annotations

from flask import Response

from reporting.api.calls import call
from reporting.api.systems import standing_certificate
from reporting.web.asking import in_own_county
from reporting.web.owner_asking import own_system


@in_own_county
def own_standing_certificate() -> Response:
    """The own system's standing today as a PDF."""
    return standing_certificate({}, call().tenant, system_id=own_system())
