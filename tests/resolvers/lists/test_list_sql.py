"""Lists that a table of links connects with their parents."""

from typing import Any

import pytest

from rest_facade.composition import Service
from schema.execution.operation import Operation
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of

pytestmark = pytest.mark.anyio

LINKED = Operation(
    """
    {
      members { results { full_name tasks { count results { name } } } }
      projects { results { name invoices { count results { number } } } }
    }
    """
)


def page(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"count": len(rows), "results": list(rows)}


async def test_each_parent_has_only_its_linked_rows(service: Service, rows: Rows) -> None:
    own = rows.organization()
    client = rows.client(own)
    for name in ("one", "other"):
        project = rows.project(own, name=name)
        rows.task_member(own, rows.task(own, project, name=f"Task of {name}"), rows.member(own, full_name=name))
        rows.invoice_line(own, rows.invoice(own, client, number=f"Invoice of {name}"), project_id=project)
    rows.member(own, full_name="none")
    data = await data_of(service.database, own, LINKED)
    assert {each["full_name"]: each["tasks"] for each in data["members"]["results"]} == {
        "one": page({"name": "Task of one"}),
        "other": page({"name": "Task of other"}),
        "none": page(),
    }
    assert {each["name"]: each["invoices"] for each in data["projects"]["results"]} == {
        "one": page({"number": "Invoice of one"}),
        "other": page({"number": "Invoice of other"}),
    }
