"""Variables of an operation, and arguments of its fields: types, defaults and constants are coerced once."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLInputType,
    GraphQLSchema,
    GraphQLString,
    ListValueNode,
    NameNode,
    ObjectValueNode,
    Undefined,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    VariableValues,
    coerce_input_value,
    get_argument_values,
    get_named_type,
    get_nullable_type,
    get_variable_values,
    is_input_object_type,
    is_leaf_type,
    is_non_null_type,
    is_required_argument,
)

from schema.execution.graphql_core_internals import VariableValueSource, declared_variables
from schema.execution.hints import with_hint

MAX_VARIABLE_ERRORS = 50
"""Reported errors of the variables of one request at most; the default of graphql-core."""


class CoercedVariables(NamedTuple):
    """The coerced variables of a request; none of them if its inputs have errors."""

    values: VariableValues
    errors: Sequence[GraphQLError] = ()


class Variables:
    """A faster `graphql.execution.values.get_variable_values` for valid definitions, with the same results."""

    def __init__(self, schema: GraphQLSchema, definitions: Sequence[VariableDefinitionNode]) -> None:
        self._schema = schema
        self._definitions = definitions
        defaults = get_variable_values(schema, [node for node in definitions if node.default_value], {})
        self._defaults = {} if isinstance(defaults, list) else defaults.coerced
        self._sources = declared_variables(schema, definitions)
        types = {name: source.signature.type for name, source in self._sources.items()}
        # Input objects can be nested to any depth; graphql-core handles them.
        has_objects = any(is_input_object_type(get_named_type(each)) for each in types.values())
        self._is_simple = not has_objects and not isinstance(defaults, list)
        self._coercions = {name: _coercion_of(each) for name, each in types.items()}
        self._non_null = [name for name, each in types.items() if is_non_null_type(each)]

    def coerce(self, inputs: Mapping[str, Any]) -> CoercedVariables:
        """The coerced variables, and the errors of the inputs."""
        sources, coerced, is_valid = self._sources.copy(), self._defaults.copy(), self._is_simple
        try:
            for name in self._sources:
                if name in inputs:
                    value = inputs[name]
                    sources[name] = VariableValueSource(sources[name].signature, value)
                    coerced[name] = None if value is None else self._coercions[name](value)
                    is_valid = is_valid and coerced[name] is not Undefined
        except Exception:  # noqa: BLE001 - graphql-core coerces again, and says what is wrong
            is_valid = False
        if is_valid and None not in map(coerced.get, self._non_null):
            return CoercedVariables(VariableValues(sources, coerced))
        found = get_variable_values(self._schema, self._definitions, dict(inputs), max_errors=MAX_VARIABLE_ERRORS)
        if isinstance(found, list):
            return CoercedVariables(VariableValues({}, {}), [with_hint(error, self._schema) for error in found])
        return CoercedVariables(found)


def _coercion_of(type_: GraphQLInputType) -> Callable[[Any], Any]:
    """A faster `coerce_input_value` for values of one type but null. What is not valid is Undefined, or raises."""
    inner = get_nullable_type(type_)
    return inner.coerce_input_value if is_leaf_type(inner) else partial(coerce_input_value, type_=type_)


class Arguments:
    """A faster `graphql.execution.values.get_argument_values`, with the same results and errors (GraphQLError)."""

    def __init__(self, definition: GraphQLField, node: FieldNode) -> None:
        self._definition = definition
        self._node = node
        given = {argument.name.value: argument for argument in node.arguments or ()}
        constant = {name: each for name, each in given.items() if is_constant(each.value)}
        self.variables = {
            name: each.value.name.value for name, each in given.items() if isinstance(each.value, VariableNode)
        }
        """The name of the variable whose value an argument has."""
        self._non_null = [name for name in self.variables if is_non_null_type(definition.args[name].type)]
        # Not with a variable inside a list or an object.
        self._is_simple = len(constant) + len(self.variables) == len(given)
        without_value = {
            name
            for name in given.keys() - constant.keys()
            if name not in self.variables or is_required_argument(definition.args[name])
        }
        known = {name: argument for name, argument in definition.args.items() if name not in without_value}
        # One call for all of them: a field with fewer arguments checks their names once more.
        field = GraphQLField(definition.type, known) if without_value else definition
        self._known = get_argument_values(field, FieldNode(name=node.name, arguments=tuple(constant.values())))
        self.constants = {
            name: self._known.get(name) for name in definition.args if name in constant or name not in given
        }
        """The arguments that have the same value in each execution; None for one without a value and a default."""

    def values(self, variables: VariableValues) -> dict[str, Any]:
        """The coerced arguments by name. Raises GraphQLError."""
        values = self._known.copy()
        for name, variable in self.variables.items():
            if variable in variables.coerced:
                values[name] = variables.coerced[variable]
        if self._is_simple and None not in map(values.get, self._non_null):
            return values
        return get_argument_values(self._definition, self._node, variables)


NO_ARGUMENTS = Arguments(GraphQLField(GraphQLString), FieldNode(name=NameNode(value="")))
"""Those of all fields without arguments."""


def is_constant(node: ValueNode) -> bool:
    """Whether a value contains no variable, at any depth.

    `is_const_value_node` of graphql-core 3.3.2 asks one item of a list: docs/graphql_core_const_value_node.py.
    """
    if isinstance(node, ListValueNode):
        return all(map(is_constant, node.values))
    if isinstance(node, ObjectValueNode):
        return all(is_constant(field.value) for field in node.fields)
    return not isinstance(node, VariableNode)
