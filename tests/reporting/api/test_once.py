"""The same request twice: answered as the first time, and done once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import BytesIO

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reporting.store.log import head
from tests.reporting.api.world import HOME, World, a_report
from tests.reporting.counties import csv_of

KEY = {"Idempotency-Key": "8e03978e-40d5-43dd-bc93-6894a57f9324"}


def size_of_log(world: World) -> int:
    with world.database.reading(HOME) as store:
        return head(store).size


def test_a_repeat_is_answered_as_the_first_time(world: World) -> None:
    first = world.post(f"/v1/{HOME}/reports", a_report(), headers=KEY)
    size = size_of_log(world)
    world.clock.forward(days=399)
    again = world.post(f"/v1/{HOME}/reports", a_report(), headers=KEY)
    assert (again.status_code, again.data) == (first.status_code, first.data)
    assert again.headers["Location"] == first.headers["Location"]
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert size_of_log(world) == size


def test_another_body_under_the_same_key_is_refused(world: World) -> None:
    world.post(f"/v1/{HOME}/reports", a_report(), headers=KEY)
    for change in ({"gallons_pumped": 999}, {"notes": "more"}):
        answer = world.post(f"/v1/{HOME}/reports", a_report(**change), headers=KEY)
        assert (answer.status_code, answer.json["type"]) == (422, "urn:pumper:problem:key-reused")


def test_a_refusal_leaves_the_key_free(world: World) -> None:
    wrong = world.post(f"/v1/{HOME}/reports", a_report(gallons_pumped=None), headers=KEY)
    right = world.post(f"/v1/{HOME}/reports", a_report(), headers=KEY)
    assert (wrong.status_code, right.status_code, right.json["outcome"]) == (422, 201, "accepted")


def test_a_key_is_its_holders_and_its_routes(world: World) -> None:
    answers = [
        world.post(f"/v1/{HOME}/reports", a_report(), headers=KEY),
        world.post(f"/v1/{HOME}/reports", a_report(report_ref="T-2"), "county", headers=KEY),
        world.post("/v1/portage/reports", a_report(permit_number="PT-1"), headers=KEY),
    ]
    assert ["Idempotency-Replayed" in a.headers for a in answers] == [False] * 3
    assert [a.json["type"] for a in answers if a.status_code >= 400 and "key" in a.json["type"]] == []


def test_one_of_many_at_once_is_carried_out(world: World) -> None:
    start = size_of_log(world)
    world.post(f"/v1/{HOME}/reports", a_report(report_ref="T-0", service_date="2026-07-07"))
    size = size_of_log(world)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _n: world.post(f"/v1/{HOME}/reports", a_report(), headers=KEY), range(16)))
    fresh = [a for a in answers if a.status_code == 201 and "Idempotency-Replayed" not in a.headers]
    replayed = [a for a in answers if "Idempotency-Replayed" in a.headers]
    assert len(fresh) == 1
    assert {a.status_code for a in answers} <= {201, 409}
    assert all(a.data == fresh[0].data for a in replayed)
    assert size_of_log(world) - size == size - start > 0  # as much as one request writes


def test_a_file_repeated_is_answered_as_the_first_time(world: World) -> None:
    rows = csv_of(a_report(), a_report(report_ref="T-2", gallons_pumped=None))
    first, again = (world.send(HOME, rows, headers=KEY) for _n in range(2))
    assert (first.status_code, again.status_code) == (207, 207)
    assert first.data == again.data
    assert again.headers["Idempotency-Replayed"] == "true"
    other = world.send(HOME, rows, query="?atomic=true", headers=KEY)
    assert other.json["type"] == "urn:pumper:problem:key-reused"


def test_a_form_repeated_has_another_boundary_and_is_the_same(world: World) -> None:
    def form() -> dict[str, object]:
        return {"file": (BytesIO(csv_of(a_report())), "reports.csv")}

    sent = [
        world.call("POST", f"/v1/{HOME}/submissions", data=form(), content_type=kind, headers=KEY)
        for kind in ("multipart/form-data; boundary=aaaa", "multipart/form-data; boundary=bbbb")
    ]
    assert [a.status_code for a in sent] == [201, 201]
    assert sent[0].data == sent[1].data


def test_amendment_and_void_repeated_are_done_once(world: World) -> None:
    report = world.post(f"/v1/{HOME}/reports", a_report()).json["id"]
    body = {"reason": "Misread", "changes": {"gallons_pumped": 900}}
    first, again = (world.post(f"/v1/{HOME}/reports/{report}/amendments", body, headers=KEY) for _n in range(2))
    assert (first.status_code, first.data) == (again.status_code, again.data)
    amended = first.json["id"]
    voids = [world.post(f"/v1/{HOME}/reports/{amended}/void", {"reason": "x"}, headers=KEY) for _n in range(2)]
    assert [v.status_code for v in voids] == [200, 200]
    assert voids[0].data == voids[1].data


def test_a_key_that_is_none_is_refused(world: World) -> None:
    for key in ("", " ", "a b", "\xe9", "x" * 256):
        answer = world.post(f"/v1/{HOME}/reports", a_report(), headers={"Idempotency-Key": key})
        assert (answer.status_code, answer.json["type"]) == (400, "urn:pumper:problem:bad-key-header"), key


@settings(max_examples=25, deadline=timedelta(seconds=5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.integers(0, 10**6), gallons=st.integers(1, 5_000), notes=st.text(max_size=40))
def test_generated_requests_repeat_exactly(world: World, number: int, gallons: int, notes: str) -> None:
    body = a_report(report_ref=f"G-{number}", gallons_pumped=gallons, notes=notes)
    headers = {"Idempotency-Key": f"k{number}-{gallons}-{hash(notes)}"}
    first, again = (world.post(f"/v1/{HOME}/reports", body, headers=headers) for _n in range(2))
    assert first.status_code == again.status_code
    assert first.status_code in (201, 422)
    if first.status_code == 201:
        assert first.data == again.data
        assert "Idempotency-Replayed" in again.headers
    else:
        assert "Idempotency-Replayed" not in again.headers
