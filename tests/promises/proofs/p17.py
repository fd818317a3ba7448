"""P17: a restart or a deployment loses nothing. SIGHUP (new workers in the place of the old) and SIGTERM (the end, and
a new start on the same port) come in turn while 8 clients post reports with keys, repeating each until acknowledged.

At each signal one call is under way whose body has come by half: it must be answered as if nothing were. Afterwards the
acknowledgements are held against the database: nothing lost, doubled or half written. Full size: 20 signals. The
control: a server that ends in the middle of calls.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence

from tests.promises.posting import Acknowledged, Post, Posting, posts
from tests.promises.proof import Arena, Outcome, Proof, Run, Size
from tests.promises.proofs.p01 import hold_against
from tests.promises.servers import ServerGroup, serving
from tests.promises.stocking import stocked
from tests.reporting.api.world import HOME

SEED, CLIENTS, SYSTEMS = 20_260_717, 8, 20
SIGNALS = {Size.SMOKE: 2, Size.FULL: 20}
POSTS_EACH = 40
"""Reports for each signal."""
DOWN_WITHIN, PATIENCE = 40.0, 1_200.0


def run_with(spoil: str = "") -> Run:
    """The proof with a server that is broken in one way."""

    def run(arena: Arena, size: Size) -> Outcome:
        signals = SIGNALS[size] if not spoil else 2
        count = signals * POSTS_EACH
        todo = posts(count + signals, SYSTEMS, SEED)
        with stocked(arena, SYSTEMS) as world:
            key = world.keys["contractor"]
            with serving(ServerGroup(world=world, options=["--spoil", spoil] if spoil else [])) as group:
                posting = Posting(port=group.port, key=key)
                posting.start(todo[:count], CLIENTS)
                drained, stops, faults = signal_again_and_again(group, posting, todo[count:])
                posting.join(PATIENCE)
            # Those whose answer was waited for across a signal are on record too.
            there = [*posting.acknowledged, *drained]
            figures, wrong = hold_against(world, there, count + signals)
        cut = posting.said["IncompleteRead"]
        return Outcome(
            figures={**figures, "signals": signals, "slowest end, s": round(max(stops, default=0.0), 1)},
            windows={"signals": len(stops), "calls under way answered": len(drained)},
            failures=(
                *faults, *posting.faults, *wrong, *([f"{cut} answers broke off"] if cut else []),
            ),
        )  # fmt: skip

    return run


def signal_again_and_again(
    group: ServerGroup, posting: Posting, under_way: Sequence[Post]
) -> tuple[list[Acknowledged], list[float], list[str]]:
    """A signal when so much is done; what was acknowledged across one, how long each took, what was wrong."""
    drained: list[Acknowledged] = []
    stops, faults = [], []
    for number, post in enumerate(under_way):
        end = time.monotonic() + PATIENCE
        while len(posting.acknowledged) < (number + 0.5) * POSTS_EACH and time.monotonic() < end and not posting.done:
            time.sleep(0.005)
        half = HalfSent(group.port, posting.key, post)
        time.sleep(0.3)  # a worker reads it by now
        begun = time.monotonic()
        finish = restart if number % 2 else reload
        then = finish(group)
        if not half.end(posting):
            faults.append(f"{finish.__name__}: a call under way was not answered")
            posting.work.put(post)
        else:
            drained.append(posting.acknowledged.pop())
        faults += then()
        stops.append(time.monotonic() - begun)
    return drained, stops, faults


class HalfSent:
    """A report whose body has been sent by half."""

    def __init__(self, port: int, key: str, post: Post) -> None:
        self._post = post
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        head = (
            f"POST /v1/{HOME}/reports HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nIdempotency-Key: {post.key}\r\nContent-Length: {len(post.body)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + post.body[:100])

    def end(self, posting: Posting) -> bool:
        """Send the rest; whether a whole 201 came, which is then noted as acknowledged."""
        time.sleep(0.3)  # the server has been told by now
        try:
            self._socket.sendall(self._post.body[100:])
            answer = http.client.HTTPResponse(self._socket)
            answer.begin()
            data = answer.read()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            self._socket.close()
        if answer.status != 201:
            return False
        posting._note(self._post, json.loads(data), answer.headers, 1)
        return True


def reload(group: ServerGroup) -> Callable[[], list[str]]:
    """SIGHUP to the first process; gives what waits until other workers are there."""
    assert group.process is not None
    before = set(group.members())
    os.kill(group.process.pid, signal.SIGHUP)

    def then() -> list[str]:
        end = time.monotonic() + DOWN_WITHIN
        while time.monotonic() < end:
            if not (before & set(group.members())) - {group.process.pid if group.process else 0} and group.is_up():
                return []
            time.sleep(0.02)
        return [f"old workers were there {DOWN_WITHIN:.0f} s after SIGHUP"]

    return then


def restart(group: ServerGroup) -> Callable[[], list[str]]:
    """SIGTERM to the first process; gives what waits for the end and starts the server again."""
    process = group.process
    assert process is not None
    os.kill(process.pid, signal.SIGTERM)

    def then() -> list[str]:
        code = process.wait(DOWN_WITHIN)
        group.start()
        return [] if code == 0 else [f"the server ended with {code}"]

    return then


PROOF = Proof(
    promise="P17",
    says="Restarts and reloads under load lose nothing, and a call that is under way is answered.",
    run=run_with(),
    controls={"ends in the middle of calls": run_with("hasty")},
    least={"signals": (2, 20), "calls under way answered": (2, 20)},
    in_small=(),
)
