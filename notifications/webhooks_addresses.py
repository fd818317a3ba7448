"""Which addresses may be called from here at all: how they are spelled, and which network addresses are public. Pure.

Only https, port 443 and a name of the public network: an IP address in any spelling (dotted, decimal, octal, hex, IPv6,
with a zone) is refused, since a certificate is checked by the name. Network addresses by IANA's special-purpose
registries (RFC 6890), and none that stands for another one in disguise. An operator may allow single origins beside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

LONGEST_URL: Final = 2_000
_URL: Final = re.compile(r"(https?)://([^/?#]*)((?:/[^?#]*)?)(\?[^#]*)?", re.ASCII)
_HOST: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))+", re.ASCII)
_ALLOWED: Final = re.compile(r"(https?)://([a-z0-9.-]{1,253}|\[[0-9a-f:]{2,45}\])(?::([0-9]{1,5}))?", re.ASCII)
_VISIBLE: Final = re.compile(r"[!-~]+", re.ASCII)
_INSIDE_NAMES: Final = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion")
"""Last labels that no name of the public network has (RFC 6761, 6762, 7686, 8375, and ICANN's for inside use)."""

_NOT_PUBLIC_4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
    )
)  # fmt: skip
_PUBLIC_6: Final = IPv6Network("2000::/3")
_NOT_PUBLIC_6: Final = tuple(
    # Within 2000::/3: Teredo and other protocol blocks, documentation, 6to4. All others (mapped, NAT64, ULA,
    # link-local, site-local, multicast, loopback, …) lie outside of it.
    IPv6Network(network)
    for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
_NEVER: Final = tuple(
    ip_network(network)
    for network in ("0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "fe80::/10", "ff00::/8", "::/128")
)
"""Not even where the operator allows an origin: link-local addresses answer with a machine's own secrets."""

Address = IPv4Address | IPv6Address


class AddressRefused(ValueError):
    """An address that may not be called; the message says what to give, and nothing of what lies inside."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Scheme, host and port. host: a name in lower case or, where an operator allows one, a plain IP address."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a call goes: its origin and the path with its query. allowed: by the operator, by name."""

    origin: Origin
    path: str
    allowed: bool


def read_allowed(text: str) -> frozenset[Origin]:
    """The origins that an operator allows beside the public ones: `https://hooks.county.example:8443`, by commas.

    Raises `ValueError` that says what each must be.
    """
    found = set()
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        match = _ALLOWED.fullmatch(part)
        port = int(match[3] or (443 if match[1] == "https" else 80)) if match else 0
        if match is None or not 0 < port < 65_536:
            raise ValueError("must be origins such as https://hooks.example.org:8443, parted by commas")
        found.add(Origin(scheme=match[1], host=match[2].strip("[]"), port=port))
    return frozenset(found)


def read_address(url: str, allow: frozenset[Origin] = frozenset()) -> Target:
    """An address as it may be called, judged by its spelling alone; raises `AddressRefused`."""
    if len(url) > LONGEST_URL or not _VISIBLE.fullmatch(url) or "\\" in url:
        raise AddressRefused(f"Give an https address of at most {LONGEST_URL} visible ASCII characters.")
    match = _URL.fullmatch(url)
    if match is None:
        raise AddressRefused("Give an address such as https://hooks.example.org/pumper, without a # part.")
    scheme, authority, path = match[1], match[2].lower(), (match[3] or "/") + (match[4] or "")
    if "@" in authority:
        raise AddressRefused("Leave out name and password before the host: calls are signed instead.")
    origin = _origin(scheme, authority)
    if origin in allow:
        return Target(origin=origin, path=path, allowed=True)
    if scheme != "https":
        raise AddressRefused("Give an https address: what is sent is not for everybody on the way.")
    if origin.port != 443:
        raise AddressRefused("Leave out the port: calls go to port 443 only.")
    _check_name(origin.host)
    return Target(origin=origin, path=path, allowed=False)


def _origin(scheme: str, authority: str) -> Origin:
    host, colon, port = authority.rpartition(":") if not authority.endswith("]") else (authority, "", "")
    if not colon:
        host = authority
    elif not re.fullmatch(r"[1-9][0-9]{0,4}", port, re.ASCII):
        raise AddressRefused("The port is no plain number: leave it out.")
    usual = 443 if scheme == "https" else 80
    return Origin(scheme=scheme, host=host.strip("[]"), port=int(port) if colon else usual)


def _check_name(host: str) -> None:
    """A name of the public network; an IP address in any spelling ends in a number, and no such name does."""
    last = host.rpartition(".")[2]
    if ":" in host or re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last, re.ASCII):
        raise AddressRefused("Give the host's name, not its number: the certificate is checked by the name.")
    if len(host) > 253 or not _HOST.fullmatch(host):
        raise AddressRefused("The host is no name of the public network, such as hooks.example.org.")
    if last in _INSIDE_NAMES:
        raise AddressRefused("The host's name is for use inside a network: give one of the public network.")


def is_public(address: Address) -> bool:
    """Whether an address is one of the public network, and no other in disguise (mapped, NAT64, 6to4, Teredo)."""
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in network for network in _NOT_PUBLIC_4)
    if address.scope_id is not None or address not in _PUBLIC_6:
        return False
    return address.is_global and not any(address in network for network in _NOT_PUBLIC_6)


def may_connect(text: str, *, allowed: bool = False) -> bool:
    """Whether a socket may be connected to this address; allowed: for an origin that the operator named."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if not allowed:
        return is_public(address)
    if isinstance(address, IPv6Address) and (address.scope_id or address.ipv4_mapped):
        return False
    return not any(address in network for network in _NEVER)
