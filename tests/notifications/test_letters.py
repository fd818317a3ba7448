"""Letters: who can be addressed, what they say, that nothing typed becomes markup, and how the sheets look."""

import sys
import unicodedata
from fractions import Fraction
from typing import Any

import pytest

from notifications import letters_address
from notifications.kinds import KINDS
from notifications.letters import hash_of, read_office, text_of, write_letter
from notifications.letters_address import (
    CLEAR,
    CUT,
    ENVELOPE,
    FACES,
    FOLDS,
    WINDOW,
    AddressProblem,
    PostalAddress,
    printable,
    read_postal,
)
from notifications.letters_pdf import LetterNotSet, LettersUnavailable, link_lines, qr_svg, set_run
from notifications.records import NoticeKind
from notifications.render import render
from tests.notifications.builders import BASE_URL, a_program
from tests.notifications.letters import (
    DAY,
    GOLDEN,
    STREET,
    a_message,
    alternatives_of,
    an_office_program,
    letter_context,
    read_pdf,
    tags_of,
    words_of,
)

OFFICE = read_office(an_office_program())
HOSTILE = '#panic("x") $x^2$ *bold* _it_ `raw` <label> @ref \\ [a](b) // c /* d */ = e " \\u{41} #{1+1}'


def an_address(text: str = f"Laverne Lor\n{STREET}", addressee: str = "") -> PostalAddress:
    found = read_postal(text, addressee)
    assert isinstance(found, PostalAddress), found
    return found


def a_letter(number: int = 1, address: str = f"Laverne Lor\n{STREET}", **values: Any) -> dict[str, Any]:
    return write_letter(a_message(number, **values), an_address(address), OFFICE, DAY, BASE_URL).as_json()


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lines", "postcode"),
    [
        ("Jo Lor\n1 Oak St\nSaukville, WI 53080", ("Jo Lor", "1 Oak St", "Saukville, WI 53080"), "53080"),
        ("Jo Lor\r\n1 Oak St\r\n\r\nX WI 53080-1234\r\nUSA", ("Jo Lor", "1 Oak St", "X WI 53080-1234"), "53080-1234"),
        ("Jo Lor\n1 Oak St\nX WI 530801234", ("Jo Lor", "1 Oak St", "X WI 53080-1234"), "53080-1234"),
        ("Jo Lor\n1 Oak St, Saukville, WI 53080", ("Jo Lor", "1 Oak St", "Saukville, WI 53080"), "53080"),
        ("Jo, c/o Al, 1 Oak St, Troy, Wisconsin 53120", ("Jo", "c/o Al", "1 Oak St", "Troy, Wisconsin 53120"), "53120"),
        ("Jo Lor\nP.O. Box 12345\nNew York, New York 10001", ("Jo Lor", "P.O. Box 12345", "New York, New York 10001"),
         "10001"),
        ("N5555 County Road K\nTroy, WI 53080", ("Ann Lor", "N5555 County Road K", "Troy, WI 53080"), "53080"),
        ("PO Box 7\nTroy, WI 53080", ("Ann Lor", "PO Box 7", "Troy, WI 53080"), "53080"),
        ("Jo\u202e Lor\u0000\n1 Oak\tSt\nX, WI 53080", ("Jo Lor", "1 Oak St", "X, WI 53080"), "53080"),
    ],
)  # fmt: skip
def test_an_address_is_read_line_by_line(text: str, lines: tuple[str, ...], postcode: str) -> None:
    found = an_address(text, "Ann Lor")
    assert (found.lines, found.postcode) == (lines, postcode)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", AddressProblem.EMPTY),
        (" \n , \n", AddressProblem.EMPTY),
        ("Jo Lor", AddressProblem.EMPTY),
        ("Saukville, WI 53080", AddressProblem.NO_POSTCODE),
        ("Jo Lor\n1 Oak St\nSaukville, WI", AddressProblem.NO_POSTCODE),
        ("Jo Lor\nP.O. Box 12345", AddressProblem.NO_POSTCODE),
        ("Jo Lor\nW3204 County Rd 53080", AddressProblem.NO_POSTCODE),
        ("Jo Lor\n1 Oak St\nSaukville, WI 00000", AddressProblem.NO_POSTCODE),
        ("Jo Lor\n1 Oak St\nSaukville, WI 5308", AddressProblem.NO_POSTCODE),
        ("Jo Lor\n1 Oak St\nSaukville, WI 530800", AddressProblem.NO_POSTCODE),
        ("Jo Lor\n1 Rue Un\nMontreal QC H2X 1Y4", AddressProblem.NO_POSTCODE),
        ("日本\n1 Oak St\nSaukville, WI 53080", AddressProblem.UNPRINTABLE),
        ("Jo Lor 😀\n1 Oak St\nSaukville, WI 53080", AddressProblem.UNPRINTABLE),
        ("Jo \ufffdor\n1 Oak St\nSaukville, WI 53080", AddressProblem.UNPRINTABLE),
        ("A\nB\nC\nD\nE\nSaukville, WI 53080", AddressProblem.TOO_LONG),
        (f"{'Lor ' * 50}\n1 Oak St\nSaukville, WI 53080", AddressProblem.TOO_LONG),
    ],
)
def test_what_cannot_be_addressed_says_why(text: str, problem: AddressProblem) -> None:
    assert read_postal(text, "Jo Lor") == problem


