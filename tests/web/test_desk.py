"""The county's desk without script: what waits, reports placed, systems looked at, cases, letters, settings, paper."""

import re
from datetime import date
from html import unescape
from typing import Any

import pytest
from werkzeug.test import TestResponse

from reporting.api.cookies import CSRF_HEADER
from reporting.store.facts import load_events
from reporting.sweep import sweep
from tests.notifications.letters import OFFICE, queue_letter
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.test_reviews import queue, standing
from tests.reporting.api.test_stories_of_systems import bring, send
from tests.reporting.api.world import AWAY, CANARY, HOME, World, a_report
from tests.reporting.counties import TODAY, a_row
from tests.web.browsing import DESK, PHONE, Site, hold

HOSTILE = "<script>alert('Laverne')</script>"


@pytest.fixture
def desk(world: World) -> World:
    """The world with everybody signed in and swept, so that lists are up to date."""
    sign_in_everybody(world)
    sweep(world.database, HOME, TODAY, world.clock())
    return world


def read(world: World, path: str, who: str = "manager", status: int = 200) -> str:
    answer = world.get(path, who)
    assert answer.status_code == status, answer.text
    assert len(answer.data) < 100_000
    return unescape(answer.text)


def submit(world: World, page: str, path: str, who: str = "manager", **fields: str) -> TestResponse:
    """A form of a page, sent as a browser does: with the token that the page has, and no header."""
    [token] = set(re.findall(r'name="csrf_token" value="([^"]+)"', world.get(page, who).text))
    return world.call("POST", path, who, data={"csrf_token": token, **fields}, headers={CSRF_HEADER: ""})


def went(answer: TestResponse) -> str:
    assert answer.status_code == 303, unescape(answer.text)
    return str(answer.headers["Location"])


def refused(answer: TestResponse, status: int = 422) -> str:
    """A form again: its errors stand at the top, linked to the fields that they are of."""
    assert answer.status_code == status, answer.text
    page = unescape(answer.text)
    assert 'role="alert"' in page
    for name in re.findall(r'<li><a href="#([^"]+)"', page):
        assert f'id="{name}"' in page, name
    return page


def errors_of(page: str) -> set[str]:
    return set(re.findall(r'<li><a href="#([^"]+)"', page))


def a_count(page: str, title: str) -> int:
    found = re.search(rf"<h3>{title}</h3>\s*<strong>([\d,]+)</strong>", page)
    assert found, title
    return int(found[1])


def test_the_desk_opens_on_what_needs_a_person(desk: World) -> None:
    page = read(desk, "/desk")
    assert (a_count(page, "Reports to place"), a_count(page, "Overdue services by town")) == (0, 3)
    assert "Every report has its system." in page
    [town] = re.findall(r'href="(/desk/obligations\?state=overdue&kind=[^"]+&municipality=Town\+of\+Saukville)"', page)
    assert (read(desk, town).count(" days late"), "missing_report" in town) == (3, False)
    assert '<title id="standings-title">Systems by how they stand</title>' in page
    assert re.search(r'standing=overdue">overdue</a></th><td class="number">3</td>', page)
    review = queue(desk, service_date="2026-06-20")
    late = queue(desk, "T-2", service_date="2026-05-20")
    page = read(desk, "/desk", "viewer")
    assert a_count(page, "Reports to place") == 2
    assert f'href="/desk/reviews/{review["id"]}"' in page
    assert "Enter a paper report" not in page
    assert late["reason"].replace("_", " ") in page
    assert went(desk.get("/", "clerk")) == "/desk"


