"""What the compiler needs of graphql-core beyond the names that it publishes; no other module does.

Relies on internals of graphql-core 3.3: `collect_fields`, `collect_subfields` and `FragmentDetails`, with a node in
each detail of a grouped field, `get_variable_signature`, and `VariableValueSource`, of which `VariableValues` has one
for each variable. `tests/schema/execution/test_graphql_core_internals.py` fails when they change.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLObjectType,
    GraphQLSchema,
    OperationDefinitionNode,
    VariableDefinitionNode,
    VariableValues,
)
from graphql.execution import values
from graphql.execution.collect_fields import FieldDetailsList, FragmentDetails, collect_fields, collect_subfields
from graphql.execution.get_variable_signature import get_variable_signature

VariableValueSource = values.VariableValueSource

SameFields = FieldDetailsList
"""The nodes of one response key, with what graphql-core knows of them."""


class SelectedFields:
    """The fields that an operation of a valid document selects, by response key, without those that @skip leaves out.

    `flags` are the values of the variables in @skip and @include.
    """

    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, flags: dict[str, Any]
    ) -> None:
        fragments = (node for node in document.definitions if isinstance(node, FragmentDefinitionNode))
        self._of = (schema, {node.name.value: FragmentDetails(node) for node in fragments}, VariableValues({}, flags))
        self._operation = operation

    def of_root(self, root: GraphQLObjectType) -> Mapping[str, SameFields]:
        """The fields of the query type."""
        return collect_fields(*self._of, root, self._operation).grouped_field_set

    def below(self, type_: GraphQLObjectType, same: SameFields) -> Mapping[str, SameFields]:
        """The fields of the object in a field."""
        return collect_subfields(*self._of, self._operation, type_, same).grouped_field_set


def node_of(same: SameFields) -> FieldNode:
    """The first node of a response key. The others have the same name and arguments."""
    return same[0].node


def declared_variables(
    schema: GraphQLSchema, definitions: Sequence[VariableDefinitionNode]
) -> dict[str, VariableValueSource]:
    """The source without a value of each variable whose type exists: its `signature` has the type."""
    found = (get_variable_signature(schema, node) for node in definitions)
    return {each.name: VariableValueSource(each) for each in found if not isinstance(each, GraphQLError)}
