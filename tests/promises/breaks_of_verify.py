"""Named mutants of the check of the log, and of what keeps the log from being changed."""

from __future__ import annotations

from tests.promises.breaks import Break, Shelf

GROUP = "verify"
VERIFY = "tests/reporting/store/test_verify.py::"
LOG = "tests/reporting/store/test_log.py::"
ROTATION = "tests/reporting/store/test_rotation.py::"
EVERY_KEY = "(*self.ring.known, *(key for one in self.ring.rotations for key in (one.old, one.new)))"
PROJECTION = "tests/reporting/store/test_projection.py::"

check = Shelf(group=GROUP, module="reporting.store.verify", tests=(VERIFY,))

BREAKS: tuple[Break, ...] = (
    check.of("leaves are not compared", "if found != leaf:", "if found is None:"),
    check.of("gaps are not seen", "if seq != self.expected:", "if seq is None:"),
    check.of("raw bytes are not compared", "elif commitment(salt, found) != commit:", "elif commit is None:"),
    check.of("raw bytes may be gone", "if commit is not None:\n", 'if commit == "":\n'),
    check.of("columns may differ from the entry", "if said != (self.county", "if said and () == (self.county"),
    check.of(
        "everything was written as it is", "as_written = entry.startswith", "as_written = True or entry.startswith"
    ),
    check.of("an entry may begin in any way", """entry.startswith(b'{%b"content":{' % commit) and""", "True and"),
    check.of("an entry may end in any way", "and entry.endswith(end.encode())", "and True"),
    check.of("time may run back", "if said[3] < self.last_text:", "if said[3] is None:"),
    check.of("an older time is not looked into", "or self.text < self.last_text or", "or"),
    check.of("a destruction is not looked into", " or kind == DESTRUCTION:", ":"),
    check.of("roots are not compared", "if signed.root == self.edge.root():", "if signed.root:"),
    check.of("signatures are not looked at", "if not any(key.signed(signed)", "if not any(key"),
    check.of("any key may have signed at any size", "self.ring.in_force(signed.size)", EVERY_KEY, ROTATION),
    check.of("a cut tail is not seen", "check.cut_tail(missing)", "check.result()"),
    check.of("the head's row is not looked at", "if not same or (", "if same is None and ("),
    check.of(
        "the head's time is not looked at",
        " or (at.last_at is not None and instant_text(at.last_at) != self.last_text):",
        ":",
    ),
    check.of("what is gone is not told", "for of, seq in self.missing:", "for of, seq in ():"),
    check.of("a head's key is not looked at", "if at.verifying_key not in in_force:", "if not in_force:", ROTATION),
    check.of("no key need be known", "not self.ring.is_anchored:", "self.ring is None:", ROTATION),
    check.of("a handing over need not be signed", "(bad := self.ring.broken_at):", "(bad := 0):", ROTATION),
    check.of("heads of others count", "one for one in saved if one.county == store.tenant", "one for one in saved"),
    check.of("heads from outside do not count", "*(one for one in saved if one.county == store.tenant)", ""),
    check.of("signed heads within do not count", "sorted([*stored,", "sorted(["),
    check.of("the tables are not compared", "    if rows:\n", "    if rows is None:\n", PROJECTION),
    check.of(
        "a detail is not compared",
        'self._commitment("detail", row.seq,',
        'str("") or (lambda *_: None)(row.seq,',
        PROJECTION,
    ),
    check.of("a page is the whole", "if len(rows) < _PAGE:", "if rows:"),
    Shelf(group=GROUP, module="reporting.store.problems", tests=(VERIFY,)).of(
        "a destruction may name itself and what comes after", "type(one) is int and one < before", "type(one) is int"
    ),
    Shelf(group=GROUP, module="reporting.store.problems", tests=(VERIFY, "tests/reporting/test_retention.py::")).of(
        "ranges end one too late", "min(last, before - 1) + 1", "min(last, before - 1) + 2"
    ),
    Shelf(group=GROUP, module="reporting.store.merkle", tests=("tests/reporting/store/test_merkle.py::",)).of(
        "leaves are hashed like nodes", 'b"\\x00" + entry', 'b"\\x01" + entry'
    ),
    *(
        Break(
            group=GROUP,
            name=f"{table} may be changed by {change}",
            schema=(f"DROP TRIGGER {table}_no_{change}",),
            tests=(LOG,),
        )
        for table in ("log_entry", "checkpoint")
        for change in ("update", "delete")
    ),
    *(
        Break(
            group=GROUP,
            name=f"{table} may be changed on PostgreSQL",
            schema=(f"DROP TRIGGER {table}_no_change ON {table}",),
            tests=(LOG,),
            kind="postgresql",
        )
        for table in ("log_entry", "checkpoint")
    ),
)
