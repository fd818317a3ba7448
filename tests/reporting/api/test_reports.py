"""One report over HTTP: taken, seen, amended, taken back, signed for."""

from reporting.receipts import Receipt
from reporting.store.signing import checkpoint_note
from reporting.store.verify import verify
from tests.reporting.api.world import AWAY, HOME, OTHERS, World, a_report


def test_a_report_is_taken_signed_for_and_counts_at_once(world: World) -> None:
    """Rule S2: reports of systems in the inventory."""
    before = world.get(f"/v1/{HOME}/status?permit=SP-1", "county").json
    answer = world.post(f"/v1/{HOME}/reports", a_report())
    assert answer.status_code == 201, answer.text
    body = answer.json
    assert (body["outcome"], body["errors"], body["permit_number"]) == ("accepted", [], "SP-1")
    assert answer.headers["Location"] == f"/v1/{HOME}/reports/{body['id']}"
    after = world.get(f"/v1/{HOME}/status?permit=sp 1", "county").json
    assert (before["standing"], after["standing"]) == ("overdue", "compliant")
    listed = world.get(f"/v1/{HOME}/systems?permit=SP-1", "county").json["systems"]
    assert [(s["standing"], s["out_of_date"]) for s in listed] == [("compliant", False)]


def test_the_receipt_stands_against_the_record(world: World) -> None:
    body = world.post(f"/v1/{HOME}/reports", a_report()).json
    told = world.get(f"/v1/{HOME}/reports/{body['id']}/receipt").json
    receipt = Receipt.from_json(told)
    assert told == {**body["receipt"], "checkpoint": checkpoint_note(receipt.head)}
    assert world.signer.verifying_key.signed(receipt.head)
    with world.database.reading(HOME) as store:
        assert verify(store, [world.signer.verifying_key], saved=[receipt.head]).problems == ()


def test_a_report_is_shown_as_it_was_sent(world: World) -> None:
    report_id = world.post(f"/v1/{HOME}/reports", a_report()).json["id"]
    shown = world.get(f"/v1/{HOME}/reports/{report_id}").json
    assert (shown["state"], shown["service_date"]) == ("stands", "2026-07-08")
    sent = {k: v for k, v in a_report().items() if k in shown["content"]}
    assert shown["content"] == sent
    assert shown["content"]["gallons_pumped"] == 1000


def test_the_same_report_again_is_a_duplicate_of_the_first(world: World) -> None:
    first = world.post(f"/v1/{HOME}/reports", a_report())
    again = world.post(f"/v1/{HOME}/reports", a_report())
    assert (again.status_code, again.json["outcome"]) == (201, "duplicate")
    assert again.json["id"] == first.json["id"] == again.json["duplicate_of"]
    assert again.json["receipt"] == first.json["receipt"]
    assert again.headers["Location"] == first.headers["Location"]


def test_a_wrong_report_is_a_problem_that_says_what_to_do(world: World) -> None:
    answer = world.post(f"/v1/{HOME}/reports", a_report(gallons_pumped=None, galons=1000))
    assert (answer.status_code, answer.mimetype) == (422, "application/problem+json")
    found = {(e["field"], e["code"], e["pointer"]) for e in answer.json["errors"]}
    assert ("galons", "unknown_field", "/galons") in found
    assert any(field == "gallons_pumped" for field, _code, _pointer in found)
    assert all(e["message"] for e in answer.json["errors"])


def test_a_report_of_an_unknown_system_is_kept_and_queued(world: World) -> None:
    """Rule S3: it is never refused for that."""
    sent = a_report(permit_number="ZZ-9", parcel_number="99-ZZ-9", site_address="N9 Nowhere Lane")
    answer = world.post(f"/v1/{HOME}/reports", sent)
    assert (answer.status_code, answer.json["outcome"]) == (201, "queued_for_review")
    assert world.get(answer.headers["Location"]).status_code == 200


def test_a_licence_of_another_business_is_refused(world: World) -> None:
    answer = world.post(f"/v1/{HOME}/reports", a_report(license_number=OTHERS))
    assert answer.status_code == 422
    assert [e["code"] for e in answer.json["errors"]] == ["license_not_yours"]


