"""Every regular expression of the service, found in its source, and texts made to keep each of them busy.

A pattern is taken from a call of `re`, from `validate.Regexp`, from a `regex` of an address's part and from a `pattern`
of a JSON Schema. One that is put together while running is evaluated with `PARTS`; one that cannot be is a failure.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("reporting", "schemas", "notifications")
SIZE: Final = 100_000
_CALLS: Final = ("compile", "match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split")
_WAYS: Final = ("match", "fullmatch", "search")
PARTS: Final[dict[str, Any]] = {"delimiter": ",", "re": re}
"""What stands in patterns that are put together while running."""
GIVEN: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    # Where a pattern is handed in or put together by a function: the module and an expression that gives it.
    "reporting/forms.py": (("reporting.owners", "_PERIOD"),),
    "reporting/intake/csv_rows.py": (("reporting.intake.csv_rows", "_plain_record(',')"),),
}


@dataclass(frozen=True, kw_only=True)
class Found:
    """One pattern: where it stands, and how it is used (`match`, `fullmatch`, `search`)."""

    where: str
    pattern: re.Pattern[Any]
    ways: tuple[str, ...]


def find_patterns() -> tuple[list[Found], list[str]]:
    """All of them, and what could not be evaluated."""
    found: list[Found] = []
    problems: list[str] = []
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            for expression, flags, called in _expressions(node):
                where = f"{name}:{expression.lineno}"
                try:
                    pattern = _compiled(name, expression, flags)
                except Exception as error:
                    given = GIVEN.get(name, ())
                    found += [Found(where=where, pattern=_given(*one), ways=_WAYS) for one in given]
                    problems += [] if given else [f"{where}: {ast.unparse(expression)[:80]}: {error}"]
                    continue
                ways = _ways(tree, node) if called == "compile" else _way_of(called)
                found.append(Found(where=where, pattern=pattern, ways=ways))
    return found, problems


def _expressions(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None, str]]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in _CALLS:
            place = 1 if node.func.attr == "compile" else 4 if node.func.attr.startswith("sub") else 2
            flags = next((word.value for word in node.keywords if word.arg == "flags"), None)
            if flags is None and len(node.args) > place:
                flags = node.args[place]
            yield node.args[0], flags, node.func.attr
        elif node.func.attr == "Regexp":
            yield node.args[0], None, "match"
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "pattern" and isinstance(value, ast.Constant):
                yield value, None, "search"
    if isinstance(node, ast.Assign) and [t.id for t in node.targets if isinstance(t, ast.Name)] == ["regex"]:
        yield node.value, None, "match"


def _compiled(name: str, expression: ast.expr, flags: ast.expr | None) -> re.Pattern[Any]:
    module = importlib.import_module(name.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
    names = {**PARTS, **vars(module)}

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), name, "eval"), names)

    found = value(expression)
    return found if isinstance(found, re.Pattern) else re.compile(found, value(flags) if flags is not None else 0)


def _given(module: str, expression: str) -> re.Pattern[Any]:
    return re.compile(eval(expression, vars(importlib.import_module(module))))


def _ways(tree: ast.AST, node: ast.AST) -> tuple[str, ...]:
    """How the name that a compiled pattern is bound to is used in its module; all ways where that cannot be told."""
    names = {
        target.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is node
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
        if isinstance(target, ast.Name)
    }
    used = {
        each.attr
        for each in ast.walk(tree)
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in names
    }
    bare = sum(isinstance(each, ast.Name) and each.id in names for each in ast.walk(tree))
    attributed = sum(
        isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in names
        for each in ast.walk(tree)
    )
    if not names or not used or bare > attributed + 1:  # handed on: whoever takes it may do anything
        return _WAYS
    return tuple(sorted({way for name in used for way in _way_of(name)}))


def _way_of(called: str) -> tuple[str, ...]:
    return (called,) if called in ("match", "fullmatch") else ("search",)


def texts_for(pattern: re.Pattern[Any], size: int = SIZE) -> Iterator[str]:
    """Texts of `size`: runs of what the pattern repeats, ended by what it does not take; and plain long runs."""
    runs = {
        "a",
        "0",
        " ",
        "-",
        ",",
        '"',
        "<",
        ".",
        "a ",
        "0,",
        '""',
        "<a",
        'a="',
        "\t ",
        "é",
        "\n",
        "\r\n",
        "a-0.",
        "<a ",
    }
    parsed = parser.parse(pattern.pattern, pattern.flags)
    runs |= set(_repeated(parsed))
    whole = _sample(parsed)
    for run in sorted(run for run in runs if run):
        long = (run * (size // len(run) + 1))[:size]
        for end in ("", "\x00", "!", "\n"):
            yield long + end
        for lead in {whole, whole[: len(whole) // 2], whole[:1], '"', "<"} - {""}:
            yield lead + long + "\x00"


def _repeated(parsed: Any) -> Iterator[str]:
    """A sample of the inside of every repetition, and of two samples mixed."""
    for code, value in parsed:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield _sample(value[2])
            yield _sample(value[2], last=True)
            yield _sample(value[2]) + _sample(value[2], last=True)
        for inner in _inside(code, value):
            yield from _repeated(inner)


def _inside(code: Any, value: Any) -> Sequence[Any]:
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [value[2]]
    if code is codes.SUBPATTERN:
        return [value[3]]
    if code is codes.BRANCH:
        return list(value[1])
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [value[1]]
    return [value] if code is codes.ATOMIC_GROUP else []


def _sample(parsed: Any, *, last: bool = False) -> str:
    """A text that the pattern takes, more or less; `last`: by the last alternative and the end of each range."""
    text = ""
    for code, value in parsed:
        if code is codes.LITERAL:
            text += chr(value)
        elif code is codes.NOT_LITERAL:
            text += "a" if value != ord("a") else "b"
        elif code is codes.ANY:
            text += "a"
        elif code is codes.IN:
            text += _one_of(value, last)
        elif code is codes.BRANCH:
            text += _sample(value[1][-1 if last else 0], last=last)
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            text += _sample(value[2], last=last) * max(1, min(int(value[0]), 20))
        elif code is not codes.ASSERT_NOT:
            text += "".join(_sample(inner, last=last) for inner in _inside(code, value))
    return text


_CATEGORIES: Final = {
    codes.CATEGORY_DIGIT: "0",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_NOT_WORD: "-",
}


def _one_of(choices: Sequence[Any], last: bool) -> str:
    if choices[0][0] is codes.NEGATE:
        taken = {value for code, value in choices if code is codes.LITERAL}
        return next(char for char in ("z-" if last else "a0") + "bcdef " if ord(char) not in taken)
    code, value = choices[-1 if last else 0]
    if code is codes.RANGE:
        return chr(value[1] if last else value[0])
    return chr(value) if code is codes.LITERAL else _CATEGORIES.get(value, "a")