def test_a_report_is_placed_and_the_next_one_shown(desk: World) -> None:
    first = queue(desk, work_description=HOSTILE, owner_name=HOSTILE)
    second = queue(desk, "T-2", service_date="2026-07-02", permit_number="ZZ-2", site_address="1 Far Rd")
    at = f"/desk/reviews/{first['id']}"
    raw = desk.get(at, "reviewer").text
    assert "<script>alert" not in raw
    assert "&lt;script&gt;" in raw
    assert "✗ differs" in read(desk, at)
    assert f'href="{at}"' in read(desk, "/desk/reviews?reason=not_in_inventory")
    page = refused(submit(desk, at, at, "reviewer", reason=HOSTILE))
    assert errors_of(page) == {"decision"}
    assert f'rows="3" required aria-describedby="reason-hint">{HOSTILE}' in page
    page = refused(submit(desk, at, at, "reviewer", choice="permit", permit_number="XX-404", reason="x"))
    assert (errors_of(page), 'value="XX-404"' in page) == ({"system"}, True)
    [choice] = set(re.findall(r'value="(match\|[^"]+)"', page))  # of the form, and of the candidate's own button
    assert errors_of(refused(submit(desk, at, at, "reviewer", choice=choice, reason=" "))) == {"reason"}
    place = went(submit(desk, at, at, "reviewer", choice=choice, reason="asked the driver", remember="on"))
    assert place == f"/desk/reviews/{second['id']}?done=placed"
    assert "The report was placed" in read(desk, place)
    assert standing(desk, "SP-1") == "compliant"
    late = refused(submit(desk, place, at, "reviewer", choice="void", reason="x"), 409)
    assert "asked the driver" in late
    back = went(submit(desk, at, f"{at}/back", "reviewer", reason="the neighbour's"))
    assert (back.endswith("?done=sent_back"), standing(desk, "SP-1")) == (True, "overdue")
    where = place.partition("?")[0]
    last = went(submit(desk, where, where, "reviewer", choice="void", reason="none of ours"))
    assert back.partition("?")[0] in last


def test_staff_of_the_county_alone_are_let_in_and_roles_decide_what_they_may(desk: World) -> None:
    review = queue(desk)
    at = f"/desk/reviews/{review['id']}"
    for who, status in (("", 401), ("technician", 403), ("owner", 403), ("away manager", 404), ("contractor", 403)):
        assert desk.get(at, who).status_code == status, who
    assert "Your role may look at this" in read(desk, at, "clerk")
    answer = desk.call("POST", at, "clerk", data={"choice": "void", "reason": "x"})
    assert answer.status_code == 403
    assert desk.call("POST", at, "reviewer", data={"choice": "void"}, headers={CSRF_HEADER: "x"}).status_code == 403
    assert desk.get(f"/desk/systems/{desk.ids['system']}", "away manager").status_code == 404
    assert CANARY[HOME] not in read(desk, "/desk/systems", "away manager")
    assert "Portage County" in read(desk, "/desk", "away manager")


def test_systems_are_filtered_and_one_is_judged_on_any_day(desk: World) -> None:
    for query, permits in (
        ("", {"SP-1", "SP-2", "SP-3"}),
        ("?permit=sp-1&parcel=&q=&standing=&municipality=&contractor=", {"SP-1"}),
        ("?standing=overdue&contractor=00555", {"SP-2"}),
        ("?q=xx-404", set()),
    ):
        page = read(desk, f"/desk/systems{query}")
        assert set(re.findall(r'">(SP-\d)</a>', page)) == permits, query
        assert ("No system fits all of that" in page) is (permits == set())
    assert "is none of" in read(desk, "/desk/systems?standing=lost", status=422)
    at = f"/desk/systems/{desk.ids['system']}"
    told: Any = desk.get(f"/v1{at.replace('/desk', '/' + HOME)}/status", "county").json
    page = read(desk, at)
    assert CANARY[HOME] in page
    for duty in told["obligations"]:
        assert f"Rule {duty['rule']}, {duty['cite']}" in page
    assert "pumped June 1, 2023; every 36 months" in page
    assert f'href="/v1/{HOME}/systems/{desk.ids["system"]}/records.pdf"' in page
    assert "in order</span> on Tuesday, September 1, 2026" not in read(desk, f"{at}?as_of=2026-09-01")
    assert re.search(r"overdue</span> on Tuesday, September 1, 2026", read(desk, f"{at}?as_of=2026-09-01"))
    wrong = read(desk, f"{at}?as_of=2026-02-30", status=422)
    assert (errors_of(wrong), "overdue</span>" in wrong) == ({"as_of"}, True)
    assert "not-found" not in read(desk, "/desk/systems/sys_none", status=404)


def test_what_is_due_is_listed_by_what_the_address_asks(desk: World) -> None:
    page = read(desk, "/desk/obligations")
    assert page.count("42 days late") == 3
    assert 'href="/desk/obligations.csv"' in page
    page = read(desk, "/desk/obligations?state=overdue&kind=&municipality=Town+of+Nowhere&contractor=&due_before=")
    assert "Nothing that you ask for is due" in page
    file = re.search(r'href="(/desk/obligations\.csv[^"]+)"', page)
    assert file
    assert desk.get(file[1], "viewer").text.count("\r\n") == 1


