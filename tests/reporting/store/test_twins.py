"""Two counties with the same ids: what one asks or does is the same, whether or not the other is there.

Runs on SQLite too, where no row security stands behind a query that forgets its county. Every store function that works
for a county has its place here; a new one without fails the last test.
"""

import inspect
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import select, update

from reporting import tables
from reporting.store import (
    cases,
    changes,
    derived,
    destruction,
    events_out,
    export,
    facts,
    fees,
    groups,
    hook_deliveries,
    idempotency,
    identities,
    imports,
    inventory,
    letters,
    lists,
    log,
    log_pages,
    mail,
    matching,
    monthly,
    near,
    placed,
    projection,
    received,
    requested,
    reviews,
    rotation,
    saved_views,
    services,
    submissions,
    summaries,
    verifications,
    verify,
    ways_in,
    webhooks,
)
from reporting.store.derived import AssessedSystem
from reporting.store.engine import Database, Store
from reporting.store.lists import ObligationFilter, SystemFilter
from reporting.store.log import NewEntry
from reporting.store.problems import DESTRUCTION
from reporting.store.reviews import ReviewFilter
from reporting.store.roles import MemberRole
from reporting.store.rotation import SIGNING_KEY
from reporting.store.rows import insert_rows
from reporting.store.signing import Signer, VerifyingKey, add_key
from tests.reporting.store.builders import NOON, a_submission, a_system, an_event, an_obligation

JULY = date(2026, 7, 1)
LATER = NOON + timedelta(hours=1)
ROUTE = "POST /v1/reports"
A_ROTATION = {name: b64encode(bytes(32)).decode() for name in ("key", "replaces", "signature")}
COUNTIES, SEQS = ("ozaukee", "portage", "winnebago"), range(1, 8)
Call = Callable[[Store], Any]
MODULES: list[ModuleType] = [
    cases, changes, derived, destruction, events_out, export, facts, fees, groups, hook_deliveries, idempotency,
    identities, imports, inventory, letters, lists, log, log_pages, mail, matching, monthly, near, placed, projection,
    received, requested, reviews, rotation, saved_views, services, submissions, summaries, verifications,
    verify, ways_in,
]  # fmt: skip


def fill(database: Database, county: str, signer: Signer) -> None:
    """Something of everything, with the county's name wherever a value is free."""
    mark = {"of": county}
    with database.transaction(county) as store:
        fill_log(store, county, signer)
        facts.insert_systems(store, [a_system("s", permit_number="P", site_address=f"1 {county}", content=mark)])
        facts.insert_components(store, [{"system": "s", "component": "septic", "seq": 1, "content": mark}])
        facts.insert_owners(store, [{"system": "s", "seq": 1, "name": county, "content": mark}])
        licence = {"system": "s", "seq": 1, "license_number": county, "license_norm": county}
        facts.insert_designations(store, [licence])
        facts.insert_contracts(store, [{**licence, "content": mark}])
        facts.insert_facts(store, [{"kind": "case", "system": "s", "seq": 1, "id": "c", "content": mark}])
        asked = {"report": "e", "state": county, "asked_on": "2026-07-01", "message": county}
        facts.insert_facts(store, [{"kind": "verification", "system": "s", "seq": 1, "id": "e", "content": asked}])
        fill_fees(store, county)
        facts.insert_facts(store, [{"kind": "setting", "seq": 1, "id": county, "content": mark}])
        facts.insert_events(store, [an_event("e", "s", identity="i", content_sha=county, content=mark)])
        first = an_event("f1", "s", identity="former", content_sha=county, ended_seq=2)
        later = an_event(f"f2-{county}", "s", seq=2, identity="later", content_sha=county, supersedes="f1")
        facts.insert_events(store, [first, later])
        mine = {"contractor_id": "con", "submission": "of", "identity": "mine"}
        facts.insert_events(store, [an_event("late", "s", **mine, content={**mark, "gallons_pumped": len(county)})])
        for norm in ("P", county):
            matching.add_identifiers(store, [{"kind": "permit", "norm": norm, "system": "s", "component": county}])
        matching.add_identifiers(store, [{"kind": "address", "norm": "N1 OAK STREET", "system": "s"}])
        matching.replace_grams(store, {"s": frozenset({"oak"})})
        near.set_grams_up_to(store, 1)
        review = {"id": "r", "event": "e", "state": "open", "reason": county, "candidates": [], "created_seq": 1}
        matching.insert_reviews(store, [review])
        role = MemberRole.CLERK if county == "portage" else MemberRole.MANAGER
        for group in ("all", county):
            groups.map_group(store, "https://login.example", group, role)
        submissions.insert_submission(store, a_submission("sub", file_name=county))
        outcome = {"submission": "sub", "row": 1, "outcome": "accepted", "report_id": "e", "permit_number": county}
        more = [] if county == "portage" else [{**outcome, "row": 2, "report_id": "e2"}]
        submissions.insert_outcomes(store, [outcome, *more])
        submissions.keep_file(store, "sub", county.encode(), mark)
        # What another submission brought in, and a file that repeats it and has a wrong row.
        submissions.insert_submission(store, a_submission("whole"))
        event = {"submission": "whole", "identity": "w", "content_sha": county, "content": mark}
        facts.insert_events(store, [an_event("w0", "s", **{**event, "identity": "w0"})])
        if more:  # its number comes before the other, its day after all others
            later = {**event, "identity": "v0", "service_date": date(2026, 7, 2)}
            facts.insert_events(store, [an_event("v0", "s", **later)])
        ended: dict[str, Any] = {"submission": "whole", "ended_seq": 9} if more else {"submission": "of"}
        facts.insert_events(store, [an_event("ended", "s", **{**event, "identity": "ended", **ended})])
        waiting = {"state": "open", "reason": county, "candidates": [], "created_seq": 2}
        matching.insert_reviews(store, [{**waiting, "id": name, "event": name} for name in ("w0", "ended")])
        wrong = {"code": "required", "field": county}
        repeats = [
            {"submission": "sub", "row": 10 + n, "outcome": "duplicate", "duplicate_of": "w0"}
            for n in range(1 + len(more))
        ]
        rejected = {"submission": "sub", "row": 20, "outcome": "rejected", "errors": [wrong]}
        told = {"submission": "sub", "row": 30, "outcome": "waiting", "seq": 1, "permit_number": county}
        submissions.insert_outcomes(store, [*repeats, rejected, told])
        standing = {"state": county, "dirty": True, "next_change_on": JULY, "contractor": county}
        finding = {"kind": "late_report", "rule": county, "cause": "e", "event": "late", "cite": ""}
        overdue = [an_obligation(because=county, kind=f"late {n}", state="overdue") for n in range(1 + len(more))]
        cases = [an_obligation(because=county, kind="correction", cycle="case:c:2026:", state="overdue")]
        derived.replace_assessment(store, "s", standing, [an_obligation(because=county), *overdue, *cases], [finding])
        row = {"id": "d", "kind": county, "cause_key": "k", "occurred_at": NOON, "content": mark}
        events_out.record_domain_events(store, [row])
    with database.transaction(county) as store:
        fill_letters(store, county)
        fill_cases(store, county)
        fill_deliveries(store, county)
        fill_mail(store, county)
        fill_imports(store, county)
        fill_desk(store, county)
    with database.transaction(county) as store:
        # Outside of the other's key, as the path names the county.
        route = f"{ROUTE} {county}"
        idempotency.begin(store, "key", route, "K", "body", NOON)
        idempotency.finish(store, "key", route, "K", status=201, answer=mark)


