"""Who sees what: every route of the URL map × every role × the key's own county, another's and none.

What goes over the whole map does so on SQLite; P12 goes over it on both, with row security on PostgreSQL.
"""

import io
import json
from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

import pytest
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from notifications.print_runs import print_run
from reporting.api.app import PolicyMissing
from reporting.api.policy import POLICIES, Policy
from reporting.store.facts import load_history
from reporting.store.keys import Role, create_key, list_keys, revoke_key
from reporting.store.people import upsert_contractors
from reporting.store.reviews import ReviewFilter, page_reviews
from reporting.store.roles import SCOPES_OF, SCOPES_OF_KEYS, Scope
from reporting.sweep import sweep
from tests.notifications.letters import STREET, a_maker, queue_letter, read_pdf
from tests.reporting.api.people import PLACES, sign_in_everybody
from tests.reporting.api.world import AWAY, CANARY, HOME, MINE, OTHERS, World, a_report
from tests.reporting.counties import TODAY, csv_of, the_system

ROLES = ("", "contractor", "other contractor", "county", "other county", "admin")
BODIES: dict[str, Any] = {
    "reports.submit_report": a_report(report_ref="M-1"),
    "reports.amend_report": {"reason": "x", "changes": {"notes": "y"}},
    "reports.void_report": {"reason": "x"},
    "repudiation.repudiate_report": {"reason": "x"},
    "submissions.undo_submission": {"reason": "x"},
    "headings.teach_headings": {"headings": {"Amt": "gallons_pumped"}, "license_number": MINE},
    "reviews.resolve_review": {"decision": "new_system", "reason": "x"},
    "reviews.forget_review": {"reason": "x"},
    "reviews.place_report": {"decision": "back", "reason": "x"},
    "merges.merge_system": {"other": "sys_other", "reason": "x"},
    "merges.unmerge_system": {"reason": "x"},
    "keys.create_county_key": {"label": "more"},
    "keys.rotate_county_key": {},
    "keys.rotate_my_key": {},
    "keys.create_my_key": {"label": "more"},
    "webhooks.add_county_webhook": {"url": "https://hooks.example.org/"},
    "webhooks.add_my_webhook": {"url": "https://hooks.example.org/"},
    "webhooks.rotate_county_webhook": {},
    "webhooks.rotate_my_webhook": {},
    "webhooks.test_county_webhook": {},
    "webhooks.test_my_webhook": {},
    "webhooks.enable_county_webhook": {},
    "webhooks.enable_my_webhook": {},
    "signin.sign_in_by_password": {"email": "a@people.example", "password": "x", "code": "123456"},
    "signin.send_link": {"email": "a@people.example"},
    "signin.use_sent_link": {},
    "signin.use_owner_link": {},
    "invitations.invite_somebody": {"email": "new@people.example", "role": "viewer"},
    "invitations.invite_colleague": {"email": "new@people.example", "role": "technician"},
    "invitations.accept_invitation": {"name": "A"},
    "sessions.sign_out": {},
    "staff.give_staff_role": {"role": "viewer"},
    "staff.give_role": {"role": "technician"},
    "letters.make_print_run": {},
    "letters.confirm_print_run": {"mailed_on": "2026-07-13"},
    "letters.cancel_print_run": {},
    "letters.correct_print_run": {"mailed_on": "2026-07-13", "reason": "x"},
    "mailing.pause_county_mail": {"reason": "x"},
    "unsubscribe.unsubscribe": {"choice": "kind"},
    "facts.owner_notice": {"permit_number": "SP-1", "on": "2026-07-01", "kind": "full"},
    "facts.designation": {"permit_number": "SP-1", "license_number": MINE},
    "facts.contract": {"permit_number": "SP-1", "license_number": MINE, "from": "2026-01-01"},
    "facts.statement": {"permit_number": "SP-1", "period": "2025"},
    "facts.document": {"permit_number": "SP-1", "kind": "holding_tank_agreement"},
    "verifications.ask_verification": {"message": "x"},
    "verifications.answer_verification": {"answer": "x"},
    "verifications.close_verification": {},
    "cases.new_case": {"permit_number": "SP-1", "kind": "order"},
    "cases.further_step": {"closed_on": "2026-07-13"},
    "cases.dismiss_proposal": {"reason": "x"},
    "fees.charge_fee": {"permit_number": "SP-1", "rule": "OZ13"},
    "fees.file_payments": {"permit_number": "SP-1", "fee": "OZ13", "cents": 100, "reference": "r-1"},
    "fees.waive_fee": {"reason": "x", "authority": "x"},
    "fees.refund_fee": {"reason": "x", "authority": "x"},
    "fee_rolls.make_roll": {"year": 2026, "dry_run": True},
    "settings.change_setting": {"name": "lead_days", "value": 60},
    "district.set_pumping_window": {"from": "2026-09-01"},
    "district.call_off_pumping_window": {},
    "district.file_owner_mailing": {
        "permit_number": "SP-1",
        "kind": "questionnaire",
        "mailed_on": "2026-07-01",
        "mail_class": "first_class",
    },
    "district.correct_owner_mailing": {"mailed_on": "2026-07-02", "reason": "x"},
    "district.answer_owner_mailing": {},
    "district.file_window_deferral": {"permit_number": "SP-1", "paid": True},
    "exemptions.apply_for_certificate": {"permit_number": "SP-1", "kind": "vacant"},
    "exemptions.complete_certificate": {"paid": True},
    "exemptions.grant_certificate": {},
    "exemptions.refuse_certificate": {"reason": "x"},
    "exemptions.end_certificate": {"ground": "surrendered", "reason": "x"},
    "exemptions.report_certificate_change": {"note": "x", "conditions_met": True},
    "web.my_notice_told": {"kind": "flood"},
    "web.my_contractor_named": {},
    "web.my_statement_filed": {},
    "web.my_contact_changed": {"email": "nowhere"},
    "web.my_mail_chosen": {},
    "facts.meter_reading": {"permit_number": "SP-1", "service_date": "2026-07-01", "meter_reading": 1},
    "web.desk_decide_review": {"decision": "new_system", "reason": "x"},
    "web.desk_send_back": {"reason": "x"},
    "web.desk_open_case": {},
    "web.desk_dismiss_case": {"reason": "x"},
    "web.desk_step_case": {"note": "x"},
    "web.desk_enter_report": {},
    "web.desk_print_letters": {},
    "web.desk_confirm_letters": {"mailed_on": "2026-07-13"},
    "web.desk_cancel_letters": {},
    "web.desk_set_setting": {},
    "web.desk_take_import": {},
    "web.desk_invite": {"email": "new@people.example", "role": "viewer"},
    "web.desk_give_role": {"role": "viewer"},
    "web.desk_take_role": {"role": "viewer"},
    "web.desk_end_sessions": {},
    "web.desk_withdraw_invitation": {},
    "web.desk_make_key": {"label": "more"},
    "web.desk_rotate_key": {},
    "web.desk_end_key": {},
    "web.desk_make_owner_code": {},
    "web.desk_withdraw_owner_code": {},
    "web.office_invite": {"email": "new@people.example", "role": "technician"},
    "web.office_give_role": {"role": "technician"},
    "web.office_take_role": {"role": "technician"},
    "web.office_end_sessions": {},
    "web.office_withdraw": {},
    "web.office_make_key": {"label": "more"},
    "web.office_rotate_key": {},
    "web.office_end_key": {},
    "ways_in.mail_owner_link": {},
    "ways_in.use_owner_code": {"code": "KHTR7-2MPQX"},
    "web.desk_ask_about": {"message": "x"},
    "web.desk_close_question": {},
    "web.desk_report_back": {"reason": "x"},
    "web.desk_hold_mails": {},
    "web.desk_release_mails": {},
    "web.desk_save_view": {"of_list": "systems"},
    "web.desk_remove_view": {},
    "web.send_other": {},
    "web.send_here": {},
    "web.amend": {"reason": "x"},
    "web.void": {"reason": "x"},
    "web.take_file": {},
}
FILES = {"submissions.submit_file": csv_of(a_report(report_ref="M-2")), "facts.import_inventory": b"permit_number\n"}
QUERIES = {
    "cases.show_permit_hold": "?permit=SP-1",
    "systems.find_status": "?permit=SP-1",
    "headings.show_headings": f"?license={MINE}",
}
OWN_WORDS = {"records.service_log_csv"}
"""What a business itself wrote in its reports, the owner's name too (tests/reporting/api/test_records.py)."""
IDS = {
    "report_id": "rep_none",
    "case_id": "case_none",
    "proposal_key": "none",
    "submission_id": "sub_none",
    "system_id": "sys_none",
    "place": "sys_none",
    "review_id": "rev_none",
    "run_id": "prn_none",
    "pause_id": "pau_none",
    "view_id": "view_none",
    "key_id": "none",
    "webhook_id": "whk_none",
    "invitation_id": "inv_none",
    "person_id": "per_none",
    "import_id": "imp_none",
    "seq": "999999",
    "session_id": "ses_none",
    "window_id": "window_none",
    "mailing_id": "mailing_none",
    "exemption_id": "exemption_none",
    "year": "2026",
    "role": "viewer",
    "charge_id": "charge_none",
    "token": "k" * 32,
    "path": "sys_none-" + "k" * 26,
    "version": "none",
    "name": "site.css",
}