@pytest.mark.parametrize(
    ("longest", "lines", "size"), [(38, 4, 10), (39, 4, 9), (43, 4, 9), (44, 4, 8), (48, 4, 8), (48, 5, 8), (10, 5, 8)]
)
def test_the_face_is_the_largest_that_fits(longest: int, lines: int, size: float) -> None:
    found = an_address("\n".join([*["x" * longest] * (lines - 1), "Saukville, WI 53080"]))
    assert (found.face.size, len(found.lines)) == (size, lines)


def test_one_character_more_than_fits_is_broken_into_another_line() -> None:
    assert read_postal("\n".join(["x" * 49, *["y"] * 3, "Saukville, WI 53080"])) == AddressProblem.TOO_LONG
    assert len(an_address("\n".join(["x" * 49, *["y"] * 2, "Saukville, WI 53080"])).lines) == 5


def test_letters_are_sorted_by_five_digits_then_four_then_street() -> None:
    wanted = ["A\n1 Z\nX, WI 53074", "B\n1 Z\nX, WI 53080", "C\n2 A\nX, WI 53080", "A\n1 A\nX, WI 53080-0001",
              "Z\n9 A\nX, WI 53080-0002", "A\n1 A\nX, WI 54000"]  # fmt: skip
    found = sorted(map(an_address, reversed(wanted)), key=lambda address: address.sort_key)
    assert [list(address.lines) for address in found] == [text.split("\n") for text in wanted]


def test_the_window_holds_the_address_wherever_the_insert_slides() -> None:
    """The arithmetic of `letters_address`, done again with the envelope, its cut and the fold."""
    width, height = map(Fraction, ENVELOPE)
    from_left, from_bottom, cut_width, cut_height = map(Fraction, CUT)
    top = height - from_bottom - cut_height
    slides_down, slides_right = height - Fraction(FOLDS[0]), width - Fraction("8.5")
    seen_left, seen_right = from_left, from_left + cut_width - slides_right
    seen_top, seen_bottom = top, top + cut_height - slides_down
    clear = Fraction(CLEAR)
    assert tuple(map(Fraction, WINDOW)) == (
        seen_left + clear, seen_top + clear, seen_right - clear, seen_bottom - clear,
    )  # fmt: skip
    box_width, box_height = 72 * (WINDOW[2] - WINDOW[0]), 72 * (WINDOW[3] - WINDOW[1])
    for face in FACES:
        assert face.columns * 0.60205 * face.size <= box_width < (face.columns + 1) * 0.60205 * face.size
        assert face.lines * face.pitch <= box_height < (face.lines + 1) * face.pitch
    assert FOLDS[1] - FOLDS[0] == 11 - FOLDS[1] < FOLDS[0]  # the two other panels are shorter: they fold inside


