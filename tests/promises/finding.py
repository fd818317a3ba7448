"""Which proofs there are: the modules `pNN.py` of `tests.promises.proofs`, by the promise's name."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from tests.promises.proof import Proof

FOLDER = Path(__file__).with_name("proofs")


def promises() -> list[str]:
    """The names of all promises that have a proof, `P1` before `P10`."""
    numbers = [int(path.stem[1:]) for path in FOLDER.glob("p*.py") if re.fullmatch(r"p\d\d", path.stem)]
    return [f"P{number}" for number in sorted(numbers)]


def proof_of(promise: str) -> Proof:
    """The proof of a promise; raises AssertionError when its module is about another one."""
    module = importlib.import_module(f"tests.promises.proofs.p{int(promise[1:]):02d}")
    proof = module.PROOF
    assert isinstance(proof, Proof), f"{module.__name__}.PROOF is no Proof"
    assert proof.promise == promise, f"{module.__name__} proves {proof.promise}"
    return proof
