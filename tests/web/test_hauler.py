"""What a business does on the pages, without script: today's list, a report to its receipt, corrections, files."""

import re

import pytest

from reporting.store.people import licences_of, upsert_credentials
from reporting.sweep import sweep
from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import AWAY, CANARY, HOME, World, a_report
from tests.reporting.counties import TODAY, csv_of, load, the_system
from tests.web.browsing import PHONE, Site, hold
from tests.web.filling import fields_of, fill, summary, words

ME, OTHER = "technician", "other office"
EVIL = '"><script>alert(1)</script>'


def system_of(world: World, permit: str = "SP-1", county: str = HOME) -> str:
    with world.database.reading(county) as store:
        return the_system(store, permit).system_id


@pytest.fixture
def signed_in(world: World) -> World:
    sign_in_everybody(world)
    return world


@pytest.fixture
def on_sqlite(world_on_sqlite: World) -> World:
    sign_in_everybody(world_on_sqlite)
    return world_on_sqlite


def test_todays_list_is_what_the_endpoint_lists_with_the_way_there(signed_in: World) -> None:
    notes = {"access_notes": f"Gate 44 {EVIL}", "latitude": "43.38", "longitude": "-87.94"}
    known = {"permit_number": "SP-1", "component": "septic", "municipality": "Town of Saukville"}
    load(signed_in.database, {**known, **notes}, county=HOME, now=signed_in.clock())
    for county in (HOME, AWAY):
        sweep(signed_in.database, county, TODAY, signed_in.clock())
    page, told = signed_in.get("/work", ME), signed_in.get("/v1/contractors/me/due", ME).json["obligations"]
    assert {row["permit_number"] for row in told} == {"SP-1", "PT-1"}
    for row in told:
        assert f"Permit {row['permit_number']}" in page.text
        assert f"Rule {row['rule']}, {row['cite']}" in page.text
    assert f"/report/{HOME}/{system_of(signed_in)}?tank=septic" in page.text
    assert "mlat=43.38&amp;mlon=-87.94" in page.text
    assert "Gate 44 &#34;&gt;&lt;script&gt;" in page.text
    assert CANARY[HOME] not in page.text
    theirs = signed_in.get("/work", OTHER).text
    assert ("Permit SP-2" in theirs, "Permit SP-1" in theirs, "Gate 44" in theirs) == (True, False, False)
    assert "Nothing is due" not in page.text
    assert "Permit SP-1" not in signed_in.get("/work?town=Elsewhere", ME).text
    assert signed_in.get("/", ME).headers["Location"] == "/work"