# --- words -----------------------------------------------------------------------------------------------------------

POSTED = [kind for kind, told in KINDS.items() if told.letter]


def program_of(kind: NoticeKind) -> str:
    """A county whose ordinance has such a notice."""
    district = {NoticeKind.WINDOW_NOTICE, NoticeKind.AREA_NOTICE, NoticeKind.EXEMPTION_EXPIRING}
    district |= {NoticeKind.DEFERRAL_ANSWER, NoticeKind.EXEMPTION_ANSWER}
    return "lake-beulah" if kind in district else "ozaukee" if kind != NoticeKind.CONTRACT_EXPIRING else "winnebago"


def a_sample(kind: NoticeKind) -> dict[str, Any]:
    slug = program_of(kind)
    message = a_message(kind=kind, slug=slug)
    return write_letter(message, an_address(), read_office(an_office_program(slug)), DAY, BASE_URL).as_json()


@pytest.mark.parametrize("kind", POSTED)
def test_golden(kind: NoticeKind) -> None:
    text = text_of(a_sample(kind), read_office(an_office_program(program_of(kind))).as_json())
    assert text == (GOLDEN / f"{kind}.txt").read_text(encoding="utf-8")


def test_every_kind_that_goes_by_post_has_a_golden_letter_and_no_other() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(map(str, POSTED))
    for kind in set(NoticeKind) - set(POSTED):
        with pytest.raises(ValueError, match="is no letter"):
            write_letter({**a_message(), "kind": str(kind)}, an_address(), OFFICE, DAY, BASE_URL)


@pytest.mark.parametrize("kind", POSTED)
def test_each_letter_says_the_same_as_the_mail_and_nothing_of_answering_one(kind: NoticeKind) -> None:
    """Tank, place, rule, citation, dates counted, whose duty, how to answer."""
    slug = program_of(kind)
    content = letter_context(kind=kind, slug=slug)
    letter, office = a_sample(kind), read_office(an_office_program(slug))
    text = " ".join(text_of(letter, office.as_json()).split())
    mail = " ".join(render(kind, {**content, "reply_to": ""}, DAY).text.split())
    said = mail.partition("HOW TO ANSWER")[2].partition("-- ")[0].strip()
    assert f"How to answer {said}" in text
    for told in content.get("lines") or [content["tank"]]:
        for name in ("permit_number", "site_address", "municipality", "rule", "cite", "counted"):
            assert " ".join(told[name].split()) in text
        assert f"Whose duty: the {told['duty_of']}'s" in text
    assert "this mail" not in text
    assert "mailbox" not in text
    assert f"To reach {office.name}, write to the address at the top, call 262-555-0142 or send a mail" in text
    assert set_run([letter], office.as_json(), "T").pages[0][0] == 1


def test_the_rules_of_all_lines_stand_in_the_proof() -> None:
    lines = [
        {"rule": "OZ1", "cite": "9.029(2)(a)1"},
        {"rule": "", "cite": "9.023"},
        {"rule": "OZ1", "cite": "9.029(2)(a)1"},
    ]
    content = letter_context(kind=NoticeKind.DELINQUENT_OWNER)
    content["lines"] = [{**content["lines"][0], **line} for line in lines]
    message = {**a_message(kind=NoticeKind.DELINQUENT_OWNER), "content": content}
    assert write_letter(message, an_address(), OFFICE, DAY, BASE_URL).rule == "OZ1, 9.029(2)(a)1; 9.023"


def test_a_window_notice_tells_of_its_window() -> None:
    assert a_sample(NoticeKind.WINDOW_NOTICE)["window_from"] == "2026-09-01"
    assert a_sample(NoticeKind.DELINQUENT_OWNER)["window_from"] == ""


