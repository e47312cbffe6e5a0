"""The variables of an operation, read for each request: their types and defaults are looked up once."""

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLSchema,
    Undefined,
    VariableDefinitionNode,
    get_named_type,
    is_input_object_type,
    is_non_null_type,
)
from graphql.execution.get_variable_signature import get_variable_signature
from graphql.execution.values import VariableValues, VariableValueSource, get_variable_values
from graphql.utilities import coerce_input_value

MOST_VARIABLE_ERRORS = 50
"""Errors that are told of the variables of one request; graphql-core's own number."""


class Variables:
    """What `get_variable_values` gives for valid definitions, with less to do for each request."""

    def __init__(self, schema: GraphQLSchema, definitions: Sequence[VariableDefinitionNode]) -> None:
        self._schema = schema
        self._definitions = definitions
        self._absent = get_variable_values(schema, [node for node in definitions if node.default_value], {})
        signatures = [get_variable_signature(schema, node) for node in definitions]
        self._signatures = [each for each in signatures if not isinstance(each, GraphQLError)]
        # An input object may be nested deeper than can be followed.
        self._is_simple = not any(is_input_object_type(get_named_type(each.type)) for each in self._signatures)

    def values(self, given: Mapping[str, Any]) -> VariableValues | list[GraphQLError]:
        """The values of the variables, or what is wrong with them."""
        if not self._is_simple or isinstance(self._absent, list):
            return self._slowly(given)
        sources: dict[str, VariableValueSource] = {}
        coerced: dict[str, Any] = {}
        for signature in self._signatures:
            name = signature.name
            value = given.get(name, Undefined)
            sources[name] = VariableValueSource(signature, value)
            if value is not Undefined:
                coerced[name] = coerce_input_value(value, signature.type)
                if coerced[name] is Undefined:
                    return self._slowly(given)
            elif signature.default is not None:
                coerced[name] = self._absent.coerced[name]
            elif is_non_null_type(signature.type):
                return self._slowly(given)
        return VariableValues(sources, coerced)

    def _slowly(self, given: Mapping[str, Any]) -> VariableValues | list[GraphQLError]:
        return get_variable_values(self._schema, self._definitions, dict(given), max_errors=MOST_VARIABLE_ERRORS)
