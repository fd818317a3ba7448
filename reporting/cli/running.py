"""The service as processes: gunicorn's web workers and one worker with the schedule, started and stopped together."""

from __future__ import annotations

import datetime as dt
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from types import FrameType

import click
import structlog

from notifications.worker import Job, Turn, WorkerOptions, run_worker
from notifications.worker import is_alive as worker_alive
from reporting.api.server import serve
from reporting.cli.common import opened, signer_of
from reporting.cli.mail import deliver_all, scan_county
from reporting.cli.words import moment
from reporting.config import Config
from reporting.errors import DatabaseUnavailable
from reporting.intake.waiting import waiting_files, work_off
from reporting.store.engine import Database, check_durability
from schemas.calendar import local_date
from schemas.loader import shipped_program, shipped_slugs

SCAN_AT = dt.time(5, 0)
SCAN_EVERY = dt.timedelta(minutes=5)
DELIVER_EVERY = dt.timedelta(seconds=30)
FILES_EVERY = dt.timedelta(seconds=5)
AFTER_FAILURE = dt.timedelta(minutes=10)
STOP_WITHIN = 40
_log = structlog.get_logger(__name__)


def jobs_of(config: Config, database: Database) -> list[Job]:
    """What the worker does: a scan each morning, new reports every few minutes, long files, delivery."""
    not_before: dict[str, dt.datetime] = {}

    def scan_all(turn: Turn) -> None:
        for slug in shipped_slugs():
            if turn.stopping():
                return
            today = local_date(turn.now, shipped_program(slug).timezone)
            scan_county(database, slug, today, turn.now, config.base_url)

    def send(turn: Turn) -> None:
        if config.mail_dir is not None or config.smtp_url is not None:
            deliver_all(config, database, stopping=turn.stopping)

    def take_files(turn: Turn) -> None:
        work_off_waiting(config, database, turn, not_before)

    return [
        Job(name="daily scan", run=scan_all, daily_at=SCAN_AT),
        Job(name="scan", run=scan_all, every=SCAN_EVERY),
        Job(name="long files", run=take_files, every=FILES_EVERY),
        Job(name="deliver", run=send, every=DELIVER_EVERY),
    ]


def work_off_waiting(config: Config, database: Database, turn: Turn, not_before: dict[str, dt.datetime]) -> None:
    """Work off the long files of every county, the oldest first; one that fails is left alone for a while.

    not_before: when a file that failed may be tried again, by its submission; written here.
    """
    for slug in shipped_slugs():
        for submission in waiting_files(database, slug):
            if turn.stopping() or not turn.still_mine():
                return
            if not_before.get(submission, turn.now) > turn.now:
                continue
            try:
                work_off(database, slug, submission, signer_of(config), moment, stopping=turn.stopping)
            except DatabaseUnavailable:
                raise
            except Exception:
                not_before[submission] = turn.now + AFTER_FAILURE
                _log.exception("long file failed", county=slug, submission=submission)


def run_worker_here(config: Config) -> None:
    """Run the schedule in this process until SIGTERM or SIGINT."""
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    with opened(config) as (settings, database):
        run_worker(database, jobs_of(settings, database), WorkerOptions(), stop)


def run_web(config: Config) -> None:
    """Run gunicorn's web workers in this process until SIGTERM or SIGINT."""
    with opened(config) as (settings, database):
        for problem in check_durability(database):
            click.echo(f"pumper: the database may lose what it acknowledges: {problem}", err=True)
    serve(settings, workers=settings.web_concurrency, bind=f"127.0.0.1:{settings.port}", worker_alive=worker_alive)


def run_all(environ: Mapping[str, str]) -> int:
    """Web workers and the worker as two processes; when one ends, or a signal comes, both end. Gives the exit code.

    environ: the processes' environment, which is their configuration.
    """
    config = Config.from_environment(environ)
    with opened(config):
        pass  # says now, in one sentence, what is wrong with the database
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
