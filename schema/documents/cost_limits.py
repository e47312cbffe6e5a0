"""Cost limits of a document, checked before validation and before any resolver runs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphql import GraphQLError, Visitor, print_ast, visit
from graphql.language import ast

from schema.documents.document_cost import MAX_REPORTED, CostVisitor, DocumentCost, cost_of
from schema.schema import GRAPHQL_SCHEMA

MAX_TOKENS = 1_000
"""Tokens of a document at most; the parser stops at the next one."""

TOO_DEEP = (
    "The operation is {given} levels deep; at most {most} are allowed. The deepest field is {deepest}: begin at a list "
    "further down, or ask in two operations."
)
TOO_MANY_ROWS = (
    "The operation asks for up to {given} rows; at most {most} are allowed. {largest} costs most, up to {largest_rows} "
    "rows: ask for fewer by `limit`, there or in a list around it.{fitting}"
)
FITTING = " With `limit: {limit}` in each list with more it asks for {rows}: see `details`."

FITTING_LIMITS = (50, 20, 10, 5, 3, 2, 1)
"""The limits that are tried, to show one with which the document may be executed."""

MAX_ROWS = 5_000
"""The most rows that a document may ask for."""

LIMITS: Mapping[str, tuple[int, str]] = {
    "fragments": (30, "The document defines {given} fragments; at most {most} are allowed."),
    "depth": (12, TOO_DEEP),
    "introspection_depth": (15, "Introspection is {given} levels deep; at most {most} are allowed."),
    # An alias may repeat the introspection of the whole schema. Tools ask for the eight types that describe it.
    "introspection_aliases": (0, "Introspection has {given} aliases; none are allowed."),
    "schemas": (1, "The operation introspects the schema {given} times; once is allowed."),
    "introspections": (8, "The operation introspects {given} times; at most {most} are allowed."),
    "fields": (15, "The operation has {given} root fields; at most {most} are allowed."),
    "aliases": (15, "The operation has {given} aliases; at most {most} are allowed."),
    "directives": (20, "The operation has {given} directives; at most {most} are allowed."),
    "rows": (MAX_ROWS, TOO_MANY_ROWS),
}
"""The maximum of each attribute of a DocumentCost, and the message above it."""


def checked_cost(
    document: ast.DocumentNode, operation: ast.OperationDefinitionNode, variables: Mapping[str, Any]
) -> tuple[DocumentCost, list[GraphQLError]]:
    """The cost of an operation, and an error for all that is wrong with it; none if it may be executed."""
    cost, errors = cost_of(document, operation, variables)
    visitor = CostVisitor(document, operation, variables)
    selection = visitor.merged(operation.selection_set) if cost.fragments else operation.selection_set
    if selection is not operation.selection_set:
        merged = visitor.selections(GRAPHQL_SCHEMA.query_type, selection)
        cost.rows, cost.largest_rows, cost.largest = merged.rows, merged.largest_rows, merged.largest
        cost.fields, cost.counts, cost.is_open = merged.fields, merged.counts, merged.is_open
    fitting, smaller = _fitting(document, operation, variables, selection) if cost.rows > MAX_ROWS else ("", {})
    fields = {
        "fitting": fitting,
        "deepest": ".".join(cost.deepest),
        "largest": ".".join(cost.largest),
        "largest_rows": min(cost.largest_rows, MAX_REPORTED),
    }
    for name, (most, message) in LIMITS.items():
        given = min(getattr(cost, name), MAX_REPORTED)
        if given > most:
            details = {"limit": name, "given": given, "maximum": most, **(smaller if name == "rows" else {})}
            errors.append(
                GraphQLError(message.format(given=given, most=most, **fields), extensions={"details": details})
            )
    return cost, errors


def _fitting(
    document: ast.DocumentNode,
    operation: ast.OperationDefinitionNode,
    variables: Mapping[str, Any],
    merged: ast.SelectionSetNode,
) -> tuple[str, Mapping[str, Any]]:
    """The first of FITTING_LIMITS with which the operation is within the limit of rows: a sentence, and `document` and
    `variables` for the client.
    """
    for limit in FITTING_LIMITS:
        visitor = CostVisitor(document, operation, variables, limit)
        visitor.selections(GRAPHQL_SCHEMA.query_type, operation.selection_set)
        cost = visitor.selections(GRAPHQL_SCHEMA.query_type, merged)
        if cost.rows <= MAX_ROWS:
            text = print_ast(visit(document, _LimitWriter(visitor.larger, limit)))
            given = {name: limit for value in visitor.larger.values() if (name := _variable_name(value))}
            details = {"document": text} | ({"variables": given} if given else {})
            return FITTING.format(limit=limit, rows=cost.rows), details
    return "", {}


class _LimitWriter(Visitor):
    """Writes a limit into the fields of a document that have a larger one, but not in place of a variable."""

    def __init__(self, larger: Mapping[int, ast.ValueNode | None], limit: int) -> None:
        super().__init__()
        self._larger = larger
        self._argument = ast.ArgumentNode(name=ast.NameNode(value="limit"), value=ast.IntValueNode(value=str(limit)))

    def enter_field(self, node: ast.FieldNode, *_: Any) -> ast.FieldNode | None:
        if id(node) not in self._larger or _variable_name(self._larger[id(node)]):
            return None
        others = [argument for argument in node.arguments or () if argument.name.value != "limit"]
        return replace(node, arguments=(*others, self._argument))


def _variable_name(value: ast.ValueNode | None) -> str | None:
    return value.name.value if isinstance(value, ast.VariableNode) else None
