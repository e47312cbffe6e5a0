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
        found = {signature.name: signature for signature in signatures if not isinstance(signature, GraphQLError)}
        # Input objects can be nested to any depth; graphql-core handles them.
        is_simple = not any(is_input_object_type(get_named_type(item.type)) for item in found.values())
        self._is_simple = is_simple and not isinstance(self._defaults, list)
        self._coercions = {name: coercion_of(signature.type) for name, signature in found.items()}
        self._sources = {name: VariableValueSource(signature) for name, signature in found.items()}
        self._required = {name for name, item in found.items() if item.default is None and is_non_null_type(item.type)}

    def coerce(self, inputs: Mapping[str, Any]) -> VariableValues | list[GraphQLError]:
        """The coerced variables, or the errors of the inputs."""
        if not self._is_simple or isinstance(self._defaults, list):
            return self._by_graphql_core(inputs)
        sources, coerced = self._sources.copy(), self._defaults.coerced.copy()
        for name, value in inputs.items():
            coercion = self._coercions.get(name)
            if coercion is None or value is Undefined:
                continue
            try:
                coerced[name] = coercion(value)
            except Exception:  # noqa: BLE001 - graphql-core coerces again, and says what is wrong
                return self._by_graphql_core(inputs)
            if coerced[name] is Undefined:
                return self._by_graphql_core(inputs)
            sources[name] = VariableValueSource(sources[name].signature, value)
        return VariableValues(sources, coerced) if self._required <= coerced.keys() else self._by_graphql_core(inputs)

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
