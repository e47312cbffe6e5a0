"""What a document reads of an organization, for tests that have no errors."""

from typing import Any
from uuid import UUID

from db.reading.database import Database
from schema.execution.operation import Executor, Operation
from tests.sent import as_sent


async def data_of(database: Database, organization_id: UUID, document: str | Operation, **variables: Any) -> Any:
    """The data as a client receives it."""
    operation = Operation(document) if isinstance(document, str) else document
    result = await Executor(database).execute(operation, organization_id, variables)
    assert result.errors is None
    return as_sent(result.data)