def fill_log(store: Store, county: str, signer: Signer) -> None:
    """Entries with a fact that the last one tells of; another county has more, keys and a destruction among them."""
    mark = {"of": county, "by": county}
    entry = NewEntry(type=county, content=mark, raw=county.encode(), words=mark)
    other = county != "portage"
    first = replace(entry, type=SIGNING_KEY, content={**A_ROTATION, **mark}) if other else entry
    log.append(store, [first], NOON)
    log.checkpoint(store, signer, NOON - timedelta(days=1) if other else NOON)
    log.append(store, [entry], NOON + timedelta(minutes=30) if other else NOON)
    log.checkpoint(store, signer, NOON)
    last = log.append(store, [NewEntry(type=county, content=mark)], NOON)
    if other:  # more than its twin has, so that asking past the end of the one would find the other
        log.append(store, [entry] * 2, NOON)
        log.checkpoint(store, signer, NOON)
        gone = NewEntry(type=DESTRUCTION, content={"seqs": [1, 2]})
        last = log.append(store, [gone, NewEntry(type=county, content=mark)], NOON)
    told = {"kind": "told", "seq": last[-1].seq, "id": county, "content": mark}
    facts.insert_facts(store, [told, {**told, "kind": "former", "seq": 4, "ended_seq": 2}])


def fill_fees(store: Store, county: str) -> None:
    """A charge, and a payment of it that differs from county to county."""
    cents = {"kind": county, "period": "2026", "year": 2026, "on": "2026-07-01"}
    row = {"kind": "fee_charge", "system": "s", "seq": 1, "id": "charge", "valid_from": JULY}
    facts.insert_facts(store, [{**row, "content": {**cents, "cents": 4000}}])
    paid = {"charge": "charge", "cents": len(county), "on": "2026-07-01"}
    facts.insert_facts(store, [{**row, "kind": "payment", "id": "payment", "content": paid}])


def fill_letters(store: Store, county: str) -> None:
    """A letter that waits, one that a pause holds, one in a run, one mailed; another county has two of each."""
    numbers = (1,) if county == "portage" else (1, 2)
    for run, state in (("waits", ""), ("printed", "printed"), ("mailed", "mailed")):
        rows = [a_letter(f"{run}-{number}", county) for number in numbers]
        insert_rows(store, tables.message, [{**row, "county": county} for row in rows])
        if state:
            letters.insert_run(store, a_run(run, county), [a_printed(row, n) for n, row in enumerate(rows)])
    paused = [{**a_letter(f"held-{number}", county), "county": county, "kind": "due_digest"} for number in numbers]
    insert_rows(store, tables.message, paused)
    letters.end_run(store, "mailed", state="mailed", mailed_on=JULY, mail_class=county)
    letters.mark_mailed(store, [f"mailed-{number}" for number in numbers], NOON)


def fill_cases(store: Store, county: str) -> None:
    """A case about a licence, and the letter about it that was mailed."""
    content = {"kind": county, "license_norm": "L"}
    facts.insert_facts(store, [{"kind": "case", "system": "s", "seq": 2, "id": "about", "content": content}])
    row = {**a_letter("case_opened|owner|case:s:c:opened:x|letter", county), "kind": "case_opened"}
    insert_rows(store, tables.message, [{**row, "county": county}])
    letters.insert_run(store, a_run("of cases", county), [{**a_printed(row, 1), "system": "s"}])
    letters.end_run(store, "of cases", state="mailed", mailed_on=JULY, mail_class=county)
    letters.mark_mailed(store, [row["dedupe_key"]], NOON)