def test_the_hash_is_of_the_text_and_changes_with_any_of_it() -> None:
    letter, office = a_letter(), OFFICE.as_json()
    first = hash_of(letter, office)
    assert first == hash_of(a_letter(), read_office(an_office_program()).as_json())
    others = [
        hash_of({**letter, "title": letter["title"] + "."}, office),
        hash_of({**letter, "address": [*letter["address"][:-1], "X, WI 53080"]}, office),
        hash_of({**letter, "dated": "Tuesday, July 14, 2026"}, office),
        hash_of({**letter, "link": BASE_URL}, office),
        hash_of(letter, {**office, "phone": ""}),
    ]
    assert len({first, *others}) == 6


def test_the_office_is_the_countys_settings() -> None:
    office = read_office(
        an_office_program("portage", office_name="Planning and Zoning", office_address="1 A St\n\nX; Y ")
    )
    assert (office.name, office.address, office.phone) == ("Planning and Zoning", ("1 A St", "X", "Y"), "262-555-0142")
    bare = read_office(a_program("portage"))
    assert (bare.name, bare.address, bare.phone, bare.email) == ("Portage County", (), "", "office@ozaukee.example")


# --- sheets ----------------------------------------------------------------------------------------------------------


def test_everything_in_the_address_stands_inside_the_window() -> None:
    widest = "\n".join(["W" * 48, "Ģ" * 48, "Łódź Nuñez", "gjpqy, 1/2", "Saukville, WI 53080-1234"])
    addresses = [f"Laverne Lor\n{STREET}", "\n".join(["W" * 38, "gjpqy", "Saukville, WI 53080"]), widest]
    made = set_run([a_letter(n, address) for n, address in enumerate(addresses)], OFFICE.as_json(), "T")
    left, top, right, bottom = WINDOW
    for page, address in zip(read_pdf(made.pdf).pages[::2], addresses, strict=True):
        words = words_of(page)
        lines = [word for word in words if word.text in address.split("\n")]
        assert len(lines) >= len(address.split("\n"))
        inside = [w for w in words if top - 0.375 < w.down < bottom + 0.375 and w.left < 5.375 + 0.125]
        assert [word.text for word in inside] == address.split("\n")  # and nothing else can show
        for word in inside:
            size = word.size
            assert left - 0.001 <= word.left
            assert word.left + len(word.text) * 0.60205 * size / 72 <= right + 0.001
            assert top <= word.down - 0.8 * size / 72 + 0.001
            assert word.down + 0.24 * size / 72 <= bottom + 0.01
            assert size >= 8


def test_each_letter_begins_on_a_sheet_of_its_own_and_counts_its_own_pages() -> None:
    long = {"tank": {"counted": "Counted day by day. " * 300}}
    made = set_run([a_letter(1), a_letter(2, **long), a_letter(3)], OFFICE.as_json(), "T")
    pages = [page.extract_text() for page in read_pdf(made.pdf).pages]
    assert made.pages[0] == (1, 1)
    first, last = made.pages[1]
    assert (first, last > 3) == (3, True)
    assert made.pages[2] == (last + 1 + last % 2, last + 1 + last % 2)
    assert made.pages[2][0] % 2 == 1
    for number, (start, end) in enumerate(made.pages, start=1):
        for page in range(start, end + 1):
            assert f"msg_{number}" in pages[page - 1]
            assert f"page {page - start + 1} of {end - start + 1}" in pages[page - 1]
    backs = [page for page in range(1, len(pages) + 1) if not any(a <= page <= b for a, b in made.pages)]
    assert 2 in backs
    assert [pages[page - 1].strip() for page in backs] == [""] * len(backs)


def test_the_file_is_accessible() -> None:
    """PDF/UA-1 (ISO 14289-1): tagged, titled, in a language, headings in order, the picture described."""
    reader = read_pdf(set_run([a_letter()], OFFICE.as_json(), "Letters of Ozaukee County").pdf)
    root: Any = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en-US"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert b"<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_object().get_data()
    assert reader.metadata is not None
    assert reader.metadata.title == "Letters of Ozaukee County"
    tags = list(tags_of(reader))
    assert [tag for tag in tags if tag.startswith("H")] == ["H1", "H2", "H2"]
    assert {"P", "L", "LI", "Lbl", "LBody", "Figure"} <= set(tags)
    assert alternatives_of(reader) == ["QR code of https://reports.example.org/s/sys_1"]


