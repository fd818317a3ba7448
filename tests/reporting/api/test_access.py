"""Who sees what: every route of the URL map × every role × the key's own county, another's and none."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from reporting.api.app import PolicyMissing
from reporting.api.policy import POLICIES
from reporting.store.facts import load_history
from reporting.store.keys import Role, create_key, list_keys, revoke_key
from reporting.store.people import upsert_contractors
from reporting.store.reviews import ReviewFilter, page_reviews
from reporting.sweep import sweep
from tests.reporting.api.world import AWAY, CANARY, HOME, MINE, OTHERS, World, a_report
from tests.reporting.counties import TODAY, csv_of, the_system

ROLES = ("", "contractor", "other contractor", "county", "other county", "admin")
BODIES: dict[str, Any] = {
    "reports.submit_report": a_report(report_ref="M-1"),
    "reports.amend_report": {"reason": "x", "changes": {"notes": "y"}},
    "reports.void_report": {"reason": "x"},
    "submissions.undo_submission": {"reason": "x"},
    "headings.teach_headings": {"headings": {"Amt": "gallons_pumped"}, "license_number": MINE},
    "reviews.resolve_review": {"decision": "new_system", "reason": "x"},
    "reviews.forget_review": {"reason": "x"},
    "reviews.place_report": {"decision": "back", "reason": "x"},
    "merges.merge_system": {"other": "sys_other", "reason": "x"},
    "merges.unmerge_system": {"reason": "x"},
    "facts.owner_notice": {"permit_number": "SP-1", "on": "2026-07-01", "kind": "full"},
    "facts.designation": {"permit_number": "SP-1", "license_number": MINE},
    "facts.contract": {"permit_number": "SP-1", "license_number": MINE, "from": "2026-01-01"},
    "facts.statement": {"permit_number": "SP-1", "period": "2025"},
    "facts.meter_reading": {"permit_number": "SP-1", "service_date": "2026-07-01", "meter_reading": 1},
}
FILES = {"submissions.submit_file": csv_of(a_report(report_ref="M-2")), "facts.import_inventory": b"permit_number\n"}
QUERIES = {"systems.find_status": "?permit=SP-1", "headings.show_headings": f"?license={MINE}"}
IDS = {"report_id": "rep_none", "submission_id": "sub_none", "system_id": "sys_none", "review_id": "rev_none"}


def rules(world: World) -> Iterator[tuple[str, str, Rule]]:
    for rule in world.app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"HEAD"}):
            yield rule.endpoint, method, rule


def path_of(rule: Rule, county: str, ids: dict[str, str]) -> str:
    path = rule.rule.replace("<slug:county>", county)
    for name, value in ids.items():
        path = path.replace(f"<id:{name}>", value)
    assert "<" not in path, f"give {rule.rule} its ids"
    return path + QUERIES.get(rule.endpoint, "")


def ask(world: World, endpoint: str, method: str, path: str, who: str) -> TestResponse:
    if endpoint in BODIES:
        return world.post(path, BODIES[endpoint], who)
    if endpoint in FILES:
        return world.call(method, path, who, data=FILES[endpoint], content_type="text/csv")
    return world.call(method, path, who)


def expected(endpoint: str, who: str, county: str | None) -> set[int]:
    """The statuses that a call for an absent record may have; 200 and its like where none can be absent."""
    policy = POLICIES[endpoint]
    known = county in (None, HOME, AWAY)
    if policy.ignores_key:
        return {200} if known else {404}
    if not who and not policy.public:
        return {401}
    own = {"county": HOME, "other county": AWAY}.get(who, county)
    if county is not None and not (known and own == county):
        return {404}
    role = {"contractor": Role.CONTRACTOR, "other contractor": Role.CONTRACTOR, "admin": Role.ADMIN}
    if who and role.get(who, Role.COUNTY) not in policy.roles:
        return {403}
    return {200, 201, 404, 422}


@pytest.mark.parametrize("who", ROLES)
def test_every_route_lets_in_whom_its_policy_names(world: World, who: str) -> None:
    seen = set()
    for endpoint, method, rule in rules(world):
        counties = (HOME, AWAY, "nowhere") if "county" in rule.arguments else (None,)
        for county in counties:
            answer = ask(world, endpoint, method, path_of(rule, county or "", IDS), who)
            assert answer.status_code in expected(endpoint, who, county), (endpoint, who, county, answer.text)
            if who and answer.status_code < 400 and not POLICIES[endpoint].ignores_key:
                assert answer.headers["Cache-Control"] == "no-store"
            seen.add(endpoint)
    assert seen == set(POLICIES)


@pytest.mark.parametrize("who", ["contractor", "county", "other county"])
def test_another_countys_address_answers_like_none(world: World, who: str) -> None:
    """Byte for byte the same body, whatever the route."""
    within = {"contractor": {HOME, AWAY}, "county": {HOME}, "other county": {AWAY}}[who]
    bodies = set()
    for endpoint, method, rule in rules(world):
        if "county" not in rule.arguments or POLICIES[endpoint].ignores_key:
            continue
        for county in {HOME, AWAY, "nowhere"} - within:
            answer = ask(world, endpoint, method, path_of(rule, county, IDS), who)
            assert answer.status_code == 404, (endpoint, county)
            bodies.add(answer.data)
    assert len(bodies) == 1


def owned(world: World) -> dict[str, dict[str, str]]:
    """The ids of a report, a submission and a system in each county, all of `contractor`'s."""
    found = {}
    for county, permit in ((HOME, "SP-1"), (AWAY, "PT-1")):
        number = sum(permit.encode())
        values = {"parcel_number": f"08-{permit}", "site_address": f"N{number} County Road K"}
        doubted = a_report(permit_number="ZZ-9", report_ref="Z-9", owner_name=CANARY[county], **values)
        sent = world.send(county, csv_of(a_report(permit_number=permit, **values), doubted)).json
        with world.database.reading(county) as store:
            system = the_system(store, permit).system_id
            [review] = [row["id"] for row in page_reviews(store, ReviewFilter(), None, 9).rows]
        found[county] = {
            "report_id": str(sent["outcomes"][0]["report_id"]),
            "submission_id": str(sent["id"]),
            "system_id": system,
            "review_id": review,
        }
    return found


