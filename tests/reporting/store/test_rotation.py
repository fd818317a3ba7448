"""Handing a log over to another key: old receipts stay good, and no key signs outside of its time."""

from datetime import timedelta
from pathlib import Path

import pytest

from reporting.errors import SigningKeyUnusable
from reporting.receipts import Receipt, receipts_for, verify_receipt
from reporting.store import log
from reporting.store.engine import Database
from reporting.store.log import NewEntry
from reporting.store.rotation import SIGNING_KEY, hand_over, key_ring, keys_of
from reporting.store.signing import SignedHead, Signer, add_key, set_former_aside
from reporting.store.verify import VerifyResult, verify
from tests.reporting.store.builders import NOON
from tests.reporting.tampering import tampered

COUNTY = "portage"


def add(database: Database, signer: Signer, day: int = 0) -> Receipt:
    with database.transaction(COUNTY) as store:
        now = NOON + timedelta(days=day)
        appended = log.append(store, [NewEntry(type="report", content={"day": day}, raw=b"x")], now)
        return receipts_for(appended, log.checkpoint(store, signer, now))[0]


def rotated(database: Database, signer: Signer, day: int = 1) -> Signer:
    assert signer.path is not None
    fresh = add_key(signer.path)
    with database.transaction(COUNTY) as store:
        hand_over(store, fresh, NOON + timedelta(days=day))
    set_former_aside(fresh)
    return Signer.load(signer.path)


def check(database: Database, *known: Signer, saved: tuple[SignedHead, ...] = ()) -> VerifyResult:
    with database.reading(COUNTY) as store:
        return verify(store, [one.verifying_key for one in known], saved)


def test_a_log_that_was_handed_over_twice_holds(opened: Database, signer: Signer) -> None:
    receipt = add(opened, signer)
    second = rotated(opened, signer)
    later = add(opened, second, 2)
    third = rotated(opened, second, 3)
    for known in (signer, second, third):
        assert check(opened, known).problems == ()
    with opened.reading(COUNTY) as store:
        assert [seq for seq, _key in keys_of(store)] == [0, 2, 4]
        assert verify_receipt(store, receipt, [third.verifying_key]).ok
        assert verify_receipt(store, later, [third.verifying_key]).ok
    assert len({receipt.key_id, later.key_id, third.verifying_key.key_id(COUNTY)}) == 3


def test_whoever_had_loaded_the_old_key_takes_up_the_new_one(opened: Database, signer: Signer) -> None:
    add(opened, signer)
    fresh = rotated(opened, signer)
    assert add(opened, signer, 2).key_id == fresh.verifying_key.key_id(COUNTY)
    assert check(opened, fresh).ok


def test_the_old_key_signs_no_more_and_the_new_one_not_before(opened: Database, signer: Signer) -> None:
    add(opened, signer)
    fresh = rotated(opened, signer)
    with opened.reading(COUNTY) as store:
        at = log.head(store)
    late = signer.sign(COUNTY, at.size, at.root, NOON)
    early = fresh.sign(COUNTY, 1, check_root(opened, 1), NOON)
    for head in (late, early):
        assert [one.code for one in check(opened, fresh, saved=(head,)).problems] == ["signature"]


def check_root(database: Database, size: int) -> bytes:
    with database.reading(COUNTY) as store:
        head = log.signed_head(store, size, exact=True)
    assert head is not None
    return head.root


def test_a_log_of_none_of_the_known_keys(opened: Database, signer: Signer, tmp_path: Path) -> None:
    add(opened, signer)
    rotated(opened, signer)
    stranger = Signer.load(tmp_path / "stranger.key")
    assert "key" in {one.code for one in check(opened, stranger).problems}


def test_a_handing_over_that_the_old_key_has_not_signed(opened: Database, owner: Database, signer: Signer) -> None:
    add(opened, signer)
    fresh = rotated(opened, signer)
    change = 'UPDATE log_entry SET entry = replace(entry, \'"signature":"\', \'"signature":"AAAA\') WHERE seq = 2'
    if opened.dialect == "postgresql":
        change = (
            "UPDATE log_entry SET entry = convert_to(replace(convert_from(entry, 'UTF8'), "
            "'\"signature\":\"', '\"signature\":\"AAAA'), 'UTF8') WHERE seq = 2"
        )
    else:
        change = change.replace("entry = replace(entry", "entry = CAST(replace(CAST(entry AS TEXT)").replace(
            "AAAA')", "AAAA') AS BLOB)"
        )
    with tampered(owner, COUNTY, lambda hands: hands.run(change)) as store:
        found = verify(store, [fresh.verifying_key])
    assert {(one.code, one.seq) for one in found.problems} >= {("leaf", 2), ("key", 2)}


def test_a_head_that_names_another_key(opened: Database, owner: Database, signer: Signer) -> None:
    add(opened, signer)
    for fresh in (signer, rotated(opened, signer)):
        change = "UPDATE log_head SET verifying_key = :junk WHERE county = :county"
        with tampered(owner, COUNTY, lambda hands, c=change: hands.run(c, junk=bytes(32))) as store:
            found = verify(store, [fresh.verifying_key])
        assert [one.code for one in found.problems] == ["key"]
        assert check(opened, fresh).ok


def test_a_key_that_is_not_to_hand(opened: Database, signer: Signer, tmp_path: Path) -> None:
    add(opened, signer)
    other = Signer.load(tmp_path / "other.key")
    with pytest.raises(SigningKeyUnusable, match="does not hold it"):
        add(opened, other, 1)
    assert check(opened, signer).size == 1  # nothing was written
    with pytest.raises(SigningKeyUnusable), opened.transaction(COUNTY) as store:
        hand_over(store, other, NOON)


def test_a_rotation_that_was_interrupted_goes_on(opened: Database, signer: Signer) -> None:
    add(opened, signer)
    assert signer.path is not None
    fresh = add_key(signer.path)
    # This log has not been handed over yet: the old key in the file still signs it.
    assert add(opened, Signer.load(signer.path), 1).key_id == signer.verifying_key.key_id(COUNTY)
    for _ in range(2):
        with opened.transaction(COUNTY) as store:
            hand_over(store, Signer.load(signer.path), NOON + timedelta(days=2))
    with opened.reading(COUNTY) as store:
        assert len(key_ring(store, ()).rotations) == 1
    [aside] = set_former_aside(Signer.load(signer.path))
    assert Signer.load(aside).verifying_key == signer.verifying_key
    assert aside.stat().st_mode & 0o077 == 0
    assert Signer.load(signer.path).verifying_key == fresh.verifying_key
    assert check(opened, fresh).ok


def test_a_log_without_signed_heads_needs_no_entry(opened: Database, signer: Signer) -> None:
    with opened.transaction(COUNTY) as store:
        log.append(store, [NewEntry(type="note", content={})], NOON)
    fresh = rotated(opened, signer)
    add(opened, fresh, 2)
    with opened.reading(COUNTY) as store:
        assert [seq for seq, _key in keys_of(store)] == [0]
        assert SIGNING_KEY not in {*log.entries_of(store, [1, 2]).values()}
    assert check(opened, fresh).ok
