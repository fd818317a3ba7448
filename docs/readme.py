"""Writes the parts of README.md that come from the code: the demonstration's output, rules, commands, endpoints.

python docs/readme.py            rewrite them
python docs/readme.py --check    say which of them are not as the code is; exit 1 if any
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

README = ROOT / "README.md"


def demo() -> str:
    """The demonstration's output as it really is; run in a folder of its own, so that var/demo here stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        command = [sys.executable, "-m", "reporting.cli", "demo"]
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        run = subprocess.run(  # noqa: S603 - words of our own
            command, cwd=folder, env=environ, stdout=subprocess.PIPE, text=True, timeout=300, check=True
        )
    return f"```\n$ make demo\n{run.stdout.strip()}\n```"


def rules() -> str:
    """Each program's rules by effect: those that act, with what they do, and those that are pending."""
    from reporting.cli.programs import rule_line
    from schemas.loader import shipped_program, shipped_slugs

    lines = []
    for slug in shipped_slugs():
        program = shipped_program(slug)
        own = [r for r in program.rules if not any(r.id == s.id for s in _state_rules())]
        lines += _table(f"{program.name} (`{slug}`), {program.authority}", [rule_line(r, "") for r in own])
    lines += _table(
        "The state baseline, in every program unless the ordinance is stricter",
        [rule_line(r, "") for r in _state_rules()],
    )
    return "\n".join(lines)


def _state_rules() -> list:  # type: ignore[type-arg]
    from schemas.loader import shipped_program, shipped_slugs

    programs = [shipped_program(slug) for slug in shipped_slugs()]
    common = set.intersection(*({r.id for r in p.rules} for p in programs))
    return [r for r in programs[0].rules if r.id in common]


def _table(title: str, rows: list[dict[str, object]]) -> list[str]:
    acting = [r for r in rows if not r["pending"]]
    pending = [r for r in rows if r["pending"]]
    lines = [
        f"**{title}**: {len(acting)} acting, {len(pending)} pending\n",
        "| rule | section | what it does |",
        "|---|---|---|",
    ]
    lines += [f"| {r['id']} | {r['cite']} | {r['title']} |" for r in acting]
    lines.append(f"\nPending: {', '.join(str(r['id']) for r in pending) or 'none'}.\n")
    return lines


def commands() -> str:
    """Every command with its own first line of help."""
    from reporting.cli.main import pumper

    lines = ["| command | what it does |", "|---|---|"]
    for name, words in _commands(pumper, "pumper"):
        lines.append(f"| `{name}` | {words} |")
    return "\n".join(lines)


def _commands(group: click.Group, prefix: str) -> list[tuple[str, str]]:
    found = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        if isinstance(command, click.Group):
            found += _commands(command, f"{prefix} {name}")
        else:
            arguments = [p for p in command.params if isinstance(p, click.Argument)]
            usage = " ".join(p.make_metavar(click.Context(command)) for p in arguments)
            words = (command.help or "").split("\n\n")[0].replace("\n", " ")
            found.append((f"{prefix} {name} {usage}".strip(), words))
    return found


def endpoints() -> str:
    """Every endpoint of the service's own description."""
    paths = _description()["paths"]
    lines = ["| method and path | what it is |", "|---|---|"]
    for path, methods in paths.items():
        lines += [
            f"| `{m.upper()} {path}` | {' '.join(told['summary'].split())} |"
            for m, told in methods.items()
            if "summary" in told
        ]
    return "\n".join(lines)


def _description() -> dict:  # type: ignore[type-arg]
    """The service's OpenAPI document, from the running application."""
    import datetime as dt

    from reporting.api.app import create_app
    from reporting.config import Config
    from reporting.store.engine import Database
    from reporting.store.signing import Signer

    with tempfile.TemporaryDirectory() as folder:
        config = Config.from_environment({"DATABASE_URL": f"sqlite:///{folder}/none.db"})
        signer = Signer.load(Path(folder) / "signing.key")
        app = create_app(
            config, Database.connect(config.database_url), signer, lambda: dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
        )
        return app.test_client().get("/openapi.json").get_json()


def coverage() -> str:
    """Every rule: its section, where it acts, what tests it; as `pumper programs coverage` counts."""
    from reporting.cli.coverage import coverage as lines_of
    from reporting.cli.coverage import markdown

    return "\n".join(markdown(lines_of(ROOT / "tests")))


PARTS: dict[str, Callable[[], str]] = {
    "demo": demo,
    "rules": rules,
    "coverage": coverage,
    "commands": commands,
    "endpoints": endpoints,
}


def main() -> int:
    """Rewrite the parts, or with --check name those that differ."""
    check = "--check" in sys.argv
    names = [a for a in sys.argv[1:] if not a.startswith("-")] or list(PARTS)
    text = README.read_text(encoding="utf-8")
    stale = []
    for name in names:
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        fresh = PARTS[name]()
        new = pattern.sub(lambda m, fresh=fresh: f"{m[1]}{fresh}\n{m[2]}", text)  # type: ignore[misc]
        if new != text:
            stale.append(name)
        text = new
    if check:
        sys.stdout.write(
            "".join(f"README.md: the part {name!r} is not as the code is; run docs/readme.py\n" for name in stale)
        )
        return 1 if stale else 0
    README.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
