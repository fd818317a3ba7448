"""`pumper webhooks` as an operator uses it, with a real receiver on this machine."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from notifications.worker import Turn
from reporting.cli.running import jobs_of
from reporting.cli.words import moment
from reporting.config import Config
from reporting.store.engine import Database
from tests.reporting.cli.test_commands import ROW, Desk, desk, office, prepared
from tests.services.receivers import Receiver, answer, receiving

__all__ = ["desk", "office", "prepared"]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


def allowing(office: Desk, receiver: Receiver) -> Desk:
    return replace(office, environ={**office.environ, "PUMPER_WEBHOOK_ALLOW": receiver.origin})


def test_added_tested_listed_removed(office: Desk, receiver: Receiver) -> None:
    inside = allowing(office, receiver)
    added = inside.run("webhooks", "add", receiver.url(), "--county", "ozaukee", "--kind", "report.late", "--json")
    assert added.returncode == 0, added.stderr
    made = json.loads(added.stdout)
    assert made["secret"].startswith("whsec_")
    tested = inside.run("webhooks", "test", made["id"])
    assert (tested.returncode, tested.stdout.startswith("Taken, with 204: dlv_")) == (0, True)
    assert json.loads(receiver.heard[0].body)["type"] == "test"
    [row] = json.loads(inside.run("webhooks", "list", "--json").stdout)
    assert (row["url"], row["kinds"], row["state"]) == (receiver.url(), ["report.late"], "active")
    assert not {"secret", "former_secret"} & row.keys()
    assert made["secret"] not in inside.run("webhooks", "list").stdout
    turned = json.loads(inside.run("webhooks", "rotate", made["id"], "--json").stdout)
    assert turned["secret"] != made["secret"]
    assert inside.run("webhooks", "remove", made["id"]).returncode == 0
    assert json.loads(inside.run("webhooks", "list", "--json").stdout) == []
    again = inside.run("webhooks", "remove", made["id"])
    assert (again.returncode, "there is no webhook" in again.stderr) == (2, True)


def test_a_receiver_that_does_not_take_it_is_told_of(office: Desk, receiver: Receiver) -> None:
    inside = allowing(office, receiver)
    receiver.reply = answer(410)
    made = json.loads(inside.run("webhooks", "add", receiver.url(), "--license", "00412", "--json").stdout)
    tested = inside.run("webhooks", "test", made["id"])
    assert (tested.returncode, tested.stderr.count("Not taken: Answered 410.")) == (1, 1)
    assert "disabled: It answered 410: gone." in inside.run("webhooks", "list").stdout
    assert "was not sent" in inside.run("webhooks", "test", made["id"]).stderr
    assert inside.run("webhooks", "enable", made["id"]).returncode == 0
    receiver.reply = answer(200)
    assert inside.run("webhooks", "test", made["id"]).returncode == 0


def test_the_worker_tells_of_a_submission(office: Desk, receiver: Receiver) -> None:
    """From a file handed in to a receiver that was told, through the job that the worker runs."""
    inside = allowing(office, receiver)
    for whose in (("--county", "ozaukee"), ("--license", "00412"), ("--county", "portage")):
        assert inside.run("webhooks", "add", receiver.url(path=f"/{whose[1]}"), *whose).returncode == 0
    sent = inside.run("submit", "ozaukee", inside.csv("july.csv", ROW), "--json")
    assert sent.returncode in (0, 1), sent.stderr
    [outcome] = json.loads(sent.stdout)["outcomes"]
    config = Config.from_environment(inside.environ)
    database = Database.connect(config.database_url)
    [job] = [job for job in jobs_of(config, database) if job.name == "webhooks"]
    for _ in range(2):
        job.run(Turn(now=moment(), slot="now", still_mine=lambda: True, stopping=lambda: False))
    database.dispose()
    told = [(one.path, json.loads(one.body)) for one in receiver.heard]
    assert outcome["outcome"] == "accepted"
    heard = {path: sorted(body["type"] for to, body in told if to == path) for path, _body in told}
    # Handed in at the county's own desk, so that the receipt is no business's; late, though, is the business's report.
    assert heard == {"/ozaukee": ["receipt", "report.accepted", "report.late"], "/00412": ["report.late"]}
    late = [body["data"]["report"] for _path, body in told if body["type"] == "report.late"]
    assert late == [outcome["report_id"]] * 2
    assert "Laverne" not in json.dumps(told)


def test_the_operator_alone_opens_what_lies_inside(office: Desk, receiver: Receiver) -> None:
    refused = office.run("webhooks", "add", receiver.url(), "--county", "ozaukee")
    assert (refused.returncode, "https" in refused.stderr) == (2, True)
    made = json.loads(
        allowing(office, receiver).run("webhooks", "add", receiver.url(), "--county", "ozaukee", "--json").stdout
    )
    tested = office.run("webhooks", "test", made["id"])  # allowed no more
    assert (tested.returncode, "Not taken: Give an https address" in tested.stderr) == (1, True)
    assert receiver.heard == []
    broken = replace(office, environ={**office.environ, "PUMPER_WEBHOOK_ALLOW": "127.0.0.1"})
    said = broken.run("webhooks", "list")
    assert (said.returncode, "PUMPER_WEBHOOK_ALLOW: must be origins" in said.stderr) == (2, True)


def test_wrong_usage(office: Desk) -> None:
    url = "https://hooks.example.org/"
    for words in (
        ("add", url),
        ("add", url, "--county", "ozaukee", "--license", "00412"),
        ("add", url, "--county", "nowhere"),
        ("add", url, "--license", "no such licence"),
        ("add", url, "--license", "00412", "--kind", "case.opened"),
        ("test", "whk_none"),
    ):
        assert office.run("webhooks", *words).returncode == 2, words
    kinds = office.run("webhooks", "kinds").stdout
    assert "report.late" in kinds
    assert "Counties only." in kinds
