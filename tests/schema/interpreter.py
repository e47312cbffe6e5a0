"""The oracle: a document, executed by graphql-core."""

from collections.abc import Callable, Mapping
from inspect import isawaitable
from typing import Any

from graphql import ExecutionResult, GraphQLSchema, execute, parse

from schema.schema import GRAPHQL_SCHEMA


async def interpret(
    text: str,
    variables: Mapping[str, Any],
    new_context: Callable[[Mapping[Any, Any]], Any],
    schema: GraphQLSchema = GRAPHQL_SCHEMA,
) -> ExecutionResult:
    """The data and errors of a valid document."""
    context = new_context({})
    try:
        result = execute(schema, parse(text), context_value=context, variable_values=dict(variables))
        if isawaitable(result):
            result = await result
    finally:
        context.close()
    assert isinstance(result, ExecutionResult)
    return result
