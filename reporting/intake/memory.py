"""What a person has decided once: the same wrong numbers from the same business lead straight to the same system.

An alias holds for the whole of what a report says of its place (permit, parcel, address), so that a wrong number that
a business uses for another place as well goes to a person again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

from reporting.intake.identifiers import ExcelDamage
from reporting.intake.spoilt import is_lossy
from reporting.store.engine import Store
from reporting.store.matching import ADDRESS, PARCEL, PERMIT, add_identifiers, drop_alias, find_by_identifiers

ALIAS: Final = "alias"
REMEMBERED: Final = "remembered"
BY_LICENSE: Final = "license:"
"""What the licence stands behind where no business holds it (`credentials.Holder`)."""
K = TypeVar("K")


def memory_key(business: str, norms: Mapping[str, str], damage: Mapping[str, ExcelDamage]) -> str:
    """What a decision is remembered under: '' where it must not be, because no number stands for just one place.

    norms: the report's identifiers by kind, as they are matched.
    """
    if not (norms.get(PERMIT) or norms.get(PARCEL)) or any(is_lossy(one) for one in damage.values()):
        return ""
    if business in ("", BY_LICENSE):
        return ""
    # A normal form holds no "|", and neither does the id of a business.
    return "|".join((business, *(norms.get(kind, "") for kind in (PERMIT, PARCEL, ADDRESS))))


def find_remembered(store: Store, keys: Mapping[K, str]) -> dict[K, str]:
    """The system that was decided on under each key; keys without one are left out."""
    found = find_by_identifiers(store, {(ALIAS, key) for key in keys.values() if key})
    return {of: found[ALIAS, key][0][0] for of, key in keys.items() if (ALIAS, key) in found}


def remember(store: Store, key: str, system: str) -> bool:
    """Keep a decision in the place of an earlier one; False for a key under which none is kept."""
    if not key:
        return False
    drop_alias(store, ALIAS, key)
    add_identifiers(store, [{"kind": ALIAS, "norm": key, "system": system}])
    return True


def forget(store: Store, key: str) -> bool:
    """Forget a decision; False when there was none."""
    return bool(key) and drop_alias(store, ALIAS, key) > 0
