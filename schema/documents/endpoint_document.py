"""The GraphQL document of an endpoint, made from the schema: fixed text, in which every value is a variable.

An endpoint names its field, the arguments that differ, and what it selects. Every further argument of the field becomes
a variable of the same name, type and default, so a new filter of a list is a parameter without an edit of the endpoint.

A selection is GraphQL with two short forms. The spread `...fields` stands for all leaf fields of the type that are not
written, not deprecated and not of GRAPH_ALONE; these and what is written after it have the order of the type, so that
`...fields budget` shows a budget where the type declares it. What is written before the spread comes first. An object
without braces has those of EMBEDDED, or else `{ ...fields }`. An alias takes the place of the field that has its name;
`@skip(if: true)` leaves a field out.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from graphql import (
    FieldNode,
    GraphQLArgument,
    GraphQLError,
    GraphQLField,
    NameNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    Undefined,
    ast_from_value,
    get_named_type,
    is_leaf_type,
    parse,
    print_ast,
)

from schema.execution.compiler import response_key
from schema.execution.declared_steps import declared_step
from schema.schema import GRAPHQL_SCHEMA

PERIOD = frozenset({"start_date", "end_date", "timezone"})
"""Arguments that come before the filters if a field has all three."""

LAST_ARGUMENTS = frozenset({"updated_since", "include_deleted"})
"""Arguments that come after the filters."""

LEAF_FIELDS = "...fields"

LEFT_OUT = "@skip(if: true)"

EMBEDDED: Mapping[str, str] = {"Member": "user_id email full_name"}
"""What rows show of an object of a type, where that is not all of its leaf fields."""

GRAPH_ALONE = {"budget_used_percent", "days_overdue", "days_to_pay", "expected_seconds", "review_seconds"}
GRAPH_ALONE |= {"utilization_percent"}
"""Leaf fields that compare values of a row with others: endpoints show what is compared."""

_CONDITION = re.compile(r"@(?:include|skip)\s*\(\s*if\s*:\s*(\$\w+)")


def endpoint_document(
    operation: str, fields: str, selection: str, *, without: Collection[str] = (), paging: Collection[str] = ()
) -> str:
    """The text of the document, not yet validated. Raises ValueError.

    `fields` is GraphQL, from the root to the field of the data: `project(id: $project_id) { members }`. The last field
    has the arguments that are written, and then all others but `without`; a field around it has the written ones only.
    `paging`: arguments that every request sets, so their variables have no default.
    """
    nodes = _nested(fields)
    variables: dict[str, str] = {}
    opened = ""
    parent: Any = GRAPHQL_SCHEMA.query_type
    for node in nodes:
        name = node.name.value
        field: GraphQLField | None = getattr(parent, "fields", {}).get(name)
        if field is None:
            raise ValueError(f"{parent} has no field {name!r}.")
        values = {argument.name.value: print_ast(argument.value) for argument in node.arguments or ()}
        named = {*values}
        if node is nodes[-1]:
            named |= {*without}
            step = declared_step(field)
            unpublished = {each.name for each in (step.arguments if step else ()) if not each.is_published}
            others = [argument for argument in field.args if argument not in named | unpublished]
            values |= {argument: f"${argument}" for argument in others}
        if unknown := named - field.args.keys():
            raise ValueError(f"{name!r} has no arguments {sorted(unknown)}.")
        values = {argument: values[argument] for argument in _in_order(values, paging)}
        for argument, value in values.items():
            if value in variables:
                raise ValueError(
                    f"{value} is the value of two arguments: give {argument!r} of {name!r} another, or leave it out."
                )
            if value.startswith("$"):
                variables[value] = _variable_type(field.args[argument], has_default=argument not in paging)
        opened += f"{{ {name}{_in_parentheses(values)} "
        parent = get_named_type(field.type)
    selection = full_selection(selection, parent)
    for variable in _CONDITION.findall(selection):
        variables.setdefault(variable, "Boolean! = false")
    head = f"query {operation}{_in_parentheses(variables)}"
    return f"{head} {opened}{{ {selection} }}{' }' * len(nodes)}"


def full_selection(selection: str, type_: Any) -> str:
    """The selection of an object of `type_` without short forms. Raises ValueError.

    Fields that the type does not have stay, unless their place is sought: the validation of the document finds them.
    """
    return " ".join(_texts(_parsed(selection, "selection").selections, type_))


def _parsed(text: str, what: str) -> SelectionSetNode:
    """What is selected by a text without braces: a `what` of GraphQL."""
    try:
        (definition,) = parse(f"{{ {text} }}", no_location=True).definitions
    except (GraphQLError, ValueError) as error:
        raise ValueError(f"{text!r} is not a {what} of GraphQL: {error}") from error
    assert isinstance(definition, OperationDefinitionNode)
    return definition.selection_set


def _nested(fields: str) -> list[FieldNode]:
    """The fields from the outside to the inside, each of which is the only one in the field before it."""
    nodes: list[FieldNode] = []
    inner: SelectionSetNode | None = _parsed(fields, "field")
    while inner is not None:
        match inner.selections:
            case [FieldNode() as node]:
                nodes.append(node)
                inner = node.selection_set
            case _:
                raise ValueError(f"{fields!r} is not one field in another.")
    return nodes


def _in_order(names: Collection[str], paging: Collection[str]) -> list[str]:
    """The arguments in the order in which they are published: paging, days, filters, and what all lists have."""
    first = PERIOD if set(names) >= PERIOD else frozenset()
    return sorted(names, key=lambda name: (name not in paging, name not in first, name in LAST_ARGUMENTS))


def _variable_type(argument: GraphQLArgument, *, has_default: bool) -> str:
    """The type of an argument, with its default. A default of null is that of each variable without one."""
    default = argument.default_value
    node = None if default is Undefined or default is None else ast_from_value(default, argument.type)
    return f"{argument.type} = {print_ast(node)}" if node is not None and has_default else str(argument.type)


def _in_parentheses(texts: Mapping[str, str]) -> str:
    return f"({', '.join(f'{name}: {text}' for name, text in texts.items())})" if texts else ""


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
        raise ValueError(f"{type_} has no fields {sorted(unknown)}, and an alias takes the place of one.")
    named = {response_key(node) for node in first} | GRAPH_ALONE
    for name, field in type_.fields.items():
        is_shown = is_leaf_type(get_named_type(field.type)) and not field.deprecation_reason and name not in named
        node = written.get(name) or (FieldNode(name=NameNode(value=name)) if is_shown else None)
        if node is not None and not print_ast(node).endswith(LEFT_OUT):
            yield node
