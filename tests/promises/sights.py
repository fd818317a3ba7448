"""Every page there is, made from the service's own map of addresses: as whom, in which state, and how to get there.

A page's address comes with an id that is there, one that is not, and with the queries of `QUERIES`, its states. What a
form answers when it is sent empty is made from the map too; `SENT` has what else a form may show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from werkzeug.routing import Rule

from tests.promises.sights_world import Grounds
from tests.reporting.api.test_access import IDS, rules
from tests.reporting.api.world import HOME

NO_PAGES: Final = frozenset({
    "web.asset", "web.desk_map_points", "web.desk_import_rejected", "web.desk_log_receipt", "web.my_standing_pdf",
    "web.show_who", "web.serve_worker", "oidc.go_to_provider", "oidc.come_back", "sessions.sign_out",
})  # fmt: skip
"""Files; the way over a county's own provider, which shows nothing but problems; and signing out, which would end the
session of who looks: its page is a sentence in the frame, as that of `signin.send_link`."""
PLAIN: Final = "filled"
_REPORT: Final = "?day=today&event_type=pumping&tank=septic"
QUERIES: Final[Mapping[str, Mapping[str, str]]] = {
    "web.look_up": {"found": "?q=SP-1", "nothing found": "?q=ZZ-404"},
    "web.desk_reviews": {"done": "?done=placed"},
    "web.desk_systems": {"filtered": "?standing=overdue", "nothing found": "?permit=ZZ-404"},
    "web.desk_system": {"as of a day": "?as_of=2026-05-15"},
    "web.desk_report": {"for a system": "?permit=SP-1"},
    "web.find_to_report": {"found": "?q=SP-1", "nothing found": "?q=ZZ-404"},
    "web.report_here": {"form": _REPORT, "refused": "?day=other&service_date="},
    "web.report_other": {"form": _REPORT, "refused": "?day=other&service_date="},
    "web.desk_users": {"done": "?done=invited"},
    "web.desk_keys": {"done": "?done=ended"},
}
"""The states of a page that its query makes, besides the plain one."""
_ABSENT: Final = ("person_id", "key_id", "invitation_id", "pause_id", "run_id", "view_id")
"""An empty form about one that is there might sign somebody out."""
Data = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Sight:
    """One page in one state. data: the form that leads there, by POST. who: the roles to try, `""` for nobody."""

    endpoint: str
    state: str
    path: str
    who: tuple[str, ...]
    data: Data | None = None

    @property
    def plain(self) -> bool:
        """Whether it is what an address alone shows."""
        return self.data is None and self.state == PLAIN

    def __str__(self) -> str:
        return f"{'POST' if self.data is not None else 'GET'} {self.endpoint} ({self.state})"


@dataclass
class Sights:
    """What is to be looked at, and what the table lacks."""

    all: list[Sight] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)


def sights(grounds: Grounds) -> Sights:
    """Every page in every state, from the map of addresses."""
    found = Sights()
    pages = [(rule, method) for endpoint, method, rule in rules(grounds.world) if is_page(grounds, endpoint, method)]
    for rule, method in sorted(pages, key=lambda one: (one[1], one[0].endpoint)):
        endpoint = str(rule.endpoint)
        lacking = rule.arguments - grounds.ids(endpoint).keys() - {"county"}
        if lacking:
            found.lacking.append(f"{method} {rule.rule}: give the pages {', '.join(sorted(lacking))}")
        else:
            found.all += _gets(grounds, rule) if method == "GET" else _posts(grounds, rule)
    unknown = (QUERIES.keys() | grounds.sent.keys()) - {sight.endpoint for sight in found.all}
    found.lacking += [f"{endpoint} is no page" for endpoint in sorted(unknown)]
    return found


def is_page(grounds: Grounds, endpoint: str, method: str) -> bool:
    """Whether a person's browser is shown something there: by the pages' names, and by the service's own document."""
    if endpoint in NO_PAGES or re.fullmatch(r"web\.desk_\w+_file", endpoint) or method not in ("GET", "POST"):
        return False
    return endpoint.startswith("web.") or (endpoint, method.lower()) in grounds.documented


def _gets(grounds: Grounds, rule: Rule) -> Iterator[Sight]:
    endpoint = str(rule.endpoint)
    path = fill(rule, grounds.ids(endpoint))
    yield Sight(endpoint=endpoint, state=PLAIN, path=path, who=grounds.everybody)
    for state, query in QUERIES.get(endpoint, {}).items():
        yield Sight(endpoint=endpoint, state=state, path=path + query, who=grounds.everybody)
    for more in grounds.more.get(endpoint, ()):
        yield Sight(
            endpoint=endpoint,
            state="another",
            path=fill(rule, {**grounds.ids(endpoint), **more}),
            who=grounds.everybody,
        )


def _posts(grounds: Grounds, rule: Rule) -> Iterator[Sight]:
    """The form sent empty, about a person, a key and the like that is not there; and what else it may show."""
    endpoint = str(rule.endpoint)
    path = fill(rule, {**grounds.ids(endpoint), **{name: IDS[name] for name in _ABSENT}})
    yield Sight(endpoint=endpoint, state="sent empty", path=path, who=grounds.everybody, data={})
    for state, data in grounds.sent.get(endpoint, ()):
        yield Sight(endpoint=endpoint, state=state, path=path, who=grounds.everybody, data=data)


def fill(rule: Rule, ids: Mapping[str, str]) -> str:
    """A rule's address with ids in it."""
    path = rule.rule.replace("<slug:county>", HOME)
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda match: ids[match[1]], path)
