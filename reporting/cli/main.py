"""`pumper`: the commands put together, and what a failure says to a person at a terminal."""

from __future__ import annotations

from importlib import import_module

import click

from reporting.config import programs_folder
from reporting.errors import PumperError

# Where each command is, and its first sentence: it is imported when it is called, so that `--help` answers at once.
COMMANDS = {
    "init": ("reporting.cli.operate", "Create or upgrade the database and load the programs."),
    "programs": ("reporting.cli.programs", "The counties' programs: their rules with citations."),
    "inventory": ("reporting.cli.imports", "The county's systems, owners and designations."),
    "cases": (
        "reporting.cli.cases",
        "What a county pursues: proposals, cases and their steps, permit holds, enforcement sheets.",
    ),
    "contractors": ("reporting.cli.imports", "Septage businesses and others who report, with their licences."),
    "submit": ("reporting.cli.imports", "Send reports from a CSV, XLSX or JSON file; the same path as over HTTP."),
    "submission": ("reporting.cli.submissions", "Files of reports that were sent."),
    "headings": ("reporting.cli.submissions", "What the headings of a business's own files mean."),
    "review": ("reporting.cli.reviews", "Reports whose system is not certain: list, look at, decide, undo."),
    "evaluate": ("reporting.cli.evaluate", "Judge one scenario, or a JSON list of them; a list is answered by a list."),
    "fees": ("reporting.cli.fees", "Fees: charged, paid, waived; the roll of a year and the tax bill."),
    "sandbox": (
        "reporting.cli.sandbox",
        "A place to try things out: invented data in a database of its own (PUMPER_SANDBOX=on).",
    ),
    "scan": (
        "reporting.cli.mail",
        "Find what has come due or late, and queue the notices; repeat it as often as you like.",
    ),
    "deliver": (
        "reporting.cli.mail",
        "Send what is queued, each notice once, however often and side by side this runs.",
    ),
    "letters": ("reporting.cli.letters", "Notices on paper: list, print, confirm as mailed, prove."),
    "notices": ("reporting.cli.notices", "What people are told: each kind as it reads, and the notices made so far."),
    "status": ("reporting.cli.due", "How a system stands: what is due, by when, by which section of law, and why."),
    "due": ("reporting.cli.due", "What is due in a county, soonest first, as the last scan left it."),
    "key": ("reporting.cli.keys", "Keys with which programs and people use the service over HTTP."),
    "staff": ("reporting.cli.staff", "A county's people: who they are, what they may, how they come in."),
    "verify": (
        "reporting.cli.verifying",
        "Check the record of every county and of the service, one receipt against it, or an export.",
    ),
    "checkpoint": (
        "reporting.cli.records",
        "The signed head of each log as it stands (C2SP tlog-checkpoint), signed now where it has grown.",
    ),
    "signing": ("reporting.cli.records", "The key that signs the logs' heads."),
    "export": ("reporting.cli.records", "A county's record as files, to check and to keep without the service."),
    "repudiate": (
        "reporting.cli.records",
        "Enter a business's word that a report in its name is not its own, as the office heard it.",
    ),
    "record": (
        "reporting.cli.exports",
        "The permanent service record of a system (SPS 383.255(3)): every service, corrections included.",
    ),
    "summary": (
        "reporting.cli.exports",
        "The yearly summary of a county's program for the state (SPS 383.255(2)(b)6).",
    ),
    "service-log": (
        "reporting.cli.exports",
        "A hauler's service log over all counties, in the form of NR 113.11(3)(c), as CSV.",
    ),
    "meters": (
        "reporting.cli.exports",
        "Water meters of a system's holding tanks: interval, metered, pumped, ratio, finding; the forecast.",
    ),
    "periods": ("reporting.cli.exports", "Who reported for a half-year or a year, and who did not."),
    "mail": ("reporting.cli.mail_controls", "A county's mail: how it stands, pauses, addresses that get none."),
    "bounces": ("reporting.cli.mail_controls", "Mail that came back."),
    "backtest": (
        "reporting.cli.backtest",
        "Try the forecast of full holding tanks and the search for leaks on invented years; exit 1 if it falls short.",
    ),
    "backup": (
        "reporting.cli.backups",
        "Write everything to a new folder or .zip file, while the service runs: one moment, with a manifest.",
    ),
    "restore": (
        "reporting.cli.backups",
        "Restore a backup into the configured database, which must be empty, and check it against the heads it kept.",
    ),
    "move": (
        "reporting.cli.backups",
        "Move everything to another database, SQLite or PostgreSQL; stop the service first.",
    ),
    "retention": ("reporting.cli.retention", "How long a county's records are kept."),
    "serve": ("reporting.cli.operate", "Web workers and the scheduler in one; Ctrl-C stops all."),
    "web": (
        "reporting.cli.operate",
        "The web workers alone, as `serve` starts them; several may run, behind a proxy that shares the calls out.",
    ),
    "webhooks": (
        "reporting.cli.webhooks",
        "Programs that are told of what happens, over HTTPS (Standard Webhooks 1.0).",
    ),
    "windows": (
        "reporting.cli.windows",
        "The windows in which service areas are pumped: their owners are told by letter before.",
    ),
    "year": (
        "reporting.cli.district",
        "A year at a glance: the area served, windows and letters, deferrals, questionnaires, certificates, fees.",
    ),
    "mailings": ("reporting.cli.district", "What was mailed to owners beside the print runs, and what they answered."),
    "deferrals": ("reporting.cli.district", "Owners' requests for another window."),
    "exemptions": (
        "reporting.cli.exemptions",
        "Certificates of exemption: applied for, granted, refused, changed, ended.",
    ),
    "worker": ("reporting.cli.operate", "The scheduler and the delivery alone; several may run, one acts."),
    "config": (
        "reporting.cli.operate",
        "The environment variables that configure the service: meaning, default, value in force (secrets hidden).",
    ),
    "settings": ("reporting.cli.settings", "What a county has set: dated, kept in the record, with what held before."),
    "demo": ("reporting.cli.demo", "Run the main job on the shipped examples and print it."),
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
        module, _ = COMMANDS[cmd_name]
        found = getattr(import_module(module), cmd_name.replace("-", "_"))
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Their list in `--help`, without a look at any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, says) for name, (_, says) in sorted(COMMANDS.items())])

    def invoke(self, ctx: click.Context) -> object:
        """Run the command under the programs that the environment names; what cannot be done is said in a sentence."""
        from schemas.loader import ProgramError, use_folder

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
