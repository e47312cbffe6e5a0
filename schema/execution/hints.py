"""Hints at what an invalid document may have meant, where no name is spelt alike: graphql-core suggests those."""

import re

from graphql import GraphQLError, GraphQLSchema, get_named_type

UNKNOWN_FIELD = re.compile(r"Cannot query field '(\w+)' on type '(\w+)'\.")
UNKNOWN_COLUMN = re.compile(r"Expected value of type '(\w+Where)' not to include unknown field '\w+', found: ")
UNKNOWN_VALUE = re.compile(r"Value '\w+' does not exist in '(\w+)' enum\.$")

OTHER_NAMES = {
    "member": "user",
    "nodes": "results",
    "edges": "results",
    "items": "results",
    "name": "full_name",
    "day": "date",
    "week": "week_start",
    "month": "month_start",
    "hours": "tracked_seconds",
    "cost": "margins",
}
"""Names of other services for fields that have another one here."""

MOST_VALUES = 20
"""Values of an enumeration that a hint names: orders have a hundred."""


def with_hint(error: GraphQLError, schema: GraphQLSchema) -> GraphQLError:
    """The error of a validation, with a hint if there is one: it begins as those of graphql-core."""
    hint = _hint(error.message, schema)
    if hint is None:
        return error
    return GraphQLError(f"{error.message} Did you mean {hint}?", error.nodes, error.source, error.positions)


def _hint(message: str, schema: GraphQLSchema) -> str | None:
    if found := UNKNOWN_FIELD.fullmatch(message):
        name, fields = found[1], getattr(schema.type_map[found[2]], "fields", {})
        rows = getattr(get_named_type(fields["results"].type), "fields", {}) if "results" in fields else {}
        if name in rows:
            return f"'results {{ {name} }}'"
        if name == "results":
            return "the fields inside 'results', without it"
        return f"'{OTHER_NAMES[name]}'" if OTHER_NAMES.get(name) in fields else None
    if found := UNKNOWN_COLUMN.match(message):
        return f"one of the columns {', '.join(getattr(schema.type_map[found[1]], 'fields', {}))}"
    if found := UNKNOWN_VALUE.search(message):
        values = list(getattr(schema.type_map[found[1]], "values", {}))
        return f"one of {', '.join(values)}" if len(values) <= MOST_VALUES else None
    return None
