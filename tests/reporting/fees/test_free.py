"""9.026(5): whoever replaces a system pays no fee for the abandonment of the old one, and is charged none."""

from pathlib import Path

from reporting.documents import file_document
from reporting.fees.charging import Charged, charge_by_staff
from reporting.owners import NotTold, Teller, Told
from reporting.store.engine import Database
from reporting.store.fees import totals
from reporting.store.signing import Signer
from schemas.loader import shipped_program
from tests.reporting.counties import NOW, a_row, load

COUNTY = "ozaukee"


def test_a_replacement_permit_frees_from_the_fee_of_an_abandonment(kept: Database, tmp_path: Path) -> None:
    signer = Signer.load(tmp_path / "signing.key")
    clerk = Teller(program=shipped_program(COUNTY), by="clerk", now=NOW, signer=signer)
    load(kept, a_row("SP-1"), a_row("SP-2"), county=COUNTY, now=NOW)
    gone = {"rule": "OZ22", "cause": "2026-07-01"}
    with kept.transaction(COUNTY) as store:
        permit = {"permit_number": "SP-1", "kind": "replacement_permit", "filed_on": "2026-06-01"}
        assert isinstance(file_document(store, clerk, permit), Told)
        free = charge_by_staff(store, clerk, {**gone, "permit_number": "SP-1"})
        assert isinstance(free, NotTold)
        assert "Nothing is to be charged: replacement permit on file" in free.issues[0].message
        other = charge_by_staff(store, clerk, {**gone, "permit_number": "SP-2"})
        assert isinstance(other, Charged)
        assert totals(store)["charged"] == other.cents == 10000
