"""Variables of an operation: types and defaults are looked up once, values are coerced per execution."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLInputType,
    GraphQLSchema,
    Undefined,
    VariableDefinitionNode,
    get_named_type,
    get_nullable_type,
    is_input_object_type,
    is_leaf_type,
    is_non_null_type,
)
from graphql.execution.get_variable_signature import get_variable_signature
from graphql.execution.values import VariableValues, VariableValueSource, get_variable_values
from graphql.utilities import coerce_input_value

MAX_VARIABLE_ERRORS = 50
"""Reported errors of the variables of one request at most; the default of graphql-core."""


class Variables:
    """A faster `graphql.execution.values.get_variable_values` for valid definitions, with the same results."""

    def __init__(self, schema: GraphQLSchema, definitions: Sequence[VariableDefinitionNode]) -> None:
        self._schema = schema
        self._definitions = definitions
        self._defaults = get_variable_values(schema, [node for node in definitions if node.default_value], {})
        signatures = [get_variable_signature(schema, node) for node in definitions]
        self._signatures = [signature for signature in signatures if not isinstance(signature, GraphQLError)]
        # Input objects can be nested to any depth; graphql-core handles them.
        self._is_simple = not any(is_input_object_type(get_named_type(item.type)) for item in self._signatures)
        self._coercions = [(signature, coercion_of(signature.type)) for signature in self._signatures]

    def coerce(self, inputs: Mapping[str, Any]) -> VariableValues | list[GraphQLError]:
        """The coerced variables, or the errors of the inputs."""
        if not self._is_simple or isinstance(self._defaults, list):
            return self._by_graphql_core(inputs)
        sources: dict[str, VariableValueSource] = {}
        coerced: dict[str, Any] = {}
        for signature, coercion in self._coercions:
            name = signature.name
            value = inputs.get(name, Undefined)
            sources[name] = VariableValueSource(signature, value)
            if value is not Undefined:
                try:
                    coerced[name] = coercion(value)
                except Exception:  # noqa: BLE001 - graphql-core coerces again, and says what is wrong
                    return self._by_graphql_core(inputs)
                if coerced[name] is Undefined:
                    return self._by_graphql_core(inputs)
            elif signature.default is not None:
                coerced[name] = self._defaults.coerced[name]
            elif is_non_null_type(signature.type):
                return self._by_graphql_core(inputs)
        return VariableValues(sources, coerced)

    def _by_graphql_core(self, inputs: Mapping[str, Any]) -> VariableValues | list[GraphQLError]:
        return get_variable_values(self._schema, self._definitions, dict(inputs), max_errors=MAX_VARIABLE_ERRORS)


def coercion_of(type_: GraphQLInputType) -> Callable[[Any], Any]:
    """A faster `coerce_input_value` for values of one type. What is not valid is Undefined, or raises."""
    inner = get_nullable_type(type_)
    if not is_leaf_type(inner):
        return lambda value: coerce_input_value(value, type_)
    coerce = inner.coerce_input_value
    null = Undefined if is_non_null_type(type_) else None
    return lambda value: null if value is None else coerce(value)
