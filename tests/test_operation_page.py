"""`docs/operation.md` is true: its commands, settings, figures' names and files are there, and its drill is done."""

import re
import shlex

import yaml

from notifications.outbox import MessageState
from notifications.records import Channel
from notifications.worker import is_alive
from reporting.api.app import create_app
from reporting.cli.running import jobs_of
from reporting.store.idempotency import KEPT
from tests.commands_of_pages import KNOWN, ROOT, commands_of, lost_files, misfit, settings_of
from tests.reporting.api.conftest import quick_passwords, sqlite_mold, world_on_sqlite  # noqa: F401 - fixtures
from tests.reporting.api.world import World
from tests.reporting.cli.test_commands import EXAMPLES, Desk, desk  # noqa: F401 - fixture

PAGE = ROOT / "docs" / "operation.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_command_is_there_with_its_options() -> None:
    found = commands_of(TEXT)
    assert len(found) > 30
    assert [wrong for one in found if (wrong := misfit(one))] == []


def test_a_command_that_is_not_there_is_found_out() -> None:
    assert misfit("pumper backups x") == "pumper backups x: there is no 'backups'"
    assert misfit("pumper signing rotate --now") is not None
    assert misfit("pumper backup a b") is not None
    assert misfit("pumper verify --against FILE --json") is None


def test_its_settings_and_files_are_there() -> None:
    assert settings_of(TEXT) <= KNOWN, settings_of(TEXT) - KNOWN
    assert lost_files(PAGE) == []


def test_installing_copies_files_that_are_there_and_starts_units_that_are_there() -> None:
    for name in re.findall(r"^(?:install|cp) .*?(deploy/\S+)", TEXT, re.M):
        assert list(ROOT.glob(name)), name
    units = {path.name.split(".")[0] for path in (ROOT / "deploy" / "systemd").iterdir()}
    assert set(re.findall(r"\bpumper-(?:web|worker|backup)\b", TEXT)) <= units


def test_the_figures_of_its_alarms_are_told(world_on_sqlite: World) -> None:  # noqa: F811
    world = world_on_sqlite
    app = create_app(world.config, world.database, world.signer, world.clock, worker_alive=is_alive)
    keyed = {"Authorization": f"Bearer {world.keys['admin']}"}
    app.test_client().get("/healthz")
    lines = app.test_client().get("/metrics", headers=keyed).text
    told = set(re.findall(r"^# TYPE (\w+) gauge", lines, re.M))
    named = set(re.findall(r"\bpumper_[a-z_]+\b", TEXT)) - {"pumper_owner", "pumper_app"}
    room = {"pumper_disk_free_bytes"}  # told where somebody watches the disk, as `pumper web` does
    counted = {"pumper_http_requests_total", "pumper_http_request_duration_seconds_bucket"}
    assert counted <= set(re.findall(r"^(\w+)\{", lines, re.M))
    assert named == told | room | counted
    [rules] = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)]
    alarms = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    assert len(alarms) == 11
    labels = {pair for alarm in alarms for pair in re.findall(r'(\w+)="([^"]+)"', alarm)}
    jobs = {("job", job.name) for job in jobs_of(world.config, world.database) if job.daily_at}
    assert labels <= jobs | {("channel", str(one)) for one in Channel} | {("state", str(one)) for one in MessageState}
    assert {name for name, _ in labels} == {"job", "channel", "state"}


def test_a_line_of_the_log_has_the_fields_that_it_names(world_on_sqlite: World) -> None:  # noqa: F811
    source = (ROOT / "reporting" / "api" / "edge.py").read_text(encoding="utf-8")
    fields = set(re.findall(r'^ {8}"(\w+)": ', source.split("def _log(")[1].split("service().log.info")[0], re.M))
    section = TEXT.split("## Logs")[1].split("## ")[0]
    assert fields | {"event", "timestamp", "level"} <= set(re.findall(r"`(\w+)`", section))
    assert "kept for repeats after 400 days" in TEXT
    assert KEPT.days == 400


def test_its_drill_is_done_and_finds_what_is_missing(desk: Desk) -> None:  # noqa: F811
    """The commands of the drill, one after the other, as a shell would; then with checkpoints of a longer record."""
    few = (EXAMPLES / "inventory" / "ozaukee.csv").read_text(encoding="utf-8").splitlines()[:20]
    assert desk.run("init").returncode == 0
    assert desk.run("inventory", "import", "ozaukee", desk.file("few.csv", "\n".join(few))).returncode == 0
    [drill] = re.findall(r"<!-- drill -->\n```\n(.*?)```", TEXT, re.DOTALL)
    environ = dict(desk.environ)
    said = {}
    for line in drill.splitlines():
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            environ[name] = value.replace("sqlite:///", f"sqlite:///{desk.folder}/")
            continue
        command, _, into = line.partition(" > ")
        words = [str(desk.folder / w) if w.endswith((".zip", ".txt")) else w for w in shlex.split(command)[1:]]
        ran = Desk(folder=desk.folder, environ=environ).run(*words)
        assert ran.returncode == 0, (line, ran.stdout, ran.stderr)
        said[words[0]] = ran.stdout
        if into:
            (desk.folder / into).write_text(ran.stdout, encoding="utf-8")
    logs = said["verify"].splitlines()
    assert logs
    assert all(line.endswith("all hold") for line in logs)
    assert "1 kept outside" in said["verify"]
    there = (desk.folder / "there.csv").read_text(encoding="utf-8")
    assert there == desk.run("summary", "ozaukee", "--year", "2026", "--csv").stdout
    assert there.count("\n") > 5
    assert desk.run("settings", "set", "ozaukee", "lead_days", "61").returncode == 0
    later = desk.folder / "later.txt"
    later.write_text(desk.run("checkpoint").stdout, encoding="utf-8")
    short = Desk(folder=desk.folder, environ=environ).run("verify", "--against", str(later))
    assert (short.returncode, "ozaukee: 1 problems" in short.stdout) == (1, True), short.stdout
