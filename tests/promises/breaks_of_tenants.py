"""Named mutants of what keeps counties, businesses and owners apart; what a query asks for is broken by tool."""

from __future__ import annotations

from tests.promises.breaks import Break, Shelf

GROUP = "tenant filter"
ACCESS = "tests/reporting/api/test_access.py::"
LET_IN = "tests/reporting/api/test_let_in.py::"
TENANTS = "tests/reporting/store/test_tenants.py::"
SECURED = ("tests/reporting/store/test_migrate.py::test_every_tenant_table_is_under_row_security", TENANTS)

policy = Shelf(
    group=GROUP, module="reporting.api.policy", tests=(f"{ACCESS}test_another_countys_address_answers_like_none",)
)
calls = Shelf(
    group=GROUP, module="reporting.api.calls", tests=(f"{ACCESS}test_a_foreign_id_answers_like_an_absent_one",)
)
visibility = Shelf(group=GROUP, module="reporting.api.visibility", tests=(ACCESS,))

IN_CODE = (
    policy.of(
        "a key is good for every county",
        "return principal is None or principal.county is None or principal.county == county",
        "return True",
    ),
    policy.of(
        "every role may do everything",
        "    if principal.role not in policy.roles:\n        return False",
        "    if policy.roles is None:\n        return False",
        f"{ACCESS}test_every_route_lets_in_whom_its_policy_names",
    ),
    policy.of(
        "scopes are not looked at",
        "return policy.scope in principal.scopes",
        "return True",
        f"{ACCESS}test_every_route_lets_in",
    ),
    calls.of(
        "every report is everybody's",
        'return self.is_staff or row["contractor_id"] in {self.keyholder.contractor_id} - {None}',
        "return True",
    ),
    calls.of(
        "no business has what has no business",
        "{self.keyholder.contractor_id} - {None}",
        "{self.keyholder.contractor_id, None}",
        f"{LET_IN}test_what_the_inventory_says_was_done_is_no_businesss_own",
    ),
    visibility.of(
        "every business sees every system",
        "if designated_license(stored, today) in licences:",
        "if stored.system_id:",
        f"{ACCESS}test_a_business_sees_the_systems_that_name_it",
    ),
    visibility.of(
        "a contract lets in for ever",
        'and (row["to_on"] or today) >= today',
        "",
        f"{LET_IN}test_a_contract_lets_in_until_its_last_day",
    ),
    visibility.of(
        "without a licence, everything",
        "return (licences & wanted if asked else licences) or NOBODY",
        "return licences & wanted if asked else licences",
        f"{ACCESS}test_a_business_without_a_licence_sees_nothing",
    ),
    visibility.of(
        "others' work is shown",
        'if normalize_license(one["license_number"] or "") in licences else',
        "if one else",
        f"{ACCESS}test_what_others_did_is_not_shown_to_a_business",
    ),
    Shelf(group=GROUP, module="reporting.store.rows", tests=(f"{TENANTS}test_rows_are_written",)).of(
        "rows keep the county that they say",
        '{**row, "county": store.tenant}',
        '{"county": store.tenant, **row}',
    ),
    Shelf(group=GROUP, module="reporting.store.engine", tests=("tests/reporting/store/test_log.py::",)).of(
        "a transaction of no county is of one", "if not self.county:", "if self.county == 0:"
    ),
    Shelf(group=GROUP, module="reporting.store.engine", tests=(TENANTS,), kind="postgresql").of(
        "PostgreSQL is told no county", '{"county": county or "", "limit"', '{"county": "", "limit"'
    ),
)

IN_SCHEMA = tuple(
    Break(group=GROUP, name=name, schema=statements, kind="postgresql", tests=SECURED)
    for name, statements in {
        "a table without row security": ("ALTER TABLE event DISABLE ROW LEVEL SECURITY",),
        "row security that spares the owner": ("ALTER TABLE log_raw NO FORCE ROW LEVEL SECURITY",),
        "a policy that shows everything": ("ALTER POLICY one_county ON log_entry USING (true)",),
        "a policy that takes everything": ("ALTER POLICY one_county ON system WITH CHECK (true)",),
        "a policy of no county": (
            "ALTER POLICY one_county ON system "
            "USING (county = coalesce(nullif(current_setting('app.county', true), ''), county))",
        ),
    }.items()
)

BREAKS: tuple[Break, ...] = (*IN_CODE, *IN_SCHEMA)
