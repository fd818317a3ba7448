"""The contractor's calendar: with the key, and at an address of its own that calendar programs keep."""

from datetime import date, timedelta
from pathlib import Path

import icalendar
import pytest

from notifications.attachments import calendar_of
from notifications.calendars import ALARM_BEFORE, duty_key, duty_of_cause, feed_of
from reporting.store.keys import KeyKind, create_key, list_keys
from reporting.sweep import sweep
from tests.reporting.api.world import AWAY, CANARY, HOME, World, a_report, make_world
from tests.reporting.counties import TODAY
from tests.services.databases import DatabaseUrls

ICS = "/v1/contractors/me/due.ics"


def events(body: bytes) -> list[icalendar.Event]:
    """The events, as another program's reader finds them; every line keeps to RFC 5545."""
    assert body.endswith(b"END:VCALENDAR\r\n")
    assert [line for line in body.split(b"\r\n") if len(line) > 75 or b"\n" in line or b"\r" in line] == []
    return list(icalendar.Calendar.from_ical(body).walk("VEVENT"))


def swept(world: World) -> World:
    for county in (HOME, AWAY):
        sweep(world.database, county, TODAY, world.clock())
    return world


def test_all_counties_duties_as_all_day_events(world: World) -> None:
    answer = swept(world).get(ICS)
    assert (answer.status_code, answer.content_type) == (200, "text/calendar; charset=utf-8")
    assert answer.headers["Cache-Control"] == "no-store"
    found = events(answer.data)
    listed = world.get("/v1/contractors/me/due").json["obligations"]
    assert len(found) == len(listed) > 1
    assert {row["county"] for row in listed} == {HOME, AWAY}
    assert sorted(e.decoded("dtstart").isoformat() for e in found) == sorted(row["due_on"] for row in listed)
    for event in found:
        assert event.decoded("dtend") == event.decoded("dtstart") + timedelta(days=1)
        [alarm] = event.walk("VALARM")
        assert (alarm["action"], alarm.decoded("trigger")) == ("DISPLAY", -ALARM_BEFORE)
    text = answer.data.replace(b"\r\n ", b"").decode()
    for row in listed:
        assert f"Last day {row['last_day']}" in text
        assert row["cite"] in text
        assert row["site_address"] in text
    assert not any(name in text for name in CANARY.values())


def test_the_uid_stays_and_what_is_met_is_gone(world: World) -> None:
    uids = {str(event["uid"]) for event in events(swept(world).get(ICS).data)}
    world.clock.forward(days=1)
    assert {str(event["uid"]) for event in events(world.get(ICS).data)} == uids
    number = sum(b"SP-1")
    report = a_report(owner_name=CANARY[HOME], parcel_number="08-SP-1", site_address=f"N{number} County Road K")
    assert world.post(f"/v1/{HOME}/reports", report).status_code == 201
    sweep(world.database, HOME, TODAY, world.clock())
    left = {str(event["uid"]) for event in events(world.get(ICS).data)}
    assert left < uids


def test_the_same_filters_as_the_list(world: World) -> None:
    swept(world)
    everything = len(events(world.get(f"{ICS}?state=overdue,due_soon,upcoming").data))
    assert everything >= len(events(world.get(ICS).data)) > 0
    assert events(world.get(f"{ICS}?due_before=1990-01-01").data) == []
    assert world.get(f"{ICS}?state=nonsense").status_code == 422


def token(world: World, business: str = "con_mine") -> str:
    with world.database.transaction(None) as store:
        return create_key(store, "contractor", None, business, "calendar", world.clock(), kind=KeyKind.FEED)[1]


def test_a_feed_is_the_same_and_opens_nothing_else(world: World) -> None:
    address = f"/v1/feeds/{token(swept(world))}/due.ics"
    feed = world.get(address, "")
    assert (feed.status_code, feed.data) == (200, world.get(ICS).data)
    assert (feed.headers["Cache-Control"], feed.headers["Referrer-Policy"]) == ("no-store", "no-referrer")
    others = world.get(f"/v1/feeds/{token(world, 'con_others')}/due.ics", "")
    assert others.data != feed.data
    for path in (ICS, "/v1/contractors/me/due", f"/v1/{HOME}/systems", "/v1/contractors/me/keys"):
        bearer = {"Authorization": f"Bearer {address.split('/')[3]}"}
        assert world.get(path, "", headers=bearer).status_code == 401, path
    assert world.call("POST", address, "").status_code == 405


def test_a_feed_ends_when_it_is_revoked_or_over(world: World) -> None:
    mine = token(swept(world))
    address = f"/v1/feeds/{mine}/due.ics"
    absent = world.get(f"/v1/feeds/{'a' * 77}/due.ics", "")
    wrong = [mine[:-1] + ("a" if mine[-1] != "a" else "b"), mine.upper(), "x", world.keys["contractor"]]
    for other in wrong:
        answer = world.get(f"/v1/feeds/{other}/due.ics", "")
        assert answer.status_code == 404
    assert absent.status_code == 404
    [key] = [row["id"] for row in world.get("/v1/contractors/me/keys").json["keys"] if row["kind"] == "feed"]
    assert world.get(address, "").status_code == 200
    assert world.call("DELETE", f"/v1/contractors/me/keys/{key}").status_code == 200
    ended = world.get(address, "")
    assert (ended.status_code, ended.data) == (404, absent.data)
    other = f"/v1/feeds/{token(world)}/due.ics"
    world.clock.forward(days=399)
    assert world.get(other, "").status_code == 200
    world.clock.forward(days=1)
    assert world.get(other, "").status_code == 404