def test_a_proposal_becomes_a_case_that_is_taken_further_or_is_dismissed(desk: World) -> None:
    tank = {"component": "holding", "capacity_gallons": "2000", "last_pumped_on": "2026-06-01"}
    bring(desk, HOME, a_row("P-1", **tank), a_row("P-2", **tank))
    sent: dict[str, Any] = {"component": "holding", "meter_reading": 100, "defects": ["float stuck"]}
    for permit in ("P-1", "P-2"):
        send(desk, HOME, permit, **sent)
    page = read(desk, "/desk/cases", "enforcement")
    first, second = re.findall(r'action="(/desk/cases/proposals/[0-9a-f]+)"', page)
    assert "Open the case" not in read(desk, "/desk/cases", "clerk")
    assert a_count(read(desk, "/desk"), "Cases to consider") == 2
    no = refused(submit(desk, "/desk/cases", f"{second}/dismissal", "enforcement", reason=""))
    assert errors_of(no) == {"reason"}
    done = went(submit(desk, "/desk/cases", f"{second}/dismissal", "enforcement", reason="Mended at once"))
    assert "noted as no case" in read(desk, done)
    case = went(submit(desk, "/desk/cases", first, "enforcement")).partition("?")[0]
    assert desk.call("POST", first, "enforcement").status_code == 404  # it proposes nothing any more
    page = read(desk, case, "enforcement")
    assert "Noncompliance: permit P-" in page
    wrong = refused(submit(desk, case, case, "enforcement", step="notified_on", on="2026-07-14", note="By phone"))
    assert (errors_of(wrong), ">By phone</textarea>" in wrong) == ({"on"}, True)
    went(submit(desk, case, case, "enforcement", step="notified_on", on="2026-07-13", note="By phone", answer=""))
    page = read(desk, case)
    assert "Entered Monday, July 13, 2026 by Enforcement" in page
    assert ("<dt>Notified</dt><dd>Monday, July 13, 2026</dd>" in page, "By phone" in page) == (True, True)
    nothing = refused(submit(desk, case, case, "enforcement", step="", on="2026-07-13"))
    assert "Give the day of a step" in nothing
    assert f'href="{case}"' in read(desk, "/desk/cases?open=true&kind=&overdue=&referred=")
    assert f'href="{case}"' not in read(desk, "/desk/cases?open=false")


def test_letters_are_printed_and_the_day_of_mailing_is_kept(desk: World) -> None:
    for name, value in OFFICE.items():
        told = {"name": name, "value": value, "valid_from": "2026-07-01"}
        assert "done=set" in went(submit(desk, "/desk/settings", "/desk/settings", **told))
    assert "No letter waits" in read(desk, "/desk/letters", "clerk")
    with desk.database.transaction(HOME) as store:
        queue_letter(store, now=desk.clock(), system=desk.ids["system"])
        queue_letter(store, 2, now=desk.clock(), recipient=HOSTILE, system=desk.ids["system"])
    assert HOSTILE not in desk.get("/desk/letters", "clerk").text
    assert errors_of(refused(submit(desk, "/desk/letters", "/desk/letters", "clerk", limit="many"))) == {"limit"}
    assert "Make a print run" not in read(desk, "/desk/letters", "viewer")
    assert went(submit(desk, "/desk/letters", "/desk/letters", "clerk", limit="9")).endswith("done=printed")
    [confirm] = re.findall(r'action="([^"]+/mailed)"', read(desk, "/desk/letters", "clerk"))
    wrong = submit(desk, "/desk/letters", confirm, "clerk", mailed_on="2026-07-14")
    assert "2026" in refused(wrong)
    assert errors_of(refused(submit(desk, "/desk/letters", confirm, "clerk", mailed_on=""))) == {"mailed_on"}
    assert went(submit(desk, "/desk/letters", confirm, "clerk", mailed_on="2026-07-13")).endswith("done=mailed")
    page = read(desk, "/desk/letters", "clerk")
    assert "Mailed Monday, July 13, 2026: 1 letter." in page
    assert "proof.pdf" in page


def test_a_setting_is_set_from_a_day_on_with_its_history(desk: World) -> None:
    at = "/desk/settings"
    assert "Set one of them" not in read(desk, at, "clerk")
    wrong = refused(submit(desk, at, at, name="lead_days", value="soon", valid_from="2026-07-13"))
    assert 'value="soon"' in wrong
    place = went(submit(desk, at, at, name="lead_days", value="75", valid_from="2026-07-13"))
    assert place == f"{at}?done=set#lead_days"
    assert "The setting is in the record" in read(desk, place)
    assert re.search(r"<strong>75</strong> \(usually 60\)", read(desk, at, "viewer"))


