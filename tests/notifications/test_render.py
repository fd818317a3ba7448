"""What each notice says: the plain text by golden files, the HTML by what is in it."""

from dataclasses import replace
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from notifications.access import Letter, invitation_notice, owner_link_notice, signin_notice, without_link
from notifications.digests import group_lines
from notifications.facts import office_facts
from notifications.notices import make_notices
from notifications.records import DomainEvent, Line, Notice, NoticeKind, Occasion, SystemNow, Told
from notifications.render import COLUMNS, render
from tests.notifications.builders import (
    BASE_URL,
    NOTE,
    TODAY,
    a_program,
    checkpoint_event,
    due_event,
    late_event,
    missing_event,
    needs_event,
    receipt_event,
)
from tests.notifications.test_notices import a_book

GOLDEN = Path(__file__).with_name("golden")
TANK = SystemNow(owner_name="Laverne Lor", access_notes="Lid under the lilac; dog in the yard.")


LETTER = Letter(
    recipient="lena@kettle-septic.example",
    key="sgn_1",
    link=f"{BASE_URL}/signin/link/{'k' * 32}",
    expires_at=datetime(2026, 7, 13, 17, 15, tzinfo=UTC),
    base_url=BASE_URL,
)
LETTERS = {
    "signin_link": signin_notice(LETTER, "Lena Oestreich"),
    "invitation": invitation_notice(LETTER, "Ozaukee County", "clerk", is_staff=True),
    "owner_link": owner_link_notice(replace(LETTER, expires_at=None), "Ozaukee County", "permit SP-1987"),
    "invitation_business": invitation_notice(LETTER, "Kettle Moraine Septic LLC", "technician", is_staff=False),
}


def notices_of(*events: DomainEvent | Notice, system: SystemNow = TANK, slug: str = "ozaukee") -> dict[str, Notice]:
    program = a_program(slug, clerk_email="clerk@ozaukee.example")
    occasion = Occasion(program=program, book=a_book(), today=TODAY, base_url=BASE_URL)
    told: list[Told] = [event for event in events if isinstance(event, Notice)]
    told += [one for event in events if isinstance(event, DomainEvent) for one in make_notices(event, system, occasion)]
    digests = group_lines([one for one in told if isinstance(one, Line)], TODAY, office_facts(occasion))
    return {str(one.kind): one for one in [*told, *digests] if isinstance(one, Notice)}


CASES = {
    "receipt": (receipt_event(checkpoint=NOTE.format("ozaukee", 1204, "ozaukee")),),
    "checkpoint": (checkpoint_event(),),
    "checkpoint_alone": (checkpoint_event(1, service_note=None),),
    "due_digest": (
        due_event(1),
        due_event(2, municipality="Town of Grafton", due_on="2026-05-22", last_day="2026-05-22"),
        needs_event(3),
        due_event(2, municipality="Town of Grafton", rule="OZ3", cite="9.029(3)(a)1–2", because="no plan on file"),
    ),
    "due_digest_one": (due_event(1, permit_number="", parcel_number="", site_address="", municipality=""),),
    "undesignated_digest": (
        needs_event(4, contractor_license=""),
        needs_event(5, contractor_license="99999", due_on=""),
    ),
    "late_report": (late_event(),),
    "late_report_copy": (late_event(),),
    "missing_report": (missing_event(),),
    "missing_report_second": (missing_event(stage=2),),
    "missing_report_copy": (missing_event(stage=2, contractor_id=None, contractor_license=""),),
    **{name: (letter,) for name, letter in LETTERS.items()},
}


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str) -> None:
    kind = max((kind for kind in NoticeKind if name.startswith(kind)), key=len)
    notice = notices_of(*CASES[name])[kind]
    written = render(notice.kind, notice.context, TODAY)
    text = f"To: {notice.recipient}\nSubject: {written.subject}\n\n{written.text}"
    assert text == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    """Each kind has one in `golden_samples` (see `test_samples`)."""
    assert {path.stem for path in GOLDEN.iterdir() if path.is_file()} == set(CASES)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data.split()


@pytest.mark.parametrize("name", CASES)
def test_the_html_is_whole_and_says_the_same(name: str) -> None:
    for notice in notices_of(*CASES[name]).values():
        written = render(notice.kind, notice.context, TODAY)
        page = _Page()
        page.feed(written.html)
        assert page.open == []
        assert 'lang="en"' in written.html
        assert page.tags.count("h1") == 1
        text = " ".join(page.words)
        for fact in _facts(notice):
            assert " ".join(fact.split()) in text


