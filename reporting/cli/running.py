"""The service as processes: gunicorn's web workers and one worker with the schedule, started and stopped together."""

from __future__ import annotations

import datetime as dt
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from types import FrameType

import click
import structlog

from notifications.worker import Job, Turn, WorkerOptions, run_worker
from notifications.worker import is_alive as worker_alive
from reporting.access.upkeep import tidy_access
from reporting.api.server import serve
from reporting.checkpoints import make_checkpoints
from reporting.cli.common import opened, signer_of
from reporting.cli.mail import deliver_all, scan_county
from reporting.cli.sandbox import EXAMPLES, reset_sandbox
from reporting.cli.webhooks import forget_hooks, tell_hooks
from reporting.cli.words import moment
from reporting.config import Config
from reporting.errors import ConfigurationError, DatabaseUnavailable
from reporting.intake.waiting import waiting_files, work_off
from reporting.inventory.filing import forget_old_imports, waiting_imports, work_off_import
from reporting.inventory.indexing import index_all
from reporting.store.engine import Database, check_durability
from reporting.store.idempotency import forget_old
from reporting.store.limits import forget_windows
from schemas.calendar import local_date
from schemas.loader import shipped_program, shipped_slugs

CHECKPOINTS_AT = dt.time(4, 30)
SCAN_AT = dt.time(5, 0)
RESET_AT = dt.time(4, 0)
FORGET_ANSWERS_AT = dt.time(4, 30)
SCAN_EVERY = dt.timedelta(minutes=5)
HOOKS_EVERY = dt.timedelta(seconds=5)
FORGET_HOOKS_AT = dt.time(4, 30)
DELIVER_EVERY = dt.timedelta(seconds=30)
INDEX_EVERY = dt.timedelta(seconds=30)
FILES_EVERY = dt.timedelta(seconds=5)
TIDY_ACCESS_EVERY = dt.timedelta(hours=1)
FORGET_LIMITS_EVERY = dt.timedelta(minutes=10)
AFTER_FAILURE = dt.timedelta(minutes=10)
STOP_WITHIN = 40
_log = structlog.get_logger(__name__)


def jobs_of(config: Config, database: Database) -> list[Job]:
    """What the worker does: checkpoints, a scan each morning, reports every few minutes, long files, mail, places."""
    not_before: dict[str, dt.datetime] = {}

    def scan_all(turn: Turn) -> None:
        for slug in shipped_slugs():
            if turn.stopping():
                return
            today = local_date(turn.now, shipped_program(slug).timezone)
            scan_county(database, slug, today, turn.now, config.base_url, config.map_url)

    def sign_logs(turn: Turn) -> None:
        make_checkpoints(database, shipped_slugs(), signer_of(config), turn.now)

    def send(turn: Turn) -> None:
        if config.mail_dir is not None or config.smtp_url is not None:
            deliver_all(config, database, stopping=turn.stopping)

    def take_files(turn: Turn) -> None:
        work_off_waiting(config, database, turn, not_before)

    def hooks(turn: Turn) -> None:
        tell_hooks(config, database, turn)

    def index(turn: Turn) -> None:
        for slug in shipped_slugs():
            index_all(database, slug, stopping=turn.stopping)

    jobs = [
        Job(name="checkpoints", run=sign_logs, daily_at=CHECKPOINTS_AT),
        Job(name="daily scan", run=scan_all, daily_at=SCAN_AT),
        Job(name="old answers", run=lambda turn: forget_answers(database, turn), daily_at=FORGET_ANSWERS_AT),
        Job(name="scan", run=scan_all, every=SCAN_EVERY),
        Job(name="access", run=lambda turn: tidy_access(database, turn.now), every=TIDY_ACCESS_EVERY),
        Job(name="long files", run=take_files, every=FILES_EVERY),
        Job(name="deliver", run=send, every=DELIVER_EVERY),
        Job(name="webhooks", run=hooks, every=HOOKS_EVERY),
        Job(name="old webhooks", run=lambda turn: forget_hooks(database, turn), daily_at=FORGET_HOOKS_AT),
        Job(name="old limits", run=lambda turn: forget_limits(database, turn), every=FORGET_LIMITS_EVERY),
        Job(name="index", run=index, every=INDEX_EVERY),
    ]
    return [*jobs, *_sandbox_jobs(config)]