def test_a_report_from_the_search_to_the_receipt(signed_in: World) -> None:
    """Found, chosen, filled in wrongly, mended, signed; pressed twice and kept once."""
    world, path = signed_in, f"/report/{HOME}/{system_of(signed_in)}"
    assert f'href="{path}"' in world.get("/report?q=sp-", ME).text  # a piece of an own permit
    chosen = fields_of(world.get(path, ME))
    assert (chosen["day"], chosen["event_type"], chosen["tank"]) == ("today", "pumping", "septic")
    form = world.get(f"{path}?day=yesterday&event_type=pumping&tank=septic&service_date=", ME)
    given = fields_of(form)
    assert (given["permit_number"], given["technician_name"]) == ("SP-1", "Technician")
    assert (given["service_date"], given["license_number"]) == ("2026-07-12", "00412")
    assert CANARY[HOME] not in form.text  # the owner's name is not a business's to be told
    assert "9.029(5)(b)4" in form.text  # why the work is described
    wrong = fill(world, form, path, ME, gallons_pumped="many", work_description=EVIL)
    assert (wrong.status_code, summary(wrong)) == (422, {"gallons_pumped", "owner_name"})
    assert (fields_of(wrong)["gallons_pumped"], fields_of(wrong)["work_description"]) == ("many", EVIL)
    assert EVIL not in wrong.text
    review = fill(world, wrong, path, ME, gallons_pumped="1,000", owner_name="Laverne Lor")
    assert (review.status_code, "This is what you sign" in review.text) == (200, True)
    assert "Sunday, July 12, 2026" in review.text
    assert EVIL not in review.text
    back = fill(world, review, path, ME, step="change")
    assert fields_of(back)["owner_name"] == "Laverne Lor"
    unsigned = fill(world, review, path, ME, step="send")
    assert (unsigned.status_code, summary(unsigned)) == (422, {"signature"})
    sent, again = (fill(world, unsigned, path, ME, step="send", signature="Lena O.") for _ in range(2))
    assert sent.status_code == 303
    assert sent.headers["Location"] == again.headers["Location"]
    other = fill(world, unsigned, path, ME, step="send", signature="Another")
    assert (other.status_code, "sent already" in other.text) == (409, True)
    done = world.get(sent.headers["Location"], ME)
    assert "The report is kept" in done.text
    assert f"{HOME}:" in words(done)
    assert world.get(sent.headers["Location"], OTHER).status_code == 404
    assert world.get(f"/v1/{HOME}/status?permit=SP-1", "").json["standing"] == "compliant"
    listed = world.get("/reports", ME)
    assert listed.text.count("/reports/ozaukee/rep_") == 1
    assert "Sunday, July 12, 2026" in listed.text
    assert "No report of your business" in words(world.get("/reports", OTHER))


def test_a_system_that_is_not_found_is_reported_all_the_same(signed_in: World) -> None:
    """Rule S3."""
    world, path = signed_in, f"/report/{HOME}"
    nothing = world.get(f"/report?county={HOME}&q=ZZ-404", ME)
    assert "Nothing found" in nothing.text
    assert f'href="{path}"' in nothing.text
    form = world.get(f"{path}?day=today&event_type=pumping&tank=septic", ME)
    given = {"permit_number": "ZZ-404", "site_address": "N9 Nowhere Lane", "owner_name": "Ann Ode"}
    review = fill(world, form, path, ME, gallons_pumped="900", work_description="Pumped", **given)
    assert "It is not certain which system this is" in review.text
    sent = fill(world, review, path, ME, step="send", signature="Lena O.")
    assert "the county finds that out" in world.get(sent.headers["Location"], ME).text
    assert "waits for the county" in world.get("/reports", ME).text


def test_a_business_that_a_system_does_not_name_sees_what_anybody_sees(on_sqlite: World) -> None:
    path = f"/report/{HOME}/{system_of(on_sqlite)}"
    pieces = {who: "Nothing found" in on_sqlite.get("/report?q=8-SP-1", who).text for who in (ME, OTHER)}
    assert pieces == {ME: False, OTHER: True}  # a piece of a number finds own systems only
    found = on_sqlite.get("/report?q=SP-1", OTHER)
    form = on_sqlite.get(f"{path}?day=today&event_type=pumping&tank=septic", OTHER)
    for page in (found, form, on_sqlite.get(path, OTHER)):
        assert "SP-1" in page.text
        assert "N257" not in page.text
        assert CANARY[HOME] not in page.text
    assert "N257" in on_sqlite.get("/report?q=SP-1", ME).text  # the control
    button = "Report a service here"
    shown = {who: button in on_sqlite.get(f"/s/{system_of(on_sqlite)}", who).text for who in (ME, "clerk", "owner", "")}
    assert shown == {ME: True, "clerk": False, "owner": False, "": False}


def test_a_county_without_a_licence_is_none_to_report_to(on_sqlite: World) -> None:
    with on_sqlite.database.transaction(None) as store:
        held = [{**row, "counties": [AWAY]} for row in licences_of(store, "con_mine")]
        upsert_credentials(store, held)
    system = system_of(on_sqlite)
    for path in (f"/report/{HOME}", f"/report/{HOME}/{system}", f"/files/{HOME}", f"/report?county={HOME}"):
        assert on_sqlite.get(path, ME).status_code == 404, path
    assert on_sqlite.get(f"/report/{AWAY}", ME).status_code == 200
    assert on_sqlite.get("/files", ME).headers["Location"] == f"/files/{AWAY}"


