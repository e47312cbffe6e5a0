"""The cost of a document: what its selections add up to.

One pass computes it: that of a fragment is computed once, however often it is spread. So it takes time linear in the
length of the document, not in its length with all fragments expanded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    Undefined,
    get_named_type,
    get_nullable_type,
    is_list_type,
    is_object_type,
)
from graphql.language import ast

from resolvers.lists import page_arguments
from resolvers.relations.nodes import IDS, MAX_IDS
from schema.documents.merged_fields import MergedFields, TooManyFields
from schema.execution.compiler import response_key
from schema.execution.declared_steps import declared_step
from schema.schema import GRAPHQL_SCHEMA

MAX_REPORTED = 10**9
"""The largest number in an error message; nested fragments can reach astronomically larger ones."""

UNLIMITED_ITEMS = 10
"""Items that a list without `limit` (`line_items`, `days`) counts for the lists below it. Its own items are counted
when they are read."""

PAGE_ROWS = "results"
"""The list in a page. The field around it has the `limit`, and is one level together with it."""

FieldPath = tuple[str, ...]
"""The response keys down to a field, without those of PAGE_ROWS."""


@dataclass(slots=True)
class DocumentCost:
    """The cost of a selection, with all its fragments expanded.

    `fields` counts the first level without __typename, and `counts` the fields called `count` among them. `rows` sums,
    over all lists, `limit` times the limits of the lists around it; the list `largest` has `largest_rows` of them.
    `is_open` says whether a list of objects has no `limit`: what it has is known only when it is read.
    `introspections` counts `__schema` and `__type`, `schemas` the former.
    Introspection is counted apart, because the usual schema query is deeper than the limit for data, but cheap.
    """

    introspection_depth: int = 0
    fields: int = 0
    counts: int = 0
    aliases: int = 0
    directives: int = 0
    rows: int = 0
    introspections: int = 0
    schemas: int = 0
    introspection_aliases: int = 0
    fragments: int = 0
    deepest: FieldPath = ()
    """The path of the deepest field."""
    largest: FieldPath = ()
    largest_rows: int = 0
    is_open: bool = False

    @property
    def depth(self) -> int:
        return len(self.deepest)

    def add(self, other: "DocumentCost") -> None:
        """Add the cost of a selection beside this one."""
        if other.depth > self.depth:
            self.deepest = other.deepest
        if other.largest_rows > self.largest_rows:
            self.largest_rows, self.largest = other.largest_rows, other.largest
        self.is_open |= other.is_open
        self.introspection_depth = max(self.introspection_depth, other.introspection_depth)
        self.fields += other.fields
        self.counts += other.counts
        self.aliases += other.aliases
        self.directives += other.directives
        self.rows += other.rows
        self.introspections += other.introspections
        self.schemas += other.schemas
        self.introspection_aliases += other.introspection_aliases


def cost_of(
    document: ast.DocumentNode, operation: ast.OperationDefinitionNode, variables: Mapping[str, Any]
) -> tuple[DocumentCost, list[GraphQLError]]:
    """The cost of an operation, and the errors of its `limit` arguments. The document need not be valid."""
    visitor = CostVisitor(document, operation, variables)
    try:
        cost = visitor.selections(GRAPHQL_SCHEMA.query_type, operation.selection_set)
    except RecursionError:
        # Hundreds of levels of nested selections or fragments.
        return DocumentCost(), [GraphQLError("The operation is nested too deeply.")]
    cost.directives += len(operation.directives or ())
    cost.directives += sum(len(node.directives or ()) for node in operation.variable_definitions or ())
    cost.fragments = sum(isinstance(node, ast.FragmentDefinitionNode) for node in document.definitions)
    return cost, visitor.errors


def _literal(node: ast.Node | None) -> Any:
    """The value of an integer literal or of true or false; Undefined for any other literal."""
    if isinstance(node, ast.BooleanValueNode):
        return node.value
    if not isinstance(node, ast.IntValueNode):
        return Undefined
    # int() raises for thousands of digits.
    return int(node.value) if len(node.value) < 10 else MAX_REPORTED


class CostVisitor:
    """Adds up the cost of the selections of one operation."""

    def __init__(
        self,
        document: ast.DocumentNode,
        operation: ast.OperationDefinitionNode,
        variables: Mapping[str, Any],
        most: int | None = None,
    ) -> None:
        """With `most`, no list has a larger limit; `larger` has the limits of the fields that ask for more, by id."""
        self._most = most
        self.larger: dict[int, ast.ValueNode | None] = {}
        self._fragments = {
            node.name.value: node for node in document.definitions if isinstance(node, ast.FragmentDefinitionNode)
        }
        self._variables = {
            node.variable.name.value: variables.get(node.variable.name.value, _literal(node.default_value))
            for node in operation.variable_definitions or ()
        }
        """The variables of the request, or their defaults, unchecked."""
        self._fragment_costs: dict[str, DocumentCost] = {}
        self.errors: list[GraphQLError] = []

    def merged(self, selection: ast.SelectionSetNode) -> ast.SelectionSetNode:
        """The selection with merged fields; itself, whose cost is an upper bound, if these are too many."""
        try:
            return MergedFields(self._fragments, self._leaves_out).merge([selection])
        except (TooManyFields, RecursionError):
            return selection

    def selections(self, parent: GraphQLObjectType | None, nodes: ast.SelectionSetNode | None) -> DocumentCost:
        cost = DocumentCost()
        for node in nodes.selections if nodes is not None else ():
            cost.directives += len(node.directives or ())
            if isinstance(node, ast.FieldNode):
                found = self._field(parent, node)
            elif isinstance(node, ast.FragmentSpreadNode):
                found = self._fragment(node.name.value)
            else:
                assert isinstance(node, ast.InlineFragmentNode)
                type_ = parent if node.type_condition is None else self._type(node.type_condition)
                found = self.selections(type_, node.selection_set)
            # What is left out reads nothing, but it is validated: it has its depth, aliases and directives.
            is_left_out = any(map(self._leaves_out, node.directives or ()))
            cost.add(
                replace(found, rows=0, largest_rows=0, largest=(), fields=0, counts=0, is_open=False)
                if is_left_out
                else found
            )
        return cost

    def _leaves_out(self, directive: ast.DirectiveNode) -> bool:
        """Whether it is `@skip` or `@include` and leaves its selection out."""
        _, flag = self._argument(directive, "if")
        return (directive.name.value == "skip" and flag is True) or (
            directive.name.value == "include" and flag is False
        )

    def _fragment(self, name: str) -> DocumentCost:
        """The cost of a fragment. Validation refuses unknown fragments and cycles."""
        if name not in self._fragment_costs:
            self._fragment_costs[name] = DocumentCost()
            node = self._fragments.get(name)
            if node is not None:
                cost = self._fragment_costs[name] = self.selections(self._type(node.type_condition), node.selection_set)
                cost.directives += len(node.directives or ())
        return self._fragment_costs[name]

    def _field(self, parent: GraphQLObjectType | None, node: ast.FieldNode) -> DocumentCost:
        """The cost of a field and its selection."""
        name = node.name.value
        key = response_key(node)
        field = GRAPHQL_SCHEMA.get_field(parent, name) if parent is not None else None
        is_page_rows = name == PAGE_ROWS and field is not None
        type_ = field.type if field is not None else None
        named: Any = get_named_type(type_)
        cost = self.selections(named if is_object_type(named) else None, node.selection_set)
        if parent is not None and parent.name.startswith("__"):
            cost.introspection_depth += 1
            cost.introspection_aliases += node.alias is not None
        elif not is_page_rows:
            cost.deepest = (key, *cost.deepest)
        is_count = 0 < cost.fields == cost.counts
        cost.fields, cost.counts = int(name != "__typename"), int(name == "count")
        cost.aliases += node.alias is not None
        cost.introspections += name in {"__schema", "__type"}
        cost.schemas += name == "__schema"
        limit = self._limit(field, node)
        if field is not None and limit is not None:
            # A list of which only the count is asked for is one value, if that is found without its rows.
            step = declared_step(field)
            limit = 1 if is_count and step is not None and step.of_count() is not step else limit
            cost.rows = limit * (1 + cost.rows)
            cost.largest_rows = limit * max(1, cost.largest_rows)
        elif not is_page_rows and is_object_type(named) and is_list_type(get_nullable_type(type_)):
            cost.is_open = True
            cost.rows *= UNLIMITED_ITEMS
            cost.largest_rows *= UNLIMITED_ITEMS
        if cost.largest_rows and not is_page_rows:
            cost.largest = (key, *cost.largest)
        return cost

    def _limit(self, field: GraphQLField | None, node: ast.FieldNode) -> int | None:
        """The `limit` of a list, or the number of its `ids`; None for a field without these arguments."""
        if field is not None and IDS in field.args:
            return self._number_of_ids(node)
        declared = field.args.get("limit") if field is not None else None
        if declared is None:
            return None
        value, limit = self._argument(node, "limit")
        is_of_groups = field is not None and page_arguments.GROUPING in field.args
        if is_of_groups and self._argument(node, page_arguments.GROUPING)[0] is None:
            # One group, or one of each currency: as few as a list without `limit` has.
            return None
        if isinstance(limit, bool) or not isinstance(limit, int | float):
            limit = declared.default_value
        maximum = (page_arguments.GROUP_LIMITS if is_of_groups else page_arguments.GRAPHQL_LIMITS).maximum
        if not 1 <= limit <= maximum:
            self.errors.append(GraphQLError(f"limit must be from 1 to {maximum}.", value or node))
            limit = maximum
        if self._most is not None and limit > self._most:
            self.larger[id(node)] = value
            return self._most
        return int(limit)

    def _number_of_ids(self, node: ast.FieldNode) -> int:
        value, ids = self._argument(node, IDS)
        if isinstance(value, ast.ListValueNode | ast.StringValueNode):
            ids = value.values if isinstance(value, ast.ListValueNode) else value.value
        number = 1 if isinstance(ids, str) else len(ids) if isinstance(ids, Sequence) else MAX_IDS
        return min(max(1, number), MAX_IDS)  # one value stands for a list of it (GraphQL, 3.11)

    def _argument(self, node: ast.FieldNode | ast.DirectiveNode, name: str) -> tuple[ast.ValueNode | None, Any]:
        """The value of an argument as it is written, and, if that is a variable, the value of the variable."""
        value = next((argument.value for argument in node.arguments or () if argument.name.value == name), None)
        return value, self._variables.get(value.name.value) if isinstance(value, ast.VariableNode) else _literal(value)

    def _type(self, node: ast.NamedTypeNode) -> GraphQLObjectType | None:
        type_ = GRAPHQL_SCHEMA.type_map.get(node.name.value)
        return type_ if is_object_type(type_) else None
