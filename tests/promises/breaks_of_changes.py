"""Named mutants of what is done once: repeated requests, the ledger of fees, and the queue of messages."""

from __future__ import annotations

from tests.promises.breaks import Break, Shelf

STORE = "tests/reporting/store/test_idempotency.py::"
API = "tests/reporting/api/test_once.py::"
FEES = "tests/reporting/fees/test_ledger_of_a_county.py::"
FREE = "tests/reporting/fees/test_free.py::"
OUTBOX = "tests/notifications/test_outbox.py::"
DELIVERY = "tests/notifications/test_delivery.py::"
QUEUEING = "tests/notifications/test_queueing.py::"

keys = Shelf(group="idempotency", module="reporting.store.idempotency", tests=(STORE,))
held = Shelf(group="idempotency", module="reporting.store.idempotency", tests=(STORE,), kind="postgresql")
once = Shelf(group="idempotency", module="reporting.api.once", tests=(API,))
charging = Shelf(group="ledger", module="reporting.fees.charging", tests=(FEES,))
paying = Shelf(group="ledger", module="reporting.fees.paying", tests=(FEES,))
ledger = Shelf(group="ledger", module="reporting.fees.ledger", tests=(FEES,))
outbox = Shelf(group="outbox", module="notifications.outbox", tests=(OUTBOX,))

SAME_BODY = '    if row["body_sha256"] != body_sha256:\n        return Mismatch()\n'
NOT_ANSWERED = '    if row is None or row["state"] == "running":\n        return None\n'
STILL_RUNNING = '    if row["state"] == "running":\n        return Running()\n'

IDEMPOTENCY = (
    keys.of("a key is everybody's", "        table.c.principal == principal,\n", "", f"{STORE}test_keys_belong"),
    keys.of("a key is good for every address", "        table.c.route == route,\n", ""),
    keys.of("all keys are one", "        table.c.key == key,\n", ""),
    keys.of("another body is answered alike", SAME_BODY + STILL_RUNNING, STILL_RUNNING),
    keys.of(
        "another form is answered alike",
        NOT_ANSWERED + SAME_BODY,
        NOT_ANSWERED,
    ),
    keys.of("work that is being done is answered", STILL_RUNNING + "    return Replay", "    return Replay"),
    keys.of("nothing grows stale", "<= now - stale_after:", "<= now - 9 * stale_after:"),
    keys.of("stale a moment later", "<= now - stale_after:", "< now - stale_after:"),
    keys.of(
        "a release forgets answers",
        'running = and_(_is(store, principal, route, key), tables.idempotency.c.state == "running")',
        "running = _is(store, principal, route, key)",
    ),
    keys.of("answers go a moment early", "< now - kept)", "<= now - kept)"),
    keys.of("answers stay for ever", "< now - kept)", "< now - 9 * kept)"),
    keys.of("the headers of an answer are lost", "headers=dict(headers or {})", "headers={}"),
    keys.of("an answer stays running", '.values(state="done", ', '.values(state="running", '),
    held.of("an open transaction does not hold its key", "    return bool(\n", "    return True or bool(\n"),
    held.of("one key held holds it at every address", '"\\x1f".join((principal, route, key))', "key"),
    once.of("a refusal keeps the key", "        idempotency.release(store, holder, route, key)\n", "        pass\n"),
    once.of("a refusal is kept as the answer", "if reply.status < 300:", "if reply.status < 500:"),
    once.of("a repeat does not say that it is one", "headers=begun.headers), REPLAYED", "headers=begun.headers), None"),
    once.of("a key of any length", "if not _KEY.fullmatch(key):", "if not key:"),
)

LEDGER = (
    charging.of(
        "what was charged is charged again",
        "found = money_by_id(store, [draft.id]).get(draft.id)",
        "found = money_by_id(store, [draft.id]).get()",
    ),
    charging.of(
        "each system of a parcel is charged",
        'norm = normalize_identifier(parcel) if of_property and parcel else ""',
        'norm = ""',
    ),
    charging.of("who is free is charged", "if terms.free_by:", "if terms.free_by == 0:", FREE),
    charging.of(
        "another amount than the ordinance's",
        "if terms.cents is not None and cents not in (None, terms.cents):",
        "if terms.cents == 0:",
    ),
    charging.of("a fee after the fact is the usual one", '"cents": usual * by.act.times,', '"cents": usual,'),
    charging.of("dollars are cents", "int(found[1]) * 100 + int(found[2] or 0)", "int(found[1]) + int(found[2] or 0)"),
    charging.of("nothing may be paid", "if 0 < meant <= MOST_CENTS:", "if 0 <= meant <= MOST_CENTS:"),
    paying.of("more may go than is left", "not 0 < cents <= most:", "not 0 < cents:"),
    paying.of(
        "a refund is measured by what is left",
        "most = account.left if kind is EntryKind.WAIVER else",
        "most = account.left if kind else",
    ),
    paying.of("a refund again and again", "account.paid - account.refunded", "account.paid"),
    paying.of("a reference in another spelling is another", '" ".join(reference.casefold().split())', "reference"),
    paying.of(
        "one reference, two amounts", 'if before["cents"] != draft.content["cents"]:', 'if before["cents"] == 0:'
    ),
    paying.of(
        "paid twice under a reference", "return _told_before(store, draft, found, planned) or draft", "return draft"
    ),
    paying.of(
        "a payment may be waived",
        'if charge is None or charge["kind"] != EntryKind.CHARGE:',
        "if charge is None:",
    ),
    paying.of("a second waiver is the first", "str(number + 1)", "str(1)"),
    ledger.of("what people wrote is in the log", "if name not in left_out}", "if name}"),
    ledger.of("what people wrote is nowhere", "raw=_raw(d))", "raw=None)"),
    ledger.of("nobody looks again", "    mark_dirty(store, sorted({d.system for d in drafts}))\n", "    pass\n", FEES),
    ledger.of("a fact is of another day", '"valid_from": d.on,', '"valid_from": teller.today,'),
)

