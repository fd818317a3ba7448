"""A world in which every page has something to show, beside people for whom there is nothing yet."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from notifications.records import NoticeKind
from notifications.unsubscribe import unsubscribe_path
from reporting.access.entries import log_of
from reporting.access.invitations import invite
from reporting.access.links import owners_path
from reporting.access.secret import Secret
from reporting.cli.mail import scan_county
from reporting.store.people import upsert_contractors, upsert_credentials
from reporting.store.persons import Place
from reporting.store.reviews import ReviewFilter, page_reviews
from reporting.store.roles import MemberRole
from reporting.store.sessions import Method, start_owner_session, start_session
from reporting.store.signin import create_signin_token
from tests.promises.proof import Arena
from tests.promises.tenants import stage
from tests.reporting.api.people import PLACES, add_person
from tests.reporting.api.test_access import IDS, a_case
from tests.reporting.api.test_mailing import OWNER, queue
from tests.reporting.api.world import HOME, NOW, World, a_report
from tests.reporting.counties import TODAY, a_row, csv_of, load, the_system
from tests.web.filling import fill as send_form

EMPTY: Final = "lake-beulah"
"""Where nothing is yet."""
PERIODS: Final = "winnebago"
"""Where a holding tank's owner states something for each half year."""
NEWCOMERS: Final = {
    "new manager": (Place(county=EMPTY), MemberRole.MANAGER),
    "new office": (Place(contractor_id="con_new"), MemberRole.OFFICE),
}
FILE: Final = csv_of(a_row("SP-9"), a_row("SP-10", capacity_gallons="many")).decode()
PASSWORD: Final = "heron under the old bridge"


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """The world, who is in it, and what stands for the parts of addresses.

    own_ids: by endpoint, in the place of those of all. more: further addresses of an endpoint. documented: endpoint and
    method of what the service's document says is shown as HTML. sent: what forms lead to, by endpoint: state, data.
    """

    world: World
    everybody: tuple[str, ...]
    all_ids: Mapping[str, str]
    own_ids: Mapping[str, Mapping[str, str]]
    more: Mapping[str, Sequence[Mapping[str, str]]]
    documented: frozenset[tuple[str, str]]
    sent: Mapping[str, Sequence[tuple[str, Mapping[str, str]]]]

    def ids(self, endpoint: str) -> dict[str, str]:
        """What stands for each part of an endpoint's address."""
        return {**self.all_ids, **self.own_ids.get(endpoint, {})}


@contextmanager
def grounds(arena: Arena) -> Iterator[Grounds]:
    """Everything that a page can show, over a fresh database."""
    with stage(arena) as found:
        world = found.world
        held = {
            name: next(one.value for one in all_of if one.county == HOME)
            for name, all_of in found.held.items()
            if name in RECORDS
        }
        with world.database.reading(HOME) as store:
            review = page_reviews(store, ReviewFilter(), None, 1).rows[0]["id"]
        _let_newcomers_in(world)
        case = a_case(world, HOME, "SP-1")
        scan_county(world.database, HOME, TODAY, world.clock(), world.config.base_url)
        imported = _import(world)
        yield Grounds(
            world=world,
            everybody=("", *PLACES, "owner", *NEWCOMERS, "period owner"),
            all_ids={
                **IDS,
                **held,
                "review_id": review,
                "place": held["system_id"],
                "case_id": case,
                "import_id": imported,
                "seq": "1",
            },
            own_ids=_links(world),
            more={"invitations.show_invitation": [{"token": _invitation(world, Place(contractor_id="con_mine"))}]},
            documented=_documented(world, found.document),
            sent=_sent(),
        )


RECORDS: Final = ("report_id", "submission_id", "system_id")


def _let_newcomers_in(world: World) -> None:
    """People for whom there is nothing yet, and an owner who states periods."""
    with world.database.transaction(None) as store:
        upsert_contractors(store, [{"id": "con_new", "business_name": "Fresh Start Pumping LLC", "created_at": NOW}])
        licence = {"license_norm": "00777", "license_number": "00777", "kind": "septage_operator"}
        upsert_credentials(store, [{**licence, "contractor_id": "con_new"}])
    for name, (place, role) in NEWCOMERS.items():
        world.ids[name] = add_person(world, name, (place, role))
        with world.database.transaction(None) as store:
            world.sessions[name] = start_session(store, world.ids[name], place, Method.PASSWORD, world.clock())[1]
    tank = {"component": "holding", "capacity_gallons": "2000", "meter_unit": "gal"}
    load(world.database, a_row("WN-1", **tank), county=PERIODS, now=NOW - timedelta(days=400))
    with world.database.transaction(PERIODS) as store:
        system = the_system(store, "WN-1").system_id
        world.sessions["period owner"] = start_owner_session(store, PERIODS, system, world.clock())[1]