def rules(world: World) -> Iterator[tuple[str, str, Rule]]:
    for rule in world.app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"HEAD"}):
            yield rule.endpoint, method, rule


def is_public_page(endpoint: str) -> bool:
    """Whether it is a page that shows everybody the same, or a form on one: that a system is there is public.

    What is said of it has neither names nor licences.
    """
    return endpoint.startswith(("web.", "ways_in.")) and POLICIES[endpoint].public


def path_of(rule: Rule, county: str, ids: dict[str, str]) -> str:
    path = rule.rule.replace("<slug:county>", county)
    for name, value in ids.items():
        path = path.replace(f"<id:{name}>", value).replace(f"<token:{name}>", value).replace(f"<path:{name}>", value)
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
        sections = ("signin.", "ways_in.", "invitations.", "oidc.", "feeds.", "unsubscribe.", "service.security_txt")
        opening = endpoint.startswith(sections)
        return ({200, 202, 401, 404} if opening else {200}) if known else {404}
    if not who and not policy.public:
        return {401}
    own = COUNTY_OF.get(who, county)
    if is_public_page(endpoint):
        return {200, 303, 404} if known else {404}
    if policy.public and who in PLACES.keys() | {"owner"} and not may(policy, who):
        return {200, 404} if known else {404}
    if county is not None and not (known and own == county):
        return {404}
    if who and not may(policy, who):
        return {403}
    return {200, 201, 404, 422} | ({303} if endpoint.startswith("web.") else set())