FIRST = (
    "_is_of(store, Channel.MAIL), _table.c.state.in_(WAITING), _table.c.not_before <= now, ~is_held())\n        .order"
)
OUTBOX_BREAKS = (
    outbox.of("whoever lost a claim changes the row", ", _table.c.fence == claim.fence", ""),
    outbox.of(
        "what is done may be done again",
        "_table.c.fence == claim.fence, _table.c.state == MessageState.SENDING)",
        "_table.c.fence == claim.fence)",
    ),
    outbox.of(
        "a claim raises no fence",
        "fence=_table.c.fence + 1,\n            attempts",
        "fence=_table.c.fence,\n            attempts",
    ),
    outbox.of("a reaper raises no fence", '"fence": _table.c.fence + 1,', '"fence": _table.c.fence,'),
    outbox.of("a lease ends a moment later", "_table.c.lease_until <= now)", "_table.c.lease_until < now)"),
    outbox.of("a lease ends at once", ", _table.c.lease_until <= now)", ")", OUTBOX, DELIVERY),
    outbox.of(
        "what may have arrived is queued",
        '"state": str(MessageState.UNCERTAIN),',
        '"state": str(MessageState.QUEUED),',
        OUTBOX,
        DELIVERY,
    ),
    outbox.of("what waits is sent early", FIRST, FIRST.replace(" _table.c.not_before <= now,", ""), OUTBOX, DELIVERY),
    outbox.of(
        "a pause holds nothing", FIRST, FIRST.replace(", ~is_held()", ""), "tests/notifications/test_pauses.py::"
    ),
    outbox.of(
        "letters go by mail",
        FIRST,
        FIRST.replace("_is_of(store, Channel.MAIL)", "_table.c.county == store.tenant"),
        "tests/notifications/test_print_runs.py::",
        "tests/notifications/test_mailings.py::",
    ),
    outbox.of("what is uncertain stays so", FIRST, FIRST.replace("state.in_(WAITING)", 'state == "queued"'), DELIVERY),
    outbox.of(
        "a release counts the attempt", '"attempts": claim.attempts - 1,', '"attempts": claim.attempts,', DELIVERY
    ),
    outbox.of(
        "a release forgets what is uncertain", '"state": str(claim.state_before),', '"state": "queued",', DELIVERY
    ),
    outbox.of(
        "each scan sends again",
        '.on_conflict_do_nothing(index_elements=["county", "dedupe_key"])',
        '.on_conflict_do_update(index_elements=["county", "dedupe_key"], set_={"state": "queued"})',
        QUEUEING,
    ),
    outbox.of(
        "what was sent is cancelled", "_is(store, dedupe_key), _table.c.state.in_(WAITING))", "_is(store, dedupe_key))"
    ),
    outbox.of(
        "a digest that left grows",
        'if there["state"] != MessageState.QUEUED or there["attempts"]:',
        'if there["state"] is None:',
        QUEUEING,
    ),
    outbox.of("no rate", "max(now, row.until)", "now"),
    outbox.of("a rate by the hour", "timedelta(seconds=60 / per_minute)", "timedelta(minutes=60 / per_minute)"),
    outbox.of("a message goes again at once", '{"not_before": not_before} if not_before else {}', "{}", DELIVERY),
    outbox.of(
        "the newest first",
        ".order_by(_table.c.not_before, _table.c.created_at, _table.c.dedupe_key)",
        ".order_by(_table.c.not_before.desc(), _table.c.created_at.desc(), _table.c.dedupe_key.desc())",
        OUTBOX,
        DELIVERY,
    ),
    outbox.of(
        "two counties, one Message-ID", 'f"{store.tenant}\\n{notice.dedupe_key}"', 'f"{notice.dedupe_key}"', QUEUEING
    ),
)

BREAKS: tuple[Break, ...] = (*IDEMPOTENCY, *LEDGER, *OUTBOX_BREAKS)
