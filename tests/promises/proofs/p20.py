"""P20: webhooks cannot reach inside: whatever address a subscriber gives, nothing on this machine or its network is
called.

A listener waits on both loopback addresses of this machine; whatever port an attack names, a connection that is let
through arrives there. Every attack stands in the database as a subscription (past the check that would refuse it when
it is added, which is proved beside), and is sent to as the worker does. Full size adds thousands of spellings of inside
addresses from a fixed seed. The controls take the guard away, one wall after the other, and must get through: so the
attacks are real ones.
"""

from __future__ import annotations

import random
import socket
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import IPv4Address, ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from notifications import webhooks_door
from notifications.webhooks import HookOrder, HookRefused, add_hook, queue_test, seal
from notifications.webhooks_addresses import Origin, Target, is_public, read_allowed
from notifications.webhooks_delivery import send_one
from notifications.webhooks_door import Answer, Door
from notifications.webhooks_signing import new_secret
from reporting.access.secret import Secret
from reporting.store.engine import Database
from reporting.store.webhooks import insert_webhook
from tests.promises.proof import Arena, Outcome, Proof, Size
from tests.promises.sabotage import changed
from tests.services.receivers import Listener, answer, listening, receiving

COUNTY, NAME, PUBLIC = "ozaukee", "hooks.example.org", "93.184.215.14"
NOW: Final = datetime(2026, 7, 13, 15, 0, tzinfo=UTC)
SECRET: Final = Secret(key=b"p" * 32)
SEED: Final = 20_260_713
SPELLINGS: Final = {Size.SMOKE: 20, Size.FULL: 2_000}
INSIDE: Final = (
    "127.0.0.1", "::1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "fe80::1",
    "fc00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "224.0.0.1", "::",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Attack:
    """An address, and what its name is told to stand for, the first time and after; none: the machine's own answer."""

    url: str
    answers: tuple[tuple[str, ...], ...] = ()


LITERAL: Final = tuple(
    Attack(url=url)
    for url in (
        "https://127.0.0.1/", "https://127.1/", "https://127.0.1/", "https://2130706433/", "https://0x7f000001/",
        "https://0x7f.0.0.1/", "https://0177.0.0.1/", "https://017700000001/", "https://0/", "https://[::1]/",
        "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[0:0:0:0:0:0:0:1]/", "https://[::1%25lo]/",
        "https://localhost/", "https://LocalHost/", "https://localhost./", "https://user:word@127.0.0.1/",
        "https://hooks.example.org@127.0.0.1/", "https://127.0.0.1:8443/", "http://127.0.0.1/", "http://localhost:9200/",
        "https://127.0.0.1./",
    )
)  # fmt: skip
NAMED: Final = (
    *(Attack(url=f"https://{NAME}/", answers=((address,),)) for address in INSIDE),
    Attack(url=f"https://{NAME}/", answers=((PUBLIC, "127.0.0.1"),)),
    Attack(url=f"https://{NAME}/", answers=(("127.0.0.1", PUBLIC),)),
    Attack(url=f"https://{NAME}./", answers=(("127.0.0.1",),)),
    Attack(url=f"https://{NAME}:8080/", answers=(("127.0.0.1",),)),
    Attack(url=f"http://{NAME}/", answers=(("127.0.0.1",),)),
)
FLIPS: Final = (Attack(url=f"https://{NAME}/", answers=((PUBLIC,), ("127.0.0.1",))),)
"""A name that shows a public address to whoever checks it, and another one to whoever asks again."""


def spelled(count: int) -> Iterator[Attack]:
    """Inside addresses in the spellings that systems' own readers take for them."""
    pick = random.Random(SEED)
    forms: tuple[Callable[[int], str], ...] = (
        str,
        hex,
        lambda n: f"0{n:o}",
        lambda n: ".".join(f"0{part:o}" for part in n.to_bytes(4, "big")),
        lambda n: ".".join(hex(part) for part in n.to_bytes(4, "big")),
        lambda n: f"{n >> 24}.{n & 0xFFFFFF}",
        lambda n: f"{n >> 24}.{n >> 16 & 0xFF}.{n & 0xFFFF}",
        lambda n: f"[::ffff:{IPv4Address(n)}]",
        lambda n: f"[64:ff9b::{IPv4Address(n)}]",
        lambda n: f"0x{n:010x}",
        lambda n: f"{IPv4Address(n)}.",
    )
    for _ in range(count):
        number = 0x7F000001 if pick.random() < 0.7 else int(IPv4Address("10.0.0.0")) + pick.randrange(2**24)
        yield Attack(url=f"https://{pick.choice(forms)(number)}/")


@dataclass
class Ground:
    """Where attacks go: the listener, and lines and names that lead to it and never to the public network."""

    database: Database
    listener: Listener
    asked: int = 0
    elsewhere: int = 0
    outside: list[str] = field(default_factory=list)

    @property
    def seen(self) -> int:
        """Connections inside: those that came, and those to addresses that this machine cannot play."""
        return self.listener.seen + self.elsewhere

    def lines(self, address: str, port: int, until: float) -> socket.socket:
        """A connection to the listener, for whatever is on this machine; another address has nobody there."""
        at = ip_address(address.partition("%")[0])
        if is_public(at):
            self.outside.append(address)
            raise ConnectionRefusedError
        if at.is_loopback or (at.version == 6 and at.ipv4_mapped and at.ipv4_mapped.is_loopback):
            return socket.create_connection(("127.0.0.1", self.listener.port), 2)
        self.elsewhere += 1
        raise ConnectionRefusedError

    def names(self, attack: Attack) -> Callable[[str, int], Sequence[str]]:
        """What a name stands for: as the attack has it, or as this machine itself reads a number."""
        times = iter(range(10**6))

        def ask(host: str, port: int) -> Sequence[str]:
            self.asked += 1
            if attack.answers:
                return attack.answers[min(next(times), len(attack.answers) - 1)]
            return webhooks_door.resolve(host, port)

        return ask

    def door(self, attack: Attack) -> Door:
        return Door(names=self.names(attack), lines=self.lines, limit_s=2)


@contextmanager
def a_ground(arena: Arena) -> Iterator[Ground]:
    """A fresh database and a listener."""
    database = Database.connect(arena.new_database().app_url)
    try:
        with listening() as listener:
            yield Ground(database=database, listener=listener)
    finally:
        database.dispose()


def sent_to(ground: Ground, number: int, attack: Attack) -> Answer | None:
    """A subscription with this address as the database would hold it, and one message sent to it."""
    hook = f"whk_{number}"
    row = {"id": hook, "county": COUNTY, "url": attack.url, "label": "", "kinds": [], "state": "active"}
    made = {"secret": seal(SECRET, hook, new_secret()), "created_at": NOW, "created_by": "attacker"}
    with ground.database.transaction(COUNTY) as store:
        insert_webhook(store, {**row, **made})
        delivery = queue_test(store, row, NOW)
    return send_one(ground.database, COUNTY, delivery, ground.door(attack), SECRET, lambda: NOW)


def is_added(ground: Ground, attack: Attack) -> bool:
    """Whether the address would be taken from a subscriber at all."""
    with ground.database.transaction(COUNTY) as store:
        try:
            add_hook(store, HookOrder(url=attack.url, county=COUNTY), SECRET, frozenset(), "attacker", NOW)
        except HookRefused:
            return False
    return True


def attacked(ground: Ground, attacks: Sequence[Attack]) -> list[str]:
    """What got through."""
    wrong = []
    for number, attack in enumerate(attacks):
        before = ground.seen
        said = sent_to(ground, number, attack)
        if ground.seen != before or said is None or said.status is not None or said.ok:
            wrong.append(f"{attack.url} {attack.answers}: {said}")
        if not attack.answers and is_added(ground, attack):
            wrong.append(f"{attack.url} is taken from a subscriber")
    return wrong


def redirected(ground: Ground) -> list[str]:
    """What a redirect of a public receiver leads to; that receiver is let in by name, as if it were public."""
    wrong = []
    for status in (301, 302, 303, 307, 308):
        with receiving(answer(status, Location=f"http://127.0.0.1:{ground.listener.port}/")) as receiver:
            said = Door(allow=read_allowed(receiver.origin), limit_s=2).post(receiver.url(), b"{}", {})
        if ground.seen or said.ok or len(receiver.heard) != 1:
            wrong.append(f"a redirect with {status} was followed: {said}")
    return wrong


def run(arena: Arena, size: Size) -> Outcome:
    """Every attack; the listener must hear nothing."""
    attacks = [*LITERAL, *NAMED, *FLIPS, *spelled(SPELLINGS[size])]
    with a_ground(arena) as ground:
        wrong = [*attacked(ground, attacks), *redirected(ground)]
        seen, asked, outside = ground.seen, ground.asked, list(ground.outside)
    if outside != [PUBLIC]:  # a flip's first answer, once: the name is not asked again
        wrong.append(f"called outside: {outside}")
    if seen:
        wrong.append(f"{seen} connections inside")
    figures = {"addresses attacked": len(attacks) + 5, "connections inside": seen, "names asked": asked}
    return Outcome(figures=figures, failures=tuple(wrong))


def naive(url: str, allow: frozenset[Origin] = frozenset()) -> Target:
    """An address as a library takes it apart, and no more said."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    scheme = parts.scheme
    return Target(
        origin=Origin(scheme=scheme, host=host, port=parts.port or (443 if scheme == "https" else 80)),
        path=parts.path or "/",
        allowed=False,
    )


def without(**walls: Any) -> Callable[[Arena, Size], Outcome]:
    """The attacks with some walls of the door taken away."""

    def control(arena: Arena, size: Size) -> Outcome:
        with ExitStack() as stack, a_ground(arena) as ground:
            for name, instead in walls.items():
                stack.enter_context(changed(webhooks_door, name, instead))
            attacked(ground, [*LITERAL, *NAMED])
            seen = ground.seen
        wrong = (f"{seen} connections inside",) if seen else ()
        return Outcome(figures={"connections inside": seen}, failures=wrong)

    return control


class Twice(Door):
    """A door that judges a name, and lets the connection ask for it again."""

    def _addresses(self, target: Target, until: float) -> list[str]:
        super()._addresses(target, until)
        return list(self.names(target.origin.host, target.origin.port))


def asks_twice(arena: Arena, size: Size) -> Outcome:
    """The flips against a door that asks twice."""
    with a_ground(arena) as ground:
        for attack in FLIPS:
            Twice(names=ground.names(attack), lines=ground.lines, limit_s=2).post(attack.url, b"{}", {})
        seen = ground.seen
    return Outcome(figures={}, failures=(f"{seen} connections inside",) if seen else ())


def follows(arena: Arena, size: Size) -> Outcome:
    """The redirect with a client that follows it."""
    with listening() as listener:
        with receiving(answer(302, Location=f"http://127.0.0.1:{listener.port}/")) as receiver, suppress(OSError):
            urllib.request.urlopen(receiver.url(), b"{}", timeout=2)
        seen = listener.seen
    return Outcome(figures={}, failures=(f"{seen} connections inside",) if seen else ())


def as_ever(text: str, *, allowed: bool = False) -> bool:
    """Every address is fine."""
    return True


PROOF = Proof(
    promise="P20",
    says="Webhooks cannot reach inside: no spelling, name, change of name or redirect leads to a connection.",
    run=run,
    controls={
        "neither spelling nor address judged": without(read_address=naive, may_connect=as_ever),
        "address not judged": without(may_connect=as_ever),
        "name asked again after it was judged": asks_twice,
        "redirects followed": follows,
    },
)
