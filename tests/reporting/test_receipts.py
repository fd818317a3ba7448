"""Receipts and the key behind them."""

import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from reporting.errors import ReceiptUnreadable, RecordNotFound, SigningKeyUnusable
from reporting.receipts import Receipt, receipts_for, stored_receipt, verify_receipt
from reporting.store import log
from reporting.store.engine import Database
from reporting.store.log import NewEntry
from reporting.store.signing import Signer, VerifyingKey, checkpoint_note, checkpoint_text
from tests.services.databases import DatabaseUrls

NOON = datetime(2026, 7, 13, 12, 0, tzinfo=UTC)


@pytest.fixture
def opened(database: DatabaseUrls) -> Iterator[Database]:
    found = Database.connect(database.app_url)
    yield found
    found.dispose()


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    return Signer.load(tmp_path / "signing.key")


def take(database: Database, signer: Signer, county: str = "portage") -> list[Receipt]:
    with database.transaction(county) as store:
        entries = [NewEntry(type="report", content={"n": n}, raw=b"row") for n in range(3)]
        appended = log.append(store, entries, NOON)
        return receipts_for(appended, log.checkpoint(store, signer, NOON))


def test_receipts_of_a_batch_stand_on_one_head(opened: Database, signer: Signer) -> None:
    receipts = take(opened, signer)
    assert [(receipt.seq, receipt.size) for receipt in receipts] == [(1, 3), (2, 3), (3, 3)]
    assert all(signer.verifying_key.signed(receipt.head) for receipt in receipts)
    with opened.reading("portage") as store:
        assert [stored_receipt(store, seq) for seq in (1, 2, 3)] == receipts
        with pytest.raises(RecordNotFound):
            stored_receipt(store, 4)
    with opened.reading("ozaukee") as store, pytest.raises(RecordNotFound):
        stored_receipt(store, 1)


def test_a_receipt_is_checked_against_the_log(opened: Database, signer: Signer) -> None:
    receipt = take(opened, signer)[1]
    keys = [signer.verifying_key]
    with opened.reading("portage") as store:
        assert verify_receipt(store, receipt, keys).ok
        for wrong, first in (
            (replace(receipt, leaf=bytes(32)), 2),
            (replace(receipt, seq=3), 3),
            (replace(receipt, seq=4), None),
            (replace(receipt, recorded_at=NOON.replace(year=2027)), 2),
            (replace(receipt, root=bytes(32)), None),
            (replace(receipt, size=9), 4),
            (replace(receipt, signature=bytes(64)), None),
            (replace(receipt, county="ozaukee"), None),
        ):
            result = verify_receipt(store, wrong, keys)
            assert (result.ok, result.first_bad) == (False, first), wrong


def test_a_receipt_reads_back(opened: Database, signer: Signer) -> None:
    receipt = take(opened, signer)[0]
    assert Receipt.from_json(receipt.to_json()) == receipt
    assert receipt.to_json()["recorded_at"] == "2026-07-13T12:00:00.000000Z"


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", "x" * 9, '{"county": "portage"}', "[" * 100_000, b"\xff\xfe"])
def test_what_is_no_receipt_is_refused(text: str | bytes) -> None:
    with pytest.raises(ReceiptUnreadable):
        Receipt.parse(text)


@pytest.mark.parametrize(
    "change",
    [
        {"seq": "1"},
        {"seq": True},
        {"size": 1.0},
        {"leaf": "zz"},
        {"leaf": None},
        {"signature": "%%"},
        {"recorded_at": "2026-07-13"},
        {"recorded_at": "2026-07-13T12:00:00"},
        {"recorded_at": 3},
    ],
)
def test_a_receipt_in_another_form_is_refused(change: dict[str, object]) -> None:
    receipt = Receipt(
        county="portage",
        seq=1,
        leaf=bytes(32),
        size=1,
        root=bytes(32),
        key_id="00000000",
        signature=bytes(64),
        recorded_at=NOON,
    )
    assert Receipt.from_json(receipt.to_json()) == receipt
    with pytest.raises(ReceiptUnreadable):
        Receipt.from_json({**receipt.to_json(), **change})


def test_a_head_from_before_the_entry_gives_no_receipt(opened: Database, signer: Signer) -> None:
    with opened.transaction("portage") as store:
        head = log.checkpoint(store, signer, NOON)
        appended = log.append(store, [NewEntry(type="report", content={})], NOON)
        with pytest.raises(ValueError, match="before the entry"):
            receipts_for(appended, head)


def test_the_key_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "signing.key"
    with ThreadPoolExecutor(8) as pool:
        keys = {signer.verifying_key for signer in pool.map(Signer.load, [path] * 8)}
    assert len(keys) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["signing.key"]


@pytest.mark.parametrize("content", [b"", b"not a key"])
def test_a_file_that_is_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(SigningKeyUnusable):
        Signer.load(tmp_path / "key")
    with pytest.raises(SigningKeyUnusable):
        VerifyingKey.from_pem(content)


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    other = generate_private_key(SECP256R1())
    (tmp_path / "key").write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(SigningKeyUnusable, match="Ed25519"):
        Signer.load(tmp_path / "key")
    with pytest.raises(SigningKeyUnusable, match="Ed25519"):
        VerifyingKey.from_pem(other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))


def test_a_key_where_none_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SigningKeyUnusable):
        Signer.load(tmp_path / "file" / "key")


def test_the_public_key_travels_as_pem(signer: Signer) -> None:
    assert VerifyingKey.from_pem(signer.verifying_key.to_pem()) == signer.verifying_key


def test_a_checkpoint_is_a_note_in_the_common_form(signer: Signer) -> None:
    head = signer.sign("portage", 3, bytes(32), NOON)
    body, signature = checkpoint_note(head).split("\n\n")
    assert checkpoint_text("portage", 3, bytes(32)) == (
        b"pumper/portage\n3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
    )
    assert (body + "\n").encode() == checkpoint_text("portage", 3, bytes(32))
    assert signature.startswith("— pumper/portage ")
    assert signature.endswith("\n")


def test_a_signature_is_for_one_county_and_one_size(signer: Signer) -> None:
    head = signer.sign("portage", 3, bytes(32), NOON)
    key = signer.verifying_key
    assert key.signed(head)
    assert not key.signed(replace(head, size=4))
    assert not key.signed(replace(head, county="ozaukee", key_id=key.key_id("ozaukee")))
    assert not key.signed(replace(head, key_id=key.key_id("ozaukee")))