def fill_mail(store: Store, county: str) -> None:
    """Mails that wait and that went, a pause, addresses that get none, a bounce; another county has more."""
    for number in (1,) if county == "portage" else (1, 2):
        about = {"channel": "mail", "kind": "receipt", "recipient": "a@x.example", "county": county}
        early = {"not_before": NOON if county == "portage" else NOON - timedelta(hours=1), "kind": "checkpoint"}
        rows = [{**a_letter(f"{key}-{number}", county), **about} for key in ("queued", "went", "due")]
        insert_rows(store, tables.message, [{**rows.pop(), **early}])
        insert_rows(store, tables.message, [rows[0], {**rows[1], "state": "sent", "sent_at": NOON}])
        mail.note_bounce(store, a_bounce(f"went-{number}", county))
        address = {"address": f"{number}@x.example", "reason": "bounce", "kind": "", "since": NOON, "detail": county}
        mail.suppress(store, [address])
        assert mail.add_pause(store, a_pause(f"{county}-{number}", county, "receipt" if number == 1 else "pumping"))
    assert mail.add_pause(store, a_pause("pau", county, "due_digest"))


def fill_desk(store: Store, county: str) -> None:
    """A place on the map, a saved view, a month's count of standings; another county has more of each."""
    degrees = {"latitude": f"4{len(county) % 4}.5", "longitude": "-88.5", "of": county}
    version = tables.system_version
    mine = (version.c.county == county, version.c.system == "s")
    store.connection.execute(update(version).where(*mine).values(content=degrees, municipality=county))
    saved = {"of_list": "systems", "query": county, "saved_at": NOON, "saved_by": county}
    assert saved_views.add_view(store, {**saved, "id": "v", "name": county})
    if county != "portage":
        assert saved_views.add_view(store, {**saved, "id": county, "name": "more"})
    month = {"state": county, "systems": len(county), "counted_on": JULY, "county": county}
    insert_rows(store, tables.standing_month, [{**month, "month": name} for name in ("2026-06", "2026-07")])


def fill_imports(store: Store, county: str) -> None:
    """An inventory file that was imported, and a system's code; another county has more and other ones."""
    for number in (1,) if county == "portage" else (1, 2):
        imports.keep_import(store, {**an_import(county), "id": f"imp-{number}"})
    ways_in.keep_code(store, "s", "mark", county, NOON)


def an_import(county: str) -> dict[str, Any]:
    about = {"file_name": county, "file_sha256": county, "plan_sha256": county, "data": county.encode()}
    return {"id": "imp", "state": "done", "principal": county, "received_at": NOON, "ended_at": NOON, **about}


def a_pause(pause: str, county: str, kind: str) -> dict[str, Any]:
    about = {"kind": kind, "recipient": "", "reason": county, "created_at": NOON, "created_by": county}
    return {"id": pause, **about}


def a_bounce(message: str, county: str) -> dict[str, Any]:
    return {"message": message, "outcome": "transient", "status": county, "detail": county, "noted_at": NOON}


def fill_deliveries(store: Store, county: str) -> None:
    """A webhook of the county's own, and of each state a delivery with the ids that the others have too."""
    hook = {"id": county, "county": county, "url": "https://hooks.example.org/", "label": "", "kinds": []}
    made = {"state": "active", "secret": b"x", "created_at": NOON, "created_by": county}
    webhooks.insert_webhook(store, {**hook, **made})
    numbers = (1,) if county == "portage" else (1, 2)
    names = [f"{state}-{n}" for state in ("queued", "sent", "sending") for n in numbers]
    about = {"webhook": county, "kind": county, "content": {"of": county}}
    hook_deliveries.add_deliveries(store, [{**about, "id": name, "source": name} for name in names], NOON)
    delivery = tables.webhook_delivery
    for name in names:
        mine = (delivery.c.county == county, delivery.c.id == name)
        values = {"state": name.partition("-")[0], "lease_until": NOON, "fence": 1}
        store.connection.execute(update(delivery).where(*mine).values(values))


def a_claim(delivery: str) -> hook_deliveries.HookClaim:
    about = {"county": "portage", "kind": "x", "content": {}, "hook": {"id": "portage", "failures": 0}}
    return hook_deliveries.HookClaim(id=delivery, attempts=1, fence=1, lease_until=NOON, **about)


def a_letter(key: str, county: str) -> dict[str, Any]:
    instants = {"created_at": NOON, "not_before": NOON}
    about = {"kind": county, "recipient": county, "message_id": county, "content": {"of": county}}
    row = {"dedupe_key": key, "id": f"{key}-{county}", "state": "queued", "channel": "letter"}
    return {**row, **about, **instants}


def a_run(run: str, county: str) -> dict[str, Any]:
    made = {"created_at": NOON, "created_by": county, "printed_on": JULY, "pdf_sha256": county, "typesetter": county}
    return {"id": run, "state": "printed", "letters": 1, "pages": 1, "content": {"of": county}, **made}


def a_printed(row: dict[str, Any], position: int) -> dict[str, Any]:
    told = {"kind": row["kind"], "address": row["kind"], "postcode": "53080", "text_sha256": row["kind"]}
    pages = {"position": position, "first_page": 1, "last_page": 1}
    return {"message": row["dedupe_key"], "message_id": row["id"], "content": row["content"], **told, **pages}