CHOICES: dict[str, set[str]] = {
    "day=other&service_date=2026-07-13": set(),
    "day=other&service_date=7/13/2026": set(),
    "day=other&service_date=2026-07-14": {"service_date"},
    "day=other&service_date=": {"service_date"},
    "day=other&service_date=1899-12-31": {"service_date"},
    "day=other&service_date=1900-01-01": set(),
    "day=today&event_type=dancing": {"event_type"},
    "day=today&tank=sofa": {"component"},
}


def test_day_kind_and_part_are_chosen_first(on_sqlite: World) -> None:
    for query, wrong in CHOICES.items():
        kind = "" if "event_type" in query else "&event_type=pumping"
        tank = "" if "tank" in query else "&tank=septic"
        page = on_sqlite.get(f"/report/{HOME}?{query}{kind}{tank}", ME)
        assert summary(page) == wrong, query
        assert ("step 2 of 3" in page.text) == (not wrong), query


def test_a_reading_below_the_last_one_is_to_be_confirmed(on_sqlite: World) -> None:
    world = on_sqlite
    tank = {"permit_number": "SP-1", "component": "holding", "capacity_gallons": "2000", "meter_unit": "gal"}
    load(world.database, tank, county=HOME, now=world.clock())
    before = a_report(component="holding", meter_reading="12000", service_date="2026-07-01", report_ref="M-1")
    assert world.post(f"/v1/{HOME}/reports", before, ME).json["outcome"] == "accepted"
    path = f"/report/{HOME}/{system_of(world)}"
    form = world.get(f"{path}?day=today&event_type=pumping&tank=holding", ME)
    assert "Last on file: 12,000 gal on Wednesday, July 1, 2026" in words(form)
    told = {"gallons_pumped": "1500", "owner_name": "Laverne Lor", "work_description": "Pumped"}
    for reading, doubted in (("12000", False), ("11999", True)):
        review = fill(world, form, path, ME, meter_reading=reading, **told)
        assert ("is lower than the last one" in review.text) == doubted, words(review)
    unsure = fill(world, review, path, ME, step="send", signature="Lena O.")
    assert (unsure.status_code, summary(unsure)) == (422, {"confirm"})
    assert fill(world, unsure, path, ME, step="send", confirm="yes").status_code == 303


def test_a_report_is_corrected_and_taken_back(signed_in: World) -> None:
    world = signed_in
    first = world.post(f"/v1/{HOME}/reports", a_report(work_description="One\nTwo"), ME).json["id"]
    path = f"/reports/{HOME}/{first}"
    for address, form in ((path, {}), (f"{path}/amend", {}), (f"{path}/void", {"reason": "x", "confirm": "yes"})):
        answer = world.call("POST", address, OTHER, data=form) if form else world.get(address, OTHER)
        assert answer.status_code == 404
    form = world.get(f"{path}/amend", ME)
    lines = {"work_description": "One\r\nTwo"}  # as browsers send it
    unchanged = fill(world, form, f"{path}/amend", ME, reason="Misread", **lines)
    assert (unchanged.status_code, "Nothing was changed" in unchanged.text) == (422, True)
    wrong = fill(world, form, f"{path}/amend", ME, gallons_pumped="lots")
    assert (wrong.status_code, summary(wrong)) == (422, {"reason"})
    wrong = fill(world, wrong, f"{path}/amend", ME, reason="Misread")
    assert (wrong.status_code, summary(wrong)) == (422, {"gallons_pumped"})
    mended = fill(world, wrong, f"{path}/amend", ME, gallons_pumped="900")
    assert mended.status_code == 303
    assert "Was corrected by a later one" in world.get(path, ME).text
    assert fill(world, wrong, f"{path}/amend", ME, gallons_pumped="800").status_code == 409
    second = mended.headers["Location"]
    shown = world.get(second, ME)
    assert "900" in words(shown)
    unsure = fill(world, shown, f"{second}/void", ME, reason="x" * 2_001)
    assert (unsure.status_code, summary(unsure)) == (422, {"reason", "confirm"})
    assert fill(world, unsure, f"{second}/void", ME, reason="x" * 2_000, confirm="yes").status_code == 303
    assert "Was taken back" in world.get(second, ME).text
    assert world.get(f"/v1/{HOME}/status?permit=SP-1", "").json["standing"] == "overdue"


