"""An upgrade that dies: `python -m tests.promises.upgrading URL STATEMENTS [loose]`.

It is killed by SIGKILL after so many statements. `loose`: how it must not be, with each statement committed by itself.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from sqlalchemy import Engine, event

from reporting.store.migrate import upgrade


def main(arguments: list[str]) -> None:
    """Upgrade, and die on the way."""
    url, left, loose = arguments[0], [int(arguments[1])], arguments[2:] == ["loose"]

    def after_statement(connection: Any, *_of: Any) -> None:
        if loose:
            connection.connection.driver_connection.commit()
        left[0] -= 1
        if left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "after_cursor_execute", after_statement)
    upgrade(url)


if __name__ == "__main__":
    main(sys.argv[1:])