READS: dict[str, Call] = {
    "cases.cases_about": lambda store: cases.cases_about(store, ["L"]),
    "cases.findings_of_kinds": lambda store: cases.findings_of_kinds(store, ["late_report"]),
    "cases.has_fact": lambda store: cases.has_fact(store, "case", "c"),
    "cases.ids_among": lambda store: cases.ids_among(store, "case", ["c", "none"]),
    "cases.mailed_about": lambda store: cases.mailed_about(store, "s"),
    "cases.messages_about": lambda store: cases.messages_about(store, "s", "c"),
    "cases.page_cases": lambda store: [
        cases.page_cases(store, cases.CaseFilter(overdue=overdue), None, 9) for overdue in (True, False, None)
    ],
    "cases.places_of": lambda store: cases.places_of(store, ["s"]),
    "cases.systems_of_owner": lambda store: [
        cases.systems_of_owner(store, name) for name in (" Portage", "ozaukee", "winnebago")
    ],
    "cases.versions_of": lambda store: cases.versions_of(store, "case", "c"),
    "changes.changes_of": lambda store: changes.changes_of(store, "s"),
    "destruction.entries_before": lambda store: destruction.entries_before(store, COUNTIES, LATER),
    "destruction.last_reports": lambda store: destruction.last_reports(store, SEQS),
    "destruction.reports_ended_since": lambda store: destruction.reports_ended_since(store, SEQS, NOON),
    "destruction.rows_in_use": lambda store: [
        destruction.rows_in_use(store, SEQS, moment) for moment in (NOON, NOON + timedelta(minutes=1))
    ],
    "destruction.submissions_of": lambda store: destruction.submissions_of(store, ["s"]),
    "placed.coordinates_of": lambda store: placed.coordinates_of(store, ["s"]),
    "placed.extent_of": lambda store: placed.extent_of(store, SystemFilter()),
    "placed.systems_within": lambda store: placed.systems_within(store, SystemFilter(), None, 9),
    "placed.town_middles": placed.town_middles,
    "received.page_received": lambda store: received.page_received(store, received.ReceivedFilter(), None, 99),
    "saved_views.count_views": saved_views.count_views,
    "saved_views.get_view": lambda store: saved_views.get_view(store, "v"),
    "saved_views.list_views": lambda store: saved_views.list_views(store, "systems"),
    "projection.compare": lambda store: list(projection.compare(store)),
    "requested.requested_reports": lambda store: requested.requested_reports(store, 10**6, None, None, None),
    "rotation.key_ring": lambda store: rotation.key_ring(store, ()),
    "rotation.keys_of": rotation.keys_of,
    "derived.dirty_systems": lambda store: derived.dirty_systems(store, 9),
    "derived.due_systems": lambda store: derived.due_systems(store, JULY, 9),
    "derived.findings_of": lambda store: derived.findings_of(store, ["s"]),
    "derived.obligations_of": lambda store: derived.obligations_of(store, ["s"]),
    "derived.standings_of": lambda store: derived.standings_of(store, ["s"]),
    "events_out.pending_domain_events": lambda store: events_out.pending_domain_events(store, 9),
    "events_out.recorded_causes": lambda store: events_out.recorded_causes(store, ["k"]),
    "facts.load_county_facts": lambda store: facts.load_county_facts(store, "setting"),
    "facts.load_events": lambda store: facts.load_events(store, ["e"]),
    "facts.list_system_ids": lambda store: facts.list_system_ids(store),
    "facts.has_system": lambda store: [facts.has_system(store, one) for one in ("s", "sys_no")],
    "facts.load_history": lambda store: facts.load_history(store, ["s"]),
    "fees.money_by_id": lambda store: fees.money_by_id(store, ["charge", "payment"]),
    "fees.money_of": lambda store: fees.money_of(store, ["s"]),
    "fees.page_charges": lambda store: fees.page_charges(store, fees.ChargeFilter(), None, 9),
    "fees.totals": fees.totals,
    "idempotency.answered": lambda store: idempotency.answered(store, "key", f"{ROUTE} portage", "K", "body"),
    "groups.list_groups": groups.list_groups,
    "groups.roles_of_groups": lambda store: groups.roles_of_groups(
        store, "https://login.example", ["all", "ozaukee", "winnebago"]
    ),
    "hook_deliveries.count_waiting": hook_deliveries.count_waiting,
    "hook_deliveries.has_unhooked": hook_deliveries.has_unhooked,
    "hook_deliveries.recent_deliveries": lambda store: [
        hook_deliveries.recent_deliveries(store, webhook, 9) for webhook in COUNTIES
    ],
    "identities.find_identities": lambda store: identities.find_identities(store, ["i"]),
    "identities.find_former": lambda store: identities.find_former(store, ["former"]),
    "identities.find_same_day": lambda store: identities.find_same_day(store, [("s", JULY)]),
    "imports.get_import": lambda store: imports.get_import(store, "imp-1"),
    "imports.list_imports": lambda store: imports.list_imports(store, 9),
    "inventory.identifiers_of": lambda store: inventory.identifiers_of(store, ["s"]),
    "letters.count_letters": letters.count_letters,
    "letters.get_run": lambda store: letters.get_run(store, "printed"),
    "letters.letters_of": lambda store: letters.letters_of(store, "printed"),
    "letters.list_runs": lambda store: letters.list_runs(store, ()),
    "letters.mailed_letters": letters.mailed_letters,
    "letters.page_letters": lambda store: letters.page_letters(store, (), None, 9),
    "letters.waiting_letters": lambda store: letters.waiting_letters(store, NOON),
    "lists.list_obligations": lambda store: lists.list_obligations(store, ObligationFilter(), None, 9),
    "lists.list_systems": lambda store: [
        lists.list_systems(store, SystemFilter(permit=norm), None, 9) for norm in ("P", "ozaukee", "winnebago")
    ],
    "log.appended_entry": lambda store: [log.appended_entry(store, seq) for seq in (1, 5)],
    "log.detail_of": lambda store: [log.detail_of(store, seq) for seq in (1, 5)],
    "log.entries_of": lambda store: log.entries_of(store, [1, 2, 3, 5]),
    "log.head": log.head,
    "log.raw_of": lambda store: [log.raw_of(store, seq) for seq in (1, 5)],
    "log.seq_at": lambda store: log.seq_at(store, NOON),
    "log.signed_head": lambda store: [log.signed_head(store, size) for size in (2, 4)],
    "log_pages.entry_at": lambda store: [log_pages.entry_at(store, seq) for seq in (1, 5)],
    "log_pages.page_entries": lambda store: [log_pages.page_entries(store, kind, 99, 0, 9) for kind in ("", *COUNTIES)],
    "mail.count_held": mail.count_held,
    "letters.count_held_letters": letters.count_held_letters,
    "mail.due_since": lambda store: mail.due_since(store, NOON),
    "mail.get_bounce": lambda store: mail.get_bounce(store, "went-1"),
    "mail.last_outcomes": lambda store: mail.last_outcomes(store, "a@x.example", 9),
    "mail.list_pauses": mail.list_pauses,
    "mail.list_suppressions": mail.list_suppressions,
    "mail.page_mails": lambda store: mail.page_mails(store, mail.MailFilter(), None, 99),
    "mail.waiting_mails": mail.waiting_mails,
    "matching.find_by_grams": lambda store: matching.find_by_grams(store, ["oak"], 9),
    "matching.find_by_identifiers": lambda store: matching.find_by_identifiers(store, [("permit", "P")]),
    "matching.list_reviews": lambda store: matching.list_reviews(store, "open", None, 9),
    "monthly.months_since": lambda store: monthly.months_since(store, "2026-01"),
    "near.find_addresses": lambda store: near.find_addresses(store, ["N1"], 9),
    "near.find_any": lambda store: near.find_any(store, [("permit", "P"), ("permit", "ozaukee")]),
    "near.find_long_numbers": lambda store: near.find_long_numbers(store, "permit", 1),
    "near.grams_up_to": near.grams_up_to,
    "near.has_grams": near.has_grams,
    "near.places_after": lambda store: near.places_after(store, 0, 9),
    "near.load_places": lambda store: near.load_places(store, ["s"]),
    "reviews.count_events": lambda store: reviews.count_events(store, ["s"]),
    "reviews.get_review": lambda store: reviews.get_review(store, "r"),
    "reviews.open_reviews": lambda store: reviews.open_reviews(store, events=["e"]),
    "reviews.page_reviews": lambda store: reviews.page_reviews(store, ReviewFilter(), None, 9),
    "reviews.standing_versions": lambda store: reviews.standing_versions(store, ["e", "f1"]),
    "services.count_by_business": lambda store: services.count_by_business(store, date.min, date.max),
    "services.count_by_month": lambda store: services.count_by_month(store, date.min, date.max),
    "services.count_inventory": services.count_inventory,
    "services.count_judged": lambda store: services.count_judged(store, date(2000, 1, 1), date(2100, 1, 1)),
    "services.count_late": lambda store: services.count_late(store, date(2000, 1, 1), date(2100, 1, 1)),
    "services.count_services": lambda store: services.count_services(store, date(2000, 1, 1), date(2100, 1, 1)),
    "services.facts_of_kind": lambda store: services.facts_of_kind(store, "case"),
    "services.reports_before": lambda store: services.reports_before(store, "con", "late0", 9),
    "services.services_of": lambda store: list(services.services_of(store, "con", date(2000, 1, 1), date(2100, 1, 1))),
    "services.system_of_fact": lambda store: services.system_of_fact(store, "case", "c"),
    "submissions.count_outcomes": lambda store: submissions.count_outcomes(store, "sub"),
    "submissions.count_repeats": lambda store: submissions.count_repeats(store, "whole"),
    "submissions.get_submission": lambda store: submissions.get_submission(store, "sub"),
    "submissions.kept_file": lambda store: submissions.kept_file(store, "sub"),
    "submissions.lacking_fields": lambda store: submissions.lacking_fields(store, "sub", ["required"]),
    "submissions.list_submissions": lambda store: submissions.list_submissions(store, status="done", limit=9),
    "submissions.outcome_of_report": lambda store: [submissions.outcome_of_report(store, key) for key in ("e", "e2")],
    "submissions.outcome_page": lambda store: submissions.outcome_page(store, "sub", limit=9),
    "submissions.outcomes_of": lambda store: list(submissions.outcomes_of(store, "sub")),
    "submissions.standing_reports": lambda store: submissions.standing_reports(store, "whole"),
    "verifications.count_verifications": verifications.count_verifications,
    "verifications.page_verifications": lambda store: verifications.page_verifications(store, (), None, 9),
    "verifications.verifications_of": lambda store: verifications.verifications_of(store, ["e"]),
    "verify.verify": verify.verify,
    "ways_in.code_of": lambda store: ways_in.code_of(store, "s"),
    "summaries.case_deadlines": lambda store: summaries.case_deadlines(store, date.min, date.max, 9),
    "summaries.count_events_since": lambda store: summaries.count_events_since(store, NOON),
    "summaries.count_open_reviews": summaries.count_open_reviews,
    "summaries.count_overdue": lambda store: summaries.count_overdue(store, "correction"),
    "summaries.count_standings": summaries.count_standings,
    "summaries.designated_among": lambda store: sorted(
        summaries.designated_among(store, ["ozaukee", "portage", "winnebago"])
    ),
    "summaries.newly_overdue": lambda store: summaries.newly_overdue(store, date.min, date.max, 9),
    "summaries.overdue_by_town": summaries.overdue_by_town,
}
VERSION = {"system": "s", "seq": 2}
NEW_LICENCE = {**VERSION, "license_number": "1", "license_norm": "1"}
WRITES: dict[str, Call] = {
    "derived.mark_all_dirty": derived.mark_all_dirty,
    "derived.mark_dirty": lambda store: derived.mark_dirty(store, ["s", "new"]),
    "derived.replace_assessment": lambda store: derived.replace_assessment(store, "s", {"state": "x"}, [], []),
    "derived.replace_assessments": lambda store: derived.replace_assessments(
        store, [AssessedSystem(system="s", standing={"state": "x"}, obligations=[], findings=[])]
    ),
    "events_out.mark_handled": lambda store: events_out.mark_handled(store, ["d"], NOON),
    "events_out.record_domain_events": lambda store: events_out.record_domain_events(
        store, [{"id": "d2", "kind": "x", "cause_key": "k2", "occurred_at": NOON}]
    ),
    "facts.end_each": lambda store: facts.end_each(store, tables.system_version, [({"system": "s"}, 3)]),
    "facts.end_versions": lambda store: facts.end_versions(store, tables.system_version, [{"system": "s"}], 3),
    "facts.insert_components": lambda store: facts.insert_components(store, [{**VERSION, "content": {}}]),
    "facts.insert_contracts": lambda store: facts.insert_contracts(store, [{**NEW_LICENCE, "content": {}}]),
    "facts.insert_designations": lambda store: facts.insert_designations(store, [NEW_LICENCE]),
    "facts.insert_events": lambda store: facts.insert_events(store, [an_event("e2", "s")]),
    "facts.insert_facts": lambda store: facts.insert_facts(store, [{"kind": "x", "seq": 2, "id": "f", "content": {}}]),
    "facts.insert_owners": lambda store: facts.insert_owners(store, [{**VERSION, "content": {}}]),
    "facts.insert_system_versions": lambda store: facts.insert_system_versions(
        store, [{**VERSION, "status": "removed", "content": {}}]
    ),
    "facts.insert_systems": lambda store: facts.insert_systems(store, [a_system("s2")]),
    "groups.map_group": lambda store: groups.map_group(store, "https://login.example", "all", MemberRole.VIEWER),
    "groups.unmap_group": lambda store: groups.unmap_group(store, "https://login.example", "all"),
    "hook_deliveries.add_deliveries": lambda store: hook_deliveries.add_deliveries(
        store, [{"id": "d", "webhook": "portage", "source": "s", "kind": "x", "content": {}}], NOON
    ),
    "hook_deliveries.claim_delivery": lambda store: hook_deliveries.claim_delivery(store, LATER, timedelta(minutes=1)),
    "hook_deliveries.finish_delivery": lambda store: hook_deliveries.finish_delivery(
        store, a_claim("sending-1"), hook_deliveries.DeliveryState.SENT, sent_at=LATER
    ),
    "hook_deliveries.forget_deliveries": lambda store: hook_deliveries.forget_deliveries(store, LATER),
    "hook_deliveries.mark_hooked": lambda store: hook_deliveries.mark_hooked(store, ["d"], NOON),
    "hook_deliveries.reap_deliveries": lambda store: hook_deliveries.reap_deliveries(store, LATER),
    "idempotency.begin": lambda store: idempotency.begin(store, "key", ROUTE, "K2", "body", NOON),
    "idempotency.finish": lambda store: idempotency.finish(store, "key", f"{ROUTE} portage", "K", status=2, answer=2),
    "idempotency.forget_old": lambda store: idempotency.forget_old(store, NOON + timedelta(days=999)),
    "imports.forget_imports": lambda store: imports.forget_imports(store, LATER),
    "imports.keep_import": lambda store: imports.keep_import(store, an_import("portage")),
    "imports.update_import": lambda store: imports.update_import(store, "imp-1", {"state": "x"}),
    "inventory.drop_names": lambda store: inventory.drop_names(store, [{"kind": "permit", "norm": "P", "system": "s"}]),
    "log.put_in_force": lambda store: log.put_in_force(store, VerifyingKey(raw=bytes(32))),
    "letters.end_letters": lambda store: letters.end_letters(store, [("waits-1", "cancelled", "x")]),
    "letters.end_run": lambda store: letters.end_run(store, "printed", state="cancelled"),
    "letters.free_letters": lambda store: letters.free_letters(store, "printed", NOON),
    "letters.insert_run": lambda store: letters.insert_run(
        store, a_run("new", "portage"), [a_printed(a_letter("waits-1", "portage"), 1)]
    ),
    "letters.mark_mailed": lambda store: letters.mark_mailed(store, ["printed-1"], LATER),
    "letters.redate_letters": lambda store: letters.redate_letters(store, ["mailed-1"], LATER),
    "letters.redate_run": lambda store: letters.redate_run(
        store, "mailed", mailed_on=JULY, mail_class="certified", seq=7
    ),
    "letters.note_entry": lambda store: letters.note_entry(store, "mailed", 7),
    "log.append": lambda store: log.append(store, [NewEntry(type="x", content={}, raw=b"x")], LATER),
    "mail.add_pause": lambda store: [
        mail.add_pause(store, a_pause(pause, "portage", kind))
        for pause, kind in (("more", "checkpoint"), ("ozaukee-1", "receipt"))
    ],
    "mail.end_pause": lambda store: mail.end_pause(store, "pau", ended_at=LATER, ended_by="me", end_reason=None),
    "mail.fail_message": lambda store: mail.fail_message(store, "went-1", "x"),
    "mail.lift": lambda store: mail.lift(store, "1@x.example", ["bounce"]),
    "mail.note_bounce": lambda store: mail.note_bounce(store, {**a_bounce("went-1", "x"), "outcome": "permanent"}),
    "mail.suppress": lambda store: mail.suppress(
        store, [{"address": "new@x.example", "reason": "bounce", "kind": "", "since": NOON}]
    ),
    "matching.add_identifiers": lambda store: matching.add_identifiers(
        store, [{"kind": "parcel", "norm": "1", "system": "s"}]
    ),
    "matching.drop_alias": lambda store: matching.drop_alias(store, "permit", "P"),
    "matching.drop_identifiers": lambda store: matching.drop_identifiers(store, ["s"], ["permit"]),
    "matching.insert_reviews": lambda store: matching.insert_reviews(
        store, [{"id": "r2", "event": "e", "state": "open", "reason": "", "candidates": [], "created_seq": 1}]
    ),
    "matching.replace_grams": lambda store: matching.replace_grams(store, {"s": frozenset({"elm"})}),
    "near.set_grams_up_to": lambda store: near.set_grams_up_to(store, 2),
    "monthly.keep_month": lambda store: monthly.keep_month(store, date(2026, 7, 2)),
    "saved_views.add_view": lambda store: saved_views.add_view(
        store, {"id": "w", "of_list": "x", "name": "x", "query": "", "saved_at": NOON, "saved_by": "x"}
    ),
    "saved_views.drop_view": lambda store: saved_views.drop_view(store, "v"),
    "matching.resolve_review": lambda store: matching.resolve_review(
        store, "r", state="placed", system="s", seq=2, by="me"
    ),
    "reviews.close_reviews_of": lambda store: reviews.close_reviews_of(store, "e", state="amended", seq=2, by="me"),
    "submissions.drop_file": lambda store: submissions.drop_file(store, "sub"),
    "submissions.end_reports": lambda store: submissions.end_reports(store, "whole", 7, "me"),
    "submissions.keep_file": lambda store: submissions.keep_file(store, "whole", b"x", {}),
    "submissions.insert_outcomes": lambda store: submissions.insert_outcomes(
        store, [{"submission": "sub", "row": 3, "outcome": "rejected"}]
    ),
    "submissions.insert_submission": lambda store: submissions.insert_submission(store, a_submission("sub2")),
    "ways_in.drop_code": lambda store: ways_in.drop_code(store, "s"),
    "ways_in.keep_code": lambda store: ways_in.keep_code(store, "s", "another", "me", LATER),
    "ways_in.try_code": lambda store: ways_in.try_code(store, "s", LATER),
    "ways_in.use_code": lambda store: ways_in.use_code(store, "s", "mark", LATER),
    "submissions.update_submission": lambda store: submissions.update_submission(store, "sub", {"status": "x"}),
}
ELSEWHERE = {
    "derived.claim_due_systems",  # holds what it reads, so not in a reading transaction: below
    "hook_deliveries.unhooked_events",  # holds what it reads: below
    "idempotency.release",  # needs a key that is running: below
    "destruction.destroy",  # is for the role that owns the tables: below
    "export.export_log",  # writes files: below
    "inventory.hold_inventory",  # keeps others waiting, and reads and writes nothing
    "inventory.settle_parcels",  # made of `matching.find_by_identifiers` and `inventory.drop_names`
    "letters.hold_letters",  # holds what it reads: below
    "lists.system_conditions",  # a part of the questions of `lists.list_systems` and `placed.systems_within`
    "log.checkpoint",  # needs a key to sign: below
    "log.head_now",  # needs a key to sign: below
    "log.settle",  # writes what `log.append` has promised
    "rotation.hand_over",  # needs a key to sign: below
    "verify.take_time",  # reads and writes nothing
    "log.hold",  # may not be asked in a reading transaction: below
}