def test_reports_come_in_pages_newest_first(signed_in: World) -> None:
    rows = [a_report(report_ref=f"P-{n}", service_date=f"2026-0{1 + n // 28}-{1 + n % 28:02}") for n in range(51)]
    assert signed_in.send(HOME, csv_of(*rows), ME).json["accepted"] == 51
    first = signed_in.get("/reports", ME)
    ids = re.findall(r"/reports/ozaukee/(rep_\w+)", first.text)
    [older] = re.findall(r"/reports\?before=rep_\w+", first.text)
    rest = re.findall(r"/reports/ozaukee/(rep_\w+)", signed_in.get(older, ME).text)
    assert (len(ids), len(rest), len({*ids, *rest})) == (50, 1, 51)
    assert ids == sorted(ids, reverse=True)
    assert len(first.data) < 200_000
    assert "no older ones" in signed_in.get("/reports?before=rep_0", ME).text
    assert "rep_" not in signed_in.get(f"/reports?county={AWAY}", ME).text
    for query in ("before=%00", "before=sub_1", "county=nowhere", "permit=SP-1"):
        assert signed_in.get(f"/reports?{query}", ME).status_code == 404, query
    hostile = signed_in.get("/report?q=%00SP%00%ED%A0%80%25", ME)
    assert (hostile.status_code, "Nothing found" in hostile.text) == (200, True)


def test_a_browser_vouches_for_a_page_without_referrer(on_sqlite: World) -> None:
    """Pages that send no referrer have the Origin `null`; another site's have it too, and are not vouched for."""
    report = on_sqlite.post(f"/v1/{HOME}/reports", a_report(), ME).json["id"]
    data = {"reason": "x", "confirm": "yes"}
    for site, status in ((None, 403), ("cross-site", 403), ("same-site", 403), ("none", 403), ("same-origin", 303)):
        headers = {"Origin": "null"} | ({"Sec-Fetch-Site": site} if site else {})
        answer = on_sqlite.call("POST", f"/reports/{HOME}/{report}/void", ME, data=data, headers=headers)
        assert answer.status_code == status, site


@pytest.mark.needs_browser
def test_a_businesss_pages_hold_on_a_phone_and_a_report_is_sent_from_it(site: Site) -> None:
    world, page = site.world, site.page(ME, size=PHONE)
    sweep(world.database, HOME, TODAY, world.clock())
    page.goto("/work")
    hold(page)
    page.get_by_role("link", name="Report a service at").click()
    hold(page)
    page.get_by_role("button", name="Go on").click()
    hold(page)
    page.get_by_role("button", name="Look it over").click()
    hold(page)
    for name, text in (("gallons_pumped", "9000"), ("owner_name", "Laverne Lor"), ("work_description", "Pumped")):
        page.fill(f"#f-{name}", text)
    page.get_by_role("button", name="Look it over").click()
    hold(page)
    page.check("#f-confirm")
    page.fill("#f-signature", "Lena Oestreich")
    page.get_by_role("button", name="Sign and send").click()
    hold(page)
    for path in ("/reports", "/report?q=SP-1", "/service-log"):
        page.goto(path)
        hold(page)
    page.goto("/reports")
    page.locator("tbody a").first.click()
    hold(page)
    page.get_by_role("link", name="Correct this report").click()
    hold(page)