def test_the_same_letters_are_the_same_bytes() -> None:
    first = set_run([a_letter(1), a_letter(2)], OFFICE.as_json(), "T")
    assert first.pdf == set_run([a_letter(1), a_letter(2)], OFFICE.as_json(), "T").pdf
    assert b"CreationDate" not in first.pdf
    assert first.sha256 != set_run([a_letter(2), a_letter(1)], OFFICE.as_json(), "T").sha256


def test_what_people_typed_is_never_markup() -> None:
    tank = dict.fromkeys(
        ("permit_number", "parcel_number", "site_address", "municipality", "owner_name", "because", "cite", "counted",
         "component", "component_ref", "rule", "rule_title"), HOSTILE,
    )  # fmt: skip
    values = {"tank": tank, "case": HOSTILE, "case_words": HOSTILE, "desk": HOSTILE, "duty_words": HOSTILE}
    letter = write_letter(
        {**a_message(1, **values), "id": HOSTILE, "system": HOSTILE},
        an_address(f'#panic("x") $x$ *b* <l> @r\n{STREET}'), OFFICE, DAY, BASE_URL,
    ).as_json()  # fmt: skip
    made = set_run([letter], {**OFFICE.as_json(), "name": HOSTILE, "phone": HOSTILE}, HOSTILE)
    reader = read_pdf(made.pdf)
    text = " ".join(" ".join(page.extract_text() for page in reader.pages).split())
    assert text.count('#panic("x")') >= 15
    assert "#{1+1}" in text
    assert "\\u{41}" in text
    assert reader.metadata is not None
    assert reader.metadata.title == HOSTILE
    assert [tag for tag in tags_of(reader) if tag.startswith("H")] == ["H1", "H2", "H2"]


def test_every_character_that_counts_as_printable_can_be_set() -> None:
    every = [chr(point) for point in range(sys.maxunicode + 1) if unicodedata.category(chr(point)) not in ("Cs", "Cc")]
    shown = [char for char in every if not letters_address._FOREIGN.search(char)]
    assert 1_500 < len(shown) < 2_500
    assert printable("e\u0301 日 😀") == "é \ufffd \ufffd"
    words = [" ".join(shown[start : start + 40]) for start in range(0, len(shown), 40)]
    letter = {**a_letter(), "blocks": [{"kind": "list", "items": words}], "address": ["".join(shown[40:80])]}
    assert set_run([letter], OFFICE.as_json(), "T").pdf.startswith(b"%PDF")
    with pytest.raises(LetterNotSet, match="日"):
        set_run([{**letter, "title": "日"}], OFFICE.as_json(), "T")


def test_three_hundred_letters_are_set_quickly() -> None:
    """A guard against hanging, no measure: they take about a second."""
    made = set_run([a_letter(number) for number in range(300)], OFFICE.as_json(), "T")
    assert [first for first, _last in made.pages] == list(range(1, 600, 2))


def test_a_long_link_is_broken_behind_a_slash_and_whole_in_the_code() -> None:
    assert link_lines("https://a.example/s/x") == ["https://a.example/s/x"]
    link = "https://reports.example.org/county/s/sys_01k3zq8x2v5t7w9y0b4d6f8h1j"
    assert link_lines(link) == ["https://reports.example.org/", "county/s/", "sys_01k3zq8x2v5t7w9y0b4d6f8h1j"]
    assert "".join(link_lines("https://" + "x" * 90)) == "https://" + "x" * 90
    assert qr_svg(link).startswith("<svg")
    assert qr_svg(link) != qr_svg(link + "x")


def test_where_the_typesetter_is_absent_one_sentence_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notifications.letters_pdf._EXTRA", ("typst", "no_such_module"))
    with pytest.raises(LettersUnavailable, match=r'pip install "pumper-reporting\[letters\]"'):
        set_run([a_letter()], OFFICE.as_json(), "T")