def test_a_paper_report_is_entered_as_received_on_its_day(desk: World) -> None:
    at = "/desk/report?component=septic&event_type=pumping"
    page = read(desk, at, "clerk")
    assert 'name="gallons_pumped"' in page
    assert "Asked for by 9.029(5)(b)3" in page
    paper = {name: str(value) for name, value in a_report(signed_on=None, service_date="2026-06-20").items()}
    wrong = refused(submit(desk, at, "/desk/report", "clerk", **{**paper, "gallons_pumped": "lots"}))
    assert (errors_of(wrong), 'value="lots"' in wrong) == ({"gallons_pumped"}, True)
    place = went(submit(desk, at, "/desk/report", "clerk", **{**paper, "received_on": "2026-06-25"}))
    assert place == f"/desk/systems/{desk.ids['system']}?done=taken"
    page = read(desk, place, "clerk")
    assert "The report is in the record" in page
    [report] = re.findall(r"/desk/reports/(rep_\w+)", page)
    again = submit(desk, at, "/desk/report", "clerk", **{**paper, "received_on": "2026-06-25"})
    assert went(again).endswith("?done=duplicate")
    with desk.database.reading(HOME) as store:
        assert load_events(store, [report])[report]["first_received_at"].date() == date(2026, 6, 25)
    doubt = {**paper, "report_ref": "T-9", "permit_number": "ZZ-9", "parcel_number": "", "site_address": "1 Far Rd"}
    assert went(submit(desk, at, "/desk/report", "clerk", **doubt)).endswith("?done=queued")
    assert desk.get(at, "viewer").status_code == 403


def test_a_report_is_asked_about_and_sent_back_where_it_is_anothers(desk: World) -> None:
    report = send(desk, HOME, "SP-1", service_date="2026-07-08", signed_on="2026-07-08")["report_id"]
    at = f"/desk/reports/{report}"
    assert f'href="{at}"' in read(desk, f"/desk/systems/{desk.ids['system']}")
    assert "Ask about it" not in read(desk, at, "viewer")
    wrong = refused(submit(desk, at, f"{at}/question", "clerk", message=HOSTILE, answer_by="2026-07-12"))
    assert (errors_of(wrong), f"{HOSTILE}</textarea>" in wrong) == ({"answer_by"}, True)
    assert "business is told" in read(desk, went(submit(desk, at, f"{at}/question", "clerk", message=HOSTILE)))
    assert HOSTILE not in desk.get(at, "clerk").text
    told = desk.post(f"/v1{at.replace('/desk', '/' + HOME)}/verification/answer", {"answer": "As I wrote"}, "county")
    assert told.status_code == 201
    page = read(desk, "/desk")
    assert (a_count(page, "Answers to your questions about reports"), f'href="{at}"' in page) == (1, True)
    assert "As I wrote" in read(desk, at)
    went(submit(desk, at, f"{at}/question/closing", "clerk", note="fine"))
    assert errors_of(refused(submit(desk, at, f"{at}/back", "reviewer", reason=""))) == {"reason"}
    assert desk.call("POST", f"{at}/back", "clerk", data={"reason": "x"}).status_code == 403
    back = went(submit(desk, at, f"{at}/back", "reviewer", reason="the neighbour's"))
    assert back.startswith("/desk/reviews/rev_")
    assert "It stands no more" in read(desk, at)
    assert desk.get(at, "away manager").status_code == 404


@pytest.mark.needs_browser
@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", DESK)])
def test_the_desk_holds_for_everybody(site: Site, scheme: str, size: dict[str, int]) -> None:
    """Axe finds nothing, nothing is cut off, on a phone of 320 px and at a desk."""
    world = site.world
    sign_in_everybody(world)
    review = queue(world)
    told: Any = world.post(
        f"/v1/{HOME}/cases", {"permit_number": "SP-1", "kind": "order", "due_on": "2026-07-15"}, "county"
    ).json
    with world.database.transaction(HOME) as store:
        queue_letter(store, system=None)
    sweep(world.database, HOME, TODAY, world.clock())
    page = site.page("manager", scheme=scheme, size=size)
    paths = ["", "/reviews", f"/reviews/{review['id']}", "/systems", f"/systems/{world.ids['system']}?as_of=x"]
    paths += [
        "/obligations",
        "/cases",
        f"/cases/{told['id']}",
        f"/reports/{review['report_id']}",
        "/report",
        "/letters",
        "/settings",
    ]
    for path in paths if size is PHONE else paths[:7]:
        page.goto(f"/desk{path}")
        hold(page)
    assert AWAY not in page.content()