def _sandbox_jobs(config: Config) -> list[Job]:
    def make_anew(turn: Turn) -> None:
        reset_sandbox(config, EXAMPLES, turn.now)

    return [Job(name="sandbox", run=make_anew, daily_at=RESET_AT)] if config.sandbox else []


def forget_answers(database: Database, turn: Turn) -> None:
    """Drop the answers kept for repeats of calls made more than 400 days ago, of counties and of none; old imports."""
    for county in (*shipped_slugs(), None):
        with database.transaction(county) as store:
            forget_old(store, turn.now)
            if county:
                forget_old_imports(store, turn.now)


def forget_limits(database: Database, turn: Turn) -> None:
    """Drop what the limits on calls have counted and need no more: it names keys and addresses."""
    with database.transaction(None) as store:
        forget_windows(store, turn.now)


def work_off_waiting(config: Config, database: Database, turn: Turn, not_before: dict[str, dt.datetime]) -> None:
    """Work off the long files of reports and of systems, the oldest first; one that fails is left alone for a while.

    not_before: when a file that failed may be tried again, by its id; written here.
    """

    def take_reports(county: str, one: str, clock: Callable[[], dt.datetime], stopping: Callable[[], bool]) -> bool:
        return work_off(database, county, one, signer_of(config), clock, stopping=stopping)

    for slug in shipped_slugs():
        with database.reading(slug) as store:
            imports = waiting_imports(store)
        waiting = [
            *((one, partial(take_reports, slug, one)) for one in waiting_files(database, slug)),
            *((one, partial(work_off_import, database, slug, one)) for one in imports),
        ]
        for one, work in waiting:
            if turn.stopping() or not turn.still_mine():
                return
            if not_before.get(one, turn.now) > turn.now:
                continue
            try:
                work(moment, stopping=turn.stopping)
            except DatabaseUnavailable:
                raise
            except Exception:
                not_before[one] = turn.now + AFTER_FAILURE
                _log.exception("long file failed", county=slug, file=one)


def run_worker_here(config: Config) -> None:
    """Run the schedule in this process until SIGTERM or SIGINT."""
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    with opened(config) as (settings, database):
        run_worker(database, jobs_of(settings, database), WorkerOptions(), stop)


def refuse_forgetful(database: Database) -> None:
    """Serve from no database that forgets, at a power cut, what it has acknowledged; raises `ConfigurationError`."""
    if problems := check_durability(database):
        raise ConfigurationError(
            f"The database may lose reports that it has acknowledged: {'; '.join(problems)}. Turn that on in the "
            "database server's configuration (and for this role and database), and start again."
        )


def run_web(config: Config) -> None:
    """Run gunicorn's web workers in this process until SIGTERM or SIGINT."""
    with opened(config) as (settings, database):
        refuse_forgetful(database)
    bind = f"[{settings.bind}]" if ":" in settings.bind else settings.bind
    serve(settings, workers=settings.web_concurrency, bind=f"{bind}:{settings.port}", worker_alive=worker_alive)


def run_all(environ: Mapping[str, str]) -> int:
    """Web workers and the worker as two processes; when one ends, or a signal comes, both end. Gives the exit code.

    environ: the processes' environment, which is their configuration.
    """
    config = Config.from_environment(environ)
    with opened(config) as (_settings, database):
        refuse_forgetful(database)  # says now, in one sentence, what is wrong with the database
    ending = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        ending.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    processes = [_start(name, environ) for name in ("web", "worker")]
    click.echo(f"Serving on http://127.0.0.1:{config.port}; /docs describes every address; Ctrl-C stops all.")
    try:
        while not ending.wait(0.2) and all(process.poll() is None for process in processes):
            pass
        ended_alone = any(process.poll() is not None for process in processes)
    finally:
        for process in processes:
            _end(process)
    return 1 if ended_alone else 0


def _start(name: str, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process of its own session, so that Ctrl-C comes to it through its parent, once."""
    command = [sys.executable, "-m", "reporting.cli", name]
    return subprocess.Popen(command, env=dict(environ), start_new_session=True)  # noqa: S603 - words of our own


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, and see that it does."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=STOP_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
