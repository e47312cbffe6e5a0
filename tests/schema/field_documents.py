"""Documents that read the fields of a type, found by introspection: each field that is not a column of its row."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from graphql import GraphQLField, GraphQLObjectType, GraphQLSchema, get_named_type, is_leaf_type, is_required_argument

from schema.execution.declared_steps import declared_step

PERSON = "user_id"
"""The required argument of fields that return rows of one person. Other fields lead to the same types."""

IDS = "ids"
"""The argument of fields that return rows by their ids."""

GROUPS = (
    *("client", "project", "member", "team", "task", "leave_type", "leave_policy", "leave_period"),
    *("approved_by", "created_by", "edited_by", "paid_by", "requested_by", "reviewed_by"),
)
"""What sums are grouped by, where they may be."""


class Place(NamedTuple):
    """Where objects of a type are: the fields from the root down to them, each with the type that has it."""

    type: GraphQLObjectType
    way: tuple[tuple[GraphQLObjectType, str], ...]

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.way)


class FieldDocuments:
    """Documents over a schema. `arguments` has literals by the name of the argument, for each field that has it."""

    def __init__(self, schema: GraphQLSchema, arguments: Mapping[str, str]) -> None:
        assert schema.query_type is not None
        self._arguments = arguments
        self._query = schema.query_type
        self.places = self._places()

    def fields(self) -> list[tuple[str, str]]:
        """The type and the name of each field that is not a column, in the order of the schema."""
        return [(name, field) for name, place in self.places.items() for field in _fields_of(place.type)]

    def row_type(self, type_name: str, name: str) -> GraphQLObjectType | None:
        """The type of the objects of a field; None if it has a value."""
        type_ = row_type(self.places[type_name].type.fields[name])
        return type_ if isinstance(type_, GraphQLObjectType) else None

    def document(self, type_name: str, names: Sequence[str]) -> str:
        """A document that selects these fields of the objects of a type, and a value of each object that they have.

        Ids are the variables that are called like the fields.
        """
        type_, way = self.places[type_name]
        text = " ".join(self._selected(name, type_.fields[name], _values(type_.fields[name])) for name in names)
        for parent, name in reversed(way):
            text = self._selected(name, parent.fields[name], text)
        ids = ", ".join(f"${name}: [UUID!]!" for name in names if IDS in type_.fields[name].args)
        return f"query ({ids}) {{ {text} }}" if ids else f"{{ {text} }}"

    def _places(self) -> dict[str, Place]:
        """The shortest way to each type with a field that is not a column; the root is the first."""
        places = {self._query.name: Place(self._query, ())}
        queue = list(places.values())
        for place in queue:
            for name in _fields_of(place.type):
                field = place.type.fields[name]
                below = row_type(field)
                if isinstance(below, GraphQLObjectType) and below.name not in places and IDS not in field.args:
                    places[below.name] = Place(below, (*place.way, (place.type, name)))
                    queue.append(places[below.name])
        return places

    def _selected(self, name: str, field: GraphQLField, selection: str) -> str:
        given = [f"{key}: {self._arguments[key]}" for key in field.args if key in self._arguments]
        given += [f"{key}: {value}" for key, value in grouping(field).items()]
        given += [f"{IDS}: ${name}"] if IDS in field.args else []
        head = f"{name}({', '.join(given)})" if given else name
        type_: Any = get_named_type(field.type)
        if is_leaf_type(type_):
            return head
        return f"{head} {{ count results {{ {selection} }} }}" if is_page(type_) else f"{head} {{ {selection} }}"


def grouping(field: GraphQLField) -> dict[str, str]:
    """The argument by which a field groups what it sums, if it does."""
    if "group_by" not in field.args:
        return {}
    type_: Any = get_named_type(field.args["group_by"].type)
    return {"group_by": f"[{', '.join(name for name in GROUPS if name in type_.values)}]"}


def is_page(type_: GraphQLObjectType) -> bool:
    return "count" in type_.fields and "results" in type_.fields


def row_type(field: GraphQLField) -> Any:
    """The type of the objects of a field: of a page, that of its rows."""
    type_: Any = get_named_type(field.type)
    if isinstance(type_, GraphQLObjectType) and is_page(type_):
        return get_named_type(type_.fields["results"].type)
    return type_


def _fields_of(type_: GraphQLObjectType) -> list[str]:
    """The fields with objects or with a resolver, but those that need the id of a row."""
    return [name for name, field in type_.fields.items() if _is_computed(field) and not _is_of_row(field)]


def _is_of_row(field: GraphQLField) -> bool:
    """Whether a field returns one row by its id, or rows of one person."""
    return PERSON in required(field) or ("id" in field.args and row_type(field) is get_named_type(field.type))


def _is_computed(field: GraphQLField) -> bool:
    return declared_step(field) is not None or not is_leaf_type(get_named_type(field.type))


def required(field: GraphQLField) -> set[str]:
    """The names of the required arguments."""
    return {name for name, argument in field.args.items() if is_required_argument(argument)}


def _values(field: GraphQLField) -> str:
    """The selection of the objects of a field: their first column.

    Rows by their ids also have their computed values, of which a list has some already.
    """
    type_ = row_type(field)
    fields = type_.fields.items() if isinstance(type_, GraphQLObjectType) else ()
    columns = [name for name, each in fields if not _is_computed(each)][:1]
    if IDS in field.args:
        columns += [name for name, each in fields if is_leaf_type(get_named_type(each.type)) and _is_computed(each)]
    return " ".join(columns) or "__typename"