def test_an_amendment_supersedes_and_both_stay_known(world: World) -> None:
    first = world.post(f"/v1/{HOME}/reports", a_report()).json["id"]
    path = f"/v1/{HOME}/reports/{first}/amendments"
    answer = world.post(path, {"reason": "Misread the gauge", "changes": {"gallons_pumped": 900}})
    assert answer.status_code == 201, answer.text
    second = answer.json["id"]
    assert second != first
    shown = world.get(f"/v1/{HOME}/reports/{second}").json
    assert (shown["content"]["gallons_pumped"], shown["supersedes"], shown["state"]) == (900, first, "stands")
    old = world.get(f"/v1/{HOME}/reports/{first}").json
    assert (old["content"]["gallons_pumped"], old["state"]) == (1000, "ended")
    again = world.post(path, {"reason": "Again", "changes": {"gallons_pumped": 800}})
    assert (again.status_code, again.json["type"]) == (409, "urn:pumper:problem:report-ended")


def test_a_void_brings_the_due_date_back(world: World) -> None:
    report_id = world.post(f"/v1/{HOME}/reports", a_report()).json["id"]
    answer = world.post(f"/v1/{HOME}/reports/{report_id}/void", {"reason": "Another address"})
    assert (answer.status_code, answer.json["id"]) == (200, report_id)
    assert world.get(f"/v1/{HOME}/status?permit=SP-1", "county").json["standing"] == "overdue"
    assert world.get(f"/v1/{HOME}/reports/{report_id}").json["state"] == "ended"


def test_amendment_and_void_say_all_that_is_wrong(world: World) -> None:
    report_id = world.post(f"/v1/{HOME}/reports", a_report()).json["id"]
    path = f"/v1/{HOME}/reports/{report_id}"
    for what, body, fields in (
        ("amendments", {"changes": {}}, {"reason"}),
        ("amendments", {"reason": "x", "changes": {}}, {"changes"}),
        ("amendments", {"reason": "x", "changes": {"gallons_pumped": "many"}}, {"gallons_pumped"}),
        ("amendments", {"reason": "x", "changes": {"galons": 1}}, {"galons"}),
        ("void", {"why": "x"}, {"why", "reason"}),
        ("void", {"reason": 7}, {"reason"}),
    ):
        answer = world.post(f"{path}/{what}", body)
        assert answer.status_code == 422, (what, body, answer.text)
        assert {e["field"] for e in answer.json["errors"]} == fields
    assert world.get(path).json["state"] == "stands"


def test_another_business_can_neither_see_nor_change_a_report(world: World) -> None:
    report_id = world.post(f"/v1/{HOME}/reports", a_report()).json["id"]
    bodies = {"amendments": {"reason": "x", "changes": {"notes": "y"}}, "void": {"reason": "x"}}
    for county in (HOME, AWAY):
        foreign, missing = (f"/v1/{county}/reports/{one}" for one in (report_id, "rep_none"))
        who = "other contractor"
        assert world.get(foreign, who).data == world.get(missing, who).data
        for what, body in bodies.items():
            answers = [world.post(f"{path}/{what}", body, who) for path in (foreign, missing)]
            assert [a.status_code for a in answers] == [404, 404]
            assert answers[0].data == answers[1].data
    assert world.get(f"/v1/{HOME}/reports/{report_id}").json["state"] == "stands"


def test_a_meter_reading_is_a_report_of_its_kind(world: World) -> None:
    reading = {
        "permit_number": "SP-1",
        "service_date": "2026-07-08",
        "meter_reading": "1234.5",
        "meter_unit": "gal",
        "license_number": "00412",
        "business_name": "Kettle Moraine Septic LLC",
        "technician_name": "Lena Oestreich",
        "report_ref": "M-1",
    }
    answer = world.post(f"/v1/{HOME}/meter-readings", reading)
    assert answer.status_code in (201, 422)
    if answer.status_code == 201:
        shown = world.get(answer.headers["Location"]).json
        assert (shown["event_type"], shown["content"]["meter_reading"]) == ("meter_reading", "1234.5")
    other = world.post(f"/v1/{HOME}/meter-readings", {**reading, "event_type": "pumping"})
    assert [e["field"] for e in other.json["errors"]] == ["event_type"]
