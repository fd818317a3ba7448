"""The record for those outside: checkpoints, keys, copies of record, and "this was not me"."""

import re
from datetime import UTC, datetime

import pytest

from reporting.export_verifier import read_checkpoints
from reporting.store.log import SERVICE_LOG
from reporting.store.rotation import hand_over
from reporting.store.signing import add_key
from reporting.store.verify import verify
from tests.reporting.api.world import AWAY, CANARY, HOME, World, a_report

REPORTS = f"/v1/{HOME}/reports"


def sent(world: World, **values: object) -> str:
    answer = world.post(REPORTS, a_report(**values))
    assert answer.status_code == 201, answer.text
    return str(answer.json["id"])


def test_anybody_may_keep_a_checkpoint(world: World) -> None:
    report = sent(world)
    answer = world.get(f"/v1/{HOME}/checkpoint", "")
    assert (answer.status_code, answer.mimetype) == (200, "text/plain")
    [head] = read_checkpoints(answer.text, "answer")
    receipt = world.get(f"{REPORTS}/{report}/receipt").json
    assert (head.county, head.size, head.root.hex()) == (HOME, receipt["size"], receipt["root"])
    assert receipt["checkpoint"] == answer.text
    assert world.get("/v1/nowhere/checkpoint", "").status_code == 404
    # One that has never been signed is signed for whoever looks.
    [away] = read_checkpoints(world.get(f"/v1/{AWAY}/checkpoint", "").text, "answer")
    assert away.size > 0


def test_the_keys_are_listed_with_the_entry_from_which_they_sign(world: World) -> None:
    report = sent(world)
    before = world.get("/v1/keys.json", "").json["keys"]
    [own] = [key for key in before if key["log"] == f"pumper/{HOME}"]
    assert (own["from_entry"], own["key_id"]) == (0, world.get(f"{REPORTS}/{report}/receipt").json["key_id"])
    assert own["verifier_key"].split("+")[:2] == [own["log"], own["key_id"]]
    assert world.signer.path is not None
    fresh = add_key(world.signer.path)
    for slug in (HOME, SERVICE_LOG):
        with world.database.transaction(slug) as store:
            hand_over(store, fresh, datetime(2026, 7, 14, tzinfo=UTC))
    later = sent(world, report_ref="T-2", gallons_pumped=900)
    keys = [key for key in world.get("/v1/keys.json", "").json["keys"] if key["log"] == f"pumper/{HOME}"]
    # The service under way had loaded the old key: it takes up the new one by itself.
    assert [key["key_id"] for key in keys] == [
        own["key_id"], world.get(f"{REPORTS}/{later}/receipt").json["key_id"],
    ]  # fmt: skip
    assert keys[1]["from_entry"] > 0
    with world.database.reading(HOME) as store:
        assert verify(store, [fresh.verifying_key]).problems == ()


def test_a_copy_of_record_says_what_was_sent_and_what_was_understood(world: World) -> None:
    """S18: the signer sees what is signed, and the copy cannot change unnoticed."""
    report = sent(world, work_description="Pumped <b>tank</b>")
    page = world.get(f"{REPORTS}/{report}/copy")
    assert (page.status_code, page.mimetype) == (200, "text/html")
    assert "<b>tank" not in page.text
    assert page.headers["Cache-Control"] == "no-store"
    text = world.get(f"{REPORTS}/{report}/copy.txt").text
    assert text.startswith("COPY OF RECORD\n")
    assert '"work_description":' in text.replace('": "', '":"')  # as it came
    assert re.search(r"gallons_pumped +1000\n", text)
    assert re.search(r"signature +Lena Oestreich\n", text)
    assert re.search(r"state +stands\n", text)
    assert world.get(f"/v1/{HOME}/checkpoint", "").text.split("\n")[2] in text
    assert world.get(f"{REPORTS}/{report}/receipt").json["leaf"] in text


def test_a_copy_tells_of_what_became_of_the_report(world: World) -> None:
    first = sent(world)
    body = {"reason": "mistyped", "changes": {"gallons_pumped": 900}}
    second = world.post(f"{REPORTS}/{first}/amendments", body).json["id"]
    before, after = (world.get(f"{REPORTS}/{one}/copy.txt").text for one in (first, second))
    assert f"replaced by {second}" in before
    assert re.search(rf"in the place of +{first}\n", after)
    assert '{"reason": "mistyped", "changes": {"gallons_pumped": 900}}' in after


@pytest.mark.parametrize("path", ["copy", "copy.txt"])
def test_a_copy_is_for_whoever_may_see_the_report(world: World, path: str) -> None:
    report = sent(world, owner_name=CANARY[HOME])
    for who, status in (("contractor", 200), ("county", 200), ("admin", 200), ("other contractor", 404), ("", 401)):
        answer = world.get(f"{REPORTS}/{report}/{path}", who)
        assert (answer.status_code, CANARY[HOME] in answer.text) == (status, status == 200), who


def test_this_was_not_me(world: World) -> None:
    report = sent(world)
    address = f"{REPORTS}/{report}/repudiation"
    assert world.post(address, {"reason": " "}).status_code == 422
    assert world.post(address, {"reason": "x" * 2_001}).status_code == 422
    assert world.post(address, {"reason": "not our truck"}, "other contractor").status_code == 404
    assert world.post(address, {"reason": "not our truck"}, "county").status_code == 403
    done = world.post(address, {"reason": "not our truck"})
    assert done.status_code == 201, done.text
    again = world.post(address, {"reason": "really not"})
    assert (again.status_code, "before" in again.json["detail"]) == (409, True)
    [review] = [r for r in world.get(f"/v1/{HOME}/reviews", "county").json["reviews"] if r["report_id"] == report]
    assert (review["id"], review["reason"], review["state"]) == (done.json["review"], "repudiated", "open")
    assert "not our truck" in world.get(f"{REPORTS}/{report}/copy.txt").text
    assert world.get(f"{REPORTS}/{report}").json["state"] == "stands"  # until the county decides


@pytest.mark.parametrize(("decision", "state"), [("match", "stands"), ("void", "ended")])
def test_the_county_decides_what_of_a_denied_report(world: World, decision: str, state: str) -> None:
    report = sent(world)
    system = world.get(f"{REPORTS}/{report}").json["system"]
    review = world.post(f"{REPORTS}/{report}/repudiation", {"reason": "not our truck"}).json["review"]
    address = f"/v1/{HOME}/reviews/{review}/resolution"
    assert world.post(address, {"decision": "new_system", "reason": "x"}, "county").status_code in (409, 422)
    body = {"decision": decision, "reason": "asked the driver", **({"system": system} if decision == "match" else {})}
    answer = world.post(address, body, "county")
    assert answer.status_code in (200, 201), answer.text
    assert world.get(f"{REPORTS}/{report}").json["state"] == state
    with world.database.reading(HOME) as store:
        assert verify(store).problems == ()
