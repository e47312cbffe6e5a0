"""The arguments of a field in a compiled document: constants worked out once, and the values of variables."""

from typing import Any

from graphql import ArgumentNode, FieldNode, GraphQLArgument, GraphQLField, Undefined, VariableNode, is_non_null_type
from graphql.execution.values import VariableValues, get_argument_values
from graphql.language import is_const_value_node


class Arguments:
    """What `get_argument_values` gives, with less to do for each request. Raises GraphQLError where that does."""

    def __init__(self, definition: GraphQLField, node: FieldNode) -> None:
        self._definition = definition
        self._node = node
        self._constants: dict[str, Any] = {}
        # The name of an argument, that of its variable, and whether null is refused.
        self._variables: list[tuple[str, str, bool]] = []
        self._is_simple = True
        asked = {argument.name.value: argument for argument in node.arguments or ()}
        for name, argument in definition.args.items():
            self._add(name, argument, asked.get(name))

    def __bool__(self) -> bool:
        return bool(self._definition.args)

    def _add(self, name: str, argument: GraphQLArgument, node: ArgumentNode | None) -> None:
        is_required = is_non_null_type(argument.type)
        if node is None or is_const_value_node(node.value):
            self._constants |= self._alone(name, argument, node)
        elif isinstance(node.value, VariableNode):
            self._variables.append((name, node.value.name.value, is_required))
            if argument.default is not None or not is_required:
                self._constants |= self._alone(name, argument, None)
        else:
            # A variable inside a list or an object.
            self._is_simple = False

    def _alone(self, name: str, argument: GraphQLArgument, node: ArgumentNode | None) -> dict[str, Any]:
        field = GraphQLField(self._definition.type, {name: argument})
        return get_argument_values(field, FieldNode(name=self._node.name, arguments=(node,) if node else ()))

    def of(self, variables: VariableValues) -> dict[str, Any]:
        """The arguments by their names."""
        given = dict(self._constants)
        for name, variable, is_required in self._variables:
            value = variables.coerced.get(variable, Undefined)
            if value is None and is_required:
                return self._all(variables)
            if value is not Undefined:
                given[name] = value
            elif is_required and name not in given:
                return self._all(variables)
        return given if self._is_simple else self._all(variables)

    def _all(self, variables: VariableValues) -> dict[str, Any]:
        return get_argument_values(self._definition, self._node, variables)
