"""A small world for the API's tests: two counties with systems, two businesses, a key of every role, one clock."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask
from werkzeug.test import Client, TestResponse

from reporting.api.app import create_app, make_service
from reporting.api.calls import EXTENSION
from reporting.api.cookies import CSRF_HEADER, csrf_token
from reporting.config import Config
from reporting.store.engine import Database
from reporting.store.keys import create_key
from reporting.store.people import upsert_contractors, upsert_credentials
from reporting.store.signing import Signer
from reporting.variables import SETTINGS
from tests.reporting.counties import load
from tests.services.databases import DatabaseUrls

NOW = datetime(2026, 7, 13, 15, 0, tzinfo=UTC)
HOME, AWAY = "ozaukee", "portage"
CANARY = {HOME: "Zzyx Homecanary", AWAY: "Qwvv Awaycanary"}
"""Owners' names by which an answer is known to hold a county's data."""
UNLIMITED = {setting.name: "0" for setting in SETTINGS if setting.name.startswith("PUMPER_RATE_")}
"""The suite calls far more often than people do, and its clock stands still."""
MINE, OTHERS = "00412", "00555"


@dataclass
class Clock:
    """The service's clock, moved by hand."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


@dataclass(frozen=True, kw_only=True)
class World:
    """The service over a database with keys: `keys` by role, `""` for none.

    sessions: cookies by role, once somebody has signed in.
    """

    app: Flask
    database: Database
    clock: Clock
    signer: Signer
    config: Config
    keys: Mapping[str, str]
    sessions: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def call(self, method: str, path: str, who: str = "contractor", **more: Any) -> TestResponse:
        """One request in the name of a role."""
        headers = dict(more.pop("headers", {}))
        if who in self.sessions:
            token = self.sessions[who]
            headers = {"Cookie": f"pumper={token}", CSRF_HEADER: csrf_token(token), **headers}
            return Client(self.app, use_cookies=False).open(path, method=method, headers=headers, **more)
        if self.keys.get(who):
            headers["Authorization"] = f"Bearer {self.keys[who]}"
        return Client(self.app).open(path, method=method, headers=headers, **more)

    def get(self, path: str, who: str = "contractor", **more: Any) -> TestResponse:
        return self.call("GET", path, who, **more)

    def post(self, path: str, body: Any, who: str = "contractor", **more: Any) -> TestResponse:
        """A JSON body."""
        return self.call("POST", path, who, data=json.dumps(body), content_type="application/json", **more)

    def send(self, county: str, data: bytes, who: str = "contractor", query: str = "", **more: Any) -> TestResponse:
        """A file of reports."""
        options = {"content_type": "text/csv", **more}
        return self.call("POST", f"/v1/{county}/submissions{query}", who, data=data, **options)


def a_report(**values: Any) -> dict[str, Any]:
    """A septic pumping in Ozaukee with everything that the program asks for; None leaves a field out."""
    report = {
        "report_ref": "T-1",
        "permit_number": "SP-1",
        "component": "septic",
        "event_type": "pumping",
        "service_date": "2026-07-08",
        "gallons_pumped": 1000,
        "tank_condition": "good",
        "ponding": "none",
        "work_description": "Pumped tank, checked baffles and lid",
        "disposal_site": "Saukville treatment plant",
        "business_name": "Kettle Moraine Septic LLC",
        "business_address": "N4820 County Road I, Saukville, WI 53080",
        "technician_name": "Lena Oestreich",
        "license_number": MINE,
        "credential_kind": "septage_operator",
        "owner_name": "Laverne Lor",
        "site_address": "N257 County Road K",
        "parcel_number": "08-SP-1",
        "signature": "Lena Oestreich",
        "signed_on": "2026-07-08",
        **values,
    }
    return {name: value for name, value in report.items() if value is not None}


def make_world(urls: DatabaseUrls, folder: Path, **settings: str) -> World:
    """The world over a fresh migrated database."""
    database = Database.connect(urls.app_url)
    keys = _people(database)
    for county, prefix in ((HOME, "SP"), (AWAY, "PT")):
        systems = {f"{prefix}-1": MINE, f"{prefix}-2": OTHERS, f"{prefix}-3": ""}
        rows = [row for permit, number in systems.items() for row in _rows(permit, CANARY[county], number)]
        load(database, *rows, county=county, now=NOW - timedelta(days=30))
    database.dispose()
    return serve_world(urls, folder, keys, **settings)


def serve_world(urls: DatabaseUrls, folder: Path, keys: Mapping[str, str], **settings: str) -> World:
    """The world over a database that has its systems and keys already."""
    environment = {
        "DATABASE_URL": urls.app_url,
        "PUMPER_SIGNING_KEY_FILE": str(folder / "signing.key"),
        **UNLIMITED,
        **settings,
    }
    config = Config.from_environment({"LOG_LEVEL": "ERROR", **environment})
    database, clock = Database.connect(urls.app_url), Clock()
    signer = Signer.load(config.signing_key_file)
    app = copy(_routed())
    app.config = copy(app.config)
    app.config["MAX_CONTENT_LENGTH"] = config.max_upload_bytes
    app.view_functions = dict(app.view_functions)
    app.extensions = {**app.extensions, EXTENSION: make_service(config, database, signer, clock)}
    return World(app=app, database=database, clock=clock, signer=signer, config=config, keys=keys)


@cache
def _routed() -> Flask:
    """An application with its routes, over nothing: making them takes longer than most tests."""
    config = Config.from_environment({"LOG_LEVEL": "ERROR"})
    nothing: Any = None
    app = create_app(config, Database.connect("sqlite://"), nothing, Clock())
    app.extensions.pop(EXTENSION)
    return app


def _rows(permit: str, owner: str, license_number: str) -> list[dict[str, Any]]:
    """A tank whose pumping is overdue and a dispersal cell that was looked at this year."""
    place = {
        "permit_number": permit,
        "parcel_number": f"08-{permit}",
        "site_address": f"N{sum(permit.encode())} County Road K",
        "municipality": "Town of Saukville",
        "owner_name": owner,
        "permit_issued_on": "2001-05-01",
        "installed_on": "2001-06-01",
        "designated_license_number": license_number,
    }
    tank = {"component": "septic", "capacity_gallons": "1000", "last_pumped_on": "2023-06-01"}
    return [{**place, **tank}, {**place, "component": "dispersal", "last_inspected_on": "2026-05-01"}]


def _people(database: Database) -> dict[str, str]:
    with database.transaction(None) as store:
        businesses = {"con_mine": "Kettle Moraine Septic LLC", "con_others": "Ridge Pumping Inc"}
        upsert_contractors(
            store, [{"id": key, "business_name": name, "created_at": NOW} for key, name in businesses.items()]
        )
        held = {MINE: "con_mine", OTHERS: "con_others"}
        upsert_credentials(
            store,
            [
                {"license_norm": n, "license_number": n, "kind": "septage_operator", "contractor_id": c}
                for n, c in held.items()
            ],
        )
        wanted = {
            "contractor": ("contractor", None, "con_mine"),
            "other contractor": ("contractor", None, "con_others"),
            "county": ("county", HOME, None),
            "other county": ("county", AWAY, None),
            "admin": ("admin", None, None),
        }
        keys = {name: create_key(store, *of, name, NOW)[1] for name, of in wanted.items()}
    return {"": "", **keys}