def _import(world: World) -> str:
    """An inventory file with a wrong row, tried and imported at the desk."""
    given = {"file": (io.BytesIO(FILE.encode()), "systems.csv")}
    trial = send_form(world, world.get("/desk/import", "manager"), "/desk/import", "manager", **given)
    done = send_form(world, trial, "/desk/import", "manager", step="import")
    assert done.status_code == 303, done.text
    return done.headers["Location"].rpartition("/")[2]


def _links(world: World) -> dict[str, dict[str, str]]:
    """What mails and letters lead to: each its own secret."""
    secret = Secret.of(world.config)
    reminder = queue(world, kind=NoticeKind.OWNER_REMINDER, to=OWNER)
    with world.database.reading(HOME) as store:
        owner = owners_path(store, secret, the_system(store, "SP-1").system_id)
    both = add_person(world, "two businesses", *(
        (Place(contractor_id=key), MemberRole.OFFICE) for key in ("con_mine", "con_others")
    ))  # fmt: skip
    with world.database.transaction(None) as store:
        link = create_signin_token(store, both, world.clock())
    staff = {"token": _invitation(world, Place(county=HOME))}
    letter, unsubscribe = {"path": owner}, {"path": unsubscribe_path(secret, HOME, reminder)}
    return {
        "signin.show_link": {"token": link},
        "signin.use_sent_link": {"token": link},
        "signin.show_owner_link": letter,
        "signin.use_owner_link": letter,
        "unsubscribe.show_unsubscribe": unsubscribe,
        "unsubscribe.unsubscribe": unsubscribe,
        "invitations.show_invitation": staff,
        "invitations.accept_invitation": staff,
    }


def _invitation(world: World, place: Place) -> str:
    role = MemberRole.VIEWER if place.county else MemberRole.TECHNICIAN
    with world.database.transaction(log_of(place.county)) as store:
        return invite(store, f"new-{role}@people.example", place, role, "test", world.clock())[1]


def _documented(world: World, document: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """The endpoints whose good answer is HTML, alone or for a person's browser."""
    found = set()
    for rule in world.app.url_map.iter_rules():
        item = document["paths"].get(re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), {})
        for method in ("get", "post"):
            answers = item.get(method, {}).get("responses", {})
            if any("text/html" in answer.get("content", {}) for answer in answers.values()):
                found.add((str(rule.endpoint), method))
    return frozenset(found)


def _sent() -> dict[str, list[tuple[str, dict[str, str]]]]:
    """What forms show besides their errors, and errors that an empty form does not have."""
    return {
        "signin.sign_in_by_password": [
            ("wrong", {"email": "a@people.example", "password": PASSWORD, "code": "123456"})
        ],
        "signin.send_link": [("sent", {"email": "a@people.example"})],
        "ways_in.use_owner_code": [("wrong", {"code": "KHTR7-2MPQX"})],
        "unsubscribe.unsubscribe": [("done", {"choice": "kind"})],
        "invitations.accept_invitation": [("weak password", {"name": "A", "password": "x", "code": "123456"})],
        "web.desk_make_key": [("made", {"label": "Office computer", "scopes": "systems:read"})],
        "web.office_make_key": [("made", {"label": "Office computer", "scopes": "reports:write"})],
        "web.desk_take_import": [("tried", {"@file": FILE}), ("no such file", {"@file": "\x00"})],
        "web.take_file": [("tried", {"@file": csv_of(a_report(), a_report(gallons_pumped="many")).decode()})],
        "web.desk_invite": [("wrong", {"email": "nowhere", "role": "viewer"})],
        "web.send_here": [("refused", {"step": "check", "gallons_pumped": "many"})],
        "web.my_contact_changed": [("wrong", {"email": "nowhere"})],
    }