def test_its_address_is_not_logged(database: DatabaseUrls, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    world = make_world(database, tmp_path, LOG_LEVEL="INFO")
    mine = token(world)
    for address in (f"/v1/feeds/{mine}/due.ics", f"/v1/feeds/{mine}/due.ics?x=1", f"/v1/feeds/{mine}"):
        world.get(address, "")
    said = "".join(capfd.readouterr())
    assert "/v1/feeds/<token:token>/due.ics" in said  # the control: the route is
    assert mine not in said
    assert mine.split("_")[2] not in said
    world.database.dispose()


def test_the_days_of_use_are_kept(world: World) -> None:
    mine = token(world)
    assert world.get(f"/v1/feeds/{mine}/due.ics", "").status_code == 200
    with world.database.reading(None) as store:
        [used] = [row["last_used_on"] for row in list_keys(store) if row["kind"] == "feed"]
    assert used == world.clock().date()


DUTY = {
    "system": "sys_1", "component": "septic", "component_ref": "", "kind": "pump", "rule": "OZ1", "cycle": "event:e",
    "state": "overdue", "due_on": date(2026, 7, 4), "last_day": date(2026, 7, 6), "cite": "9.029(4)",
    "because": "pumped 2023-07-04; every 36 months", "permit_number": "SP-1", "site_address": "N1 Oak St; rear, left",
    "municipality": "Town of Ä", "latitude": "43.3", "longitude": "-87.9", "county": HOME, "county_name": "Ozaukee",
    "component_name": "septic tank",
}  # fmt: skip
WRITTEN = date(2026, 7, 13)


def test_place_days_and_long_words() -> None:
    many = {**DUTY, "because": "ü" * 300, "cycle": "long"}
    nowhere = {**DUTY, "cycle": "x", "latitude": None, "due_on": None, "last_day": None, "site_address": None}
    first, long, bare = events(feed_of([DUTY, many, nowhere], "https://pumper.example", WRITTEN))
    assert (first["geo"].latitude, first["geo"].longitude) == (43.3, -87.9)
    assert (first["location"], first["summary"]) == (
        "N1 Oak St; rear, left, Town of Ä", "septic tank due: N1 Oak St; rear, left, Town of Ä",
    )  # fmt: skip
    assert first.decoded("dtstart") == date(2026, 7, 4)
    assert "Last day 2026-07-06" in first["description"]
    assert "ü" * 300 in long["description"]
    assert ("geo" in bare, bare.decoded("dtstart")) == (False, WRITTEN)
    assert "Due now" in bare["description"]
    assert len({first["uid"], long["uid"], bare["uid"]}) == 3


def test_the_uid_is_the_digests_and_moves_with_no_day() -> None:
    moved = {**DUTY, "due_on": date(2027, 1, 1), "state": "due_soon", "because": "deferred"}
    [first, second] = events(feed_of([DUTY, moved], "https://pumper.example", WRITTEN))
    assert first["uid"] == second["uid"]
    for change in ({"rule": "S3"}, {"cycle": "event:f"}, {"county": AWAY}, {"component_ref": "2"}, {"kind": "inspect"}):
        [other] = events(feed_of([{**DUTY, **change}], "https://pumper.example", WRITTEN))
        assert other["uid"] != first["uid"], change
    office = {
        "county": HOME,
        "county_name": "Ozaukee",
        "written_on": "2026-07-13",
        "base_url": "https://pumper.example",
    }
    line = {
        "cause_key": duty_key(DUTY),
        "component": "septic tank",
        "rule": "OZ1",
        "cite": "x",
        "last_day": "2026-07-06",
    }
    [mailed] = events(calendar_of([line], office))
    assert mailed["uid"] == first["uid"]


@pytest.mark.parametrize("kind", ["pump", "service_holding"])
def test_a_call_for_service_names_its_duty(kind: str) -> None:
    duty = {**DUTY, "kind": kind, "component": "holding", "component_ref": "a:b", "cycle": "notice:2026-07-01"}
    content = {"obligation": kind, **{name: duty[name] for name in ("system", "component", "component_ref", "rule")}}
    assert duty_of_cause("needs:sys_1:holding:a:b:notice:2026-07-01", content) == duty_key(duty)
    assert duty_of_cause(duty_key(duty), content) == duty_key(duty)
    gap = {name: value for name, value in content.items() if name != "obligation"}
    assert duty_of_cause("needs:sys_1:holding:a:b:gap:e", gap) == "needs:sys_1:holding:a:b:gap:e"