def rows_of(database: Database, county: str) -> dict[str, list[Any]]:
    """Everything that a county has."""
    with database.reading(county) as store:
        return {
            table.name: sorted(map(repr, store.connection.execute(select(table).where(table.c.county == county)).all()))
            for table in tables.tenant_tables()
        }


def answers(database: Database) -> dict[str, Any]:
    """What each function answers of the one county."""
    found = {}
    for name, ask in READS.items():
        with database.reading("portage") as store:
            found[name] = ask(store)
    return found


def test_an_answer_is_the_same_with_or_without_a_twin(opened: Database, signer: Signer) -> None:
    fill(opened, "portage", signer)
    alone = answers(opened)
    assert [name for name, answer in alone.items() if not answer] == [], "an empty answer shows nothing"
    fill(opened, "ozaukee", signer)  # on both sides of it in the alphabet, whichever row a query happens on
    fill(opened, "winnebago", signer)
    assert {name: answer for name, answer in answers(opened).items() if answer != alone[name]} == {}


def test_of_a_county_that_has_nothing_nothing_is_found_that_others_have(opened: Database, signer: Signer) -> None:
    """Twins have the same ids: whether one is there at all is told only where it is not."""
    nothing = answers(opened)
    fill(opened, "ozaukee", signer)
    fill(opened, "winnebago", signer)
    assert {name: answer for name, answer in answers(opened).items() if answer != nothing[name]} == {}


