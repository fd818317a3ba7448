"""`pumper key` and `pumper staff` as an operator uses them."""

import json
import re
from pathlib import Path

import pytest

from tests.reporting.cli.test_commands import Desk, desk, office, prepared

__all__ = ["desk", "office", "prepared"]

CREATE = ("key", "create", "--role", "county", "--county", "ozaukee")


def create(office: Desk, *more: str) -> dict[str, str]:
    made = office.run(*CREATE, *more, "--json")
    assert made.returncode == 0, made.stderr
    found = json.loads(made.stdout)
    assert isinstance(found, dict)
    return found


def keys(office: Desk) -> dict[str, dict[str, object]]:
    return {row["id"]: row for row in json.loads(office.run("key", "list", "--json").stdout)}


def test_two_keys_of_a_name_and_a_sentence_for_the_third(office: Desk) -> None:
    first = create(office, "--label", "gis")
    create(office, "--label", "gis")
    third = office.run(*CREATE, "--label", "gis")
    assert (third.returncode, "2 live keys named 'gis': revoke one" in third.stderr) == (2, True)
    create(office, "--label", "backup")
    assert office.run("key", "revoke", first["id"]).returncode == 0
    create(office, "--label", "gis")


def test_scopes_days_and_feeds(office: Desk) -> None:
    made = create(office, "--scope", "systems:read", "--scope", "reports:read", "--days", "30")
    row = keys(office)[made["id"]]
    assert row["scopes"] == ["reports:read", "systems:read"]
    assert "secret_sha256" not in row
    for wrong in (("--days", "0"), ("--days", "731"), ("--scope", "moon:land"), ("--feed",), ("--label", "x" * 101)):
        assert office.run(*CREATE, *wrong).returncode == 2, wrong
    feed = office.run("key", "create", "--role", "contractor", "--license", "00412", "--feed")
    assert feed.stdout.startswith("pmf_")
    assert office.run("key", "create", "--role", "owner").returncode == 2
    assert (
        office.run("key", "create", "--role", "contractor", "--license", "00412", "--scope", "facts:write").returncode
        == 2
    )


def test_a_key_is_rotated_with_an_overlap(office: Desk) -> None:
    old = create(office, "--label", "gis", "--scope", "systems:read")
    said = office.run("key", "rotate", old["id"], "--json")
    new = json.loads(said.stdout)
    rows = keys(office)
    assert new["key"] != old["key"]
    assert (rows[new["id"]]["label"], rows[new["id"]]["scopes"]) == ("gis", ["systems:read"])
    assert str(rows[old["id"]]["expires_at"]) < str(rows[new["id"]]["expires_at"])
    again = office.run("key", "rotate", new["id"])
    assert (again.returncode, "live keys" in again.stderr) == (2, True)
    assert office.run("key", "rotate", "none").returncode == 2
    office.run("key", "revoke", old["id"])
    assert office.run("key", "rotate", old["id"]).returncode == 2
    assert office.run("key", "rotate", new["id"], "--overlap-days", "0").returncode == 0


def test_all_keys_of_a_holder_end_when_one_is_lost(office: Desk) -> None:
    one, two = create(office, "--label", "a"), create(office, "--label", "b")
    business = json.loads(office.run("key", "create", "--role", "contractor", "--license", "00412", "--json").stdout)
    said = office.run("key", "revoke", "--holder", "ozaukee")
    assert (said.returncode, "2 keys are revoked" in said.stdout) == (0, True)
    rows = keys(office)
    assert [rows[k["id"]]["revoked_at"] is None for k in (one, two, business)] == [False, False, True]
    assert office.run("key", "revoke", "--holder", "00412").returncode == 0
    assert keys(office)[business["id"]]["revoked_at"] is not None
    for wrong in ((), ("--holder", "99999"), (one["id"], "--holder", "ozaukee")):
        assert office.run("key", "revoke", *wrong).returncode == 2


def test_a_mail_invites_and_keeps_no_link(office: Desk) -> None:
    said = office.run("staff", "invite", "ozaukee", "New@people.example", "--role", "manager")
    assert (said.returncode, "new@people.example is invited as manager" in said.stdout) == (0, True)
    said = office.run("staff", "invite-business", "00412", "office@people.example")
    assert said.returncode == 0, said.stderr
    assert office.run("deliver").returncode == 0
    mails = [path.read_text() for path in (office.folder / "mail").glob("invitation*.eml")]
    assert sorted(re.findall(r"^To: (.*)$", "\n".join(mails), re.MULTILINE)) == [
        "new@people.example",
        "office@people.example",
    ]
    secrets = set(re.findall(r"/invitations/([a-z2-7]{32})", "".join(mails)))
    assert len(secrets) == 2
    kept = Path(office.folder / "pumper.db").read_bytes()
    assert not [secret for secret in secrets if secret.encode() in kept]


@pytest.mark.parametrize(
    "words",
    [
        ("invite", "ozaukee", "not an address", "--role", "clerk"),
        ("invite", "ozaukee", "a@b.example", "--role", "technician"),
        ("invite", "ozaukee", "a@b.example"),
        ("invite", "atlantis", "a@b.example", "--role", "clerk"),
        ("invite-business", "99999", "a@b.example"),
        ("role", "ozaukee", "per_none", "clerk"),
        ("group", "ozaukee", "Clerks"),
        ("group", "ozaukee", "Clerks", "clerk"),  # no provider
        ("group", "ozaukee", "Clerks", "clerk", "--remove"),
    ],
)
def test_wrong_usage_is_told(office: Desk, words: tuple[str, ...]) -> None:
    assert office.run("staff", *words).returncode == 2


def test_nobody_has_no_role_to_take(office: Desk) -> None:
    assert office.run("staff", "revoke", "ozaukee", "per_none").returncode == 1
    assert json.loads(office.run("staff", "list", "ozaukee", "--json").stdout) == []


def with_provider(office: Desk) -> Desk:
    path = office.file("oidc.toml", '[ozaukee]\nissuer = "https://login.example"\nclient_id = "pumper"\n')
    return Desk(folder=office.folder, environ={**office.environ, "PUMPER_OIDC_FILE": path})


def test_groups_are_data_of_the_county(office: Desk) -> None:
    desk = with_provider(office)
    assert desk.run("staff", "group", "ozaukee", "Land Records", "clerk").returncode == 0
    assert desk.run("staff", "group", "ozaukee", "Land Records", "reviewer").returncode == 0
    [row] = json.loads(desk.run("staff", "group", "ozaukee", "--json").stdout)
    assert (row["group"], row["role"], row["issuer"]) == ("Land Records", "reviewer", "https://login.example")
    assert desk.run("staff", "group", "ozaukee", "Land Records", "--remove").returncode == 0
    assert desk.run("staff", "group", "ozaukee", "Land Records", "--remove").returncode == 2
    assert desk.run("staff", "group", "ozaukee").stdout == ""
