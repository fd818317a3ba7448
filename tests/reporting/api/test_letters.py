"""Letters over HTTP, from the queue to the proof of mailing, as a county's clerk does it."""

import csv
import io
from datetime import date
from typing import Any

import pytest

from reporting.owners import Teller, set_setting
from reporting.status import system_status
from schemas.loader import shipped_program
from tests.notifications.letters import OFFICE, STREET, queue_letter, read_pdf
from tests.reporting.api.world import AWAY, HOME, NOW, World
from tests.reporting.counties import the_system

RUNS = f"/v1/{HOME}/print-runs"


@pytest.fixture
def office(world: World) -> World:
    """The world, with the office's address set as a county sets it."""
    teller = Teller(program=shipped_program(HOME), by="key_clerk", now=NOW, signer=world.signer)
    with world.database.transaction(HOME) as store:
        for name, value in OFFICE.items():
            set_setting(store, teller, name, value, date(2026, 1, 1))
    return world


def queued(world: World, *numbers: int, **values: Any) -> str:
    with world.database.transaction(HOME) as store:
        system = the_system(store, "SP-1").system_id
        for number in numbers:
            queue_letter(store, number, now=NOW, **{"system": system, **values})
    return system


def printed(world: World) -> str:
    answer = world.post(RUNS, {}, "county")
    assert answer.status_code == 201, answer.text
    return str(answer.json["run"])


def test_from_the_queue_to_the_proof(office: World) -> None:
    system = queued(office, 1, 2)
    waiting = office.get(f"/v1/{HOME}/letters?state=queued", "county").json["letters"]
    assert [(row["state"], row["problem"], row["run"], row["system"]) for row in waiting] == [
        ("queued", None, None, system)
    ] * 2
    assert waiting[0]["recipient"] == f"Laverne Lor\n{STREET}"

    made = office.post(RUNS, {"limit": 5}, "county")
    assert (made.status_code, made.json["letters"], made.json["left"]) == (201, 2, 0)
    file = office.get(made.headers["Location"], "county")
    assert (file.status_code, file.mimetype, file.headers["Cache-Control"]) == (200, "application/pdf", "no-store")
    assert "Laverne Lor" in read_pdf(file.data).pages[0].extract_text()
    assert "https" not in file.headers["Content-Disposition"]

    run = made.json["run"]
    assert office.get(f"{RUNS}/{run}/proof.pdf", "county").status_code == 422
    office.clock.forward(days=2)
    confirmed = office.post(f"{RUNS}/{run}/confirm", {"mailed_on": "2026-07-14"}, "county")
    assert (confirmed.status_code, confirmed.json["letters"], confirmed.json["systems"]) == (200, 2, [system])
    assert confirmed.json["receipt"]["county"] == HOME
    sent = office.get(f"/v1/{HOME}/letters?state=sent", "county").json["letters"]
    assert [(row["run"], row["mailed_on"]) for row in sent] == [(run, "2026-07-14")] * 2

    proof = office.get(f"{RUNS}/{run}/proof.pdf", "county")
    text = " ".join(" ".join(page.extract_text() for page in read_pdf(proof.data).pages).split())
    assert "Tuesday, July 14, 2026 as first class mail" in text
    table = office.get(f"{RUNS}/{run}/proof.csv", "county")
    rows = list(csv.DictReader(io.StringIO(table.data.decode("utf-8-sig"))))
    assert [(row["mailed_on"], row["mail_class"], row["rule"]) for row in rows] == [
        ("2026-07-14", "first_class", "OZ5, 9.023(2)(b)")
    ] * 2
    assert {row["text_sha256"] for row in rows} == {row["text_sha256"] for row in sent}
    [listed] = office.get(RUNS, "county").json["print_runs"]
    assert (listed["id"], listed["state"], listed["mailed_on"]) == (run, "mailed", "2026-07-14")


def test_nothing_to_print_is_200_and_no_run(office: World) -> None:
    answer = office.post(RUNS, {}, "county")
    assert (answer.status_code, answer.json["run"], "Location" in answer.headers) == (200, None, False)


def test_a_repeat_with_the_same_key_prints_nothing_more(office: World) -> None:
    queued(office, 1)
    headers = {"Idempotency-Key": "press-1"}
    first = office.post(RUNS, {}, "county", headers=headers)
    queued(office, 2)
    again = office.post(RUNS, {}, "county", headers=headers)
    assert (again.status_code, again.json) == (201, first.json)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(office.get(RUNS, "county").json["print_runs"]) == 1


