"""The executor: an operation, an organization and variables in; data and coded failures out."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from graphql import ExecutionResult

from db.reading.database import Database
from resolvers.context import Context, NewContext
from resolvers.signed_urls import UrlSigner
from schema.execution.operation import Operation, Result


class Executor:
    """Executes operations on one database. Each execution has a context of its own, so requests share no rows.

    Without `url_signer`, screenshots have no URLs.
    """

    def __init__(self, database: Database, url_signer: UrlSigner | None = None) -> None:
        self._database = database
        self._url_signer = url_signer

    async def execute(self, operation: Operation, organization_id: UUID, variables: Mapping[str, Any]) -> Result:
        """The data and the failures by their codes. Never raises what a resolver raised."""
        return await operation.execute(variables, self._new_context(organization_id))

    async def run(self, operation: Operation, organization_id: UUID, variables: Mapping[str, Any]) -> ExecutionResult:
        """The same, with the errors as GraphQL has them."""
        return await operation.run(variables, self._new_context(organization_id))

    def _new_context(self, organization_id: UUID) -> NewContext:
        return partial(Context, self._database, organization_id, self._url_signer)
