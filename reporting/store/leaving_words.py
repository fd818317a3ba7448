"""What each table of a county's export is, in words, and which of its tables are not in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MEANING: Final[Mapping[str, str]] = {
    "api_key": "The county's keys for programs, without what opens the door.",
    "component_version": "Tanks and other parts of systems, each version with what was known of it.",
    "contract": "Service contracts on file.",
    "contractor": "The businesses that have reported to the county or are named by its systems.",
    "county": "The county itself.",
    "credential": "The licences of those businesses.",
    "designation": "Which licence services a system, and since when.",
    "domain_event": "What has happened that somebody may be told of.",
    "event": "Every report and every service of before: what was done, when, by whom; corrections are rows too.",
    "fact": "Everything else on file about systems or the county: notices, cases, fees, settings, exemptions, …",
    "finding": "What does not agree with the program, as last judged; it follows from the other tables.",
    "identifier": "The numbers and addresses by which systems are found.",
    "inventory_file": "Long inventory files, and what became of them.",
    "letter": "Each letter that was printed: to whom, on which pages, all of its words.",
    "mail_bounce": "Mails that came back.",
    "mail_pause": "When the county held mail, and why.",
    "mail_suppression": "Addresses that get no mail, and why.",
    "membership": "Who of the staff had which role, and until when.",
    "message": "Every mail and letter: to whom, its words, and whether it went.",
    "obligation": "What is due of whom and when, as last judged; it follows from the other tables.",
    "oidc_group_role": "Which groups of the county's own sign-in have which role.",
    "outcome": "What became of each row of each file, with its receipt and the cells as they came.",
    "owner_version": "Owners and how to reach them, each version.",
    "person": "The staff's names and addresses.",
    "print_run": "Letters that were printed together.",
    "program_text": "Each text of the county's program that was in force here, with its SHA-256.",
    "review": "Reports that waited for somebody to decide, and what was decided.",
    "saved_view": "Lists of the desk that somebody has kept under a name.",
    "standing": "How each system stands, as last judged; it follows from the other tables.",
    "standing_month": "How many systems stood how at each month's end.",
    "submission": "Each file or report that was handed in, with the SHA-256 of its bytes.",
    "submission_file": "Long files that wait to be worked off, as they came.",
    "system": "The county's systems.",
    "system_version": "Each system's permit, parcel and place, each version.",
    "webhook": "Where the county has its own programs told of events, without the secrets.",
    "webhook_delivery": "What was sent there.",
}
LEFT_OUT: Final[Mapping[str, str]] = {
    "log_entry": "`../entries.jsonl` and `../leaves.txt`",
    "log_raw": "`../beside.jsonl`",
    "log_detail": "`../beside.jsonl`",
    "log_head": "`../manifest.json`",
    "checkpoint": "`../checkpoints.txt`",
    "owner_code": "codes by which owners come in for a while",
    "idempotency": "answers kept for calls that are made again",
    "gram": "an index for looking up addresses",
    "gram_head": "the same",
}
"""Tables of a county that are in other files of the export, or say nothing of their own."""
