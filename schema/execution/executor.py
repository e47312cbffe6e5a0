"""The executor: an operation, an organization and variables in; data and coded failures out."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from graphql import ExecutionResult

from db.reading.database import Database
from resolvers.context import Context, NewContext
from resolvers.signed_urls import UrlSigner
from schema.execution.operation import Operation, OperationResult
from schema.execution.state import ExecutionBudget


class Executor:
    """Executes operations on one database. Each execution has a context of its own, so requests share no rows.

    Without `url_signer`, screenshots have no URLs.
    """

    def __init__(self, database: Database, url_signer: UrlSigner | None = None) -> None:
        self._database = database
        self._url_signer = url_signer

    async def execute(
        self, operation: Operation, organization_id: UUID, variables: Mapping[str, Any], *, is_heavy: bool = False
    ) -> OperationResult:
        """The data and the failures by their codes. Never raises what a resolver raised.

        `is_heavy`: the operation is a report, whose reads leave some connections to others.
        """
        return await operation.execute(variables, self._new_context(organization_id, is_heavy=is_heavy))

    async def run(
        self, operation: Operation, organization_id: UUID, variables: Mapping[str, Any], budget: ExecutionBudget
    ) -> ExecutionResult:
        """An ad-hoc operation, within a budget; with the errors as GraphQL has them."""
        return await operation.run(variables, self._new_context(organization_id), budget)

    def _new_context(self, organization_id: UUID, *, is_heavy: bool = False) -> NewContext:
        return partial(Context, self._database, organization_id, self._url_signer, is_heavy=is_heavy)
