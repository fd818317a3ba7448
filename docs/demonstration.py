"""The demonstration's data served in process on its fixed day, with people signed in: for pictures and measurements."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from flask import Flask
from werkzeug.test import Client, TestResponse

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from reporting.api.app import create_app  # noqa: E402
from reporting.api.cookies import CSRF_HEADER, csrf_token  # noqa: E402
from reporting.cli.common import signer_of  # noqa: E402
from reporting.cli.demo import COUNTY, FILE, LICENSE, NOW, PERMIT, TODAY, demo_environment, fill  # noqa: E402
from reporting.cli.mail import scan_county  # noqa: E402
from reporting.config import Config  # noqa: E402
from reporting.status import find_systems  # noqa: E402
from reporting.store.engine import Database  # noqa: E402
from reporting.store.people import find_credentials  # noqa: E402
from reporting.store.persons import Place, SignsIn, Via, create_person, give_role  # noqa: E402
from reporting.store.roles import MemberRole  # noqa: E402
from reporting.store.sessions import Method, start_owner_session, start_session  # noqa: E402
from reporting.variables import SETTINGS  # noqa: E402

HAULER, CLERK, OWNER = "hauler", "county", "owner"
UNLIMITED: Final = {setting.name: "0" for setting in SETTINGS if setting.name.startswith("PUMPER_RATE_")}


@dataclass(frozen=True, kw_only=True)
class Demonstration:
    """The application, its database, and the cookies of a hauler, the county's manager and an owner."""

    app: Flask
    database: Database
    sessions: Mapping[str, str]
    system: str

    def call(self, method: str, path: str, who: str = "", **more: Any) -> TestResponse:
        """One request in somebody's name; `""`: nobody's."""
        token = self.sessions.get(who)
        headers = {"Cookie": f"pumper={token}", CSRF_HEADER: csrf_token(token)} if token else {}
        headers |= {"Accept": "text/html", **more.pop("headers", {})}
        return Client(self.app, use_cookies=False).open(path, method=method, headers=headers, **more)


@contextmanager
def demonstration() -> Iterator[Demonstration]:
    """The shipped examples over a fresh database, a hauler's file among them, judged on the fixed day."""
    with TemporaryDirectory(prefix="pumper-pages-") as name:
        config = Config.from_environment({"LOG_LEVEL": "ERROR", **UNLIMITED, **demo_environment(Path(name))})
        fill(config, ROOT / "examples")
        database = Database.connect(config.database_url)
        try:
            app = create_app(config, database, signer_of(config), lambda: NOW)
            sessions, system = _let_in(database)
            found = Demonstration(app=app, database=database, sessions=sessions, system=system)
            data = (ROOT / "examples" / "reports" / FILE).read_bytes()
            sent = found.call("POST", f"/v1/{COUNTY}/submissions", HAULER, data=data, content_type="text/csv")
            assert sent.status_code < 300, sent.text
            scan_county(database, COUNTY, TODAY, NOW, config.base_url, config.map_url)
            yield found
        finally:
            database.dispose()


def _let_in(database: Database) -> tuple[dict[str, str], str]:
    with database.transaction(None) as store:
        [licence] = find_credentials(store, [LICENSE])[LICENSE]
        people = {
            HAULER: ("Lena Oestreich", Place(contractor_id=str(licence["contractor_id"])), MemberRole.OFFICE),
            CLERK: ("Pat Ackermann", Place(county=COUNTY), MemberRole.MANAGER),
        }
        found = {}
        for who, (called, place, role) in people.items():
            person = create_person(store, called, f"{who}@people.example.org", SignsIn.MAIL, NOW)
            give_role(store, person, place, role, Via.COMMAND, "demo", NOW)
            found[who] = start_session(store, person, place, Method.LINK, NOW)[1]
    with database.transaction(COUNTY) as store:
        [name] = find_systems(store, permit=PERMIT)
        found[OWNER] = start_owner_session(store, COUNTY, name, NOW)[1]
    return found, name
