"""The selection of an endpoint in full: all leaf fields of a type unless it says otherwise.

An endpoint writes a selection of GraphQL with two short forms. The spread `...fields` stands for all leaf fields of the
type that are not written, not deprecated and not of GRAPH_ALONE; these and what is written after it have the order of
the type, so that `...fields budget` shows a budget where the type declares it. What is written before the spread comes
first. An object without braces has those of EMBEDDED, or else `{ ...fields }`. An alias takes the place of the field
that has its name; `@skip(if: true)` leaves a field out.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphql import (
    FieldNode,
    GraphQLError,
    NameNode,
    OperationDefinitionNode,
    SelectionNode,
    get_named_type,
    is_leaf_type,
    parse,
    print_ast,
)

from schema.execution.compiler import response_key

LEAF_FIELDS = "...fields"

LEFT_OUT = "@skip(if: true)"

EMBEDDED: Mapping[str, str] = {"Member": "user_id email full_name"}
"""What rows show of an object of a type, where that is not all of its leaf fields."""


GRAPH_ALONE = {"budget_used_percent", "days_overdue", "days_to_pay", "expected_seconds", "review_seconds"}
GRAPH_ALONE |= {"utilization_percent"}
"""Leaf fields that compare values of a row with others: endpoints show what is compared."""


class InvalidSelection(ValueError):
    """The schema does not have what a selection names, or the selection is not GraphQL. The text has the reason."""


def full_selection(selection: str, type_: Any) -> str:
    """The selection of an object of `type_` without short forms. Raises InvalidSelection.

    Fields that the type does not have stay, unless their place is sought: the validation of the document finds them.
    """
    try:
        (definition,) = parse(f"{{ {selection} }}", no_location=True).definitions
    except (GraphQLError, ValueError) as error:
        raise InvalidSelection(f"{selection!r} is not a selection of GraphQL: {error}") from error
    assert isinstance(definition, OperationDefinitionNode)
    return " ".join(_texts(definition.selection_set.selections, type_))


def _texts(nodes: Sequence[SelectionNode], type_: Any) -> Iterator[str]:
    """The selected fields of an object, in the order of its keys in answers."""
    written = [print_ast(node) for node in nodes]
    if LEAF_FIELDS in written:
        place = written.index(LEAF_FIELDS)
        nodes = [*nodes[:place], *_in_order_of_type(nodes[:place], nodes[place + 1 :], type_)]
    for node in nodes:
        field = type_.fields.get(node.name.value) if isinstance(node, FieldNode) else None
        of = None if field is None else get_named_type(field.type)
        if not isinstance(node, FieldNode) or of is None or is_leaf_type(of):
            yield print_ast(node)
            continue
        name = print_ast(
            FieldNode(alias=node.alias, name=node.name, arguments=node.arguments, directives=node.directives)
        )
        if node.selection_set is None:
            yield f"{name} {{ {full_selection(EMBEDDED.get(of.name, LEAF_FIELDS), of)} }}"
        else:
            yield f"{name} {{ {' '.join(_texts(node.selection_set.selections, of))} }}"


def _in_order_of_type(first: Sequence[Any], others: Sequence[Any], type_: Any) -> Iterator[FieldNode]:
    """The leaf fields of the type but those of `first`, and `others`."""
    written = {response_key(node): node for node in others}
    if unknown := written.keys() - type_.fields.keys():
        raise InvalidSelection(f"{type_} has no fields {sorted(unknown)}, and an alias takes the place of one.")
    named = {response_key(node) for node in first} | GRAPH_ALONE
    for name, field in type_.fields.items():
        is_shown = is_leaf_type(get_named_type(field.type)) and not field.deprecation_reason and name not in named
        node = written.get(name) or (FieldNode(name=NameNode(value=name)) if is_shown else None)
        if node is not None and not print_ast(node).endswith(LEFT_OUT):
            yield node
