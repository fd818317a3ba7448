"""Exports of a log and the file that checks them: alone, by the standard library, and as the service itself checks."""

import json
import random
import shutil
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from reporting import export_verifier as verifier
from reporting.errors import CheckpointUnreadable, ExportRefused
from reporting.receipts import receipts_for
from reporting.store import log
from reporting.store.engine import Database
from reporting.store.export import VERIFIER, export_log, new_bundle
from reporting.store.log import NewEntry
from reporting.store.merkle import Frontier
from reporting.store.problems import DESTRUCTION
from reporting.store.rotation import hand_over
from reporting.store.signing import SignedHead, Signer, add_key, checkpoint_note, read_heads
from reporting.store.verify import verify
from tests.reporting.store.builders import NOON
from tests.reporting.tampering import Hands, tampered

COUNTY = "portage"


def add(database: Database, signer: Signer, count: int, day: int = 0) -> SignedHead:
    """Some entries, every other one with raw bytes, and their signed head."""
    now = NOON + timedelta(days=day)
    entries = [
        NewEntry(type="report", content={"n": n}, raw=b"row" if n % 2 else None, words={"reason": "é"} if n % 3 else {})
        for n in range(count)
    ]
    with database.transaction(COUNTY) as store:
        log.append(store, entries, now)
        return log.checkpoint(store, signer, now)


def export(database: Database, head: SignedHead, path: Path) -> Path:
    with database.reading(COUNTY) as store, new_bundle(path) as bundle:
        export_log(store, bundle, head, NOON)
    return path


def codes(path: Path, *kept: str, receipts: tuple[str, ...] = (), key_ids: tuple[str, ...] = ()) -> list[str]:
    given = [("kept.txt", text) for text in kept]
    found = verifier.verify_export(path, given, [("receipt.json", text) for text in receipts], key_ids)
    return [code for code, _seq, _words in found.problems]


@pytest.fixture
def exported(opened: Database, signer: Signer, tmp_path: Path) -> tuple[Path, SignedHead, SignedHead]:
    """An export of a log of 14 entries that was handed over to another key, and two heads that somebody kept."""
    first = add(opened, signer, 7)
    with opened.transaction(COUNTY) as store:
        assert signer.path is not None
        fresh = add_key(signer.path)
        hand_over(store, fresh, NOON + timedelta(days=1))
    second = add(opened, fresh, 6, day=2)
    return export(opened, second, tmp_path / "export"), first, second


@pytest.mark.parametrize("name", ["export", "export.zip"])
def test_an_honest_export_holds(opened: Database, signer: Signer, tmp_path: Path, name: str) -> None:
    head = add(opened, signer, 9)
    path = export(opened, head, tmp_path / name)
    report = verifier.verify_export(path, [("kept", checkpoint_note(head))])
    assert (report.problems, report.size, report.root, report.checkpoints) == ([], 9, head.root, 2)
    assert report.key_ids == [head.key_id]
    with opened.reading(COUNTY) as store:
        assert verify(store, [signer.verifying_key], [head]).root == report.root


def test_the_file_that_goes_with_it_runs_alone(exported: tuple[Path, SignedHead, SignedHead], tmp_path: Path) -> None:
    path, first, _ = exported
    kept = tmp_path / "mail.txt"
    kept.write_text("Dear clerk\n\n" + checkpoint_note(first), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(path / VERIFIER), str(path), "--checkpoint", str(kept)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "14 entries" in done.stdout
    lines = (path / "entries.jsonl").read_bytes().split(b"\n")
    lines[4] = lines[4].replace(b'"n":4', b'"n":5')
    (path / "entries.jsonl").write_bytes(b"\n".join(lines))
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, json.loads(done.stdout)["first_bad"]) == (1, 5)
    (path / "manifest.json").unlink()
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, "manifest.json" in done.stderr) == (2, True)


def test_keys_are_followed_from_the_first_on(exported: tuple[Path, SignedHead, SignedHead]) -> None:
    path, first, second = exported
    assert codes(path, checkpoint_note(first), checkpoint_note(second)) == []
    assert codes(path, key_ids=(first.key_id, second.key_id)) == []
    assert codes(path, key_ids=("00000000",)) == ["key"]
    assert first.key_id != second.key_id


def test_a_head_signed_with_a_key_that_was_not_in_force(
    exported: tuple[Path, SignedHead, SignedHead], signer: Signer
) -> None:
    path, first, second = exported
    # `signer` has the first key: after the rotation its signature is no good any more.
    late = signer.sign(COUNTY, second.size, second.root, NOON)
    other = Signer(key=Ed25519PrivateKey.generate()).sign(COUNTY, first.size, first.root, NOON)
    assert codes(path, checkpoint_note(late)) == ["signature"]
    assert codes(path, checkpoint_note(other)) == ["signature"]


