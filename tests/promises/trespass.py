"""Every way to ask for what is somebody else's, made from the service's own map of addresses and its own document."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from reporting.api.policy import POLICIES
from tests.promises.tenants import (
    BUSINESSES,
    COUNTIES,
    EVERYBODY,
    LICENCES,
    WORDS,
    Held,
    Stage,
    business_of,
    county_of,
    may_see,
    word,
)
from tests.reporting.api.test_access import BODIES, FILES, IDS, QUERIES, ask, is_public_page, path_of, rules
from tests.reporting.api.world import AWAY, HOME, a_report
from tests.reporting.counties import csv_of

RECORDS: Final = (
    "report_id",
    "submission_id",
    "system_id",
    "review_id",
    "key_id",
    "person_id",
    "session_id",
    "invitation_id",
    "webhook_id",
    "charge_id",
)
ABSENT: Final = {"permit": "XQ-404", "parcel": "99-XQ-404", "q": "XQ404", "contractor": "99999", "license": "99999"}
ABSENT_SYSTEM: Final = "sys_2absent2absent2absent"
_CHANGES: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_IDS: Final = re.compile(r"\b(?:rep|sub|sys|rev|inv|per|ses|con)_[A-Za-z0-9]+")
_STAMPS: Final = ("receipt", "file_sha256", "seq", "cursor")
_LINK: Final = re.compile(r"cursor=([^>&]+)")


@dataclass
class Search:
    """What was tried, how often, and what came of it. `seen`: words that were met, where they may be or not.

    every: of the pages only each so many-th is tried; they stand on the same functions as the endpoints.
    """

    stage: Stage
    callers: Sequence[str] = EVERYBODY
    every: int = 1
    tried: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def fail(self, text: str) -> None:
        """A failure, once."""
        if text not in self.failures:
            self.failures.append(text)

    def look(self, answer: TestResponse, who: str, what: str, asked: str = "") -> TestResponse:
        """Search an answer, headers and all, for what its reader may not see. asked: what a page repeats."""
        text = answer.get_data().decode("utf-8", "replace")
        text += "\n" + "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        self.tried["answers searched"] += 1
        for found in WORDS:
            if found in text:
                self.seen.add(found)
                if not may_see(who, found) and found != asked:
                    self.fail(f"{what} shows {who or 'anybody'} {found}")
        if answer.status_code >= 500:
            self.fail(f"{what} answers {who or 'anybody'} {answer.status_code}")
        return answer

    def same(self, foreign: TestResponse, absent: TestResponse, echoed: tuple[str, str], what: str) -> None:
        """Hold that what is another's answers like what is not there, but for what was asked for and fresh ids."""
        self.tried["foreign against absent"] += 1
        here, there = _plain(foreign, echoed[0]), _plain(absent, echoed[1])
        if here != there:
            self.fail(f"{what}: another's answers {here[0]}, none {there[0]}: {here[1][:150]} / {there[1][:150]}")


def _plain(answer: TestResponse, echoed: str) -> tuple[int, str]:
    text = answer.get_data().decode("utf-8", "replace")
    if answer.is_json:
        text = json.dumps(_scrubbed(answer.json), sort_keys=True)
    return answer.status_code, _IDS.sub("ID", text.replace(echoed, "ASKED").replace(echoed.upper(), "ASKED"))


def _scrubbed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _scrubbed(item) for name, item in value.items() if name not in _STAMPS}
    return [_scrubbed(item) for item in value] if isinstance(value, list) else value


def every_route_has_its_entry(search: Search) -> None:
    """A route that changes something and for which nobody has said what to send would be left out of the rest."""
    for endpoint, method, rule in _rules(search):
        search.tried["routes"] += 1
        lacking = {name for name in rule.arguments if name not in IDS and name != "county"}
        if lacking:
            search.fail(f"{method} {rule.rule}: give the matrix {', '.join(sorted(lacking))}")
        if method in _CHANGES - {"DELETE"} and endpoint not in BODIES and endpoint not in FILES:
            search.fail(f"{method} {rule.rule}: give the matrix what to send")


def _known(search: Search) -> Iterator[tuple[str, str, Rule]]:
    """The routes that the matrix can call; what it lacks for the others is a failure already."""
    for endpoint, method, rule in _rules(search):
        if rule.arguments <= {*IDS, "county"}:
            yield endpoint, method, rule


def _operation(search: Search, rule: Rule, method: str) -> Mapping[str, Any]:
    if str(rule.endpoint).startswith("web."):  # pages are not in the document: whatever names something is tried
        return {"parameters": [{"in": "query", "name": name} for name in ABSENT]}
    shown = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
    found: Mapping[str, Any] = search.stage.document["paths"][shown].get(method.lower(), {})
    return found


def _is_text(search: Search, rule: Rule) -> bool:
    return "text/plain" in _operation(search, rule, "GET").get("responses", {}).get("200", {}).get("content", {})


