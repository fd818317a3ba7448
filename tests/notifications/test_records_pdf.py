"""The service record as a document (S6): what it says, accessible, the same bytes, and nothing typed becomes markup."""

from datetime import date
from typing import Any

import pytest

from notifications.records_pdf import record_pdf, record_values
from schemas.loader import shipped_program
from tests.notifications.letters import read_pdf

DAY = date(2026, 7, 13)
PROGRAM = shipped_program("ozaukee")
HOSTILE = '#panic("x") $x^2$ *bold* `raw` <label> @ref [a](b)'


def a_record(**values: Any) -> dict[str, Any]:
    service = {
        "service_date": "2026-07-08", "event_type": "pumping", "component": "holding", "component_ref": "north",
        "gallons_pumped": 2800, "partial": True, "meter_reading": "7100", "meter_unit": "gal", "meter_estimated": True,
        "tank_condition": "good", "defects": ["lid", "baffle"], "work_description": HOSTILE, "license_number": "00412",
        "business_name": "Kettle Moraine Septic LLC", "technician_name": "Lena Oestreich", "received_on": "2026-07-09",
        "corrected": True, "source": "report",
    }  # fmt: skip
    return {
        "county": "ozaukee", "governmental_unit": PROGRAM.governmental_unit, "cite": "SPS 383.255(3)",
        "system": {"id": "sys_1", "permit_number": "HT-1", "site_address": "N250 County Road K", "status": "active"},
        "owner_name": "Laverne Lor", "first": None, "last": None, "services": [service],
        "components": [
            {"component": "holding", "component_ref": "north", "capacity_gallons": 3000, "status": "active"}
        ],
        **values,
    }  # fmt: skip


def test_every_value_of_a_service_is_there() -> None:
    values = record_values(a_record(), PROGRAM, DAY)
    [row] = values["services"]
    assert row[:5] == ["2026-07-08", "pumping", "holding tank north", "2,800 (partial)", "7100 gal (estimated)"]
    assert row[5] == f"tank condition: good; defects: lid; baffle; {HOSTILE}"
    assert row[6:] == ["Kettle Moraine Septic LLC, Lena Oestreich, 00412", "2026-07-09, corrected"]
    assert ["Component", "holding tank north, 3,000 gallons, active"] in values["facts"]
    assert values["statement"][0].startswith("Ozaukee County: all services on record")


def test_a_span_and_what_the_inventory_says_are_told() -> None:
    record = a_record(first="2026-01-01", owner_name=None)
    record["services"] = [{"service_date": "2023-06-01", "event_type": "pumping", "source": "inventory"}]
    values = record_values(record, PROGRAM, DAY)
    assert "services from 2026-01-01 to 2026-07-13" in values["statement"][0]
    assert values["services"][0][-1] == "inventory"
    assert not [name for name, _ in values["facts"] if name == "Owner"]


def test_the_document_is_accessible_and_always_the_same() -> None:
    pytest.importorskip("typst")
    data = record_pdf(a_record(), PROGRAM, DAY)
    assert data == record_pdf(a_record(), PROGRAM, DAY)
    reader = read_pdf(data)
    text = " ".join(" ".join(page.extract_text().split()) for page in reader.pages)
    assert "Permanent service record" in text
    assert '#panic("x")' in text
    assert "Laverne Lor" in text
    assert reader.root_object["/MarkInfo"]["/Marked"]
    many = a_record(services=[a_record()["services"][0]] * 60)
    assert len(read_pdf(record_pdf(many, PROGRAM, DAY)).pages) > 1
    empty = read_pdf(record_pdf(a_record(services=[]), PROGRAM, DAY))
    assert "No service is on record" in empty.pages[0].extract_text()