def test_a_rotation_that_the_old_key_has_not_signed(opened: Database, signer: Signer, tmp_path: Path) -> None:
    add(opened, signer, 3)
    thief = Signer(key=Ed25519PrivateKey.generate())
    with opened.transaction(COUNTY) as store:
        forged = Signer(key=thief.key, former=(thief.key,))
        content = {"key": "", "replaces": "", "signature": ""}
        with pytest.raises(Exception, match="another key"):
            hand_over(store, forged, NOON)
        log.append(store, [NewEntry(type="signing_key", content=content)], NOON)
        head = log.checkpoint(store, signer, NOON)
    found = verifier.verify_export(export(opened, head, tmp_path / "export"))
    assert ("key", 4) in {(code, seq) for code, seq, _words in found.problems}


def test_receipts_are_held_against_their_entries(opened: Database, signer: Signer, tmp_path: Path) -> None:
    with opened.transaction(COUNTY) as store:
        appended = log.append(store, [NewEntry(type="report", content={"n": n}) for n in range(3)], NOON)
        head = log.checkpoint(store, signer, NOON)
    path = export(opened, add(opened, signer, 2, day=1), tmp_path / "export")
    right = [json.dumps(one.to_json()) for one in receipts_for(appended, head)]
    assert codes(path, receipts=tuple(right)) == []
    wrong = json.dumps({**json.loads(right[0]), "leaf": json.loads(right[1])["leaf"]})
    assert codes(path, receipts=(wrong,)) == ["receipt"]
    dated = json.dumps({**json.loads(right[0]), "recorded_at": "2026-07-13T12:00:00.000001Z"})
    assert codes(path, receipts=(dated,)) == ["receipt"]
    for text in ("{}", "[]", "no", right[0].replace('"seq": 1', '"seq": 4')):
        with pytest.raises(verifier.Unreadable):
            codes(path, receipts=(text,))


def test_a_checkpoint_of_another_log_or_of_more_entries(
    exported: tuple[Path, SignedHead, SignedHead], signer: Signer
) -> None:
    path, _, second = exported
    foreign = checkpoint_note(signer.sign("ozaukee", 3, bytes(32), NOON))
    assert codes(path, foreign) == ["county"]
    assert codes(path, foreign + "\n" + checkpoint_note(second)) == []  # a mail may hold several
    more = Signer(key=signer.key).sign(COUNTY, second.size + 1, bytes(32), NOON)
    assert "cut" in codes(path, checkpoint_note(more))


def test_without_what_was_kept_a_rewritten_log_agrees_with_itself(
    opened: Database, owner: Database, signer: Signer, tmp_path: Path
) -> None:
    kept = add(opened, signer, 5)

    def rewrite(hands: Hands) -> None:
        hands.run("DELETE FROM log_raw WHERE county = :county AND seq = 5")
        hands.run("DELETE FROM log_detail WHERE county = :county AND seq = 5")
        hands.run("DELETE FROM log_entry WHERE county = :county AND seq = 5")
        hands.run("DELETE FROM checkpoint WHERE county = :county")
        tree = Frontier()
        for (leaf,) in hands.run("SELECT leaf FROM log_entry WHERE county = :county ORDER BY seq").all():
            tree.append(bytes(leaf))
        values = {"size": tree.size, "root": tree.root(), "edge": tree.pack()}
        hands.run("UPDATE log_head SET size=:size, root=:root, frontier=:edge WHERE county = :county", **values)

    path = tmp_path / "export"
    with tampered(owner, COUNTY, rewrite) as store:
        head = log.checkpoint(store, signer, NOON)
        with new_bundle(path) as bundle:
            export_log(store, bundle, head, NOON)
    assert codes(path) == []
    found = verifier.verify_export(path, [("kept", checkpoint_note(kept))])
    assert [(code, seq) for code, seq, _words in found.problems] == [("cut", 5)]


def test_what_was_destroyed_is_explained_and_what_is_gone_is_not(
    opened: Database, owner: Database, signer: Signer, tmp_path: Path
) -> None:
    add(opened, signer, 6)
    with owner.transaction(COUNTY) as store:
        hands = Hands(store=store)
        for table in ("log_raw", "log_detail"):
            hands.run(f"DELETE FROM {table} WHERE county = :county AND seq IN (2, 3, 5, 6)")
        log.append(store, [NewEntry(type=DESTRUCTION, content={"ranges": [[2, 3]], "seqs": [5]})], NOON)
        head = log.checkpoint(store, signer, NOON)
    found = verifier.verify_export(export(opened, head, tmp_path / "export"))
    assert {seq for _code, seq, _words in found.problems} == {6}
    with opened.reading(COUNTY) as store:
        assert {one.seq for one in verify(store).problems} == {6}


