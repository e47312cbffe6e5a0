"""How much one document may ask for, judged before it is validated and before any resolver runs.

One pass over the document: what a fragment holds is found out once, however often it is spread. So a document is
judged in time linear in its length, and never in that of what it would become with its fragments written out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    NamedTypeNode,
    Node,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    Undefined,
    VariableNode,
    get_named_type,
    is_object_type,
)

from resolvers.lists import page_limits
from schema.schema import GRAPHQL_SCHEMA

MOST_TOKENS = 1_000
"""Tokens of a document; the parser counts them, and stops at the next one."""

MOST_COUNTED = 10**9
"""What is told of a number at most: fragments that spread fragments can ask for more than anybody wants to read."""

MOST: Mapping[str, tuple[int, str]] = {
    "fragments": (30, "The document defines {given} fragments; at most {most} are allowed."),
    "depth": (8, "The operation is {given} levels deep; at most {most} are allowed."),
    "introspection_depth": (15, "Introspection is {given} levels deep; at most {most} are allowed."),
    # Nobody needs them there, and each would be as much work as the whole schema.
    "introspection_aliases": (0, "Introspection has {given} aliases; none are allowed."),
    "introspections": (1, "The operation introspects the schema {given} times; once is allowed."),
    "fields": (5, "The operation has {given} root fields; at most {most} are allowed."),
    "aliases": (15, "The operation has {given} aliases; at most {most} are allowed."),
    "directives": (20, "The operation has {given} directives; at most {most} are allowed."),
    "rows": (5_000, "The operation asks for up to {given} rows; at most {most} are allowed."),
}
"""The most of each attribute of a Size, and what is said where there is more."""


@dataclass(slots=True)
class DocumentCost:
    """How much a selection asks for, with all its fragments written out.

    `depth` is that of its deepest field; `fields` are those of its first level, but for __typename, which costs
    nothing. A list is `limit` rows, times the rows of the lists around it. Introspection is apart: the usual query for
    a schema is deeper than any about data, and small all the same.
    """

    depth: int = 0
    introspection_depth: int = 0
    fields: int = 0
    aliases: int = 0
    directives: int = 0
    rows: int = 0
    introspections: int = 0
    introspection_aliases: int = 0
    fragments: int = 0

    def add(self, other: "DocumentCost") -> None:
        """Let `other` stand beside what this is the size of."""
        self.depth = max(self.depth, other.depth)
        self.introspection_depth = max(self.introspection_depth, other.introspection_depth)
        self.fields += other.fields
        self.aliases += other.aliases
        self.directives += other.directives
        self.rows += other.rows
        self.introspections += other.introspections
        self.introspection_aliases += other.introspection_aliases


def cost_of(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Mapping[str, Any],
    schema: GraphQLSchema = GRAPHQL_SCHEMA,
) -> tuple[DocumentCost, list[GraphQLError]]:
    """How much an operation asks for, and which of its limits no list has. The document need not be valid."""
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    judging = _Pass(schema, fragments, _values(operation, variables))
    try:
        size = judging.selections(schema.query_type, operation.selection_set)
    except RecursionError:
        # Hundreds of levels of fragments, in each other or through each other: the depth of fields ends before.
        return DocumentCost(), [GraphQLError("The operation is nested too deeply.")]
    size.directives += len(operation.directives or ())
    size.directives += sum(len(node.directives or ()) for node in operation.variable_definitions or ())
    size.fragments = sum(isinstance(node, FragmentDefinitionNode) for node in document.definitions)
    return size, judging.errors


def refusals(size: DocumentCost) -> list[GraphQLError]:
    """What a document of this size has too much of; empty if it may be executed."""
    return [
        GraphQLError(message.format(given=given, most=most), extensions={"details": {"given": given, "maximum": most}})
        for name, (most, message) in MOST.items()
        if (given := min(getattr(size, name), MOST_COUNTED)) > most
    ]


def _values(operation: OperationDefinitionNode, given: Mapping[str, Any]) -> dict[str, Any]:
    """The variables as they were given, or else their defaults. Whether they fit is found out later."""
    defaults = {node.variable.name.value: _literal(node.default_value) for node in operation.variable_definitions or ()}
    return {name: given.get(name, default) for name, default in defaults.items()}


def _literal(node: Node | None) -> Any:
    """A whole number that stands in a document; Undefined for anything else, which can be no limit."""
    if not isinstance(node, IntValueNode):
        return Undefined
    # Python refuses to read a number of thousands of digits.
    return int(node.value) if len(node.value) < 10 else MOST_COUNTED


class _Pass:
    def __init__(
        self, schema: GraphQLSchema, fragments: Mapping[str, FragmentDefinitionNode], variables: Mapping[str, Any]
    ) -> None:
        self._schema = schema
        self._fragments = fragments
        self._variables = variables
        self._known: dict[str, DocumentCost] = {}
        self.errors: list[GraphQLError] = []

    def selections(self, parent: GraphQLObjectType | None, nodes: SelectionSetNode | None) -> DocumentCost:
        size = DocumentCost()
        for node in nodes.selections if nodes is not None else ():
            size.add(self._selection(parent, node))
            size.directives += len(node.directives or ())
        return size

    def _selection(self, parent: GraphQLObjectType | None, node: SelectionNode) -> DocumentCost:
        if isinstance(node, FieldNode):
            return self._field(parent, node)
        if isinstance(node, FragmentSpreadNode):
            return self._fragment(node.name.value)
        assert isinstance(node, InlineFragmentNode)
        own = parent if node.type_condition is None else self._type(node.type_condition)
        return self.selections(own, node.selection_set)

    def _fragment(self, name: str) -> DocumentCost:
        """What a fragment holds. One that spreads itself, or that there is not, is refused by validation."""
        if name not in self._known:
            self._known[name] = DocumentCost()
            node = self._fragments.get(name)
            if node is not None:
                size = self._known[name] = self.selections(self._type(node.type_condition), node.selection_set)
                size.directives += len(node.directives or ())
        return self._known[name]

    def _field(self, parent: GraphQLObjectType | None, node: FieldNode) -> DocumentCost:
        """A field and what is below it."""
        name = node.name.value
        field = self._schema.get_field(parent, name) if parent is not None else None
        size = DocumentCost()
        if node.selection_set is not None:
            named: Any = get_named_type(field.type) if field is not None else None
            size = self.selections(named if is_object_type(named) else None, node.selection_set)
        if parent is not None and parent.name.startswith("__"):
            size.introspection_depth += 1
            size.introspection_aliases += node.alias is not None
        else:
            size.depth += 1
        size.fields = int(name != "__typename")
        size.aliases += node.alias is not None
        size.introspections += name in {"__schema", "__type"}
        limit = self._limit(field, node)
        if limit is not None:
            size.rows = limit * (1 + size.rows)
        return size

    def _limit(self, field: GraphQLField | None, node: FieldNode) -> int | None:
        """Rows of a list at most; None for what is no list, or one that can't be asked for fewer rows."""
        declared = field.args.get("limit") if field is not None else None
        if declared is None:
            return None
        value = next((each.value for each in node.arguments or () if each.name.value == "limit"), None)
        given = self._variables.get(value.name.value) if isinstance(value, VariableNode) else _literal(value)
        if isinstance(given, bool) or not isinstance(given, int | float):
            given = declared.default_value
        if not 1 <= given <= page_limits.STANDARD.maximum:
            self.errors.append(GraphQLError(f"limit must be from 1 to {page_limits.STANDARD.maximum}.", value or node))
            return page_limits.STANDARD.maximum
        return int(given)

    def _type(self, node: NamedTypeNode) -> GraphQLObjectType | None:
        type_ = self._schema.type_map.get(node.name.value)
        return type_ if is_object_type(type_) else None
