"""Figures for monitoring, for administrators alone; and what `/readyz` says of mail."""

import re
from datetime import timedelta

from notifications.outbox import add_message
from notifications.pauses import Hand, pause_mail
from notifications.worker import is_alive
from reporting.api.app import create_app
from reporting.store.jobs import claim_slot, finish_slot, take_lease
from tests.notifications.builders import a_notice
from tests.reporting.api.world import HOME, NOW, World


def figures(world: World) -> dict[str, float]:
    answer = world.get("/metrics", "admin")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'[a-z_]+(\{([a-z]+="[^"\n]*",?)+\})? -?[0-9.e+]+', line) for line in lines)
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_figures_are_an_administrators_alone(world: World) -> None:
    for who, status in (("", 401), ("contractor", 403), ("county", 403), ("admin", 200)):
        assert world.get("/metrics", who).status_code == status, who


def test_what_waits_is_held_and_was_done_is_told(world: World) -> None:
    with world.database.transaction(HOME) as store:
        add_message(store, a_notice(1), NOW - timedelta(minutes=20), "x.example")
    with world.database.transaction(None) as store:
        claim_slot(store, "daily scan", "2026-07-13", "w", NOW, NOW)
        finish_slot(store, "daily scan", "2026-07-13", "w", NOW)
        take_lease(store, "job:deliver", "w", NOW, NOW + timedelta(minutes=1))
    told = figures(world)
    assert told[f'pumper_messages{{channel="mail",county="{HOME}",state="queued"}}'] == 1
    assert told['pumper_messages{channel="mail",county="portage",state="queued"}'] == 0
    assert told[f'pumper_mail_oldest_waiting_seconds{{county="{HOME}"}}'] == 1200
    assert told['pumper_job_last_success_timestamp_seconds{job="daily scan"}'] == NOW.timestamp()
    assert told['pumper_job_lease_until_timestamp_seconds{job="deliver"}'] == NOW.timestamp() + 60
    with world.database.transaction(HOME) as store:
        pause_mail(store, Hand(by="k", now=NOW), "x")
    told = figures(world)
    assert told[f'pumper_mails_held{{county="{HOME}"}}'] == 1
    assert told[f'pumper_mail_oldest_waiting_seconds{{county="{HOME}"}}'] == 0


def test_mail_that_waits_is_shown_and_does_not_stop_reports(world: World) -> None:
    app = create_app(world.config, world.database, world.signer, world.clock, worker_alive=is_alive)
    with world.database.transaction(None) as store:
        take_lease(store, "worker", "w", NOW, NOW + timedelta(hours=1))
    with world.database.transaction(HOME) as store:
        add_message(store, a_notice(1), NOW, "x.example")
    world.clock.forward(minutes=15)
    assert app.test_client().get("/readyz").json == {"status": "ready", "mail": "ok"}
    world.clock.forward(seconds=1)
    answer = app.test_client().get("/readyz")
    assert (answer.status_code, answer.json) == (200, {"status": "ready", "mail": "behind"})


def test_calls_are_counted_by_route_and_never_by_address(world: World) -> None:
    world.get(f"/v1/{HOME}/systems?permit=SP-7", "county")
    world.get(f"/v1/{HOME}/systems?permit=SP-8", "")
    world.get("/nowhere/of/an-owner", "county")
    for word in ("BREW", "WHEN"):
        world.call(word, f"/v1/{HOME}/systems", "county")
    told = figures(world)
    calls = {name: value for name, value in told.items() if name.startswith("pumper_http_requests_total")}
    named = 'pumper_http_requests_total{method="GET",route="'
    assert calls[f'{named}/v1/<slug:county>/systems",status="200"}}'] == 1
    assert calls[f'{named}/v1/<slug:county>/systems",status="401"}}'] == 1
    assert calls[f'{named}none",status="404"}}'] == 1
    assert told['pumper_http_request_duration_seconds_count{route="/v1/<slug:county>/systems"}'] == 2
    assert sum(value for name, value in calls.items() if 'method="other"' in name) == 2
    assert not any("SP-" in name or "BREW" in name or "owner" in name for name in calls)
