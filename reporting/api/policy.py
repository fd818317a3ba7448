"""Who may call what: one line an endpoint. An endpoint without a line cannot be registered, and nobody else may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from reporting.api.problems import Problem, absent
from reporting.store.keys import Principal, Role
from schemas.loader import shipped_slugs

_CHALLENGE: Final = 'Bearer realm="pumper"'


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Which keys may call an endpoint, and whether it may be called without one.

    ignores_key: the answer is the same for everybody, so that no key is looked at.
    """

    roles: frozenset[Role] = field(default_factory=frozenset)
    public: bool = False
    ignores_key: bool = False

    @property
    def words(self) -> str:
        """For the document: who may."""
        if self.ignores_key:
            return "Anybody, without a key."
        named = {Role.CONTRACTOR: "a contractor's", Role.COUNTY: "the county's own", Role.ADMIN: "an administrator's"}
        keys = ", ".join(named[role] for role in Role if role in self.roles)
        return f"{'Anybody; more is shown with a key' if self.public else 'With a key'}: {keys}."


_ALL: Final = frozenset(Role)
_STAFF: Final = frozenset({Role.COUNTY, Role.ADMIN})

EVERYBODY: Final = Policy(public=True, ignores_key=True)
PUBLIC_AND_KEYS: Final = Policy(roles=_ALL, public=True)
KEYS: Final = Policy(roles=_ALL)
STAFF: Final = Policy(roles=_STAFF)
CONTRACTORS: Final = Policy(roles=frozenset({Role.CONTRACTOR}))

POLICIES: Final[Mapping[str, Policy]] = {
    "service.healthz": EVERYBODY,
    "service.readyz": EVERYBODY,
    "service.openapi": EVERYBODY,
    "service.docs": EVERYBODY,
    "programs.list_programs": EVERYBODY,
    "programs.show_program": EVERYBODY,
    "programs.report_schema": EVERYBODY,
    "reports.submit_report": KEYS,
    "reports.show_report": KEYS,
    "reports.amend_report": KEYS,
    "reports.void_report": KEYS,
    "reports.show_receipt": KEYS,
    "submissions.submit_file": KEYS,
    "submissions.show_submission": KEYS,
    "submissions.rejected_rows": KEYS,
    "submissions.undo_submission": KEYS,
    "headings.show_headings": KEYS,
    "headings.teach_headings": KEYS,
    "reviews.list_reviews": STAFF,
    "reviews.show_review": STAFF,
    "reviews.resolve_review": STAFF,
    "reviews.forget_review": STAFF,
    "reviews.place_report": STAFF,
    "systems.list_systems": KEYS,
    "systems.show_system": KEYS,
    "systems.show_system_status": KEYS,
    "systems.find_status": PUBLIC_AND_KEYS,
    "merges.merge_system": STAFF,
    "merges.unmerge_system": STAFF,
    "obligations.list_obligations": KEYS,
    "obligations.obligations_csv": KEYS,
    "obligations.list_my_due": CONTRACTORS,
    "obligations.my_due_csv": CONTRACTORS,
    "facts.import_inventory": STAFF,
    "facts.owner_notice": STAFF,
    "facts.designation": STAFF,
    "facts.contract": STAFF,
    "facts.statement": STAFF,
    "facts.meter_reading": KEYS,
}


def decide(policy: Policy, principal: Principal | None, county: str | None) -> None:
    """Let a call through or raise its problem: 401 without a key, 404 outside of the key's county, 403 for a role."""
    if policy.ignores_key:
        if county is not None and county not in shipped_slugs():
            raise absent()
        return
    if principal is None and not policy.public:
        raise no_key()
    if county is not None and not (county in shipped_slugs() and _within(principal, county)):
        raise absent()
    if principal is not None and principal.role not in policy.roles:
        headers = {"WWW-Authenticate": f'{_CHALLENGE}, error="insufficient_scope"'}
        raise Problem(403, "forbidden", "This key is not for that.", headers=headers)


def _within(principal: Principal | None, county: str) -> bool:
    """Whether the county lies within the credential; without one, only what is public is shown anyway."""
    return principal is None or principal.role is not Role.COUNTY or principal.county == county


def no_key() -> Problem:
    """A call that needs a key and has none (RFC 6750, section 3)."""
    detail = "Send your key as `Authorization: Bearer KEY`."
    return Problem(401, "no-key", detail, headers={"WWW-Authenticate": _CHALLENGE})


def bad_key() -> Problem:
    """A key that is mistyped, unknown, revoked or expired, all alike."""
    headers = {"WWW-Authenticate": f'{_CHALLENGE}, error="invalid_token"'}
    return Problem(401, "bad-key", "The key is not known, was revoked or has expired.", headers=headers)
