"""The shapes of bodies of access, as JSON Schema: keys, sessions, sign-in, invitations, staff."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reporting.api.shapes import INSTANT, MAYBE_DAY, MAYBE_TEXT, TEXT, Json, an_object, list_of, ref, strict

_MAYBE_INSTANT: Final = {"type": ["string", "null"], "format": "date-time"}
_MAIL: Final = {"type": "string", "format": "email", "maxLength": 254}
_COUNTY_ROLE: Final = {"enum": ["viewer", "clerk", "reviewer", "enforcement", "manager"]}
_BUSINESS_ROLE: Final = {"enum": ["technician", "office"]}


_KEY: Final[dict[str, Json]] = {
    "id": TEXT,
    "kind": {"enum": ["api", "feed"]},
    "label": TEXT,
    "scopes": {"type": ["array", "null"], "items": dict(TEXT), "description": "null: those of its role."},
    "live": {"type": "boolean"},
    "last_used_on": MAYBE_DAY,
    "created_at": INSTANT,
    "expires_at": _MAYBE_INSTANT,
    "revoked_at": _MAYBE_INSTANT,
    "created_by": MAYBE_TEXT,
}
_SESSION: Final[dict[str, Json]] = {
    "id": TEXT,
    "method": {"enum": ["link", "password", "oidc", "invitation", "owner_link", "owner_code"]},
    "county": MAYBE_TEXT,
    "contractor_id": MAYBE_TEXT,
    "created_at": INSTANT,
    "expires_at": {**INSTANT, "description": "At the latest; 30 minutes without a call end it sooner."},
}
_INVITATION: Final[dict[str, Json]] = {
    "id": TEXT,
    "email": _MAIL,
    "role": TEXT,
    "state": {"enum": ["open", "accepted", "withdrawn", "expired"]},
    "invited_by": TEXT,
    "created_at": INSTANT,
    "expires_at": INSTANT,
    "person": MAYBE_TEXT,
}

ACCESS_SCHEMAS: Final[Mapping[str, Json]] = {
    "NewKey": strict(
        "label",
        label={**TEXT, "minLength": 1, "maxLength": 100, "description": "The program or person that holds it."},
        scopes={**list_of(TEXT), "minItems": 1, "description": "What it may; by default all that you may pass on."},
        days={"type": "integer", "minimum": 1, "maximum": 730, "description": "How long it lives; by default 400."},
        kind={"enum": ["api", "feed"], "description": "`feed`: for a business's calendar feed only."},
    ),
    "Key": an_object("id kind label live", **_KEY),
    "IssuedKey": an_object("id kind label live key", **_KEY, key={**TEXT, "description": "Shown this once."}),
    "Keys": an_object("keys", keys=list_of(ref("Key"))),
    "Session": an_object("id method", **_SESSION),
    "Sessions": an_object("sessions", sessions=list_of(ref("Session"))),
    "SignedIn": an_object(
        "id method scopes csrf_token",
        **_SESSION,
        person=MAYBE_TEXT,
        name=MAYBE_TEXT,
        system={**MAYBE_TEXT, "description": "An owner's: the one system that it shows."},
        roles=list_of(TEXT),
        scopes=list_of(TEXT),
        csrf_token={**TEXT, "description": "For the header X-CSRF-Token of every change."},
        recovery_codes={**list_of(TEXT), "description": "After setting up a second factor, this once."},
    ),
    "Ended": an_object("ended", ended={"type": "integer", "minimum": 0, "description": "How many sessions ended."}),
    "PasswordSignIn": strict(
        "email password code",
        email=_MAIL,
        password={**TEXT, "maxLength": 200},
        code={**TEXT, "maxLength": 40, "description": "Of the authenticator app; or a recovery code."},
        county={**TEXT, "description": "Where you have a role in several."},
    ),
    "LinkWanted": strict("email", email=_MAIL),
    "LinkSent": an_object("status detail", status={"enum": ["accepted"]}, detail=TEXT),
    "LinkUsed": strict("", contractor_id={**TEXT, "description": "Where you have a role in several businesses."}),
    "CodeGiven": strict("code", code={**TEXT, "description": "As the county's office gave it; it works once."}),
    "Invite": strict(
        "email",
        email=_MAIL,
        role={**_COUNTY_ROLE, "description": "For somebody of the county's staff."},
        license_number={**TEXT, "description": "For the first person of a business: one of its licences."},
    ),
    "InviteColleague": strict("email role", email=_MAIL, role=_BUSINESS_ROLE),
    "Invitation": an_object("id email role state", **_INVITATION),
    "Invitations": an_object("invitations", invitations=list_of(ref("Invitation"))),
    "InvitationShown": an_object(
        "role expires_at",
        role=TEXT,
        county=MAYBE_TEXT,
        business_name=MAYBE_TEXT,
        expires_at=INSTANT,
        totp={**MAYBE_TEXT, "description": "For the county's staff: what the authenticator app reads."},
    ),
    "InvitationAccepted": strict(
        "name",
        name={**TEXT, "minLength": 1, "maxLength": 100},
        password={**TEXT, "minLength": 12, "maxLength": 128, "description": "For the county's staff."},
        code={**TEXT, "maxLength": 40, "description": "For the county's staff: of the authenticator app."},
    ),
    "Staff": an_object("staff", staff=list_of(ref("Member"))),
    "Member": an_object(
        "person name role",
        person=TEXT,
        name=TEXT,
        email=MAYBE_TEXT,
        role=TEXT,
        via={"enum": ["invitation", "command", "oidc"]},
        since=INSTANT,
    ),
    "GiveRole": strict("role", role=_COUNTY_ROLE),
    "GiveBusinessRole": strict("role", role=_BUSINESS_ROLE),
    "Roles": an_object("person roles", person=TEXT, roles=list_of(TEXT)),
}
