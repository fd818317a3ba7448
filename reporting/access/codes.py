"""An owner's way in without e-mail: a code that the county's office gives or prints, for one system, used once."""

from __future__ import annotations

import re
import secrets
from datetime import datetime
from typing import Final

from reporting.access.entries import note
from reporting.access.links import owner_on_file
from reporting.access.secret import Secret
from reporting.errors import RecordNotFound
from reporting.store.engine import Store
from reporting.store.sessions import Method, start_owner_session
from reporting.store.signin import count_failure
from reporting.store.ways_in import drop_code, keep_code, try_code, use_code

_CODES: Final = "owner code"
_ALPHABET: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # 32 signs, none of which is read for another: no I, O, 0, 1
_LENGTH: Final = 10
_CODE: Final = re.compile(f"[{_ALPHABET}]{{{_LENGTH}}}")


def make_code(store: Store, secret: Secret, system: str, by: str, now: datetime) -> tuple[str, datetime]:
    """Make a code for a system's owner, in place of the one before: 50 random bits, and until when it is good.

    store: a transaction of the system's county. Raises `RecordNotFound` where no owner is on file.
    """
    owner = owner_on_file(store, system)
    if owner is None:
        raise RecordNotFound
    code = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
    ends = keep_code(store, system, secret.mark(_CODES, _told(store, system, owner, code)), by, now)
    note(store, "owner_code_made", {"system": system, "expires_at": ends, "by": by}, now)
    return f"{code[:5]}-{code[5:]}", ends


def take_code_back(store: Store, system: str, by: str, now: datetime) -> bool:
    """Make a system's code useless; `False` where there is none."""
    if not drop_code(store, system):
        return False
    note(store, "owner_code_withdrawn", {"system": system, "by": by}, now)
    return True


def let_in_by_code(store: Store, secret: Secret, system: str, given: str, now: datetime) -> str | None:
    """Begin an owner's short session by a code, once: the cookie's token; `None` where it is not right or not good.

    Each try is counted before it is looked at. store: a transaction of the system's county, to be committed whatever
    comes out.
    """
    code = re.sub(r"[\s-]", "", given).upper()
    owner = owner_on_file(store, system)
    mark = try_code(store, system, now)
    right = (
        mark is not None
        and owner is not None
        and _CODE.fullmatch(code) is not None
        and secret.is_mark(_CODES, _told(store, system, owner, code), mark)
    )
    if not right or mark is None or not use_code(store, system, mark, now):
        count_failure(store, store.tenant, Method.OWNER_CODE, None, now)
        return None
    session, token = start_owner_session(store, store.tenant, system, now, Method.OWNER_CODE)
    content = {"person": None, "method": Method.OWNER_CODE, "session": session, "system": system}
    note(store, "signed_in", content, now)
    return token


def _told(store: Store, system: str, owner: str, code: str) -> str:
    """What a code's mark is of: a new owner's system is not shown to the one for whom it was made."""
    return "\n".join((store.tenant, system, owner, code))
