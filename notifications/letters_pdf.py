"""Letters and proofs of mailing as PDF: tagged for screen readers (PDF/UA-1), the same bytes whenever they are made.

The typesetter (typst) and the maker of QR codes (segno) are the extra `letters`. What people wrote goes to the
typesetter as JSON, never as markup; only the typesetter's own fonts are used, none of the machine's.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from notifications.letters_address import FOLDS, WINDOW
from reporting.errors import PumperError

TEMPLATES: Final = Path(__file__).with_name("templates")
MARGIN: Final = 1.0
TOP: Final = 0.6
CODE: Final = 1.6
"""How far down the QR code's block begins, right of all that the window can show."""
BODY: Final = 3.75
"""How far down the text begins: nothing of it shows in the window wherever the insert slides."""
_LINK_COLUMNS: Final = 33
_EXTRA: Final = ("typst", "segno")


class LettersUnavailable(PumperError):
    """Letters need the typesetter: pip install "pumper-reporting[letters]"."""


class LetterNotSet(PumperError):
    """The typesetter cannot set this."""


@dataclass(frozen=True, kw_only=True)
class SetRun:
    """A print run as PDF. `pages`: of each letter its first and last page in the file; `typesetter`: who set it."""

    pdf: bytes
    pages: tuple[tuple[int, int], ...]
    typesetter: str

    @property
    def sha256(self) -> str:
        """The file's hash, in hex."""
        return sha256(self.pdf).hexdigest()


def check_available() -> None:
    """Raises `LettersUnavailable` where the extra is not installed."""
    if any(find_spec(name) is None for name in _EXTRA):
        raise LettersUnavailable


def set_run(letters: Sequence[Mapping[str, Any]], office: Mapping[str, Any], title: str) -> SetRun:
    """Set letters (`Letter.as_json`) in their order, each on a sheet of its own; raises `LetterNotSet`."""
    pdf, found = _set("letters.typ", run_values(letters, office, title), query="<pages>")
    pages = tuple((one["first"], one["last"]) for one in found)
    return SetRun(pdf=pdf, pages=pages, typesetter=typesetter())


def set_proof(proof: Mapping[str, Any]) -> bytes:
    """Set a proof of mailing (`notifications.letters_proof`); raises `LetterNotSet`."""
    return _set("proof.typ", proof)[0]


def set_document(name: str, values: Mapping[str, Any]) -> bytes:
    """Set another document by its template; raises `LetterNotSet`."""
    return _set(name, values)[0]


def set_pictures(name: str, values: Mapping[str, Any], ppi: float = 80) -> list[bytes]:
    """The pages of a template as PNG pictures: to look at, never to mail."""
    found = _compiler(name, values).compile(format="png", ppi=ppi)
    return found if isinstance(found, list) else [found]


def run_values(letters: Sequence[Mapping[str, Any]], office: Mapping[str, Any], title: str) -> dict[str, Any]:
    """What `letters.typ` is given: letters, office, measures in inches, QR codes."""
    codes = {link: qr_svg(link) for link in {letter["link"] for letter in letters}}
    measures = {"window": WINDOW, "folds": FOLDS, "margin": MARGIN, "top": TOP, "code": CODE, "body": BODY}
    return {
        "title": title,
        "office": dict(office),
        "measures": measures,
        "letters": [
            {**letter, "qr": codes[letter["link"]], "link-lines": link_lines(letter["link"])} for letter in letters
        ],
    }


def typesetter() -> str:
    """Which typesetter sets the letters: another version may set the same letters in other bytes."""
    return f"typst {version('typst')}"


def _set(name: str, values: Mapping[str, Any], query: str = "") -> tuple[bytes, list[Any]]:
    """The PDF, and the values of the labels asked for."""
    compiler = _compiler(name, values)
    import typst

    try:
        pdf = compiler.compile(format="pdf", pdf_standards=["ua-1"])
        found = json.loads(compiler.query(query, field="value")) if query else []
    except typst.TypstError as error:
        raise LetterNotSet(str(error)[:500]) from error
    assert isinstance(pdf, bytes)
    return pdf, found


def qr_svg(link: str) -> str:
    """A link as a QR code (ISO/IEC 18004, level M, with its quiet zone), as SVG."""
    import segno

    out = io.BytesIO()
    segno.make_qr(link, error="m").save(out, kind="svg", xmldecl=False, border=4, omitsize=True)
    return out.getvalue().decode()


def link_lines(link: str) -> list[str]:
    """A link in lines that fit beneath its code, broken behind a slash where that can be."""
    lines: list[str] = []
    while len(link) > _LINK_COLUMNS:
        at = link.rfind("/", 0, _LINK_COLUMNS) + 1
        at = _LINK_COLUMNS if at == 0 or link[:at].endswith("://") else at
        lines, link = [*lines, link[:at]], link[at:]
    return [*lines, link]


def _compiler(name: str, values: Mapping[str, Any]) -> Any:
    check_available()
    import typst

    return typst.Compiler(
        TEMPLATES / name,
        root=TEMPLATES,
        ignore_system_fonts=True,
        sys_inputs={"run": json.dumps(values, ensure_ascii=False)},
    )
