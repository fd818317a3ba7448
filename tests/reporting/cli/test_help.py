"""`pumper --help` lists every command with the first sentence of the command's own help, and imports none of them."""

import subprocess
import sys

import click
import pytest

from reporting.cli.main import COMMANDS, pumper


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_list_says_what_the_command_says_of_itself(name: str) -> None:
    command = pumper.get_command(click.Context(pumper), name)
    assert command is not None
    assert COMMANDS[name][1] == command.get_short_help_str(1000)


def test_the_list_is_told_without_a_look_at_the_commands() -> None:
    asked = "import sys; from reporting.cli.main import main; sys.argv = ['pumper', '--help']\n"
    asked += "try:\n    main()\nfinally:\n    print({'sqlalchemy', 'marshmallow', 'flask'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "set()"
    assert all(f"\n  {name} " in run.stdout for name in COMMANDS)
