"""The code on a letter or a tank, held before a camera: the real reader on the frames of a made-up camera."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import segno
from playwright.sync_api import Browser, Page, expect

from tests.reporting.api.people import sign_in_everybody
from tests.reporting.api.world import HOME, World
from tests.reporting.counties import the_system
from tests.web.browsing import PHONE, Site, hold

ME = "technician"
WIDTH, HEIGHT, DOT = 640, 480, 8


def film(path: Path, text: str) -> Path:
    """A film (YUV4MPEG2) of one picture: a code in the middle of a grey wall."""
    code = [[bool(dot) for dot in row] for row in segno.make(text, error="m").matrix_iter(border=4)]
    left, top = (WIDTH - DOT * len(code[0])) // 2, (HEIGHT - DOT * len(code)) // 2
    picture = [bytearray(b"\x90" * WIDTH) for _ in range(HEIGHT)]
    for y, row in enumerate(code):
        line = b"".join((b"\x10" if dark else b"\xeb") * DOT for dark in row)
        for down in range(DOT):
            picture[top + DOT * y + down][left : left + len(line)] = line
    frame = b"FRAME\n" + b"".join(picture) + b"\x80" * (WIDTH * HEIGHT // 2)
    path.write_bytes(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F10:1 Ip A1:1 C420mpeg2\n".encode() + 3 * frame)
    return path


def system_of(world: World) -> str:
    with world.database.reading(HOME) as store:
        return the_system(store, "SP-1").system_id


def with_camera(site: Site, browser: Browser, film_of: Path, look: Callable[[Page], None]) -> None:
    """A phone whose camera sees a film."""
    flags = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    args = [*flags, f"--use-file-for-fake-video-capture={film_of}"]
    with browser.browser_type.launch(executable_path=shutil.which("chromium"), args=args) as own:
        context = own.new_context(base_url=site.url, viewport=PHONE)  # type: ignore[arg-type]
        context.add_cookies([{"name": "pumper", "value": site.world.sessions[ME], "url": site.url}])
        look(context.new_page())


@pytest.mark.needs_browser
def test_a_code_leads_to_the_form_of_its_system_and_one_of_elsewhere_nowhere(
    site: Site, browser: Browser, tmp_path: Path
) -> None:
    world = site.world
    sign_in_everybody(world)
    own = film(tmp_path / "own.y4m", f"{site.url}/s/{system_of(world)}")

    def scan(page: Page) -> None:
        loaded: list[str] = []
        page.on("request", lambda request: loaded.append(request.url))
        page.goto("/report")
        expect(page.get_by_role("button", name="Scan the code")).to_be_visible()
        hold(page)
        assert not any("jsqr" in url for url in loaded)
        page.get_by_role("button", name="Scan the code").click()
        page.wait_for_url(f"**/report/{HOME}/{system_of(world)}")
        assert any("jsqr" in url for url in loaded)

    with_camera(site, browser, own, scan)

    def scan_other(page: Page) -> None:
        page.goto("/report")
        page.get_by_role("button", name="Scan the code").click()
        expect(page.locator("#scan-told")).to_contain_text("not of this service, it says “https://elsewhere.example/s/")
        hold(page)
        assert page.url == f"{site.url}/report"

    with_camera(site, browser, film(tmp_path / "other.y4m", "https://elsewhere.example/s/sys_1"), scan_other)
    page = site.page(ME)  # without a camera
    page.goto("/report")
    page.evaluate("() => navigator.mediaDevices.enumerateDevices()")
    expect(page.get_by_role("button", name="Scan the code")).to_be_hidden()


def test_only_the_search_may_use_the_camera_and_a_code_names_a_system(world_on_sqlite: World) -> None:
    world = world_on_sqlite
    sign_in_everybody(world)
    allowed = {path: world.get(path, ME).headers["Permissions-Policy"] for path in ("/report", "/work", "/reports")}
    assert {path: "camera=(self)" in text for path, text in allowed.items()} == {
        "/report": True,
        "/work": False,
        "/reports": False,
    }
    led = world.get(f"/report?s={system_of(world)}", ME)
    assert (led.status_code, led.headers["Location"]) == (303, f"/report/{HOME}/{system_of(world)}")
    for text in ("sys_none", "", "%00", "../work"):
        assert world.get(f"/report?s={text}", ME).status_code == 404, text