def test_a_foreign_id_answers_like_an_absent_one(world: World) -> None:
    ids = owned(world)
    assert "None" not in ids[HOME].values()
    tried = 0
    for endpoint, method, rule in rules(world):
        if not set(rule.arguments) & set(IDS):
            continue
        for who, county, given in (
            ("other contractor", HOME, ids[HOME]),  # another business's
            ("county", HOME, ids[AWAY]),  # another county's id in the own county
            ("other county", HOME, ids[HOME]),  # another county's address
            ("contractor", AWAY, ids[HOME]),  # the own id in another county
        ):
            if expected(endpoint, who, county) == {403}:
                continue
            foreign = ask(world, endpoint, method, path_of(rule, county, given), who)
            absent = ask(world, endpoint, method, path_of(rule, county, IDS), who)
            assert (foreign.status_code, foreign.data) == (404, absent.data), (endpoint, who, county)
            tried += 1
    assert tried > 20


def test_own_ids_are_found(world: World) -> None:
    """The control of the test before: with the right key the same addresses answer."""
    ids = owned(world)[HOME]
    paths = ("reports/{report_id}", "reports/{report_id}/receipt", "submissions/{submission_id}")
    paths += ("submissions/{submission_id}/rejected.csv", "systems/{system_id}", "systems/{system_id}/status")
    for path in paths:
        for who in ("contractor", "county", "admin"):
            assert world.get(f"/v1/{HOME}/" + path.format(**ids), who).status_code == 200, (path, who)
    for who, status in (("contractor", 403), ("county", 200), ("admin", 200)):
        assert world.get(f"/v1/{HOME}/reviews/{ids['review_id']}", who).status_code == status, who


def test_no_answer_holds_anothers_canary(world: World) -> None:
    ids = owned(world)
    for endpoint, method, rule in rules(world):
        if method != "GET":
            continue
        for county in (HOME, AWAY) if "county" in rule.arguments else ("",):
            path = path_of(rule, county, ids.get(county, IDS))
            for who in ROLES:
                text = ask(world, endpoint, method, path, who).text
                if who in ("", "contractor", "other contractor"):
                    assert CANARY[HOME] not in text, (endpoint, who)
                    assert CANARY[AWAY] not in text, (endpoint, who)
                for name, other in (("county", AWAY), ("other county", HOME)):
                    assert who != name or CANARY[other] not in text, (endpoint, who)
    system = ids[HOME]["system_id"]
    assert CANARY[HOME] in world.get(f"/v1/{HOME}/systems/{system}", "county").text  # the control


def test_a_business_sees_the_systems_that_name_it(world: World) -> None:
    mine, others = (world.get(f"/v1/{HOME}/systems", who).json["systems"] for who in ("contractor", "other contractor"))
    assert [s["permit_number"] for s in mine] == ["SP-1"]
    assert [s["permit_number"] for s in others] == ["SP-2"]
    assert len(world.get(f"/v1/{HOME}/systems", "county").json["systems"]) == 3
    asked = world.get(f"/v1/{HOME}/systems?contractor={OTHERS}").json["systems"]
    assert asked == []
    with world.database.reading(HOME) as store:
        system = the_system(store, "SP-2").system_id
    assert world.get(f"/v1/{HOME}/systems/{system}").status_code == 404
    contract = {"system": system, "license_number": MINE, "from": "2026-01-01", "to": "2026-12-31"}
    assert world.post(f"/v1/{HOME}/contracts", contract, "county").status_code == 201
    assert world.get(f"/v1/{HOME}/systems/{system}").status_code == 200


