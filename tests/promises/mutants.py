"""Code broken on purpose, one small place at a time: what a careless change could leave, for tests that must notice.

`sites` finds the places in a module's functions, `broken` compiles the module with one of them changed, `put_in_place`
gives the functions of the running process the code so compiled: whoever imported them by name calls the broken ones.
Words that people read, annotations, defaults and what runs at import are left alone.
"""

from __future__ import annotations

import ast
import copy
import functools
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeGuard

BOUNDARY: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
"""An order is moved by its limit, and turned round."""
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
}
PAIRS = {"min": "max", "max": "min", "any": "all", "all": "any"}
LEFT_ALONE = frozenset({"annotation", "returns", "decorator_list", "pattern", "ctx"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, kw_only=True)
class Site:
    """One place and what is to stand there: `name` says both, and stays the same while the function does."""

    name: str
    function: str
    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST


Ways = Callable[[ast.AST], Iterator[ast.AST]]


def sites(module: str, tree: ast.Module, ways: Ways) -> list[Site]:
    """Every way of breaking each function of a module, in the order of the source."""
    found: list[Site] = []
    seen: dict[str, int] = {}
    for function, node in _functions(tree, ""):
        for parent, field, index, old in _within(node):
            for new in ways(old):
                name = f"{module}.{function}: {_short(old)} -> {_short(new)}"
                seen[name] = seen.get(name, 0) + 1
                name += f" ({seen[name]})" if seen[name] > 1 else ""
                found.append(Site(name=name, function=function, parent=parent, field=field, index=index, node=new))
    return found


def broken(tree: ast.Module, site: Site, filename: str) -> CodeType:
    """The module's code with one place changed; the tree is as it was afterwards."""
    if site.index is None:
        kept = getattr(site.parent, site.field)
        setattr(site.parent, site.field, site.node)
    else:
        kept = getattr(site.parent, site.field)[site.index]
        getattr(site.parent, site.field)[site.index] = site.node
    try:
        return compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True)
    finally:
        if site.index is None:
            setattr(site.parent, site.field, kept)
        else:
            getattr(site.parent, site.field)[site.index] = kept


def put_in_place(module: ModuleType, code: CodeType) -> int:
    """Give the module's functions, wherever they are held, the code of this compilation; how many have another now."""
    new = {_key(each): each for each in _codes(code)}
    changed = 0
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename == module.__file__:
            wanted = new.get(_key(one.__code__))
            if wanted is not None and wanted != one.__code__:
                one.__code__ = wanted
                changed += 1
    for cache in caches_of(module):
        cache.cache_clear()
    return changed


def caches_of(module: ModuleType) -> list[Any]:
    """The functions of a module that keep their answers: what they kept would hide that they are broken."""
    kept = [one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper)]
    return [one for one in kept if one.__module__ == module.__name__]


def codes_of(module: ModuleType) -> dict[int, str]:
    """The code objects of a module's functions as they run now, by identity, with each function's name."""
    return {
        id(one.__code__): one.__qualname__
        for one in gc.get_objects()
        if isinstance(one, FunctionType) and one.__code__.co_filename == module.__file__
    }


def any_way(node: ast.AST) -> Iterator[ast.AST]:
    """Every way in which a tool breaks a node."""
    for way in (_compared, _calculated, _decided, _named, _counted, _left_out, _returned):
        yield from way(node)


def unfiltered(node: ast.AST) -> Iterator[ast.AST]:
    """A query's condition on the transaction's county that is true of every county's rows."""
    asked = ast.unparse(node.comparators[0]) if _asks_for_county(node) else ""
    if _asks_for_county(node) and ("store." in asked or asked == "TENANT"):
        yield ast.copy_location(ast.Compare(left=node.left, ops=node.ops, comparators=[node.left]), node)


def unjoined(node: ast.AST) -> Iterator[ast.AST]:
    """Two tables joined whatever their counties are."""
    if _asks_for_county(node) and _is_column(node.comparators[0]):
        yield ast.copy_location(ast.Compare(left=node.left, ops=node.ops, comparators=[node.left]), node)


def _asks_for_county(node: ast.AST) -> TypeGuard[ast.Compare]:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) and _is_column(node.left)


def _is_column(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "county" and ast.unparse(node.value).endswith(".c")


def _compared(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            for other in BOUNDARY[type(operator)]:
                changed = copy.copy(node)
                changed.ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
                yield changed


def _calculated(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
        yield _like(node, op=ARITHMETIC[type(node.op)]())


def _decided(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BoolOp):
        yield _like(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        if len(node.values) > 2:
            for at in range(len(node.values)):
                yield _like(node, values=node.values[:at] + node.values[at + 1 :])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Compare):
        yield _like(node, test=ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=node.test), node.test))
    if isinstance(node, ast.comprehension) and node.ifs:
        yield _like(node, ifs=[])


def _named(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in PAIRS:
            yield _like(node, func=ast.copy_location(ast.Name(id=PAIRS[node.func.id], ctx=ast.Load()), node.func))
        for at, keyword in enumerate(node.keywords):
            # A flag that is handed on and not: what stands by default is mostly "no".
            if keyword.arg and isinstance(keyword.value, ast.Name) and keyword.value.id == keyword.arg:
                none = ast.copy_location(ast.Constant(value=None), keyword.value)
                yield _like(node, keywords=[*node.keywords[:at], _like(keyword, value=none), *node.keywords[at + 1 :]])


def _counted(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield _like(node, value=not node.value)
        elif isinstance(node.value, int):
            yield _like(node, value=node.value + 1)
            yield _like(node, value=node.value - 1)


def _left_out(node: ast.AST) -> Iterator[ast.AST]:
    stored = isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name | ast.Tuple)
    done = isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    if stored or done or isinstance(node, ast.AugAssign | ast.Raise):
        yield ast.copy_location(ast.Pass(), node)
    if isinstance(node, ast.Continue):
        yield ast.copy_location(ast.Break(), node)
    if isinstance(node, ast.Break):
        yield ast.copy_location(ast.Continue(), node)


def _returned(node: ast.AST) -> Iterator[ast.AST]:
    plain = isinstance(node, ast.Return) and isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Return) and node.value is not None and not plain:
        yield _like(node, value=ast.copy_location(ast.Constant(value=None), node.value))


def _like(node: Any, **changes: Any) -> Any:
    changed = copy.copy(node)
    for name, value in changes.items():
        setattr(changed, name, value)
    return changed


def _functions(node: ast.AST, before: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield f"{before}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{before}{child.name}.")


def _within(function: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Each node of a function's body with its place; texts, their parts, annotations and assertions are left out."""
    yield from _below(function, ("body",))


def _below(parent: ast.AST, fields: tuple[str, ...]) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    for field in fields:
        value = getattr(parent, field, None)
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr | ast.Assert | ast.pattern):
                yield parent, field, index, child
                yield from _below(child, tuple(each for each in child._fields if each not in LEFT_ALONE))


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _short(node: ast.AST) -> str:
    if isinstance(node, ast.comprehension):
        return f"for {ast.unparse(node.target)} in … if {' '.join(map(ast.unparse, node.ifs)) or 'any'}"[:90]
    text = " ".join(ast.unparse(ast.fix_missing_locations(copy.copy(node))).split())
    return text if len(text) <= 90 else f"{text[:60]}…{text[-28:]}"
