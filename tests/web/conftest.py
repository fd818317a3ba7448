"""The pages over the API's world: by the test client, and in a real browser against a server on loopback."""

import shutil
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, sync_playwright
from werkzeug.serving import make_server

from tests.reporting.api.conftest import (  # noqa: F401  # fixtures
    postgres_mold,
    quick_passwords,
    real_passwords,
    sqlite_mold,
    world,
    world_on_sqlite,
)
from tests.reporting.api.world import World
from tests.services.availability import unavailable
from tests.web.browsing import Site


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the session (with xdist: for each worker)."""
    path = shutil.which("chromium")
    if path is None:
        unavailable("Chromium", "not installed")
    with sync_playwright() as started:
        try:
            found = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except Error as error:
            unavailable("Chromium", error)
        yield found
        found.close()


@pytest.fixture
def site(world_on_sqlite: World, browser: Browser) -> Iterator[Site]:  # noqa: F811
    """The pages of a world, served on loopback to a browser."""
    server = make_server("127.0.0.1", 0, world_on_sqlite.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    found = Site(world=world_on_sqlite, browser=browser, url=f"http://127.0.0.1:{server.server_port}")
    yield found
    found.close()
    server.shutdown()
    thread.join()
    server.server_close()