def _facts(notice: Notice) -> list[str]:
    tanks = [*notice.context.get("lines", ()), *([notice.context["tank"]] if "tank" in notice.context else [])]
    names = ("permit_number", "site_address", "rule", "cite", "counted", "municipality", "owner_name")
    return [tank[name] for tank in tanks for name in names] + [notice.context["unit"], notice.context["base_url"][8:]]


@pytest.mark.parametrize("name", CASES)
def test_lines_are_short_and_every_notice_names_tank_place_rule_dates_and_answer(name: str) -> None:
    for notice in notices_of(*CASES[name]).values():
        text = render(notice.kind, notice.context, TODAY).text
        # The signature of a checkpoint is one line, or none.
        lines = [line for line in text.splitlines() if not line.startswith("\N{EM DASH} pumper/")]
        assert max(map(len, lines)) <= COLUMNS
        assert "HOW TO ANSWER" in text
        flat = " ".join(text.split())
        for fact in _facts(notice):
            assert " ".join(fact.split()).upper() in flat.upper()


HOSTILE = "Lor\r\nBcc: all@example.org\r\n\r\n<script>alert(1)</script> {{ 7 * 7 }} \u202e"


@pytest.mark.parametrize("event", [due_event, needs_event, late_event, missing_event])
def test_what_people_typed_begins_no_line_and_runs_no_code(event: object) -> None:
    hostile = dict.fromkeys(
        ("permit_number", "parcel_number", "site_address", "municipality", "because", "cite", "report_ref"), HOSTILE
    )
    system = SystemNow(owner_name=HOSTILE, access_notes=HOSTILE)
    for notice in notices_of(event(1, **hostile), system=system).values():  # type: ignore[operator]
        written = render(notice.kind, notice.context, TODAY)
        assert "\n" not in written.subject
        assert "\nBcc" not in written.text
        assert "<script>" not in written.html
        assert "49" not in written.html
        assert "\u202e" not in written.text + written.html + written.subject


def test_a_very_long_word_is_broken_and_a_link_is_not() -> None:
    notice = notices_of(due_event(1, site_address="N" * 300))["due_digest"]
    assert max(map(len, render(notice.kind, notice.context, TODAY).text.splitlines())) <= COLUMNS
    link = f"https://{'x' * 90}.example"
    context = {**notice.context, "base_url": link}
    assert link in render(notice.kind, context, TODAY).text
    receipt = f"lake-beulah:771:{'5' * 64}"
    rows = [{"row": 2, "outcome": "accepted", "report_id": "rep_1", "receipt": receipt}]
    notice = notices_of(receipt_event(rows=rows))["receipt"]
    assert receipt in render(notice.kind, notice.context, TODAY).text


@pytest.mark.parametrize("slug", ["ozaukee", "portage", "winnebago", "lake-beulah"])
def test_each_county_signs_for_itself(slug: str) -> None:
    notice = notices_of(late_event(), slug=slug)["late_report"]
    text = " ".join(render(notice.kind, notice.context, TODAY).text.split())
    program = a_program(slug)
    assert f"-- {program.governmental_unit} Section numbers are those of {program.authority};" in text


def test_days_are_counted_on_the_day_of_sending() -> None:
    notice = notices_of(due_event(1))["due_digest"]
    assert "(in 6 days)" in render(notice.kind, notice.context, TODAY).text
    assert "(2 days overdue)" in render(notice.kind, notice.context, date(2026, 7, 22)).text


@pytest.mark.parametrize("name", LETTERS)
def test_a_letter_that_lets_in_shows_its_link_whole_and_keeps_none_of_it(name: str) -> None:
    notice = LETTERS[name]
    written = render(notice.kind, notice.context, TODAY)
    assert written.text.count(LETTER.link) == 1
    assert written.html.count(f'href="{LETTER.link}"') == 1
    secret = LETTER.link.rpartition("/")[2]
    assert secret not in notice.dedupe_key + written.subject
    assert secret not in repr(without_link(notice.context))


def test_a_hostile_name_begins_no_line_in_a_letter() -> None:
    for notice in (signin_notice(LETTER, HOSTILE), invitation_notice(LETTER, HOSTILE, "clerk", is_staff=True)):
        written = render(notice.kind, notice.context, TODAY)
        assert "\n" not in written.subject
        assert "\nBcc" not in written.text
        assert "<script>" not in written.html
