"""The GraphQL document of an endpoint, made from the schema: fixed text, in which every value is a variable.

An endpoint names its field, the arguments that differ, and what it selects (`full_selection`). Every further argument
of the field becomes a variable of the same name, type and default, so a new filter of a list is a parameter without an
edit of the endpoint.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from graphql import (
    FieldNode,
    GraphQLArgument,
    GraphQLError,
    GraphQLField,
    OperationDefinitionNode,
    Undefined,
    ast_from_value,
    get_named_type,
    parse,
    print_ast,
)

from schema.documents.full_selection import InvalidSelection, full_selection
from schema.execution.declared_steps import declared_step
from schema.schema import GRAPHQL_SCHEMA

PERIOD = frozenset({"start_date", "end_date", "timezone"})
"""Arguments that come before the filters if a field has all three."""

LAST_ARGUMENTS = frozenset({"updated_since", "include_deleted"})
"""Arguments that come after the filters."""

_CONDITION = re.compile(r"@(?:include|skip)\s*\(\s*if\s*:\s*(\$\w+)")


class InvalidField(ValueError):
    """The schema does not have the field of an endpoint as it is written. The text has the reason."""


def endpoint_document(
    operation: str, fields: str, selection: str, *, without: Collection[str] = (), paging: Collection[str] = ()
) -> str:
    """The text of the document, not yet validated. Raises InvalidField.

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
            raise InvalidField(f"{parent} has no field {name!r}.")
        values = {argument.name.value: print_ast(argument.value) for argument in node.arguments or ()}
        named = {*values}
        if node is nodes[-1]:
            named |= {*without}
            step = declared_step(field)
            unpublished = {each.name for each in (step.arguments if step else ()) if not each.is_published}
            others = [argument for argument in field.args if argument not in named | unpublished]
            values |= {argument: f"${argument}" for argument in others}
        if unknown := named - field.args.keys():
            raise InvalidField(f"{name!r} has no arguments {sorted(unknown)}.")
        values = {argument: values[argument] for argument in _in_order(values, paging)}
        for argument, value in values.items():
            if value in variables:
                raise InvalidField(
                    f"{value} is the value of two arguments: give {argument!r} of {name!r} another, or leave it out."
                )
            if value.startswith("$"):
                variables[value] = _variable_type(field.args[argument], has_default=argument not in paging)
        opened += f"{{ {name}{_in_parentheses(values)} "
        parent = get_named_type(field.type)
    try:
        selection = full_selection(selection, parent)
    except InvalidSelection as error:
        raise InvalidField(str(error)) from error
    for variable in _CONDITION.findall(selection):
        variables.setdefault(variable, "Boolean! = false")
    head = f"query {operation}{_in_parentheses(variables)}"
    return f"{head} {opened}{{ {selection} }}{' }' * len(nodes)}"


def _nested(fields: str) -> list[FieldNode]:
    """The fields from the outside to the inside, each of which is the only one in the field before it."""
    try:
        (definition,) = parse(f"{{ {fields} }}", no_location=True).definitions
    except (GraphQLError, ValueError) as error:
        raise InvalidField(f"{fields!r} is not a field of GraphQL: {error}") from error
    nodes: list[FieldNode] = []
    inner = definition.selection_set if isinstance(definition, OperationDefinitionNode) else None
    while inner is not None:
        (node,) = inner.selections if len(inner.selections) == 1 else (None,)
        if not isinstance(node, FieldNode):
            raise InvalidField(f"{fields!r} is not one field in another.")
        nodes.append(node)
        inner = node.selection_set
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
