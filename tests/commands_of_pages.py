"""What a page for people names of the service: its commands with their options, its settings, its files."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

import click

from reporting.cli.main import pumper
from reporting.variables import SETTINGS

ROOT: Final = Path(__file__).resolve().parents[1]
KNOWN: Final = {setting.name for setting in SETTINGS} | {f"{setting.name}_FILE" for setting in SETTINGS}


def commands_of(text: str) -> list[str]:
    """Every `pumper …` of a page: lines of its fenced blocks, and what stands between backticks in a sentence."""
    fenced = [line for block in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    told = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    found = [line.split(" > ")[0] for line in fenced if line.startswith("pumper ")]
    return [*found, *(re.sub(r"\s+", " ", one) for one in re.findall(r"`(pumper\s[^`]+)`", told))]


def misfit(command: str) -> str | None:
    """What is wrong with a command: a word that is no command, an option it has not, too many arguments."""
    found: click.Command = pumper
    context = click.Context(pumper, info_name="pumper")
    words = shlex.split(command, comments=True)[1:]
    while isinstance(found, click.Group):
        if not words:
            return None  # the group by itself, as in a list of commands
        inner = found.get_command(context, words[0])
        if inner is None:
            return f"{command}: there is no {words[0]!r}"
        found, words = inner, words[1:]
    try:
        _, left, _ = found.make_parser(click.Context(found, info_name="pumper")).parse_args(words)
    except click.UsageError as error:
        return f"{command}: {error.format_message()}"
    return f"{command}: {left} is too much" if left else None


def settings_of(text: str) -> set[str]:
    """Every name of an environment variable: words in capitals with a `_` in them."""
    return set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", text))


def lost_files(page: Path) -> list[str]:
    """Links of a page that lead to no file, and headings of the page that are not there."""
    text = page.read_text(encoding="utf-8")
    headings = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in re.findall(r"^#+ (.+)$", text, re.M)}
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        if path and not (page.parent / path).exists():
            lost.append(target)
        if not path and anchor not in headings:
            lost.append(target)
    named = re.findall(r"`((?:deploy|bench|docs|examples)/[\w./-]+)`", text)
    return [*lost, *(one for one in named if not (ROOT / one).exists())]