@pytest.mark.parametrize("name", WRITES)
def test_a_change_stays_at_home(opened: Database, signer: Signer, name: str) -> None:
    for county in ("ozaukee", "portage", "winnebago"):
        fill(opened, county, signer)
        if name == "derived.mark_dirty":
            with opened.transaction(county) as store:
                facts.insert_systems(store, [a_system("new")])
                derived.replace_assessment(store, "s", {"state": "x"}, [], [])
        if name == "derived.mark_all_dirty":
            with opened.transaction(county) as store:
                derived.replace_assessment(store, "s", {"state": "x"}, [], [])
    before = {county: rows_of(opened, county) for county in ("ozaukee", "portage", "winnebago")}
    with opened.transaction("portage") as store:
        WRITES[name](store)
    after = {county: rows_of(opened, county) for county in before}
    assert after["portage"] != before["portage"]
    assert (after["ozaukee"], after["winnebago"]) == (before["ozaukee"], before["winnebago"])


def test_a_head_is_signed_at_home(opened: Database, signer: Signer) -> None:
    for county in ("ozaukee", "portage", "winnebago"):
        fill(opened, county, signer)
    before = [rows_of(opened, "ozaukee"), rows_of(opened, "winnebago")]
    with opened.transaction("portage") as store:
        assert log.head_now(store, signer, LATER).size == 3
        assert log.checkpoint(store, signer, LATER).size == 3
    assert [rows_of(opened, "ozaukee"), rows_of(opened, "winnebago")] == before


