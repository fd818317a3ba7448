"""The door to addresses that others gave: spellings, networks, names that change, TLS, redirects, slow answers."""

import socket
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path

import pytest

from notifications.webhooks_addresses import (
    AddressRefused,
    Origin,
    is_public,
    may_connect,
    read_address,
    read_allowed,
)
from notifications.webhooks_door import ANSWER_CAP, Answer, Door
from tests.services.receivers import Listener, Receiver, answer, listening, make_certificate, receiving

NAME = "hooks.example.org"
PUBLIC = "93.184.215.14"

REFUSED = [
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://0/",
    "https://0x/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://[2606:2800:21f:cb07::1]/",
    f"https://{PUBLIC}/",
    "https://169.254.169.254/latest/meta-data/",
    "https://10.0.0.1/",
    "https://1.2.3.4.5/",
    "https://localhost/",
    "https://localhost./",
    "https://LOCALHOST/",
    "https://api.localhost/",
    "https://printer.local/",
    "https://db.internal/",
    "https://router.lan/",
    "https://nas.home.arpa/",
    "https://intranet/",
    "https://hooks.example.org./",
    "https://hooks..example.org/",
    "https://-hooks.example.org/",
    "https://hooks_.example.org/",
    "https://user@hooks.example.org/",
    "https://user:word@hooks.example.org/",
    "https://hooks.example.org@127.0.0.1/",
    "https://hooks.example.org:443@127.0.0.1/",
    "https://hooks.example.org%40127.0.0.1/",
    "https://127.0.0.1%2ehooks.example.org/",
    "https://hooks.example.org:8443/",
    "https://hooks.example.org:80/",
    "https://hooks.example.org:0443/",
    "https://hooks.example.org:/",
    "https://hooks.example.org:443:80/",
    "https://hooks.example.org:-1/",
    "https://hooks.example.org#@127.0.0.1/",
    "https://hooks.example.org/x#part",
    "https://hooks.example.org\\@127.0.0.1/",
    "https:\\\\127.0.0.1/",
    "https:///127.0.0.1/",
    "https:127.0.0.1",
    "//127.0.0.1/",
    "/hook",
    "",
    "https://",
    "https:///",
    "http://hooks.example.org/",
    "HTTP://hooks.example.org/",
    "ftp://hooks.example.org/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_",
    "javascript:alert(1)",
    "https://hooks.example.org/ x",
    "https://hooks.example.org/\r\nHost: inside",
    "https://hooks.example.org/\x00",
    " https://hooks.example.org/",
    "https://１２７.０.０.１/",
    "https://127。0。0。1/",
    "https://ⓗooks.example.org/",
    "https://hooks.example.org/ü",
    f"https://{'a' * 64}.example.org/",
    f"https://{'a.' * 130}example.org/",
    "https://hooks.example.org/" + "a" * 1_975,
]


@pytest.mark.parametrize("url", REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_public_address_by_name_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused, match=r"\.$"):
        read_address(url)


TAKEN = {
    "https://hooks.example.org/": "/",
    "https://hooks.example.org": "/",
    "https://hooks.example.org:443/x": "/x",
    "https://Hooks.Example.ORG/x?key=a&b=%20": "/x?key=a&b=%20",
    "https://hooks.example.org?x=1": "/?x=1",
    "https://xn--bcher-kva.example/": "/",
    "https://1.example.org/": "/",
    "https://127.0.0.1.example.org/@x": "/@x",
    f"https://{'a' * 63}.example.org/": "/",
    "https://hooks.example.org/" + "a" * 1_974: "/" + "a" * 1_974,
}


@pytest.mark.parametrize("url", TAKEN, ids=range(len(TAKEN)))
def test_a_name_of_the_public_network_is_taken(url: str) -> None:
    target = read_address(url)
    assert (target.origin.scheme, target.origin.port, target.path) == ("https", 443, TAKEN[url])
    assert not target.allowed


INSIDE = [
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.0.0",
    "169.254.169.254",
    "169.254.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.0",
    "192.0.0.255",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.0",
    "192.168.255.255",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:93.184.215.14",
    "64:ff9b::7f00:1",
    "64:ff9b::5db8:d70e",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:5db8:d70e::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2606:2800:21f:cb07::1%1",
]
OUTSIDE = [
    "1.0.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.1",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "203.0.112.9",
    "203.0.114.1",
    "223.255.255.255",
    "93.184.215.14",
    "2606:2800:21f:cb07::1",
    "2001:200::1",
    "2003::1",
    "2a00:1450:4001::1",
]


