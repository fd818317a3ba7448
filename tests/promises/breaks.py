"""One named mutant, made by hand where a tool's would say little: what someone could forget or loosen."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

from tests.promises.grounds import Grounds
from tests.promises.mutants import put_in_place
from tests.services.databases import Kind


@dataclass(frozen=True, kw_only=True)
class Break:
    """`old` stands once in the module's source and becomes `new`; or the schema is broken by statements of its owner.

    tests: how the names of the ordinary tests begin that must notice it. kind: the database on which they run.
    """

    group: str
    name: str
    tests: tuple[str, ...]
    module: str = ""
    old: str = ""
    new: str = ""
    schema: tuple[str, ...] = ()
    kind: Kind = "sqlite"

    def put_in_place(self, grounds: Grounds) -> bool:
        """Break this process; whether anything was changed by it."""
        if self.schema:
            grounds.broken_by(self.schema, self.kind)
            return True
        module = importlib.import_module(self.module)
        assert module.__file__
        source = Path(module.__file__).read_text(encoding="utf-8")
        assert source.count(self.old) == 1, f"{self.name}: {source.count(self.old)} places in {self.module}"
        # As many lines as before: a function is known by its name and by the line where it begins.
        new = "\n" * (self.old.count("\n") - self.new.count("\n")) + self.new
        changed = compile(source.replace(self.old, new), module.__file__, "exec", dont_inherit=True)
        return put_in_place(module, changed) > 0


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """The mutants of one module that the same tests must notice."""

    group: str
    module: str
    tests: tuple[str, ...]
    kind: Kind = "sqlite"

    def of(self, name: str, old: str, new: str, *tests: str) -> Break:
        """One of them; tests: others than the shelf's."""
        return Break(
            group=self.group, name=name, module=self.module, old=old, new=new, tests=tests or self.tests, kind=self.kind
        )