def test_a_cancelled_runs_letters_wait_again(office: World) -> None:
    queued(office, 1)
    run = printed(office)
    cancelled = office.post(f"{RUNS}/{run}/cancel", {}, "county")
    assert (cancelled.status_code, cancelled.json) == (200, {"run": run, "letters": 1})
    for path, body in ((f"{RUNS}/{run}/cancel", {}), (f"{RUNS}/{run}/confirm", {"mailed_on": "2026-07-13"})):
        late = office.post(path, body, "county")
        assert (late.status_code, late.json["type"]) == (409, "urn:pumper:problem:run-ended")
    assert printed(office) != run


def test_what_cannot_be_addressed_is_named(office: World) -> None:
    queued(office, 1, recipient="Laverne Lor\n1 Oak St\nSaukville")
    answer = office.post(RUNS, {}, "county")
    assert (answer.status_code, answer.json["run"]) == (200, None)
    assert [one["reason"] for one in answer.json["apart"]] == ["no_postcode"]
    [row] = office.get(f"/v1/{HOME}/letters", "county").json["letters"]
    assert row["problem"] == "no_postcode"


def test_without_the_offices_address_nothing_is_printed(world: World) -> None:
    queued(world, 1)
    answer = world.post(RUNS, {}, "county")
    assert (answer.status_code, answer.json["type"]) == (422, "urn:pumper:problem:letters-refused")
    assert "office_address" in answer.json["detail"]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("", {"limit": 0}, "limit"),
        ("", {"limit": 501}, "limit"),
        ("", {"limit": True}, "limit"),
        ("", {"pages": 1}, "pages"),
        ("/RUN/confirm", {}, "mailed_on"),
        ("/RUN/confirm", {"mailed_on": "13.7.2026"}, "mailed_on"),
        ("/RUN/confirm", {"mailed_on": "2026-07-13", "by": "me"}, "by"),
        ("/RUN/confirm", {"mailed_on": "2026-07-13", "mail_class": 1}, "mail_class"),
        ("/RUN/cancel", {"why": "x"}, "why"),
    ],
)
def test_a_body_that_cannot_be_used_names_its_member(office: World, path: str, body: Any, field: str) -> None:
    queued(office, 1)
    run = printed(office)
    answer = office.post(RUNS + path.replace("RUN", run), body, "county")
    assert (answer.status_code, [error["field"] for error in answer.json["errors"]]) == (422, [field])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"mailed_on": "2026-07-12"}, "it was printed on 2026-07-13"),
        ({"mailed_on": "2026-07-14"}, "that day is still to come"),
        ({"mailed_on": "2026-07-13", "mail_class": "pigeon"}, "first_class, certified"),
    ],
)
def test_a_mailing_that_cannot_be_is_refused(office: World, body: Any, words: str) -> None:
    queued(office, 1)
    answer = office.post(f"{RUNS}/{printed(office)}/confirm", body, "county")
    assert answer.status_code == 422
    assert words in answer.json["detail"]


def test_letters_are_listed_in_pages(office: World) -> None:
    queued(office, *range(1, 6))
    first = office.get(f"/v1/{HOME}/letters?limit=3", "county")
    assert len(first.json["letters"]) == 3
    following = first.headers["Link"].split(";")[0].strip("<>")
    rest = office.get(following, "county")
    assert len(rest.json["letters"]) == 2
    assert "Link" not in rest.headers
    ids = [row["id"] for row in first.json["letters"] + rest.json["letters"]]
    assert ids == sorted(set(ids))


def test_a_county_sees_and_mails_its_own_letters_only(office: World) -> None:
    queued(office, 1)
    run = printed(office)
    assert office.get(f"/v1/{AWAY}/letters", "other county").json == {"letters": []}
    assert office.get(f"/v1/{AWAY}/print-runs", "other county").json == {"print_runs": []}
    for path in (f"/v1/{AWAY}/print-runs/{run}.pdf", f"{RUNS}/{run}.pdf"):
        assert office.get(path, "other county").status_code == 404
    assert office.get(f"{RUNS}/{run}.pdf", "contractor").status_code == 403
    confirm = office.post(f"/v1/{AWAY}/print-runs/{run}/confirm", {"mailed_on": "2026-07-13"}, "other county")
    assert confirm.status_code == 404


def test_the_answers_of_the_status_still_hold_after_a_mailing(office: World) -> None:
    """A reminder by letter changes no duty: what it tells of was so before."""
    system = queued(office, 1)
    program = shipped_program(HOME)

    def answer() -> Any:
        with office.database.reading(HOME) as store:
            shown = system_status(
                store, program, system, as_of=None, known_at=None, today=date(2026, 7, 14), show_met=True
            )
        return shown.as_json()

    before = answer()
    run = printed(office)
    assert office.post(f"{RUNS}/{run}/confirm", {"mailed_on": "2026-07-13"}, "county").status_code == 200
    assert answer() == before
