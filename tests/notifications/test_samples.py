"""Each kind of notice for each of its audiences, whole: text, HTML and files by golden files; and what all have."""

import csv
import io
import re
from datetime import date
from email import message_from_bytes, policy
from itertools import pairwise
from pathlib import Path

import icalendar
import pytest

from notifications.attachments import attachments_of, calendar_of, csv_of, uid_of
from notifications.compose import compose
from notifications.kinds import KINDS, is_legal
from notifications.notices import make_notices
from notifications.records import EventKind, Line, Notice, NoticeKind, SystemNow
from notifications.render import COLUMNS, render
from notifications.samples import NoSample, sample_notices
from schemas.loader import shipped_program
from tests.notifications.builders import BASE_URL, MAIL_FROM, TODAY, a_mail, due_event
from tests.notifications.test_notices import an_occasion
from tests.notifications.test_render import _Page

GOLDEN = Path(__file__).with_name("golden_samples")
MAP = "https://map.example.org/{lat}/{lon}"
COUNTIES = ("ozaukee", "lake-beulah", "portage", "winnebago")


def sampled() -> dict[str, Notice]:
    """A notice of each kind and audience, by the rules of the first county that has such a rule."""
    found: dict[str, Notice] = {}
    for kind in NoticeKind:
        for slug in COUNTIES:
            try:
                notices = sample_notices(kind, shipped_program(slug), TODAY, BASE_URL, MAP)
            except NoSample:
                continue
            for notice in notices:
                audience = notice.context.get("audience")
                found[f"{kind}-{audience}" if audience else str(kind)] = notice
            break
    return found


SAMPLES = sampled()
ELSEWHERE = {"checkpoint", "signin_link", "invitation", "owner_link"}
"""Their goldens are with the others of `test_render`."""
TOLD = {name: notice for name, notice in SAMPLES.items() if {"tank", "lines", "license"} & set(notice.context)}


def in_full(notice: Notice) -> dict[str, str]:
    """All that is sent of a notice, by the ending of its golden file."""
    written = render(notice.kind, notice.context, TODAY)
    recipient = notice.recipient.replace("\n", "; ")
    text = f"By {notice.channel} to: {recipient}\nSubject: {written.subject}\n\n{written.text}"
    files = {one.name.rpartition(".")[2]: one.data.decode() for one in attachments_of(notice.kind, notice.context)}
    return {"txt": text, "html": written.html, **files}


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - ELSEWHERE))
def test_golden(name: str) -> None:
    kept = {path.suffix[1:]: path.read_bytes().decode() for path in GOLDEN.glob(f"{name}.*")}
    assert in_full(SAMPLES[name]) == kept


def test_every_kind_has_its_goldens_and_its_line_in_the_table_and_nothing_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(SAMPLES) - ELSEWHERE
    assert {notice.kind for notice in SAMPLES.values()} == set(NoticeKind) == set(KINDS)
    assert all(kind.title and kind.audience and (kind.basis or kind.effects) for kind in KINDS.values())


@pytest.mark.parametrize("name", TOLD)
def test_each_names_tank_place_rule_citation_days_counted_whose_duty_and_how_to_answer(name: str) -> None:
    content = TOLD[name].context
    text = " ".join(render(TOLD[name].kind, content, TODAY).text.split())
    told = [*content.get("lines", ()), *([content["tank"]] if "tank" in content else [])]
    names = (
        "permit_number",
        "parcel_number",
        "site_address",
        "municipality",
        "owner_name",
        "rule",
        "cite",
        "rule_title",
    )
    for line in told or [{**content["license"], "counted": "the last day on file", "duty_of": "contractor"}]:
        facts = [line[field] for field in names if field in line] + ([line["counted"]] if line.get("last_day") else [])
        for fact in facts:
            assert " ".join(fact.split()).casefold() in text.casefold()
        assert f"Whose duty: the {line['duty_of']}'s" in text
    assert "HOW TO ANSWER -" in text


@pytest.mark.parametrize("name", SAMPLES)
def test_the_html_can_be_read_by_all(name: str) -> None:
    """WCAG 2.2: language (3.1.1), title (2.4.2), headings in order (1.3.1), no pictures, tables with headings."""
    html = render(SAMPLES[name].kind, SAMPLES[name].context, TODAY).html
    page = _Page()
    page.feed(html)
    assert page.open == []
    assert '<html lang="en">' in html
    assert re.search(r"<title>[^<]+</title>", html)
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    assert not {"img", "script", "iframe", "form"} & set(page.tags)
    assert page.tags.count("th") == html.count("<th scope=")
    assert "<table" not in html or "<th scope=" in html
    assert {"main", "footer"} <= set(page.tags)


