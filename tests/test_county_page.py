"""`docs/county.md` is true: its addresses, commands, settings and files are there, and its year's end is run."""

import re
import shlex

from schemas.loader import shipped_program
from tests.commands_of_pages import ROOT, commands_of, lost_files, misfit
from tests.reporting.api.conftest import quick_passwords, sqlite_mold, world_on_sqlite  # noqa: F401 - fixtures
from tests.reporting.api.world import World
from tests.reporting.cli.test_commands import Desk, desk  # noqa: F401 - fixture

PAGE = ROOT / "docs" / "county.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_address_of_the_desk_is_there_and_the_menu_s_are_told_of(world_on_sqlite: World) -> None:  # noqa: F811
    rules = {rule.rule for rule in world_on_sqlite.app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    named = set(re.findall(r"`(/[a-z][\w/.-]*)`", TEXT))
    assert named <= rules, named - rules
    pages = {rule for rule in rules if re.fullmatch(r"/desk(?:/[a-z]+)?", rule)}
    assert pages <= named, pages - named


def test_every_command_is_there_with_its_options() -> None:
    found = commands_of(TEXT)
    assert len(found) >= 20
    assert [wrong for one in found if (wrong := misfit(one))] == []


def test_its_settings_and_links_are_there() -> None:
    section = TEXT.split("## The first day")[1].split("## Each morning")[0]
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", section))
    assert {"records_from", "live_from", "clerk_email"} <= named
    assert named <= set(shipped_program("portage").settings)
    assert lost_files(PAGE) == []


def test_the_years_end_is_run(desk: Desk) -> None:  # noqa: F811
    assert desk.run("init").returncode == 0
    [block] = re.findall(r"```\n(.*?)```", TEXT.split("## The year's end")[1], re.DOTALL)
    for line in block.splitlines():
        ran = desk.run(*shlex.split(line)[1:])
        assert ran.returncode == 0, (line, ran.stderr)
        assert ran.stdout, line