def ids_in_paths(search: Search) -> None:
    """Route × method × caller × county × every id that is another's: like one that is not there."""
    stage = search.stage
    for endpoint, method, rule in _known(search):
        named = [name for name in RECORDS if name in rule.arguments]
        if not named:
            continue
        for who in search.callers:
            for county in COUNTIES if "county" in rule.arguments else (HOME,):
                absent = ask(stage.world, endpoint, method, path_of(rule, county, IDS), who)
                if absent.status_code in (401, 403):
                    continue
                for held in stage.held[named[0]]:
                    if not _is_foreign(who, county if "county" in rule.arguments else None, named[0], held):
                        continue
                    path = path_of(rule, county, {**IDS, named[0]: held.value})
                    what = f"{method} {rule.rule} in {county} for {who or 'anybody'}"
                    answer = search.look(ask(stage.world, endpoint, method, path, who), who, what)
                    if not is_public_page(endpoint):  # how any system stands is public: only its words are searched
                        search.same(answer, absent, (held.value, IDS[named[0]]), what)


def _is_foreign(who: str, county: str | None, kind: str, held: Held) -> bool:
    if kind == "session_id":
        return held.person != who
    if county is None:  # of the caller's own county, or the own business
        return held.county != county_of(who) if county_of(who) else held.business != business_of(who)
    if held.county != county:
        return True
    if county_of(who) == county or who == "admin":
        return who == "owner" and (kind, held.business) != ("system_id", "mine")
    return held.business != business_of(who)


def own_answers(search: Search) -> None:
    """Everything that can be read, by everybody, in each county, with each id: only words that its reader may see."""
    stage = search.stage
    for _endpoint, method, rule in _known(search):
        if method != "GET":
            continue
        named = [name for name in RECORDS if name in rule.arguments]
        for who in search.callers:
            for county in COUNTIES if "county" in rule.arguments else (HOME,):
                for held in stage.held[named[0]] if named else (Held(value=""),):
                    if held.county not in (county, None):
                        continue  # one of those that are tried against absent ones
                    path = path_of(rule, county, {**IDS, named[0]: held.value} if named else IDS)
                    for accept in ("application/json", "text/plain") if _is_text(search, rule) else ("*/*",):
                        answer = stage.world.get(path, who, headers={"Accept": accept})
                        search.look(answer, who, f"GET {rule.rule}")


def filters(search: Search) -> None:
    """Each parameter that names something, with what is another's: like a name that nobody has."""
    stage = search.stage
    for rule, names in _filtered(search):
        for who in search.callers:
            for county in COUNTIES if "county" in rule.arguments else (county_of(who) or HOME,):
                base = rule.rule.replace("<slug:county>", county)
                for name, foreign in _foreign_names(search, who, county, names):
                    what = f"GET {rule.rule}?{name}= in {county} for {who or 'anybody'}"
                    answer = stage.world.get(f"{base}?{name}={foreign}", who)
                    search.look(answer, who, what, asked=foreign if rule.endpoint.startswith("web.") else "")
                    public = rule.endpoint in QUERIES and POLICIES[rule.endpoint].public
                    if answer.status_code in (401, 403) or public or is_public_page(rule.endpoint):
                        continue  # how any system stands is public: only what is told of it is searched
                    absent = stage.world.get(f"{base}?{name}={ABSENT[name]}", who)
                    search.same(answer, absent, (foreign, ABSENT[name]), what)


def _rules(search: Search) -> Iterator[tuple[str, str, Rule]]:
    """The map of addresses, with as many of the pages as are wanted."""
    for place, (endpoint, method, rule) in enumerate(rules(search.stage.world)):
        if not endpoint.startswith("web.") or place % search.every == 0:
            yield endpoint, method, rule


def _filtered(search: Search) -> Iterator[tuple[Rule, list[str]]]:
    for _endpoint, method, rule in _rules(search):
        told = _operation(search, rule, method).get("parameters", [])
        names = [one["name"] for one in told if one.get("in") == "query" and one["name"] in ABSENT]
        if method == "GET" and names and rule.arguments <= {"county"}:
            yield rule, names


def _foreign_names(search: Search, who: str, county: str, names: list[str]) -> Iterator[tuple[str, str]]:
    business = business_of(who)
    for (of, whose), permit in search.stage.permits.items():
        if of == county and (county_of(who) == county or who == "admin" or (business and whose == business)):
            continue
        found = {"permit": permit, "parcel": f"08-{permit}", "q": word(of, "sys", whose)}
        if business and LICENCES[whose]:
            found |= {"contractor": LICENCES[whose], "license": LICENCES[whose]} if whose != business else {}
        yield from ((name, value) for name, value in found.items() if name in names)


