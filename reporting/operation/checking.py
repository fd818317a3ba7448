"""Whether a copied database holds: every log and its tables, against heads that were signed before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reporting.store.copying import heads, of_county
from reporting.store.engine import Store
from reporting.store.signing import SignedHead, VerifyingKey
from reporting.store.verify import VerifyResult, verify


def check_logs(store: Store, keys: Sequence[VerifyingKey], saved: Sequence[SignedHead]) -> list[VerifyResult]:
    """Each log that has entries, or of which a signed head was kept, checked as `pumper verify --against` does."""
    logs = dict.fromkeys([*heads(store), *(one.county for one in saved)])
    return [verify(of_county(store, county), keys, saved) for county in logs]


def problems_of(results: Sequence[VerifyResult]) -> Iterator[str]:
    """What was found, in words."""
    for result in results:
        yield from (f"{result.county}: {problem.message}" for problem in result.problems)
