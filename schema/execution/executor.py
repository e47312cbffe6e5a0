"""The executor: an operation, an organization and variables in; data and coded failures out."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from graphql import ExecutionResult, GraphQLError

from db.reading.database import Database
from resolvers.context import Context
from resolvers.signed_urls import UrlSigner
from schema.execution.operation import Operation
from schema.execution.state import ExecutionBudget


@dataclass(frozen=True)
class Failure:
    """One error of an execution. `code` is that of a resolver; None for an unexpected exception."""

    code: str | None
    message: str
    details: Mapping[str, Any] | None
    cause: BaseException | None


@dataclass(frozen=True)
class OperationResult:
    """The data, None if a failure left none, and the failures."""

    data: dict[str, Any] | None
    failures: list[Failure]


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
        new_context = partial(Context, self._database, organization_id, self._url_signer, is_heavy=is_heavy)
        result = await operation.run(variables, new_context)
        return OperationResult(result.data, list(map(_failure, result.errors or ())))

    async def run(
        self, operation: Operation, organization_id: UUID, variables: Mapping[str, Any], budget: ExecutionBudget
    ) -> ExecutionResult:
        """An ad-hoc operation, within a budget; with the errors as GraphQL has them."""
        new_context = partial(Context, self._database, organization_id, self._url_signer)
        return await operation.run(variables, new_context, budget)


def _failure(error: GraphQLError) -> Failure:
    extensions = error.extensions or {}
    return Failure(extensions.get("code"), error.message, extensions.get("details"), error.original_error or error)
