"""Two sample letters as pictures under docs/screens/letters, from invented facts.

python docs/letters.py            rewrite them
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Any, Final

from notifications.kinds import KINDS
from notifications.letters import Office, read_office, write_letter
from notifications.letters_address import PostalAddress, read_postal
from notifications.letters_pdf import run_values, set_pictures
from notifications.records import NoticeKind
from notifications.samples import sample_notices
from schemas.loader import shipped_program
from schemas.program import Program

FOLDER: Final = Path(__file__).resolve().parent / "screens" / "letters"
DAY: Final = date(2026, 7, 13)
BASE_URL: Final = "https://reports.example.org"
ADDRESS: Final = "Laverne Lor\nN5555 County Road K\nSaukville, WI 53080-1234"
SYSTEM: Final = "sys_01kxdzvzc0fp7jszxak059a5xj"
SAMPLES: Final = (("ozaukee", NoticeKind.DELINQUENT_OWNER), ("lake-beulah", NoticeKind.WINDOW_NOTICE))
"""A county and a kind of letter each."""


def sample_program(slug: str) -> Program:
    """A county's program with an invented office."""
    return shipped_program(slug).with_settings(
        {
            "office_address": "Sample Office Building; 100 Example Street; Sampleton, WI 53099",
            "office_phone": "262-555-0142",
            "county_email": "office@county.example",
        }
    )


def sample_letter(slug: str, kind: NoticeKind) -> tuple[dict[str, Any], Office]:
    """A letter of a kind to an invented owner, as the typesetter takes it, and who writes it."""
    assert KINDS[kind].letter
    program = sample_program(slug)
    notice = next(n for n in sample_notices(kind, program, DAY, BASE_URL) if n.context.get("audience") == "owner")
    message = {"id": "msg_k3v7w2q9t5x8z4b6d1f0h3j7m2", "kind": str(kind), "system": SYSTEM, "content": notice.context}
    address, office = read_postal(ADDRESS), read_office(program)
    assert isinstance(address, PostalAddress)
    return write_letter(message, address, office, DAY, BASE_URL).as_json(), office


def main() -> int:
    """Write the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for slug, kind in SAMPLES:
        letter, office = sample_letter(slug, kind)
        pages = set_pictures("letters.typ", run_values([letter], office.as_json(), "Sample"))
        (FOLDER / f"{kind}.png").write_bytes(pages[0])
        print(f"{FOLDER.name}/{kind}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
