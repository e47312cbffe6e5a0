"""Variables of an operation, and arguments of its fields: types, defaults and constants are coerced once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLInputType,
    GraphQLSchema,
    ListValueNode,
    ObjectValueNode,
    Undefined,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_input_object_type,
    is_leaf_type,
    is_non_null_type,
    is_required_argument,
)
from graphql.execution.get_variable_signature import get_variable_signature
from graphql.execution.values import VariableValues, VariableValueSource, get_argument_values, get_variable_values
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


class Arguments:
    """A faster `graphql.execution.values.get_argument_values`, with the same results and errors (GraphQLError)."""

    def __init__(self, definition: GraphQLField, node: FieldNode) -> None:
        self._definition = definition
        self._node = node
        # The arguments that have the value of a variable, by its name, and whether each refuses null.
        self._variables: dict[str, list[tuple[str, bool]]] = {}
        given = {argument.name.value: argument for argument in node.arguments or ()}
        constant = {name: each for name, each in given.items() if is_constant(each.value)}
        for name, each in given.items():
            if isinstance(each.value, VariableNode):
                is_required = is_non_null_type(definition.args[name].type)
                self._variables.setdefault(each.value.name.value, []).append((name, is_required))
        direct = {name for names in self._variables.values() for name, _ in names}
        self._required = {name for name in direct if is_required_argument(definition.args[name])}
        # Not with a variable inside a list or an object.
        self._is_simple = len(constant) + len(direct) == len(given)
        without_value = self._required | given.keys() - constant.keys() - direct
        known = {name: argument for name, argument in definition.args.items() if name not in without_value}
        # One call for all of them: a field with fewer arguments checks their names once more.
        field = GraphQLField(definition.type, known) if without_value else definition
        self._known = get_argument_values(field, FieldNode(name=node.name, arguments=tuple(constant.values())))
        self.constants = {
            name: self._known.get(name) for name in definition.args if name in constant or name not in given
        }
        """The arguments that have the same value in each execution; None for one without a value and a default."""

    def __bool__(self) -> bool:
        return bool(self._definition.args)

    def values(self, variables: VariableValues) -> dict[str, Any]:
        """The coerced arguments by name. Raises GraphQLError."""
        values = self._known.copy()
        for variable, value in variables.coerced.items():
            for name, is_required in self._variables.get(variable, ()):
                if value is None and is_required:
                    return self._by_graphql_core(variables)
                values[name] = value
        is_complete = self._is_simple and self._required <= values.keys()
        return values if is_complete else self._by_graphql_core(variables)

    def _by_graphql_core(self, variables: VariableValues) -> dict[str, Any]:
        return get_argument_values(self._definition, self._node, variables)


def is_constant(node: ValueNode) -> bool:
    """Whether a value contains no variable, at any depth.

    `is_const_value_node` of graphql-core 3.3.2 says so of a list with one constant item: see
    docs/graphql_core_const_value_node.py.
    """
    if isinstance(node, ListValueNode):
        return all(map(is_constant, node.values))
    if isinstance(node, ObjectValueNode):
        return all(is_constant(field.value) for field in node.fields)
    return not isinstance(node, VariableNode)
