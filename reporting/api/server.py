"""gunicorn as `pumper serve` runs it: threads, no preloading, an application and its connections for each worker."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final

from flask import Flask
from gunicorn.app.base import BaseApplication

from reporting.api.app import create_app
from reporting.api.calls import WorkerAlive
from reporting.config import Config, read, share_counts
from reporting.store.engine import Database
from reporting.store.room import room_of
from reporting.store.signing import Signer
from schemas.loader import read_all, use_folder

THREADS: Final = 8
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - for signs of life and counts, which must not wait for a disk
_STOP_WITHIN: Final = 30
"""Seconds that calls under way have to end; longer than a database may keep them waiting."""


def utc_now() -> dt.datetime:
    """The service's clock."""
    return dt.datetime.now(dt.UTC)


def application(config: Config | None = None, worker_alive: WorkerAlive | None = None) -> Flask:
    """The application with a database connection of its own, for one process."""
    settings = config or read()
    use_folder(settings.programs)
    read_all()
    signer = Signer.load(settings.signing_key_file)
    room = room_of(settings.database_url, settings.database_folder, settings.least_free)
    database = Database.connect(settings.database_url, prompt=True, room=room)
    return create_app(settings, database, signer, utc_now, worker_alive)


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn ships no types
    def __init__(self, config: Config, options: dict[str, Any], worker_alive: WorkerAlive | None) -> None:
        self._config = config
        self._worker_alive = worker_alive
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        # Without preloading, this runs in each worker after the fork.
        return application(self._config, self._worker_alive)


def settings_of(workers: int, bind: str) -> dict[str, Any]:
    """gunicorn's settings; whose word for the scheme it takes, `serve` adds."""
    options: dict[str, Any] = {
        "bind": bind,
        "workers": workers,
        "worker_class": "reporting.api.workers.Worker",
        "threads": THREADS,
        "timeout": 60,
        "graceful_timeout": _STOP_WITHIN,
        "keepalive": 5,
        "preload_app": False,
        "control_socket_disable": True,
        "limit_request_line": 4094,
        "limit_request_fields": 64,
        "accesslog": None,
        "errorlog": "-",
        "proc_name": "pumper",
    }
    return {**options, "worker_tmp_dir": str(_SHARED_MEMORY)} if _SHARED_MEMORY.is_dir() else options


def serve(config: Config, *, workers: int, bind: str, worker_alive: WorkerAlive | None = None) -> None:
    """Serve until SIGTERM or SIGINT; the process ends with the server.

    worker_alive: what `/readyz` asks beside the database, such as `notifications.worker.is_alive`.
    """
    # The key is made here, once, and not by the workers in a race.
    Signer.load(config.signing_key_file)
    proxies = ",".join(str(network) for network in config.trusted_proxies)
    counts = mkdtemp(prefix="pumper-counts-", dir=_SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None)
    share_counts(counts)
    hooks = {"forwarded_allow_ips": proxies, "on_exit": lambda _arbiter: rmtree(counts, ignore_errors=True)}
    _Server(config, {**settings_of(workers, bind), **hooks}, worker_alive).run()
