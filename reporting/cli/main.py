"""`pumper`: the commands put together, and what a failure says to a person at a terminal."""

from __future__ import annotations

from importlib import import_module

import click

from reporting.config import programs_folder
from reporting.errors import PumperError
from schemas.loader import ProgramError, use_folder

# Each command is imported when it is called: `pumper evaluate` needs neither database nor web server.
COMMANDS = {
    "init": "reporting.cli.operate",
    "programs": "reporting.cli.programs",
    "inventory": "reporting.cli.imports",
    "cases": "reporting.cli.cases",
    "contractors": "reporting.cli.imports",
    "submit": "reporting.cli.imports",
    "submission": "reporting.cli.submissions",
    "headings": "reporting.cli.submissions",
    "review": "reporting.cli.reviews",
    "evaluate": "reporting.cli.evaluate",
    "fees": "reporting.cli.fees",
    "sandbox": "reporting.cli.sandbox",
    "scan": "reporting.cli.mail",
    "deliver": "reporting.cli.mail",
    "letters": "reporting.cli.letters",
    "notices": "reporting.cli.notices",
    "status": "reporting.cli.due",
    "due": "reporting.cli.due",
    "key": "reporting.cli.keys",
    "staff": "reporting.cli.staff",
    "verify": "reporting.cli.verifying",
    "checkpoint": "reporting.cli.records",
    "signing": "reporting.cli.records",
    "export": "reporting.cli.records",
    "repudiate": "reporting.cli.records",
    "record": "reporting.cli.exports",
    "summary": "reporting.cli.exports",
    "service-log": "reporting.cli.exports",
    "meters": "reporting.cli.exports",
    "periods": "reporting.cli.exports",
    "mail": "reporting.cli.mail_controls",
    "bounces": "reporting.cli.mail_controls",
    "backtest": "reporting.cli.backtest",
    "backup": "reporting.cli.backups",
    "restore": "reporting.cli.backups",
    "move": "reporting.cli.backups",
    "retention": "reporting.cli.retention",
    "serve": "reporting.cli.operate",
    "web": "reporting.cli.operate",
    "webhooks": "reporting.cli.webhooks",
    "windows": "reporting.cli.windows",
    "year": "reporting.cli.district",
    "mailings": "reporting.cli.district",
    "deferrals": "reporting.cli.district",
    "exemptions": "reporting.cli.exemptions",
    "worker": "reporting.cli.operate",
    "config": "reporting.cli.operate",
    "settings": "reporting.cli.settings",
    "demo": "reporting.cli.demo",
}


class Failed(click.ClickException):
    """The service could not do what was asked: one sentence, exit code 2."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        """Say it on stderr."""
        click.echo(f"pumper: {self.message}", err=True)


class Pumper(click.Group):
    """The commands, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands' names, in order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        found = getattr(import_module(COMMANDS[cmd_name]), cmd_name.replace("-", "_"))
        assert isinstance(found, click.Command)
        return found

    def invoke(self, ctx: click.Context) -> object:
        """Run the command under the programs that the environment names; what cannot be done is said in a sentence."""
        try:
            use_folder(programs_folder())
            return super().invoke(ctx)
        except PumperError as error:
            raise Failed(str(error)) from error
        except ProgramError as error:
            raise Failed(f"a program file cannot be used; `pumper programs check FILE` tells more.\n{error}") from error


@click.command(cls=Pumper, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pumper-reporting", prog_name="pumper")
def pumper() -> None:
    """Service reports of septic haulers, and what Wisconsin counties do with them.

    Exit codes: 0 done; 1 done, but rows or deliveries failed (the output says which); 2 wrong usage or cannot run.
    """


def main() -> None:
    """Run `pumper`."""
    pumper()