def test_a_log_is_handed_over_at_home(opened: Database, signer: Signer) -> None:
    for county in COUNTIES:
        fill(opened, county, signer)
    before = [rows_of(opened, "ozaukee"), rows_of(opened, "winnebago")]
    assert signer.path is not None
    with opened.transaction("portage") as store:
        assert rotation.hand_over(store, add_key(signer.path), LATER) is not None
    assert [rows_of(opened, "ozaukee"), rows_of(opened, "winnebago")] == before


def test_records_are_destroyed_at_home(opened: Database, owner: Database, signer: Signer) -> None:
    for county in COUNTIES:
        fill(opened, county, signer)
    before = [rows_of(opened, "ozaukee"), rows_of(opened, "winnebago")]
    with owner.transaction("portage") as store:
        destruction.destroy(store, [1, 2], ["sub", "whole"])
    assert rows_of(opened, "portage")["log_raw"] == []
    assert [rows_of(opened, "ozaukee"), rows_of(opened, "winnebago")] == before


def test_an_export_is_of_one_county(opened: Database, signer: Signer, tmp_path: Path) -> None:
    for county in COUNTIES:
        fill(opened, county, signer)
    with opened.reading("portage") as store, export.new_bundle(tmp_path / "export") as bundle:
        head = log.signed_head(store, 2)
        assert head is not None
        export.export_log(store, bundle, head, NOON)
    written = b"".join(path.read_bytes() for path in (tmp_path / "export").iterdir() if path.suffix == ".jsonl")
    assert b"portage" in written
    assert b"ozaukee" not in written
    assert b"winnebago" not in written


