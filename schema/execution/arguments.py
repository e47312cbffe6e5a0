"""Arguments of a field in a compiled operation: constants are coerced once, variables per execution."""

from typing import Any

from graphql import (
    ArgumentNode,
    FieldNode,
    GraphQLArgument,
    GraphQLField,
    ListValueNode,
    ObjectValueNode,
    ValueNode,
    VariableNode,
    is_non_null_type,
)
from graphql.execution.values import VariableValues, get_argument_values


class Arguments:
    """A faster `graphql.execution.values.get_argument_values`, with the same results and errors (GraphQLError)."""

    def __init__(self, definition: GraphQLField, node: FieldNode) -> None:
        self._definition = definition
        self._node = node
        self._constants: dict[str, Any] = {}
        # The arguments that have the value of a variable, by its name, and whether each refuses null.
        self._variables: dict[str, list[tuple[str, bool]]] = {}
        self._required: set[str] = set()
        self._is_simple = True
        nodes = {argument.name.value: argument for argument in node.arguments or ()}
        for name, argument in definition.args.items():
            self._add(name, argument, nodes.get(name))

    @property
    def constants(self) -> dict[str, Any]:
        """The arguments that have the same value in each execution; None for one without a value and a default."""
        variable = {argument.name.value for argument in self._node.arguments or () if not is_constant(argument.value)}
        return {name: self._constants.get(name) for name in self._definition.args if name not in variable}

    def __bool__(self) -> bool:
        return bool(self._definition.args)

    def _add(self, name: str, argument: GraphQLArgument, node: ArgumentNode | None) -> None:
        is_required = is_non_null_type(argument.type)
        if node is None or is_constant(node.value):
            self._constants |= self._constant(name, argument, node)
        elif isinstance(node.value, VariableNode):
            self._variables.setdefault(node.value.name.value, []).append((name, is_required))
            if argument.default is not None or not is_required:
                self._constants |= self._constant(name, argument, None)
            else:
                self._required.add(name)
        else:
            # A variable inside a list or an object.
            self._is_simple = False

    def _constant(self, name: str, argument: GraphQLArgument, node: ArgumentNode | None) -> dict[str, Any]:
        """The coerced value of one argument, or its default; empty if it has neither."""
        field = GraphQLField(self._definition.type, {name: argument})
        return get_argument_values(field, FieldNode(name=self._node.name, arguments=(node,) if node else ()))

    def values(self, variables: VariableValues) -> dict[str, Any]:
        """The coerced arguments by name. Raises GraphQLError."""
        values = self._constants.copy()
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
