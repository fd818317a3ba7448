"""The control of P4 is right as long as it lives, so that it is its deaths that the proof has found."""

from pathlib import Path

from tests.promises.arenas import sqlite_arena
from tests.promises.proofs.p04 import forgetful_run


def test_the_control_is_right_as_long_as_it_lives(sqlite_template: Path, tmp_path: Path) -> None:
    assert forgetful_run(sqlite_arena(sqlite_template, tmp_path), deaths=0).failures == ()