def test_a_log_is_held_at_home(opened: Database, signer: Signer) -> None:
    for county in ("ozaukee", "portage", "winnebago"):
        fill(opened, county, signer)
    with opened.transaction("portage") as store:
        assert log.hold(store).size == 3
        if opened.dialect == "postgresql":  # another county's is free; on SQLite there is one lock for all
            with opened.transaction("ozaukee") as other:
                assert log.hold(other).size == 7


def test_due_systems_are_claimed_at_home(opened: Database, signer: Signer) -> None:
    fill(opened, "portage", signer)
    with opened.transaction("portage") as store:
        alone = derived.claim_due_systems(store, JULY, 9)
    assert alone
    fill(opened, "ozaukee", signer)
    with opened.transaction("portage") as store:
        assert derived.claim_due_systems(store, JULY, 9) == alone


def test_events_for_webhooks_are_held_at_home(opened: Database, signer: Signer) -> None:
    for county in ("ozaukee", "portage"):
        fill(opened, county, signer)
    with opened.transaction("portage") as store:
        assert [row["kind"] for row in hook_deliveries.unhooked_events(store, 9)] == ["portage"]


def test_letters_are_held_at_home(opened: Database, signer: Signer) -> None:
    fill(opened, "ozaukee", signer)
    fill(opened, "portage", signer)
    with opened.transaction("portage") as store:
        assert letters.hold_letters(store, ["waits-1", "waits-2", "printed-1"]) == {"waits-1": {"of": "portage"}}


def test_a_running_key_is_released_at_home(opened: Database) -> None:
    for county in ("ozaukee", "portage"):
        with opened.transaction(county) as store:
            idempotency.begin(store, "key", f"{ROUTE} {county}", "K", "body", NOON)
    with opened.transaction("portage") as store:
        idempotency.release(store, "key", f"{ROUTE} ozaukee", "K")
        idempotency.release(store, "key", f"{ROUTE} portage", "K")
    assert rows_of(opened, "portage")["idempotency"] == []
    assert len(rows_of(opened, "ozaukee")["idempotency"]) == 1


def test_every_function_of_the_store_has_its_twin_test() -> None:
    found = {
        f"{module.__name__.rpartition('.')[2]}.{name}"
        for module in MODULES
        for name, value in inspect.getmembers(module, inspect.isfunction)
        if value.__module__ == module.__name__
        and not name.startswith("_")
        and "store" in inspect.signature(value).parameters
    }
    assert found == READS.keys() | WRITES.keys() | ELSEWHERE
