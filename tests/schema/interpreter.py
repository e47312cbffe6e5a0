"""The oracle: a document, executed by graphql-core."""

from collections.abc import Callable, Mapping
from functools import cache
from inspect import isawaitable
from typing import Any

from graphql import ExecutionResult, GraphQLSchema, execute, is_object_type, parse

from resolvers.relations.strawberry_internals import definition_behind
from resolvers.steps.batch import Batch
from resolvers.steps.computed import Computed
from resolvers.steps.step import FieldStep
from schema.execution.declared_steps import step_of_field
from schema.schema import GRAPHQL_SCHEMA


def for_one(step: FieldStep) -> Callable[..., Any]:
    """The resolver of one object, for graphql-core."""
    if isinstance(step, Computed):
        return lambda root, _, **arguments: step.function(root, **arguments)
    if not isinstance(step, Batch):
        return lambda root, _: step.values([root])[0]

    async def resolve(root: Any, info: Any, **arguments: Any) -> Any:
        return (await step.resolve(info.context, [root], arguments))[0]

    return resolve


@cache
def _add_resolvers(schema: GraphQLSchema) -> None:
    """Give the fields a resolver: Strawberry has none that takes rows."""
    for type_ in schema.type_map.values():
        for field in type_.fields.values() if is_object_type(type_) else ():
            if definition_behind(field) is not None:
                field.resolve = for_one(step_of_field("", field, schema))


async def interpret(
    text: str,
    variables: Mapping[str, Any],
    new_context: Callable[[Mapping[Any, Any]], Any],
    schema: GraphQLSchema = GRAPHQL_SCHEMA,
) -> ExecutionResult:
    """The data and errors of a valid document."""
    _add_resolvers(schema)
    context = new_context({})
    try:
        result = execute(schema, parse(text), context_value=context, variable_values=dict(variables))
        if isawaitable(result):
            result = await result
    finally:
        context.close()
    assert isinstance(result, ExecutionResult)
    return result
