"""Row fields: exported rows show what the API shows of the same rows.

Covers `resolvers/lists/flat_rows.py` and `rest_facade/commands/exports/export_rows.py`.
"""

from decimal import Decimal
from pathlib import Path
from typing import Any

from db.admin.engine import connect
from db.jobs.exporting.export_run import export_rows
from db.tables.money import invoice_lines, invoices
from db.tables.people import members
from db.tables.timesheets import clock_records
from rest_facade.commands.exports.export_rows import exported_resources
from rest_facade.commands.exports.row_fields import row_fields
from rest_facade.v1 import ENDPOINTS
from schema.schema import GRAPHQL_SCHEMA
from tests.conftest import Connect
from tests.db.jobs.exporting.conftest import rows_of
from tests.factories.rows import Rows
from tests.helpers.endpoint_calls import items_of, url_of
from tests.world import build


def test_computed_fields_are_found_in_the_schema() -> None:
    found = row_fields(GRAPHQL_SCHEMA)
    assert {"is_active", "status", "hired_on"} <= found[members].keys()
    assert "team_ids" not in found[members], "it takes other rows"
    assert {"amount_due", "total"} <= found[invoices].keys()
    assert "is_overdue" not in found[invoices], "it takes the day of the request"
    assert "unit_price" in found[invoice_lines]
    assert "amount" not in found[invoice_lines], "its digits are those of another row's currency"
    assert "elapsed_seconds" in found[clock_records]


def given(operation: str, name: str, value: Any) -> Any:
    """A value without the nulls that the API adds to an object, or the zeros that it adds to a rate."""
    if operation == "listMemberPaymentSettings" and name in ("pay_rate", "bill_rate") and value is not None:
        return Decimal(value)
    return {key: each for key, each in value.items() if each is not None} if isinstance(value, dict) else value


async def test_exported_rows_are_those_of_the_api(owner_url: str, rows: Rows, client: Connect, tmp_path: Path) -> None:
    world = build(rows, "shown")
    rows.quota(world.organization_id, 1_000_000)
    manifest = export_rows(connect(owner_url), world.organization_id, exported_resources(), tmp_path / "all")
    exported = {
        row["id"] if "id" in row else row["user_id"]: row
        for name, found in rows_of(tmp_path / "all", manifest).items()
        for row in found
        if "id" in row or name == "members"
    }
    compared: dict[str, set[str]] = {}
    http = client(world.key)
    for endpoint in ENDPOINTS:
        for item in items_of(endpoint, (await http.get(url_of(endpoint, world))).json()):
            row = exported.get(item.get("id", item.get("user_id")))
            if row is not None:
                same = item.keys() & row.keys()
                shown = {name: given(endpoint.operation, name, item[name]) for name in same}
                assert shown == {name: given(endpoint.operation, name, row[name]) for name in same}, endpoint.operation
                compared.setdefault(endpoint.operation, set()).update(same)
    assert len(compared) > 25