def bodies(search: Search) -> None:
    """What a body names: another county's permit or system is as good as none."""
    stage = search.stage
    for endpoint, body in BODIES.items():
        if not endpoint.startswith("facts.") and endpoint not in ("merges.merge_system", "reviews.resolve_review"):
            continue
        [(method, rule)] = [(method, rule) for name, method, rule in rules(stage.world) if name == endpoint]
        for who, county in (
            ("county", HOME),
            ("other county", AWAY),
            ("clerk", HOME),
            ("manager", HOME),
            ("admin", AWAY),
        ):
            away = HOME if county == AWAY else AWAY
            own = {
                kind: next(h.value for h in stage.held[kind] if h.county == county)
                for kind in ("system_id", "review_id")
            }
            path = path_of(rule, county, {**IDS, **own})
            system = next(h.value for h in stage.held["system_id"] if h.county == away)
            for name, foreign, absent in (
                ("permit_number", stage.permits[away, "mine"], "XQ-404"),
                ("system", system, ABSENT_SYSTEM),
                ("other", system, ABSENT_SYSTEM),
            ):
                if (name == "other") != ("other" in body):
                    continue
                plain = {key: value for key, value in body.items() if key not in ("permit_number", "system", "other")}
                answers = [stage.world.call(
                    method, path, who, data=json.dumps({**plain, name: value}), content_type="application/json"
                ) for value in (foreign, absent)]  # fmt: skip
                what = f"{method} {rule.rule} with another's {name} for {who}"
                search.look(answers[0], who, what)
                search.same(answers[0], answers[1], (foreign, absent), what)
                search.tried["in bodies"] += 1


def files(search: Search) -> None:
    """What a file names: a report of another county's permit is one of a system that is not in the inventory."""
    stage = search.stage
    for who, county in (("contractor", HOME), ("other contractor", AWAY), ("county", HOME), ("other county", AWAY)):
        away = HOME if county == AWAY else AWAY
        foreign = stage.permits[away, "nobody"]
        answers = []
        for permit in (foreign, "XQ-404"):
            place = {"permit_number": permit, "parcel_number": f"08-{permit}"}
            data = csv_of(a_report(**place, report_ref="F-1", service_date="2026-07-01"))
            answers.append(stage.world.send(county, data, who, query="?dry_run=true"))
        search.look(answers[0], who, "a file")
        search.same(answers[0], answers[1], (foreign, "XQ-404"), f"a file with another county's permit for {who}")
        search.tried["in files"] += 1


def cursors(search: Search) -> None:
    """Where one caller's list goes on, asked by every other: never on into what that one sees."""
    stage = search.stage
    for name in ("systems", "obligations", "reviews"):
        for owner, county in (("county", HOME), ("other county", AWAY), ("admin", HOME)):
            first = stage.world.get(f"/v1/{county}/{name}?limit=1", owner)
            found = _LINK.search(first.headers.get("Link", ""))
            if found is None:
                continue
            for who in search.callers:
                for asked in COUNTIES:
                    path = f"/v1/{asked}/{name}?limit=200&cursor={found[1]}"
                    search.look(stage.world.get(path, who), who, f"GET {name} with {owner}'s cursor")
                    search.tried["cursors"] += 1


def replays(search: Search) -> None:
    """An Idempotency-Key of somebody else's is a new one."""
    stage = search.stage
    for whose, who in BUSINESSES.items():
        other = next(name for name in BUSINESSES.values() if name != who)
        mark = word(HOME, "rep", whose)
        report = a_report(permit_number=stage.permits[HOME, whose], report_ref=f"once-{whose}", notes=mark,
                          license_number=LICENCES[whose], service_date="2026-07-02", site_address=None)  # fmt: skip
        once = {"Idempotency-Key": f"one key for {whose}".replace(" ", "-")}
        stage.world.post(f"/v1/{HOME}/reports", report, who, headers=once)
        for county in COUNTIES:
            again = stage.world.post(f"/v1/{county}/reports", {}, other, headers=once)
            search.look(again, other, "a replay")
            search.tried["replays"] += 1
            if "Idempotency-Replayed" in again.headers:
                search.fail(f"{other} is given the answer to {who}'s key")


def log_lines(search: Search) -> None:
    """No word of any row stands in the service's log, whoever asked for what."""
    text = search.stage.log.getvalue()
    search.tried["log lines"] += text.count("\n")
    for found in WORDS:
        if found.lower() in text.lower():
            search.fail(f"the log holds {found}")
    for name, value in search.stage.world.keys.items():
        if value and value in text:
            search.fail(f"the log holds the key of {name}")


PHASES: Final[Mapping[str, Any]] = {
    "routes": every_route_has_its_entry,
    "own": own_answers,
    "paths": ids_in_paths,
    "filters": filters,
    "bodies": bodies,
    "files": files,
    "cursors": cursors,
    "replays": replays,
    "log": log_lines,
}
