"""Invitations: made by who is there already, accepted once by whoever reads the mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from reporting.access.entries import log_of, note
from reporting.access.outcomes import Refused, SignedIn, Why
from reporting.access.passwords import hash_password, weakness_of
from reporting.access.secret import Secret
from reporting.access.staff import add_role, roles_in
from reporting.access.totp import SECRET_BYTES, new_recovery_codes, recovery_hash, step_of
from reporting.errors import AccessRefused
from reporting.intake.words import normalize_license
from reporting.store.engine import Database, Store
from reporting.store.factors import Factors, set_factors
from reporting.store.invitations import accept_invitation, create_invitation, find_invitation, revoke_invitation
from reporting.store.people import find_credentials
from reporting.store.persons import Place, SignsIn, Via, create_person, has_member
from reporting.store.roles import MemberRole
from reporting.store.sessions import Method, end_sessions_of, start_session
from reporting.store.signin import count_failure

_NOT_GOOD: Final = Refused(why=Why.FAILED)


@dataclass(frozen=True, kw_only=True)
class Acceptance:
    """What somebody fills in. `password` and `code`: of the county's staff only."""

    name: str
    password: str = field(default="", repr=False)
    code: str = field(default="", repr=False)


def invite(store: Store, email: str, place: Place, role: MemberRole, by: str, now: datetime) -> tuple[str, str]:
    """Invite an address to a role: the invitation's id and the secret for the mail, which is queued beside it.

    store: a transaction of `log_of(place.county)`. Raises `AccessRefused` for a role that the place does not know.
    """
    if role not in roles_in(place):
        raise AccessRefused(f"The role is one of {', '.join(roles_in(place))}.")
    invitation, secret = create_invitation(store, email, place, role, by, now)
    content = {"invitation": invitation, "role": role, "contractor_id": place.contractor_id, "by": by}
    note(store, "invited", content, now)
    return invitation, secret


def first_of_business(store: Store, license_number: str, email: str, county: str | None) -> Place:
    """The business that holds a licence, to which a county (None: an administrator) invites the first person.

    Raises `AccessRefused`: whoever is invited sees the business's reports in all counties, so a county invites only
    to a business that has nobody yet, and only under the address on file, where there is one.
    """
    held = [row for rows in find_credentials(store, [normalize_license(license_number)]).values() for row in rows]
    businesses = {row["contractor_id"] for row in held}
    if len(businesses) != 1:
        raise AccessRefused(
            "Two businesses have this number." if businesses else "This licence is not in the list of contractors."
        )
    place = Place(contractor_id=held[0]["contractor_id"])
    if county is None:
        return place
    if all(row["counties"] and county not in row["counties"] for row in held):
        raise AccessRefused("This licence is not for this county.")
    if has_member(store, place, [MemberRole.OFFICE]):
        raise AccessRefused("Somebody of this business is there already: its office invites the others.")
    on_file = {part.strip().lower() for part in (held[0]["email"] or "").split(";") if part.strip()}
    if on_file and email.lower() not in on_file:
        raise AccessRefused("The business has another address on file: invite that one, or let the operator change it.")
    return place


def withdraw(store: Store, invitation: str, place: Place, by: str, now: datetime) -> bool:
    """Take an open invitation of a place back; `False` when there is none such."""
    if not revoke_invitation(store, invitation, place, now):
        return False
    note(store, "invitation_withdrawn", {"invitation": invitation, "by": by}, now)
    return True


def setup_secret(secret: Secret, token: str) -> bytes:
    """The TOTP secret of whoever accepts an invitation: the same on the page and when its form comes back."""
    return secret.derive(f"totp of invitation {token}", SECRET_BYTES)


def accept(database: Database, secret: Secret, token: str, given: Acceptance, now: datetime) -> SignedIn | Refused:
    """Accept an invitation: the person, the role, for staff password and second factor, and a session. One wins."""
    with database.reading(None) as store:
        found = find_invitation(store, token, now)
    factors: Factors | None = None
    if found and found["county"]:
        known = (given.name, found["email"])
        if weakness := weakness_of(given.password, known):
            return Refused(why=Why.WEAK_PASSWORD, text=weakness)
        factors = _factors(secret, token, given, now)
        if factors is None:
            return Refused(why=Why.FAILED, text="The code is not right: is the phone's clock? Type the newest one.")
    codes = new_recovery_codes() if factors else []
    with database.transaction(log_of(found["county"] if found else None)) as store:
        done = _take(store, secret, found, given, factors, codes, now) if found else None
        if done is None:
            count_failure(store, store.tenant, Method.INVITATION, None, now)
            return _NOT_GOOD
        return done


def _factors(secret: Secret, token: str, given: Acceptance, now: datetime) -> Factors | None:
    """Password and second factor as they are kept, still sealed for nobody; `None` for a wrong code."""
    totp = setup_secret(secret, token)
    step = step_of(totp, given.code, now)
    if step is None:
        return None
    method, salt, hashed = hash_password(given.password)
    return Factors(method=method, salt=salt, hash=hashed, sealed=totp, last_step=step)


def _take(
    store: Store,
    secret: Secret,
    found: Mapping[str, Any],
    given: Acceptance,
    factors: Factors | None,
    codes: list[str],
    now: datetime,
) -> SignedIn | None:
    place = Place(county=found["county"], contractor_id=found["contractor_id"])
    person = create_person(store, given.name, found["email"], SignsIn.MAIL, now)
    if not accept_invitation(store, found["id"], person, now):
        return None
    content = {"invitation": found["id"], "person": person, "contractor_id": place.contractor_id}
    note(store, "invitation_accepted", content, now)
    add_role(store, person, place, MemberRole(found["role"]), Via.INVITATION, found["invited_by"], now)
    if factors is not None:
        sealed = Factors(
            method=factors.method,
            salt=factors.salt,
            hash=factors.hash,
            sealed=secret.seal(f"totp of {person}", factors.sealed),
            last_step=factors.last_step,
        )
        set_factors(store, person, sealed, [h for code in codes if (h := recovery_hash(code))], now)
        end_sessions_of(store, person, now)
        note(store, "factors_set", {"person": person}, now)
    session, token = start_session(store, person, place, Method.INVITATION, now)
    signed = {"person": person, "method": Method.INVITATION, "session": session, "contractor_id": place.contractor_id}
    note(store, "signed_in", signed, now)
    return SignedIn(session=session, token=token, person=person, place=place, recovery_codes=codes)
