"""Introspection: a root field `__schema` or `__type`, executed by graphql-core in a thread.

The answer about the whole schema takes some tenths of a second of CPU, which would otherwise stop the event loop.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    execute,
)

from schema.execution.field_sources import Source
from schema.execution.state import Column, ExecutionState, PathAt


class Introspection(Source):
    """The source of a root field of introspection, and its completion: what graphql-core returns is data already."""

    is_async = True
    selection = None

    def __init__(
        self,
        schema: GraphQLSchema,
        operation: OperationDefinitionNode,
        fragments: Mapping[str, FragmentDefinitionNode],
        key: str,
        nodes: Sequence[FieldNode],
    ) -> None:
        definition = OperationDefinitionNode(
            operation=OperationType.QUERY,
            variable_definitions=operation.variable_definitions,
            selection_set=SelectionSetNode(selections=tuple(nodes)),
        )
        self._schema = schema
        self._document = DocumentNode(definitions=(definition, *fragments.values()))
        self._key = key

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        value = await asyncio.to_thread(self._execute, state.variables.coerced)
        return [value] * len(objects)

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        return values

    def _execute(self, variables: Mapping[str, Any]) -> Any:
        result = execute(self._schema, self._document, variable_values=dict(variables))
        assert isinstance(result, ExecutionResult)
        if result.errors:
            raise result.errors[0]
        return (result.data or {})[self._key]
