"""The baseline of calls: a server of the same kind that says hello in JSON and does nothing else.

python bench/hello.py PORT
"""

from __future__ import annotations

import sys
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication

app = Flask("hello")


@app.post("/hello")
@app.get("/hello")
def hello() -> dict[str, str]:
    """The least that a service can say."""
    return {"hello": "county"}


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn ships no types
    def load_config(self) -> None:
        settings: dict[str, Any] = {"bind": f"127.0.0.1:{sys.argv[1]}", "workers": 2, "threads": 8}
        for name, value in {**settings, "worker_class": "gthread", "control_socket_disable": True}.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return app


if __name__ == "__main__":
    _Server().run()