COUNTY_OF = {
    "county": HOME,
    "other county": AWAY,
    "owner": HOME,
    **{who: place.county for who, (place, _role) in PLACES.items() if place.county},
}


def may(policy: Policy, who: str) -> bool:
    """The table of roles and scopes, read once more and in another way than the service does."""
    signed_in = who in PLACES or who == "owner"
    if policy.signed_in:
        return signed_in
    if who == "owner":
        return Role.OWNER in policy.roles and policy.scope in (Scope.SYSTEMS_READ, Scope.OWN_WRITE)
    if who in PLACES:
        place, role = PLACES[who]
        return (Role.COUNTY if place.county else Role.CONTRACTOR) in policy.roles and policy.scope in SCOPES_OF[role]
    role_of = {"contractor": Role.CONTRACTOR, "other contractor": Role.CONTRACTOR, "admin": Role.ADMIN}
    key = role_of.get(who, Role.COUNTY)
    return key in policy.roles and policy.scope in {None, *SCOPES_OF_KEYS[key]}


@pytest.mark.parametrize("who", ROLES)
def test_every_route_lets_in_whom_its_policy_names(world_on_sqlite: World, who: str) -> None:
    world = world_on_sqlite
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


@pytest.mark.parametrize("who", [*PLACES, "owner"])
def test_every_route_lets_in_whose_role_has_its_scope(world_on_sqlite: World, who: str) -> None:
    """The same for people: whatever they end by the way, such as their own session, is begun again."""
    world = world_on_sqlite
    sign_in_everybody(world)
    seen, refused = set(), 0
    for endpoint, method, rule in rules(world):
        counties = (HOME, AWAY, "nowhere") if "county" in rule.arguments else (None,)
        for county in counties:
            if endpoint.startswith("sessions."):
                sign_in_everybody(world)
            answer = ask(world, endpoint, method, path_of(rule, county or "", IDS), who)
            assert answer.status_code in expected(endpoint, who, county), (endpoint, who, county, answer.text)
            refused += answer.status_code == 403
            seen.add(endpoint)
    assert seen == set(POLICIES)
    assert refused > 3 or who == "manager"


def test_a_line_of_the_policy_names_the_scope_that_it_needs() -> None:
    bare = [n for n, p in POLICIES.items() if not (p.ignores_key or p.signed_in or p.scope or is_public_page(n))]
    assert bare == []


