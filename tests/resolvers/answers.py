"""What a document reads of an organization, and with what it is refused."""

from typing import Any
from uuid import UUID

from db.reading.database import Database
from rest_facade.composition import Service
from schema.execution.operation import Executor, Operation
from tests.sent import as_sent


async def data_of(database: Database, organization_id: UUID, document: str | Operation, **variables: Any) -> Any:
    """The data as a client receives it, without an error."""
    operation = Operation(document) if isinstance(document, str) else document
    result = await Executor(database).execute(operation, organization_id, variables)
    assert result.errors is None, document
    return as_sent(result.data)


async def field_of(service: Service, organization_id: UUID, field: str) -> Any:
    """The data of one root field."""
    (found,) = (await data_of(service.database, organization_id, f"{{ {field} }}")).values()
    return found


async def refusals(database: Database, organization_id: UUID, document: str | Operation, **variables: Any) -> list[str]:
    """The messages of the errors."""
    operation = Operation(document) if isinstance(document, str) else document
    result = await Executor(database).execute(operation, organization_id, variables)
    return [error.message for error in result.errors or ()]
