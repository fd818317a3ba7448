"""What was asked of reports: found by report, by state, by business, in pages; counted; only the word that stands."""

from reporting.store.engine import Database
from reporting.store.facts import end_versions, insert_events, insert_facts, insert_systems
from reporting.store.verifications import VERIFICATION, count_verifications, page_verifications, verifications_of
from reporting.tables import fact
from tests.reporting.store.builders import a_system, an_event


def fill(database: Database) -> None:
    with database.transaction("ozaukee") as store:
        insert_systems(store, [a_system("s")])
        owners = {"r1": "con_a", "r2": "con_b", "r3": "con_a"}
        insert_events(store, [an_event(r, "s", identity=r, contractor_id=c) for r, c in owners.items()])
        states = {"r1": "requested", "r2": "answered", "r3": "requested"}
        for seq, (report, state) in enumerate(states.items(), 1):
            content = {"report": report, "state": state, "message": "x"}
            insert_facts(store, [{"kind": VERIFICATION, "system": "s", "seq": seq, "id": report, "content": content}])
        end_versions(store, fact, [{"kind": VERIFICATION, "id": "r3"}], 4)
        later = {"report": "r4", "state": "answered", "message": "x"}  # the report was amended, and has a new id
        insert_events(store, [an_event("r4", "s", identity="r4", contractor_id="con_a")])
        insert_facts(store, [{"kind": VERIFICATION, "system": "s", "seq": 4, "id": "r3", "content": later}])


def test_the_word_that_stands_is_found_by_the_report_that_stands(opened: Database) -> None:
    fill(opened)
    with opened.reading("ozaukee") as store:
        found = verifications_of(store, ["r1", "r2", "r3", "r4", "r5"])
        assert {report: row["content"]["state"] for report, row in found.items()} == {
            "r1": "requested", "r2": "answered", "r4": "answered",
        }  # fmt: skip
        assert count_verifications(store) == {"answered": 2, "requested": 1}


def test_by_state_and_business_in_pages(opened: Database) -> None:
    fill(opened)
    with opened.reading("ozaukee") as store:

        def reports(*states: str, business: str | None = None) -> list[str]:
            page = page_verifications(store, states, None, 9, business)
            return [row["content"]["report"] for row in page.rows]

        assert reports() == ["r1", "r2", "r4"]
        assert reports("answered") == ["r2", "r4"]
        assert reports(business="con_a") == ["r1", "r4"]
        assert reports(business="") == []
        first = page_verifications(store, (), None, 2)
        rest = page_verifications(store, (), first.next_cursor, 2)
        assert [row["id"] for row in (*first.rows, *rest.rows)] == ["r1", "r2", "r3"]
        assert rest.next_cursor is None
    with opened.reading("portage") as store:
        assert page_verifications(store, (), None, 9).rows == []
