"""docs/letters.py makes its pictures from the code, of letters that counties' ordinances know."""

import struct

import pytest

from docs.letters import FOLDER, SAMPLES, sample_letter
from notifications.letters_pdf import run_values, set_pictures
from notifications.records import NoticeKind

PNG = b"\x89PNG\r\n\x1a\n"


def size_of(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(PNG)
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


@pytest.mark.parametrize(("slug", "kind"), SAMPLES)
def test_the_samples_fill_one_page_each_and_lie_in_the_folder(slug: str, kind: NoticeKind) -> None:
    letter, office = sample_letter(slug, kind)
    [page] = set_pictures("letters.typ", run_values([letter], office.as_json(), "Sample"))
    assert size_of(page) == size_of((FOLDER / f"{kind}.png").read_bytes()) == (680, 880)


def test_nothing_else_lies_there() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{kind}.png" for _, kind in SAMPLES}
