"""The shapes of letters and print runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reporting.api.shapes import COUNT, DAY, INSTANT, MAYBE_DAY, MAYBE_TEXT, TEXT, Json, an_object, list_of, ref, strict

_RUN: Final[dict[str, Json]] = {
    "id": TEXT,
    "state": {"enum": ["printed", "mailed", "cancelled"]},
    "created_at": INSTANT,
    "created_by": TEXT,
    "printed_on": DAY,
    "letters": COUNT,
    "pages": COUNT,
    "pdf_sha256": TEXT,
    "typesetter": TEXT,
    "mailed_on": MAYBE_DAY,
    "mail_class": MAYBE_TEXT,
    "ended_at": {**MAYBE_TEXT, "format": "date-time"},
    "ended_by": MAYBE_TEXT,
    "seq": {"type": ["integer", "null"], "description": "The entry of the record that confirms it as mailed."},
}

LETTERS: Final[Mapping[str, Json]] = {
    "Letters": an_object("letters", letters=list_of(ref("Letter"))),
    "Letter": an_object(
        "id kind state recipient created_at",
        id=TEXT,
        kind=TEXT,
        state={"enum": ["queued", "printed", "sent", "failed", "cancelled"]},
        system=MAYBE_TEXT,
        recipient={**TEXT, "description": "The postal address, line by line."},
        problem={**MAYBE_TEXT, "description": "Of one that waits: why it cannot be addressed."},
        created_at=INSTANT,
        run=MAYBE_TEXT,
        position={"type": ["integer", "null"]},
        text_sha256=MAYBE_TEXT,
        mailed_on=MAYBE_DAY,
        reason={**MAYBE_TEXT, "description": "Why it was cancelled, or cannot be written."},
    ),
    "NewPrintRun": strict("", limit={"type": "integer", "minimum": 1, "maximum": 500}),
    "PrintRun": an_object("id state letters pages pdf_sha256 printed_on", **_RUN),
    "PrintRuns": an_object("print_runs", print_runs=list_of(ref("PrintRun"))),
    "MadePrintRun": an_object(
        "run letters pages pdf_sha256 dropped failed apart left held",
        run={**MAYBE_TEXT, "description": "Null where there was nothing to print."},
        letters=COUNT,
        pages=COUNT,
        pdf_sha256=TEXT,
        dropped={"type": "object", "description": "Letters no longer wanted, by reason."},
        failed={**COUNT, "description": "Letters that cannot be written."},
        apart={**list_of({"type": "object"}), "description": "Letters without an address that can be mailed to."},
        left={**COUNT, "description": "Letters that wait for a next run."},
        held={**COUNT, "description": "Letters that a pause of the county keeps."},
    ),
    "RunMailed": strict("mailed_on", mailed_on=DAY, mail_class={"enum": ["first_class", "certified"]}),
    "MailedRun": an_object(
        "run mailed_on letters systems receipt",
        run=TEXT,
        mailed_on=DAY,
        letters=COUNT,
        systems={**list_of(TEXT), "description": "The systems whose deadlines now count from that day."},
        receipt=ref("Receipt"),
    ),
    "RunCorrection": strict("reason", mailed_on=DAY, mail_class={"enum": ["first_class", "certified"]}, reason=TEXT),
    "Nothing": strict(""),
    "CancelledRun": an_object("run letters", run=TEXT, letters={**COUNT, "description": "How many wait again."}),
}