def test_a_business_without_a_licence_sees_nothing(world: World) -> None:
    """A filter by no licence at all would let everything through."""
    sweep(world.database, HOME, TODAY, world.clock())
    assert world.get("/v1/contractors/me/due").json["obligations"]  # the control: there is something to see
    with world.database.transaction(None) as store:
        upsert_contractors(store, [{"id": "con_new", "business_name": "New Pumping", "created_at": world.clock()}])
        key = create_key(store, "contractor", None, "con_new", "new", world.clock())[1]
    header = {"Authorization": f"Bearer {key}"}
    for path in (f"/v1/{HOME}/systems", f"/v1/{HOME}/obligations", "/v1/contractors/me/due"):
        rows = world.get(path, "", headers=header).json
        assert list(rows.values()) == [[]], path
    for path in (f"/v1/{HOME}/obligations.csv", "/v1/contractors/me/due.csv"):
        assert world.get(path, "", headers=header).text.count("\r\n") == 1


def test_what_others_did_is_not_shown_to_a_business(world: World) -> None:
    ids = owned(world)[HOME]
    change = {"system": ids["system_id"], "license_number": OTHERS}
    assert world.post(f"/v1/{HOME}/designations", change, "county").status_code == 201
    path = f"/v1/{HOME}/systems/{ids['system_id']}"
    status = world.get(f"{path}/status", "other contractor")
    assert status.status_code == 200
    text = status.text + world.get(path, "other contractor").text
    assert ids["report_id"] not in text
    assert ids["report_id"] in world.get(f"{path}/status", "county").text
    services = [(s["service_date"], s.get("gallons_pumped")) for s in status.json["services"]]
    assert ("2026-07-08", None) in services
    page = world.get(f"{path}/status", "other contractor", headers={"Accept": "text/plain"}).text
    assert ("1,000 gallons," in page, MINE in page) == (False, False)
    assert MINE in world.get(f"{path}/status", "county", headers={"Accept": "text/plain"}).text  # the control
    assert world.get(path, "contractor").status_code == 404  # no longer named


def test_keys_end_at_once(world: World) -> None:
    path = f"/v1/{HOME}/systems"
    assert world.get(path, "county").status_code == 200
    with world.database.transaction(None) as store:
        [key] = [k["id"] for k in list_keys(store) if k["label"] == "county"]
        assert revoke_key(store, key, world.clock())
    answer = world.get(path, "county")
    assert (answer.status_code, answer.json["type"]) == (401, "urn:pumper:problem:bad-key")


CHALLENGES = [
    (None, 'Bearer realm="pumper"'),
    ("Bearer", 'Bearer realm="pumper", error="invalid_token"'),
    ("Bearer pmp_wrong", 'Bearer realm="pumper", error="invalid_token"'),
    ("Basic dXNlcjpwYXNz", 'Bearer realm="pumper", error="invalid_token"'),
    ("Bearer " + "a" * 10_000, 'Bearer realm="pumper", error="invalid_token"'),
]


def test_a_call_without_a_good_key_is_challenged(world: World) -> None:
    for header, challenge in CHALLENGES:
        headers = {} if header is None else {"Authorization": header}
        answer = world.get(f"/v1/{HOME}/systems", "", headers=headers)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, challenge)
        assert answer.mimetype == "application/problem+json"


def test_a_wrong_key_is_told_even_where_none_is_needed(world: World) -> None:
    answer = world.get(f"/v1/{HOME}/status?permit=SP-1", "", headers={"Authorization": "Bearer pmp_wrong"})
    assert answer.status_code == 401


def test_a_route_without_a_policy_cannot_be_registered(world: World) -> None:
    with pytest.raises(PolicyMissing, match="secrets"):
        world.app.add_url_rule("/secrets", "secrets", lambda: "all of them")


def test_the_database_hides_other_counties_from_the_key_too(world: World) -> None:
    """What the application reads in one county's name is that county's, whatever ids it asks for."""
    ids = owned(world)
    with world.database.reading(HOME) as store:
        assert load_history(store, [ids[AWAY]["system_id"]]) == {}


def test_admin_may_everywhere_and_bodies_are_json(world: World) -> None:
    for county in (HOME, AWAY):
        assert json.loads(world.get(f"/v1/{county}/systems", "admin").data)["systems"]