def test_every_flipped_bit_is_found(exported: tuple[Path, SignedHead, SignedHead]) -> None:
    path, first, _ = exported
    chance, kept = random.Random(20261130), checkpoint_note(first)
    files = sorted(path.iterdir())
    for _ in range(120):
        file = chance.choice(files)
        right = file.read_bytes()
        bit = chance.randrange(len(right) * 8)
        wrong = bytearray(right)
        wrong[bit // 8] ^= 1 << bit % 8
        file.write_bytes(bytes(wrong))
        with suppress(verifier.Unreadable):
            assert codes(path, kept) != [], (file.name, bit)
        file.write_bytes(right)
    assert codes(path, kept) == []


def test_an_entry_whose_members_have_other_names_is_named_and_stops_nothing(
    exported: tuple[Path, SignedHead, SignedHead],
) -> None:
    path, first, _ = exported
    entries = path / "entries.jsonl"
    right, kept = entries.read_bytes(), checkpoint_note(first)
    for name in json.loads(right.splitlines()[0]):
        for other in (name[:-1] + "~", chr(ord(name[0]) ^ 1) + name[1:]):
            entries.write_bytes(right.replace(f'"{name}":'.encode(), f'"{other}":'.encode(), 1))
            assert {"entry", "leaf"} & set(codes(path, kept)), other
    entries.write_bytes(right)
    assert codes(path, kept) == []


@pytest.mark.parametrize(("of", "says"), [(2, 0), (2, 1), (3, 1), (3, 2), (3, 4), (4, 9)])
def test_an_entry_that_calls_itself_another_is_the_one_that_is_named(
    exported: tuple[Path, SignedHead, SignedHead], of: int, says: int
) -> None:
    path, first, _ = exported
    entries = path / "entries.jsonl"
    lines = entries.read_bytes().splitlines(keepends=True)
    lines[of - 1] = lines[of - 1].replace(f'"seq":{of},'.encode(), f'"seq":{says},'.encode())
    entries.write_bytes(b"".join(lines))
    assert verifier.verify_export(path, [("kept", checkpoint_note(first))]).first_bad == of


@pytest.mark.parametrize("change", ["extra", "missing", "no line end"])
def test_files_that_do_not_belong_or_are_missing(exported: tuple[Path, SignedHead, SignedHead], change: str) -> None:
    path, _, _ = exported
    if change == "extra":
        (path / "more.txt").write_text("x")
        assert codes(path) == ["file"]
    elif change == "missing":
        (path / "README.txt").unlink()
        assert codes(path) == ["file"]
    else:
        entries = path / "entries.jsonl"
        entries.write_bytes(entries.read_bytes()[:-1])
        with pytest.raises(verifier.Unreadable, match="breaks off"):
            codes(path)


def test_nothing_is_written_over(opened: Database, signer: Signer, tmp_path: Path) -> None:
    head = add(opened, signer, 2)
    for name in ("export", "export.zip"):
        export(opened, head, tmp_path / name)
        with pytest.raises(ExportRefused, match="new folder"):
            export(opened, head, tmp_path / name)
    shutil.rmtree(tmp_path / "export")
    (tmp_path / "export").write_text("a file")
    with pytest.raises(ExportRefused):
        export(opened, head, tmp_path / "export")


@pytest.fixture
def note(signer: Signer) -> str:
    return checkpoint_note(signer.sign(COUNTY, 3, bytes(32), NOON))


def test_a_checkpoint_is_read_out_of_whatever_holds_it(note: str) -> None:
    passed_on = "\r\n".join(f"> {line}" for line in ["Dear clerk,", "", *note.splitlines(), "", "Yours"])
    for text in (note, f"words\n\n{note}\nwords", passed_on):
        assert [(one.county, one.size, one.root) for one in read_heads(text, "x", NOON)] == [(COUNTY, 3, bytes(32))]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n3\n", "\n03\n"),
        ("\n3\n", "\n-3\n"),
        ("pumper/portage\n", "pumper/ozaukee\n"),
        ("AAA=", "AAB="),
        ("— ", "- "),
    ],
)
def test_a_checkpoint_that_is_none(note: str, old: str, new: str) -> None:
    assert old in note
    with pytest.raises(CheckpointUnreadable):
        read_heads(note.replace(old, new, 1), "x", NOON)


def test_ed25519_agrees_with_the_library() -> None:
    chance = random.Random(8032)
    for _ in range(40):
        key = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
        public, text = key.public_key().public_bytes_raw(), chance.randbytes(chance.randrange(200))
        signature = key.sign(text)
        assert verifier.signed(public, text, signature)
        wrong = bytearray(signature)
        wrong[chance.randrange(64)] ^= 1 << chance.randrange(8)
        assert not verifier.signed(public, text, bytes(wrong))
        assert not verifier.signed(public, text + b"x", signature)
        assert not verifier.signed(public, text, signature[:-1])
        # s + L is the same signature written another way: RFC 8032, section 5.1.7 refuses it.
        order = 2**252 + 27742317777372353535851937790883648493
        longer = int.from_bytes(signature[32:], "little") + order
        assert not verifier.signed(public, text, signature[:32] + longer.to_bytes(32, "little"))


def test_the_vectors_of_rfc_8032() -> None:
    """Section 7.1, tests 1 and 2."""
    vectors = [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            "d25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            "387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ]  # fmt: skip
    for key, text, signature in vectors:
        assert verifier.signed(bytes.fromhex(key), bytes.fromhex(text), bytes.fromhex(signature))


def test_the_tree_agrees_with_the_services_own() -> None:
    one, other = verifier.Tree(), Frontier()
    assert one.root() == other.root()
    for n in range(70):
        one.append(bytes([n]) * 32)
        other.append(bytes([n]) * 32)
        assert one.root() == other.root()
