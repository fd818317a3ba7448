"""Limits on calls: who is counted, at which call it ends, what the answer says, and when it goes on."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import event, func, select

from notifications.worker import Turn
from reporting import tables
from reporting.api.limits import FILES, Kind, Limiter, Rates, client_address, kind_of, network_of
from reporting.api.policy import POLICIES
from reporting.cli.running import forget_limits
from reporting.config import Config
from reporting.errors import DatabaseUnavailable
from reporting.store.engine import Database
from tests.reporting.api.world import AWAY, HOME, NOW, World, a_report, make_world
from tests.services.databases import DatabaseUrls

LOOPBACK = Config.from_environment({}).trusted_proxies
PATH = f"/v1/{HOME}/systems"
Make = Callable[..., World]


@pytest.fixture
def make(database: DatabaseUrls, tmp_path: Path) -> Iterator[Make]:
    made = []

    def build(**settings: int) -> World:
        made.append(make_world(database, tmp_path, **{f"PUMPER_RATE_{name}": str(n) for name, n in settings.items()}))
        return made[-1]

    yield build
    for world in made:
        world.database.dispose()


def statuses(world: World, times: int, path: str = PATH, who: str = "county", **more: object) -> list[int]:
    return [world.get(path, who, **more).status_code for _ in range(times)]


def test_a_key_may_call_so_often_and_no_oftener(make: Make) -> None:
    world = make(READ=40)
    assert statuses(world, 42) == [200] * 40 + [429] * 2
    assert statuses(world, 1, who="admin") == [200]  # another key is another limit
    world.clock.forward(seconds=59)
    assert statuses(world, 1) == [429]
    world.clock.forward(seconds=1)
    assert statuses(world, 1) == [200]


def test_the_answer_says_what_is_left_and_when_to_go_on(make: Make) -> None:
    world = make(READ=40)
    world.clock.forward(seconds=20)
    first = world.get(PATH, "county")
    assert first.headers["RateLimit-Policy"] == '"key-read";q=40;w=60'
    assert first.headers["RateLimit"] == '"key-read";r=39;t=40'
    statuses(world, 39)
    refused = world.get(PATH, "county")
    assert refused.headers["RateLimit"] == '"key-read";r=0;t=40'
    assert (refused.status_code, refused.mimetype) == (429, "application/problem+json")
    assert refused.headers["Retry-After"] == "40"
    assert refused.headers["Cache-Control"] == "no-store"
    assert refused.json == {
        "type": "urn:pumper:problem:quota-exceeded",
        "title": "Too Many Requests",
        "status": 429,
        "detail": "Too many calls: 40 a minute are taken here. Go on in 40 s.",
        "violated-policies": ["key-read"],
    }


def test_reading_changing_and_files_are_counted_apart(make: Make) -> None:
    world = make(READ=20, WRITE=20, FILE=1)
    for number in range(20):
        sent = world.post(f"/v1/{HOME}/reports", a_report(report_ref=f"T-{number}", gallons_pumped=900 + number))
        assert sent.status_code == 201, sent.text
    assert world.post(f"/v1/{HOME}/reports", a_report(report_ref="T-x")).status_code == 429
    assert world.get(PATH).status_code == 200
    assert [world.get(f"/v1/{HOME}/obligations.csv").status_code for _ in range(2)] == [200, 429]
    assert world.send(HOME, b"report_ref\n").status_code == 429  # out or in: a file


def test_a_refused_report_is_not_taken(make: Make) -> None:
    world = make(WRITE=1)
    assert world.post(f"/v1/{HOME}/reports", a_report()).status_code == 201
    assert world.post(f"/v1/{HOME}/reports", a_report(report_ref="T-2")).status_code == 429
    with world.database.reading(HOME) as store:
        assert store.connection.execute(select(func.count()).select_from(tables.submission)).scalar_one() == 1


def test_all_in_one_county_are_counted_together_and_no_other(make: Make) -> None:
    world = make(COUNTY_READ=20)
    assert statuses(world, 10) + statuses(world, 10, who="contractor") == [200] * 20
    refused = world.get(PATH, "admin")
    assert (refused.status_code, refused.json["violated-policies"]) == (429, ["county-read"])
    assert statuses(world, 2, f"/v1/{AWAY}/systems", "other county") == [200] * 2
    # How busy others are is told to nobody before.
    assert "RateLimit" not in world.get(f"/v1/{AWAY}/systems", "admin").headers


def test_who_brings_no_key_is_counted_by_address(make: Make) -> None:
    world = make(ANONYMOUS=20)
    path = f"/v1/{HOME}/status?permit=SP-1"
    one, same, other = "2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"

    def hop(address: str) -> dict[str, object]:
        return {"headers": {"X-Forwarded-For": address}, "base_url": "https://reports.example.org"}

    assert statuses(world, 20, path, "", **hop(one)) == [200] * 20
    assert statuses(world, 1, path, "", **hop(same)) == [429]
    assert statuses(world, 1, path, "", **hop(other)) == [200]
    assert statuses(world, 1, path, "county", **hop(one)) == [200]  # a key counts for itself


def test_wrong_keys_are_counted_by_address(make: Make) -> None:
    world = make(ANONYMOUS=20)
    wrong = {"headers": {"Authorization": "Bearer pmp_wrong"}}
    assert statuses(world, 22, PATH, "", **wrong) == [401] * 20 + [429] * 2


def test_calls_refused_for_their_county_count_for_the_key(make: Make) -> None:
    world = make(READ=20)
    assert statuses(world, 21, f"/v1/{AWAY}/systems") == [404] * 20 + [429]


def test_addresses_that_need_no_database_are_counted_without_it(make: Make) -> None:
    world = make(ANONYMOUS=20)
    assert statuses(world, 11, "/v1/programs", "") == [200] * 10 + [429]  # of two workers each has its half
    with world.database.reading(None) as store:
        assert store.connection.execute(select(func.count()).select_from(tables.rate_allowance)).scalar_one() == 0
    assert statuses(world, 30, "/healthz", "") == [200] * 30
    assert statuses(world, 12, "/readyz", "", headers={"X-Forwarded-For": "203.0.113.9"})[-2:] == [429] * 2


def test_most_calls_write_nothing(make: Make) -> None:
    world = make(READ=1000, COUNTY_READ=1000)
    statuses(world, 50)
    with world.database.reading(None) as store:
        rows = dict(
            store.connection.execute(select(tables.rate_allowance.c.bucket, tables.rate_allowance.c.taken)).all()
        )
    assert sorted(rows.values()) == [50, 50]  # one block each


def test_a_flood_asks_the_database_nothing(make: Make) -> None:
    """What is refused again is refused before its key is looked up, in its own county and for this minute alone."""
    world = make(READ=20, COUNTY_WRITE=1)
    assert statuses(world, 21)[-1] == 429
    assert world.post(f"/v1/{HOME}/reports", a_report()).status_code == 201
    assert world.post(f"/v1/{HOME}/reports", a_report(report_ref="T-2")).status_code == 429
    asked = []
    event.listen(world.database.engine, "begin", lambda connection: asked.append(connection))
    assert statuses(world, 30) == [429] * 30
    assert world.post(f"/v1/{HOME}/reports", a_report(report_ref="T-3")).status_code == 429
    assert asked == []
    assert world.post(f"/v1/{AWAY}/reports", {}).status_code == 422  # the county was full, not the key
    assert asked
    world.clock.forward(minutes=1)
    assert statuses(world, 1) == [200]


def test_two_workers_share_a_limit(make: Make) -> None:
    world = make(READ=100)
    rates = Rates.of(world.config)
    workers = [Limiter(world.database, rates, 2, world.app.extensions["pumper"].log) for _ in range(2)]
    standings = [worker.take_own("k", Kind.READ, NOW) for _ in range(60) for worker in workers]
    assert [s is not None and s.ok for s in standings].count(True) == 100


def test_a_database_that_cannot_be_written_stops_no_reader(make: Make) -> None:
    """Another writer holds SQLite's only lock, or the row on PostgreSQL: each worker counts its half alone."""
    world = make(READ=40)
    assert statuses(world, 2) == [200] * 2  # the first block
    with world.database.transaction(None) as store:
        store.connection.execute(tables.rate_allowance.update().values(taken=tables.rate_allowance.c.taken))
        assert statuses(world, 22) == [200] * 20 + [429] * 2


