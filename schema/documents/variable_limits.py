"""Limits of the variables of a call, checked as JSON: to coerce objects costs much more than to parse them."""

from collections.abc import Mapping
from typing import Any

from graphql import GraphQLError

MAX_VARIABLE_VALUES = 2_000
"""Values of the variables at most, with those in lists and objects: each root field may have 100 values of a filter."""

MAX_VARIABLE_DEPTH = 16
"""Levels of lists and objects at most: a `where` has ten."""


def variable_errors(variables: Mapping[str, Any]) -> list[GraphQLError]:
    """An error for each limit that the variables exceed, with the number and the limit in `details`."""
    values, depth = 0, 0
    containers: list[Any] = [dict(variables)] if variables else []
    while containers:
        inner = [value for each in containers for value in (each.values() if isinstance(each, dict) else each)]
        containers = [value for value in inner if isinstance(value, dict | list)]
        values += len(inner)
        depth += 1
    return [
        GraphQLError(
            f"The variables have {given} {what}; at most {most} are allowed.",
            extensions={"details": {"limit": name, "given": given, "maximum": most}},
        )
        for name, given, most, what in (
            ("variable_values", values, MAX_VARIABLE_VALUES, "values"),
            ("variable_depth", depth, MAX_VARIABLE_DEPTH, "levels of lists and objects"),
        )
        if given > most
    ]