def test_networks_on_both_sides_of_each_limit() -> None:
    assert [text for text in INSIDE if is_public(ip_address(text))] == []
    assert [text for text in OUTSIDE if not is_public(ip_address(text))] == []
    assert [text for text in (*INSIDE, "", "hooks.example.org", "127.1", "0x7f000001") if may_connect(text)] == []


def test_an_operator_allows_an_origin_and_nothing_beside() -> None:
    allow = read_allowed("https://hooks.county.lan:8443, http://127.0.0.1:9000,https://[fd00::5]")
    for url in ("https://hooks.county.lan:8443/x", "http://127.0.0.1:9000/", "https://[fd00::5]/"):
        assert read_address(url, allow).allowed
    for url in (
        "http://hooks.county.lan:8443/x", "https://hooks.county.lan/x", "https://hooks.county.lan:8444/x",
        "http://127.0.0.1:9001/", "http://127.1:9000/", "http://2130706433:9000/", "http://x@127.0.0.1:9000/",
        "https://[fd00::6]/",
    ):  # fmt: skip
        with pytest.raises(AddressRefused):
            read_address(url, allow)
    assert read_address("https://hooks.example.org/", allow).allowed is False
    assert may_connect("10.1.2.3", allowed=True)
    assert may_connect("127.0.0.1", allowed=True)
    never = ["169.254.169.254", "fe80::1", "0.0.0.0", "224.0.0.1", "::", "::ffff:10.1.2.3", "ff02::1"]
    assert [text for text in never if may_connect(text, allowed=True)] == []
    for text in (
        "hooks.example.org",
        "ftp://x.y",
        "https://x.y/path",
        "https://x.y:0",
        "https://x.y:65536",
        "https://",
    ):
        with pytest.raises(ValueError, match="origins"):
            read_allowed(text)
    assert read_allowed("https://x.y:65535") == {Origin(scheme="https", host="x.y", port=65_535)}


@pytest.fixture
def listener() -> Iterator[Listener]:
    with listening() as found:
        yield found


class Lines:
    """Connects to the listener's port whatever was asked for; what is public is noted and not called."""

    def __init__(self, port: int) -> None:
        self.port, self.called = port, list[str]()

    def __call__(self, address: str, port: int, until: float) -> socket.socket:
        self.called.append(address)
        if is_public(ip_address(address)):
            raise ConnectionRefusedError
        return socket.create_connection((address, self.port), 2)


