"""docs/screens shows the pages that its README names, and nothing else; each picture is of the size it is made in."""

import pytest

from docs.screens import DESK, FOLDER, LARGEST, PHONE, SCREENS, Screen, index
from tests.test_letters_page import size_of


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_each_picture_is_there_and_no_larger_than_it_may_be(screen: Screen) -> None:
    data = (FOLDER / f"{screen.name}.png").read_bytes()
    wanted = screen.size
    assert size_of(data) == (wanted["width"], wanted["height"])
    assert len(data) <= LARGEST


def test_the_index_is_as_the_command_writes_it_and_names_every_picture() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert text == index()
    assert {path.stem for path in FOLDER.glob("*.png")} == {screen.name for screen in SCREENS}
    for screen in SCREENS:
        assert f"({screen.name}.png)" in text
        assert screen.look in text


def test_phones_and_desks_light_and_dark_are_shown() -> None:
    assert {(screen.size["width"], screen.dark) for screen in SCREENS} == {
        (size["width"], dark) for size in (PHONE, DESK) for dark in (False, True)
    }
