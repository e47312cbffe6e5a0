"""Hints at what an invalid document may have meant: graphql-core only suggests names that are spelt alike."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from graphql import GraphQLError, GraphQLSchema, get_named_type

SUGGESTED = " Did you mean "
UNKNOWN_NAME = re.compile(r"(?:Cannot query field|Unknown argument) '(\w+)' on (?:type|field) '(\w+)(?:\.(\w+))?'\.")
UNKNOWN_COLUMN = re.compile(r"Expected value of type '(\w+(?:Where|Comparison))' not to include unknown field '\w+', ")
UNKNOWN_VALUE = re.compile(r"Value '\w+' does not exist in '(\w+)' enum\.$")

MOST_VALUES = 20
"""Values of an enumeration that a hint names: orders have a hundred."""


def with_hint(error: GraphQLError, schema: GraphQLSchema) -> GraphQLError:
    """The error of a validation, with a hint if there is one, in the form and the place of graphql-core's."""
    message = error.message.partition(SUGGESTED)[0]
    hint = _hint(message, schema)
    if hint is None:
        return error
    return GraphQLError(f"{message}{SUGGESTED}{hint}?", error.nodes, error.source, error.positions)


def _hint(message: str, schema: GraphQLSchema) -> str | None:
    if found := UNKNOWN_NAME.fullmatch(message):
        name, fields = found[1], getattr(schema.type_map[found[2]], "fields", {})
        known = fields if found[3] is None else fields[found[3]].args
        for own, others in _other_names().items():
            if own in known and name in others:
                return f"'{own}'"
        rows = getattr(get_named_type(fields["results"].type), "fields", {}) if "results" in known else {}
        if name in rows:
            return f"'results {{ {name} }}'"
        return "the fields inside 'results', without it" if name == "results" else None
    if found := UNKNOWN_COLUMN.match(message):
        what = "one of the columns" if found[1].endswith("Where") else "one of"
        return f"{what} {', '.join(getattr(schema.type_map[found[1]], 'fields', {}))}"
    if found := UNKNOWN_VALUE.search(message):
        values = list(getattr(schema.type_map[found[1]], "values", {}))
        return f"one of {', '.join(values)}" if len(values) <= MOST_VALUES else None
    return None


@cache
def _other_names() -> Mapping[str, Sequence[str]]:
    return tomllib.loads(Path(__file__).with_name("other_names.toml").read_text("utf-8"))
