"""What a person tells in a JSON object: kept with an entry in the record, answered with its receipt."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Response

from reporting.api.bodies import read_object, sent_object
from reporting.api.calls import Reply, call, problem_reply, service
from reporting.api.moments import program_today
from reporting.api.once import change
from reporting.api.problems import Problem
from reporting.errors import DecisionRefused
from reporting.owners import NotTold, Teller, Told
from reporting.store.engine import Store
from reporting.sweep import assess_now

Tell = Callable[[Store, Teller, Mapping[str, object]], Told | NotTold]


def tell(how: Tell) -> Response:
    """Keep what the body tells, or say all that is wrong with it; its system is judged at once."""
    sent = sent_object()
    values = read_object(sent)

    def work(store: Store) -> Reply:
        program, today = program_today(store)
        teller = Teller(program=program, by=call().keyholder.key_id, now=call().now, signer=service().signer)
        try:
            told = how(store, teller, values)
        except DecisionRefused as refused:
            return problem_reply(Problem(409, "not-possible", str(refused)))
        if isinstance(told, NotTold):
            errors = [issue.as_json() for issue in told.issues]
            return problem_reply(
                Problem(422, "validation", "Nothing was kept: " + told.issues[0].message, errors=errors)
            )
        if told.system:
            assess_now(store, program, [told.system], today, call().now)
        body = {
            "id": told.id, "county": call().tenant, "system": told.system or None, "receipt": told.receipt.to_json(),
            **told.more,
        }  # fmt: skip
        return Reply(status=201, body=body)

    return change(sent, work)