def test_a_database_that_is_away_is_told_at_once(tmp_path: Path) -> None:
    away = Database.connect("postgresql://nobody@127.0.0.1:1/nothing")
    limiter = Limiter(away, Rates.of(Config.from_environment({})), 2, None)
    with pytest.raises(DatabaseUnavailable):
        limiter.take_own("192.0.2.1", Kind.ANONYMOUS, NOW)


def test_the_usual_limits_let_an_office_send_its_day(make: Make) -> None:
    """500 reports one by one, from one key, in one minute, and a look at each."""
    rates = Rates.of(Config.from_environment({}))
    assert rates.each[Kind.WRITE] >= 2 * 500
    assert rates.each[Kind.READ] >= 2 * 500
    assert all(rates.county[kind] >= 2 * rates.each[kind] for kind in Kind)


def test_the_worker_forgets_what_was_counted(make: Make) -> None:
    world = make(READ=40)
    statuses(world, 1)
    world.clock.forward(minutes=12)
    forget_limits(world.database, Turn(now=world.clock(), slot="", still_mine=lambda: True, stopping=lambda: False))
    with world.database.reading(None) as store:
        assert store.connection.execute(select(func.count()).select_from(tables.rate_allowance)).scalar_one() == 0


def test_every_endpoint_that_takes_a_file_is_counted_as_one(make: Make) -> None:
    world = make()
    document = world.get("/openapi.json", "").json
    takes = {
        operation["operationId"]
        for item in document["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict) and "multipart/form-data" in operation.get("requestBody", {}).get("content", {})
    }
    assert {endpoint.partition(".")[2] for endpoint in FILES} == takes
    assert set(FILES) <= set(POLICIES)


@pytest.mark.parametrize(
    ("endpoint", "method", "kind"),
    [
        ("systems.list_systems", "GET", Kind.READ),
        ("systems.list_systems", "HEAD", Kind.READ),
        ("reports.submit_report", "POST", Kind.WRITE),
        ("submissions.submit_file", "POST", Kind.FILE),
        ("obligations.obligations_csv", "GET", Kind.FILE),
    ],
)
def test_which_limit_a_call_counts_against(endpoint: str, method: str, kind: Kind) -> None:
    assert kind_of(endpoint, method) is kind


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", "none"),
        (None, "none"),
        ("nonsense", "none"),
    ],
)
def test_whom_an_address_stands_for(address: str | None, counted: str) -> None:
    assert network_of(address) == counted


@pytest.mark.parametrize(
    ("remote", "forwarded", "client"),
    [
        ("203.0.113.5", "", "203.0.113.5"),
        ("203.0.113.5", "192.0.2.1", "203.0.113.5"),  # said by nobody who is trusted
        ("127.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("127.0.0.1", "198.51.100.1, 192.0.2.1", "192.0.2.1"),  # the first was written by the client
        ("::1", "192.0.2.1, 127.0.0.1", "192.0.2.1"),
        ("::ffff:127.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("", "192.0.2.1", "192.0.2.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "nonsense", "nonsense"),
        (None, "", None),
    ],
)
def test_who_calls_through_proxies(remote: str | None, forwarded: str, client: str | None) -> None:
    assert client_address(remote, forwarded, LOOPBACK) == client


def test_every_operation_tells_of_the_limit(make: Make) -> None:
    for path, item in make().get("/openapi.json", "").json["paths"].items():
        for method, operation in item.items():
            if method == "parameters" or path == "/healthz":
                continue
            assert {"Retry-After", "RateLimit", "RateLimit-Policy"} <= set(operation["responses"]["429"]["headers"])