def _contrast(one: str, other: str) -> float:
    """WCAG 2.2's contrast of two colours."""

    def luminance(colour: str) -> float:
        full = colour if len(colour) == 6 else "".join(2 * char for char in colour)
        parts = [int(full[n : n + 2], 16) / 255 for n in (0, 2, 4)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_text_and_links_stand_out() -> None:
    html = render("due_digest", SAMPLES["due_digest"].context, TODAY).html
    colours = re.findall(r"(?<![-\w])color: #([0-9a-f]{3,6})", html)
    assert len(colours) == 2
    assert all(_contrast(colour, "fff") >= 4.5 for colour in colours)
    assert _contrast("999999", "fff") < 4.5  # the measure can fail


@pytest.mark.parametrize("name", SAMPLES)
def test_lines_of_text_are_short(name: str) -> None:
    text = render(SAMPLES[name].kind, SAMPLES[name].context, TODAY).text
    assert max(len(line) for line in text.splitlines() if "://" not in line and "pumper/" not in line) <= COLUMNS


def test_reminders_may_be_refused_and_notices_of_law_may_not() -> None:
    optional = {str(kind) for kind in NoticeKind if not KINDS[kind].legal}
    assert optional == {
        "due_digest", "owner_reminder", "contract_expiring", "credential_expiring", "exemption_expiring",
        "weekly_summary",
    }  # fmt: skip
    lines = [{"required_by": ""}, {"required_by": "9.029(4)(b)2"}]
    assert [is_legal("due_digest", {"lines": lines[:n]}) for n in (0, 1, 2)] == [False, False, True]
    assert is_legal("delinquent_owner", {"lines": []})


def test_a_county_without_such_a_rule_has_no_such_notice() -> None:
    with pytest.raises(NoSample, match="Ozaukee County has no rule"):
        sample_notices(NoticeKind.WINDOW_NOTICE, shipped_program("ozaukee"), TODAY, BASE_URL)


HERE = SystemNow(
    owner_name="=HYPERLINK(1)",
    access_notes="@SUM(A1)\r\n+1",
    latitude="43.3857",
    longitude="-87.9512",
    last_gallons=900,
)


def lines_of(**values: object) -> list[Line]:
    told = make_notices(due_event(1, **values), HERE, an_occasion())
    return [one for one in told if isinstance(one, Line)]


def test_a_table_has_no_formula_and_keeps_its_numbers() -> None:
    [line] = lines_of(site_address="+1 (262) 5", municipality="\uff1d1", because="-5 gallons; why")
    data = csv_of([line.context])
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.endswith(b"\r\n")
    [row] = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    assert (row["site_address"], row["municipality"]) == ("'+1 (262) 5", "'\uff1d1")
    assert (row["owner_name"], row["access_notes"]) == ("'=HYPERLINK(1)", "'@SUM(A1) +1")
    assert (row["longitude"], row["last_gallons"]) == ("-87.9512", "900")


OFFICE = {"county": "ozaukee", "county_name": "Ozaukee County", "written_on": "2026-07-13", "base_url": BASE_URL}


def test_a_calendar_knows_a_duty_again_when_its_day_has_moved() -> None:
    [line] = lines_of()
    [moved] = lines_of(due_on="2026-08-01", last_day="2026-08-03", site_address="Näss; Lane, 5\r\nBEGIN:VALARM")
    found = icalendar.Calendar.from_ical(calendar_of([line.context, moved.context], OFFICE))
    first, second = found.walk("VEVENT")
    assert first["uid"] == second["uid"] == uid_of(line.context, OFFICE)
    assert uid_of(line.context, {**OFFICE, "county": "portage"}) != first["uid"]
    assert (first["dtstart"].dt, second["dtstart"].dt) == (date(2026, 7, 20), date(2026, 8, 3))
    assert second["location"] == "Näss; Lane, 5 BEGIN:VALARM, Town of Saukville"
    assert not found.walk("VALARM")
    assert (first["geo"].latitude, first["geo"].longitude) == (43.3857, -87.9512)
    again = calendar_of([line.context, moved.context], OFFICE)
    assert again == calendar_of([line.context, moved.context], OFFICE)


def test_what_is_overdue_stands_on_the_day_of_writing() -> None:
    lines = [line.context for line in lines_of(due_on="2026-05-01", last_day="2026-05-01")]
    [event] = icalendar.Calendar.from_ical(calendar_of(lines, OFFICE)).walk("VEVENT")
    assert event["dtstart"].dt == date(2026, 7, 13)


def test_a_tank_of_unknown_place_has_no_map() -> None:
    occasion = an_occasion()
    for system, url in ((HERE, "https://map.example.org/43.3857/-87.9512"), (SystemNow(latitude="43.3"), "")):
        told = make_notices(due_event(1), system, type(occasion)(**{**vars(occasion), "map_url": MAP}))
        assert [one.context["map_url"] for one in told if isinstance(one, Line)] == [url]


def test_the_files_go_with_the_mail_and_come_out_as_they_went_in() -> None:
    content = SAMPLES["due_digest"].context
    files = attachments_of("due_digest", content)
    written = a_mail(attachments=files)
    parsed = message_from_bytes(compose(written, MAIL_FROM).as_bytes(), policy=policy.default)
    found = {part.get_filename(): part for part in parsed.iter_attachments()}
    assert list(found) == ["due-ozaukee-2026-07-13.csv", "due-ozaukee-2026-07-13.ics"]
    for one in files:
        part = found[one.name]
        assert (part.get_content_type(), part.get_content_charset()) == (one.media, "utf-8")
        assert part.get_payload(decode=True) == one.data
    body = parsed.get_body(("plain",))
    assert body is not None
    assert body.get_content().startswith("Pump by")


def test_only_a_contractors_digest_has_files() -> None:
    assert {name for name, notice in SAMPLES.items() if attachments_of(notice.kind, notice.context)} == {"due_digest"}


def test_every_event_has_a_maker() -> None:
    from notifications.notices import _MAKERS

    assert set(_MAKERS) == set(EventKind)


@pytest.mark.parametrize("kind", ["owner_reminder", "delinquent_owner"])
def test_owners_are_told_why_it_matters(kind: str) -> None:
    """S19."""
    names = [path.name for path in (Path(__file__).parent / "golden_samples").glob(f"{kind}*.txt")]
    assert names
    for name in names:
        said = " ".join((Path(__file__).parent / "golden_samples" / name).read_text("utf-8").split())
        assert "human health hazard" in said
        assert "SPS 383.52(2)" in said