class Names:
    """Answers a name with the next of some lists of addresses; the last one again and again."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers, self.asked = list(answers), 0

    def __call__(self, host: str, port: int) -> Sequence[str]:
        found = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        return found


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["::1"], [PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC], ["10.0.0.1"], []]
)
def test_a_name_for_an_inside_address_is_not_called(listener: Listener, addresses: list[str]) -> None:
    lines, names = Lines(listener.port), Names(addresses)
    said = Door(names=names, lines=lines).post(f"https://{NAME}/", b"{}", {})
    assert (said.ok, said.status, lines.called, listener.seen, names.asked) == (False, None, [], 0, 1)
    assert "127" not in said.problem


def test_a_name_that_changes_its_mind_is_asked_once(listener: Listener) -> None:
    lines, names = Lines(listener.port), Names([PUBLIC], ["127.0.0.1"])
    said = Door(names=names, lines=lines).post(f"https://{NAME}/", b"{}", {})
    assert (said.status, names.asked, lines.called, listener.seen) == (None, 1, [PUBLIC], 0)


def test_a_line_that_ends_elsewhere_is_not_spoken_on(listener: Listener) -> None:
    """Where the network itself sends a connection inside, nothing is said on it."""
    heard = Door(names=Names([PUBLIC]), lines=lambda a, p, u: socket.create_connection(("127.0.0.1", listener.port), 2))
    said = heard.post(f"https://{NAME}/", b"secret", {})
    assert (said.status, "public network" in said.problem) == (None, True)


def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    lines = Lines(1)
    Door(names=Names([PUBLIC, "1.0.0.1", PUBLIC, "9.9.9.9", "8.8.8.8"]), lines=lines).post(f"https://{NAME}/", b"", {})
    assert lines.called == [PUBLIC, "1.0.0.1", "9.9.9.9"]


def test_a_name_that_is_not_found_or_not_in_time() -> None:
    def away(host: str, port: int) -> list[str]:
        raise socket.gaierror(8, "inside words")

    def slow(host: str, port: int) -> list[str]:
        time.sleep(0.5)
        return [PUBLIC]

    said = Door(names=away).post(f"https://{NAME}/", b"", {})
    assert said == Answer(status=None, problem="The host's name is not found.")
    begun = time.monotonic()
    assert Door(names=slow, limit_s=0.1).post(f"https://{NAME}/", b"", {}).problem == "No answer in time."
    assert time.monotonic() - begun < 0.4


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return make_certificate(tmp_path, NAME)


def door_to(receiver: Receiver, certificate: Path | None = None, host: str = NAME, limit_s: float = 5) -> Door:
    """A door that may reach one receiver, under a name that stands for 127.0.0.1."""
    origin = Origin(scheme=receiver.scheme, host=host, port=receiver.port)
    trust = str(certificate) if certificate else None
    return Door(allow=frozenset({origin}), names=Names(["127.0.0.1"]), trust=trust, limit_s=limit_s)


def test_a_call_over_tls(certificate: Path) -> None:
    with receiving(certificate=certificate) as receiver:
        said = door_to(receiver, certificate).post(receiver.url(NAME, "/x?y=1"), b'{"a":1}', {"webhook-id": "m"})
    assert said == Answer(status=204)
    [heard] = receiver.heard
    assert (heard.path, heard.body, heard.headers["webhook-id"]) == ("/x?y=1", b'{"a":1}', "m")
    assert heard.headers["Host"] == f"{NAME}:{receiver.port}"


def test_the_certificate_is_checked_by_the_name_and_by_whom_one_trusts(certificate: Path) -> None:
    with receiving(certificate=certificate) as receiver:
        other = door_to(receiver, certificate, host="other.example.org")
        said = other.post(receiver.url("other.example.org"), b"", {})
        assert (said.status, said.problem.startswith("TLS failed: Hostname mismatch")) == (None, True)
        said = door_to(receiver).post(receiver.url(NAME), b"", {})
        assert (said.status, said.problem) == (None, "TLS failed: self-signed certificate.")
    assert receiver.heard == []


def test_plain_http_where_tls_is_expected_is_no_answer() -> None:
    with receiving() as receiver:
        origin = Origin(scheme="https", host=NAME, port=receiver.port)
        door = Door(allow=frozenset({origin}), names=Names(["127.0.0.1"]), limit_s=3)
        said = door.post(f"https://{NAME}:{receiver.port}/", b"", {})
    assert (said.status, said.problem.startswith("TLS failed")) == (None, True)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(listener: Listener, status: int) -> None:
    with receiving(answer(status, Location=f"http://127.0.0.1:{listener.port}/")) as receiver:
        said = door_to(receiver).post(receiver.url(NAME), b"", {})
    assert (said.ok, said.status, listener.seen) == (False, status, 0)
    assert "not followed" in said.problem


@pytest.mark.parametrize(
    ("status", "ok"), [(200, True), (202, True), (299, True), (400, False), (410, False), (500, False)]
)
def test_only_2xx_is_taken(status: int, ok: bool) -> None:
    with receiving(answer(status)) as receiver:
        said = door_to(receiver).post(receiver.url(NAME), b"", {})
    assert (said.ok, said.status) == (ok, status)


def drip(handler: BaseHTTPRequestHandler) -> None:
    """A header that never ends, a byte at a time."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(100):
        handler.wfile.write(b"x")
        time.sleep(0.05)


def flood(handler: BaseHTTPRequestHandler) -> None:
    """A body that never ends."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
    while True:
        handler.wfile.write(bytes(65_536))


def test_one_limit_of_time_holds_for_the_whole_call() -> None:
    begun = time.monotonic()
    with receiving(drip) as receiver:
        said = door_to(receiver, limit_s=0.4).post(receiver.url(NAME), b"", {})
        assert said == Answer(status=None, problem="No answer in time.")
        assert time.monotonic() - begun < 2


def test_a_body_without_end_is_not_read_to_it() -> None:
    begun = time.monotonic()
    with receiving(flood) as receiver:
        said = door_to(receiver).post(receiver.url(NAME), b"", {})
        assert said == Answer(status=200)
        assert time.monotonic() - begun < 3
    assert ANSWER_CAP < 65_536


def test_an_answer_that_is_none() -> None:
    with receiving(lambda handler: handler.wfile.write(b"* OK IMAP4 ready\r\n") and None) as receiver:  # type: ignore[arg-type, return-value]
        said = door_to(receiver).post(receiver.url(NAME), b"", {})
    assert (said.status, said.problem) == (None, "The answer cannot be read: BadStatusLine.")


def test_a_proxy_of_the_environment_is_not_used(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{listener.port}")
    with receiving() as receiver:
        assert door_to(receiver).post(receiver.url(NAME), b"", {}).ok
    assert listener.seen == 0