@pytest.mark.parametrize("who", ["contractor", "county", "other county"])
def test_another_countys_address_answers_like_none(world_on_sqlite: World, who: str) -> None:
    """Byte for byte the same body, whatever the route."""
    world = world_on_sqlite
    within = {"contractor": {HOME, AWAY}, "county": {HOME}, "other county": {AWAY}}[who]
    bodies = set()
    for endpoint, method, rule in rules(world):
        if "county" not in rule.arguments or POLICIES[endpoint].ignores_key or is_public_page(endpoint):
            continue
        for county in {HOME, AWAY, "nowhere"} - within:
            answer = ask(world, endpoint, method, path_of(rule, county, IDS), who)
            assert answer.status_code == 404, (endpoint, county)
            bodies.add((endpoint.startswith("web."), answer.data))
    assert len(bodies) == len({is_page for is_page, _body in bodies})


def owned(world: World) -> dict[str, dict[str, str]]:
    """The ids of a report, a submission and a system in each county, all of `contractor`'s."""
    found = {}
    sign_in_everybody(world)
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
            "run_id": a_run(world, county),
            "case_id": a_case(world, county, permit),
            "person_id": world.ids["manager" if county == HOME else "away manager"],
            "key_id": world.keys["admin"].split("_")[1],  # nobody's here
        }
    return found


def a_case(world: World, county: str, permit: str) -> str:
    """A case that only this county has: they are numbered by the record's entries, so one county has one more."""
    who = "county" if county == HOME else "other county"
    if county == AWAY:
        again = {"permit_number": permit, "license_number": MINE}
        assert world.post(f"/v1/{county}/designations", again, who).status_code == 201
    told = world.post(f"/v1/{county}/cases", {"permit_number": permit, "kind": "tampering"}, who)
    assert told.status_code == 201, told.text
    return str(told.json["id"])


def a_run(world: World, county: str) -> str:
    """A print run of one letter to the owner whom only this county knows."""
    with world.database.transaction(county) as store:
        queue_letter(store, recipient=f"{CANARY[county]}\n{STREET}", slug=county, system=None)
    return str(print_run(world.database, county, a_maker(county)).run)


def test_a_foreign_id_answers_like_an_absent_one(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    ids = owned(world)
    assert "None" not in ids[HOME].values()
    tried = 0
    for endpoint, method, rule in rules(world):
        if not set(rule.arguments) & (set(IDS) - {"year"}) or POLICIES[endpoint].ignores_key:
            continue
        if is_public_page(endpoint):
            continue
        for who, county, given in (
            ("other contractor", HOME, ids[HOME]),  # another business's
            ("county", HOME, ids[AWAY]),  # another county's id in the own county
            ("other county", HOME, ids[HOME]),  # another county's address
            ("contractor", AWAY, ids[HOME]),  # the own id in another county
        ):
            if expected(endpoint, who, county if "county" in rule.arguments else None) == {403}:
                continue
            foreign = ask(world, endpoint, method, path_of(rule, county, {**IDS, **given}), who)
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


def words_in(answer: TestResponse) -> str:
    """What an answer says, that of a PDF or a workbook too."""
    if answer.mimetype == "application/pdf":
        return " ".join(page.extract_text() for page in read_pdf(answer.data).pages)
    if answer.mimetype.endswith("spreadsheetml.sheet"):
        with ZipFile(io.BytesIO(answer.data)) as package:
            return " ".join(package.read(name).decode() for name in package.namelist())
    return answer.text


def test_no_answer_holds_anothers_canary(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    ids = owned(world)
    for endpoint, method, rule in rules(world):
        if method != "GET" or endpoint in OWN_WORDS:
            continue
        for county in (HOME, AWAY) if "county" in rule.arguments else ("",):
            path = path_of(rule, county, {**IDS, **ids.get(county, {})})
            for who in (*ROLES, "technician", "away manager"):
                text = words_in(ask(world, endpoint, method, path, who))
                if who in ("", "contractor", "other contractor", "technician"):
                    assert CANARY[HOME] not in text, (endpoint, who)
                    assert CANARY[AWAY] not in text, (endpoint, who)
                for name, other in (("county", AWAY), ("other county", HOME), ("away manager", HOME)):
                    assert who != name or CANARY[other] not in text, (endpoint, who)
    system = ids[HOME]["system_id"]
    assert CANARY[HOME] in world.get(f"/v1/{HOME}/systems/{system}", "county").text  # the control
    run = world.get(f"/v1/{HOME}/print-runs/{ids[HOME]['run_id']}.pdf", "county")
    assert CANARY[HOME] in words_in(run)


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
