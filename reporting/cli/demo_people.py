"""People for the demonstration, so that its pages can be looked at: a hauler, a clerk, an owner, let in anew each time.

For `pumper serve --demo` alone, whose data is invented and whose server listens on this machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from secrets import token_bytes, token_urlsafe

from reporting.access.links import owners_path
from reporting.access.passwords import hash_password
from reporting.access.secret import Secret
from reporting.access.totp import new_recovery_codes, recovery_hash
from reporting.cli.demo import COUNTY
from reporting.config import Config
from reporting.intake.words import normalize_license
from reporting.status import find_systems
from reporting.store.engine import Database, Store
from reporting.store.factors import Factors, set_factors
from reporting.store.log import SERVICE_LOG
from reporting.store.people import find_credentials
from reporting.store.persons import Place, SignsIn, Via, create_person, give_role
from reporting.store.roles import MemberRole
from reporting.store.signin import create_signin_token

_HAULER, _CLERK = "lena@kettle-septic.example.com", f"clerk@{COUNTY}.example.org"
_LICENCE, _PERMIT = "00412", "SP-1987"


def ways_in(config: Config, database: Database, now: datetime) -> Iterator[str]:
    """A line for each: who, and how to get in. The link works once, for a quarter of an hour; the code once."""
    with database.transaction(SERVICE_LOG) as store:
        hauler = _hauler(store, now)
        code, password = _clerk(store, Secret.of(config), now)
    with database.reading(COUNTY) as store:
        [system] = find_systems(store, permit=_PERMIT)
        owner = owners_path(store, Secret.of(config), system)
    base = config.base_url
    yield f"  a hauler:  {base}/signin/link/{hauler}"
    yield f"  a clerk:   {base}/signin  {_CLERK}, password {password}, code {code}"
    yield f"  an owner:  {base}/owner/{COUNTY}/{owner}"


def _hauler(store: Store, now: datetime) -> str:
    norm = normalize_license(_LICENCE)
    business = str(find_credentials(store, [norm])[norm][0]["contractor_id"])
    person = create_person(store, "Lena Oestreich", _HAULER, SignsIn.MAIL, now)
    give_role(store, person, Place(contractor_id=business), MemberRole.OFFICE, Via.COMMAND, "demo", now)
    return create_signin_token(store, person, now)


def _clerk(store: Store, secret: Secret, now: datetime) -> tuple[str, str]:
    """A recovery code and a password, both fresh: those before are gone."""
    person = create_person(store, "Pat Ackermann", _CLERK, SignsIn.MAIL, now)
    give_role(store, person, Place(county=COUNTY), MemberRole.MANAGER, Via.COMMAND, "demo", now)
    password, codes = token_urlsafe(12), new_recovery_codes()
    method, salt, hashed = hash_password(password)
    sealed = secret.seal(f"totp of {person}", token_bytes(20))
    hashes = [found for found in map(recovery_hash, codes) if found]
    set_factors(store, person, Factors(method=method, salt=salt, hash=hashed, sealed=sealed, last_step=0), hashes, now)
    return codes[0], password
