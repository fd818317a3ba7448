"""Run a server as another user, so that it ends when whoever started it does: `python launch.py UID GID COMMAND…`.

A script of its own: `preexec_fn` is not safe beside threads, and the user a server is dropped to may not be allowed
to read the interpreter's folder, so the change of user happens last, just before the command replaces this process.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def main(arguments: list[str]) -> None:
    """Become `UID`, `GID` (unless root is not what we are) and then the command."""
    uid, gid, command = int(arguments[0]), int(arguments[1]), arguments[2:]
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        # After the change of user, which would clear it. SIGINT is PostgreSQL's fast shutdown.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
