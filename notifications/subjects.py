"""What a message's subject is, or was: for the county's list of its mails."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from notifications.kinds import KINDS
from notifications.records import NoticeKind
from notifications.render import render


def subject_of(kind: str, content: Mapping[str, Any], day: date) -> str:
    """The subject of a mail written on a day; the name of its kind where what it said is not kept any more."""
    try:
        return render(kind, content, day).subject
    except Exception:  # links that let people in are taken out once used, and a template asks for what it shows
        known = kind in set(NoticeKind)
        return KINDS[NoticeKind(kind)].title if known else kind.replace("_", " ")
