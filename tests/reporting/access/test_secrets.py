"""The pure parts of access: passwords, codes by time, seals, marks, the file of providers."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from reporting.access import passwords, totp
from reporting.access.providers import is_safe_address, load_providers
from reporting.access.secret import Secret
from reporting.config import Config
from reporting.errors import ConfigurationError

SEED = b"12345678901234567890"
RFC_6238 = [  # Appendix B, SHA-1; the last six of its eight figures
    (59, "287082"),
    (1111111109, "081804"),
    (1111111111, "050471"),
    (1234567890, "005924"),
    (2000000000, "279037"),
    (20000000000, "353130"),
]


@pytest.mark.parametrize(("seconds", "code"), RFC_6238)
def test_codes_are_those_of_rfc_6238(seconds: int, code: str) -> None:
    now = datetime.fromtimestamp(seconds, UTC)
    assert totp.code_at(SEED, totp.step_at(now)) == code
    assert totp.step_of(SEED, f" {code[:3]}-{code[3:]}", now) == seconds // 30
    assert totp.step_of(SEED, code, now + timedelta(seconds=90)) is None
    for wrong in ("", code[:-1], code + "0", "٢٨٧٠٨٢", "abcdef", "-1"):
        assert totp.step_of(SEED, wrong, now) is None


def test_what_an_app_reads() -> None:
    uri = totp.setup_uri(SEED, "a+b@county.example", "pumper")
    assert uri == (
        "otpauth://totp/pumper:a%2Bb@county.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        "&issuer=pumper&digits=6&period=30"
    )


def test_recovery_codes_are_ten_of_eighty_bits() -> None:
    codes = totp.new_recovery_codes()
    assert len(set(codes)) == totp.RECOVERY_CODES
    hashes = {totp.recovery_hash(code) for code in codes}
    assert len(hashes - {None}) == len(codes)
    assert totp.recovery_hash(codes[0].upper().replace("-", " ")) == totp.recovery_hash(codes[0])
    for none in ("", "123456", codes[0][:-1], codes[0] + "a"):
        assert totp.recovery_hash(none) is None


def test_a_password_is_itself_and_no_other() -> None:
    method, salt, hashed = passwords.hash_password("grüne Reiher, sieben")
    assert method == "scrypt:32768:8:3"
    assert passwords.is_password("grüne Reiher, sieben", method, salt, hashed)
    for wrong in ("grüne Reiher, sieben ", "Grüne Reiher, sieben", "", "\ud800", "x" * 10_000):
        assert not passwords.is_password(wrong, method, salt, hashed)
    again = passwords.hash_password("grüne Reiher, sieben")
    assert again[1] != salt
    assert again[2] != hashed


@pytest.mark.parametrize(
    ("password", "good"),
    [
        ("k7 qx mw 2b9", True),  # 12
        ("k7 qx mw 2b", False),
        ("abcde fghij klm" * 8, True),  # 120
        ("k7qxmw2b" * 16, True),  # 128
        ("k7qxmw2b" * 16 + "x", False),
        ("abcdabcdabcd", False),  # 4 different
        ("abcdeabcdeab", True),  # 5
        ("password12345", False),
        ("PasswordWisconsin", False),
        ("lena.oestreich1", False),
        ("LenaOestreich@kettle", False),
        ("lena likes seven grey herons", True),
    ],
)
def test_what_a_good_password_is(password: str, good: bool) -> None:
    told = passwords.weakness_of(password, ("Lena Oestreich", "lena@kettle.example"))
    assert (told is None) == good, told


def config(folder: Path, **more: str) -> Config:
    return Config.from_environment({"PUMPER_SIGNING_KEY_FILE": str(folder / "keys" / "signing.key"), **more})


def test_without_a_secret_key_one_is_made_once(tmp_path: Path) -> None:
    barrier, found = Barrier(8), []

    def read() -> None:
        barrier.wait(20)
        found.append(Secret.of(config(tmp_path)).key)

    threads = [Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(found), len(set(found)), len(found[0])) == (8, 1, 64)
    made = tmp_path / "keys" / "secret.key"
    assert made.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in made.parent.iterdir()] == ["secret.key"]
    assert found[0].decode() not in repr(Secret.of(config(tmp_path)))
    other = Secret.of(config(tmp_path, SECRET_KEY="a secret of our own, long enough"))
    assert other.key == b"a secret of our own, long enough"


def test_a_secret_file_that_is_cut_off_is_told(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "secret.key").write_text("short")
    with pytest.raises(ConfigurationError, match="too short"):
        Secret.of(config(tmp_path))


def test_a_seal_is_for_one_purpose_and_one_secret() -> None:
    secret, other = Secret(key=b"a" * 32), Secret(key=b"b" * 32)
    sealed = secret.seal("totp of per_1", SEED)
    assert secret.unseal("totp of per_1", sealed) == SEED
    assert secret.seal("totp of per_1", SEED) != sealed
    assert SEED not in sealed
    for wrong in (sealed[:-1], sealed[:-1] + bytes([sealed[-1] ^ 1]), b"", b"x" * 12):
        assert secret.unseal("totp of per_1", wrong) is None
    assert secret.unseal("totp of per_2", sealed) is None
    assert other.unseal("totp of per_1", sealed) is None


def test_a_mark_is_of_one_text_one_purpose_and_one_secret() -> None:
    secret, other = Secret(key=b"a" * 32), Secret(key=b"b" * 32)
    mark = secret.mark("owner", "x")
    assert len(mark) == 26
    assert secret.is_mark("owner", "x", mark)
    for wrong in (other.is_mark("owner", "x", mark), secret.is_mark("device", "x", mark)):
        assert not wrong
    assert not secret.is_mark("owner", "y", mark)
    assert not secret.is_mark("owner", "x", "é")


GOOD = '[ozaukee]\nissuer = "https://login.example/tenant"\nclient_id = "pumper"\n'
WRONG = [
    ("[ozaukee", "not TOML"),
    ('[atlantis]\nissuer = "https://a.example"\nclient_id = "x"\n', "no such program"),
    ("ozaukee = 1\n", "table"),
    ('[ozaukee]\nclient_id = "x"\n', "issuer is missing"),
    ('[ozaukee]\nissuer = "https://a.example"\n', "client_id is missing"),
    (GOOD + 'secret = "x"\n', "secret is no setting"),
    (GOOD.replace("https", "http"), "https"),
    (GOOD.replace("https://login.example/tenant", ""), "text"),
    (GOOD + 'scopes = ["profile"]\n', "openid"),
    (GOOD + 'scopes = "openid"\n', "openid"),
    (GOOD + 'groups_claim = ""\n', "groups_claim"),
    (GOOD + 'client_secret_file = "absent"\n', "cannot be read"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_a_file_of_providers_that_cannot_be_used_is_told(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "oidc.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=words):
        load_providers(path)


def test_a_file_of_providers_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush\n")
    path = tmp_path / "oidc.toml"
    path.write_text(GOOD + f'client_secret_file = "{tmp_path / "secret"}"\ngroups_claim = "roles"\n')
    found = load_providers(path)["ozaukee"]
    assert (found.issuer, found.client_secret, found.groups_claim) == ("https://login.example/tenant", "hush", "roles")
    assert "hush" not in repr(found)
    assert load_providers(None) == {}
    with pytest.raises(ConfigurationError):
        load_providers(tmp_path / "none")


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://login.example", True),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]/x", True),
        ("http://localhost", False),  # whoever answers for that name
        ("http://login.example", False),
        ("http://127.0.0.1.login.example", False),
        ("ftp://127.0.0.1", False),
        ("https://", False),
        ("", False),
    ],
)
def test_which_addresses_are_safe(address: str, safe: bool) -> None:
    assert is_safe_address(address) == safe
