"""The executor: an operation, an organization and variables in; data and errors out."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from graphql import ExecutionResult

from db.reading.database import Database
from resolvers.context import Context
from resolvers.signed_urls import UrlSigner
from schema.execution.operation import Operation
from schema.execution.state import ExecutionBudget


class Executor:
    """Executes operations on one database. Each execution has a context of its own, so requests share no rows.

    Without `url_signer`, screenshots have no URLs.
    """

    def __init__(self, database: Database, url_signer: UrlSigner | None = None) -> None:
        self._database = database
        self._url_signer = url_signer

    async def execute(
        self,
        operation: Operation,
        organization_id: UUID,
        variables: Mapping[str, Any],
        budget: ExecutionBudget | None = None,
        *,
        is_heavy: bool = False,
    ) -> ExecutionResult:
        """The data and the errors; those of resolvers have a code in their `extensions`. Nothing is raised.

        Nothing is executed beyond `budget`. `is_heavy`: the operation is a report, whose reads leave some connections
        to others.
        """
        new_context = partial(Context, self._database, organization_id, self._url_signer, is_heavy=is_heavy)
        return await operation.run(variables, new_context, budget)
