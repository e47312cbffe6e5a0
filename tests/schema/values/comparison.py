"""Compares what a response shows with the stored rows: each value, object and list of each row, wherever it stands."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from graphql import GraphQLList, GraphQLObjectType, get_named_type, get_nullable_type, is_leaf_type

from db.tables.columns import metadata
from tests.schema.edges import LISTS as LISTS_OF_REFERENCES
from tests.schema.edges import listed_references, object_name
from tests.schema.field_documents import is_page, row_type
from tests.schema.nodes import key_of
from tests.schema.values.expected import LEAVES, LISTS, OBJECTS, OWN_VALUES, UNDERIVED, VALUE_OBJECTS
from tests.schema.values.selections import key_name
from tests.schema.values.stored_rows import NODE_TYPES, TABLES, Stored, StoredRows

TYPE_OF_TABLE = {table: type_ for type_, table in TABLES.items()}

COLUMN_OF_LIST = {
    (TYPE_OF_TABLE[each.parent.name], LISTS_OF_REFERENCES[each.name]): each
    for each in listed_references()
    if each.name in LISTS_OF_REFERENCES
}
"""The reference behind each list of a parent."""


class Comparison:
    """Compares responses with `stored`, and counts by field what it compared.

    `ids` is the largest number of ids in an array, by field.
    """

    def __init__(self, stored: StoredRows) -> None:
        self._stored = stored
        self._seen: dict[tuple[str, Any, str], Any] = {}
        self.compared: dict[str, int] = {}
        self.ids: dict[str, int] = {}
        self.wrong: list[str] = []

    def summary(self) -> str:
        """The first wrong value of each field."""
        first: dict[str, str] = {}
        for each in self.wrong:
            first.setdefault(each.split()[0], each)
        return "\n".join(first.values())

    def row(self, type_: GraphQLObjectType, shown: Any, path: str, own: Sequence[str] = (), row: Any = None) -> None:
        """Compare an object of a type. `own` are fields with values that the row has in this list alone."""
        if row is None and type_.name in NODE_TYPES:
            id_ = UUID(shown[key_name(type_)])
            row = self._stored.find(TABLES[type_.name], id_)
            if row is None:
                self._differs(path, id_, "a row of the organization")
                return
        for name, value in shown.items():
            field = type_.fields[name]
            if name not in own:
                self._field(type_, name, field.type, value, row, f"{path}.{name}")
        if row is None:
            self._pairs(type_, shown, path)

    def _field(self, type_: GraphQLObjectType, name: str, kind: Any, value: Any, row: Any, path: str) -> None:
        named: Any = get_named_type(kind)
        full_name = f"{type_.name}.{name}"
        self._count_ids(full_name, named.name, value)
        is_empty = value is None or value == [] or (not is_leaf_type(named) and is_page(named) and not value["results"])
        self.compared[full_name] = self.compared.get(full_name, 0) + (not is_empty)
        if is_leaf_type(named):
            if row is not None:
                self._leaf(full_name, name, named.name, value, row, path)
        elif full_name in VALUE_OBJECTS and row is not None:
            self._value_type(named, value, VALUE_OBJECTS[full_name](self._stored, row), path)
        elif is_page(named) or isinstance(get_nullable_type(kind), GraphQLList):
            self._list(type_, name, kind, value, row, path)
        elif value is not None:
            if row is not None and named.name in NODE_TYPES:
                self._object(type_, name, named, value, row, path)
            self.row(named, value, path)
        elif row is not None:
            self._object(type_, name, named, None, row, path)

    def _leaf(self, full_name: str, name: str, kind: str, value: Any, row: Stored, path: str) -> None:
        if full_name in UNDERIVED:
            self._equal(path, value, self._seen.setdefault((full_name, row["id"], ""), value), row)
        elif full_name in LEAVES:
            expected = LEAVES[full_name](self._stored, row)
            self._equal(path, like(expected, kind, value), expected, row)
        elif name in row:
            self._equal(path, like(row[name], kind, value), row[name], row)
        else:
            self._differs(path, value, "a column, or a rule in tests/schema/values/expected.py")

    def _count_ids(self, full_name: str, kind: str, value: Any) -> None:
        if kind == "UUID" and isinstance(value, list):
            self.ids[full_name] = max(self.ids.get(full_name, 0), len(value))

    def _value_type(self, type_: GraphQLObjectType, value: Any, expected: Mapping[str, Any] | None, path: str) -> None:
        if value is None or expected is None:
            self._equal(path, value, expected)
            return
        for name, field in type_.fields.items():
            kind: Any = get_named_type(field.type)
            if name in value and is_leaf_type(kind):
                default: Any = [] if isinstance(get_nullable_type(field.type), GraphQLList) else None
                wanted = expected.get(name, default)
                self._equal(f"{path}.{name}", like(wanted, kind.name, value[name]), wanted)
                self._count_ids(f"{type_.name}.{name}", kind.name, value[name])
            elif name in value:
                ids = expected.get("screenshot_ids", ())
                found = [self._stored.get("screenshots", each) for each in ids]
                live = [each["id"] for each in found if self._stored.is_live("screenshots", each)]
                self._rows(kind, value[name], live, f"{path}.{name}")

    def _object(self, type_: GraphQLObjectType, name: str, named: Any, value: Any, row: Stored, path: str) -> None:
        id_ = None if value is None else UUID(value[key_name(named)])
        full_name = f"{type_.name}.{name}"
        if full_name in OBJECTS:
            self._equal(path, id_, OBJECTS[full_name](self._stored, row), row)
            return
        column = next((each for each in row if each.endswith("_id") and object_name(each) == name), None)
        if column is None:
            self._differs(path, id_, "a column with the id, or a rule in tests/schema/values/expected.py")
        else:
            self._equal(path, id_, row[column], row)

    def _list(self, type_: GraphQLObjectType, name: str, kind: Any, value: Any, row: Any, path: str) -> None:
        named: Any = get_named_type(kind)
        rows = value
        below = row_type(type_.fields[name])
        if is_page(named):
            rows = value["results"]
        if row is None or below.name not in TABLES:
            for each in rows or ():
                if each is not None:
                    self.row(below, each, path)
            return
        expected = self.listed(type_.name, name, row)
        if expected is None:
            self._differs(path, "a list", "a reference in test_edges.py, or a rule in tests/schema/values/expected.py")
            return
        if is_page(named):
            self._equal(f"{path}.count", value["count"], len(expected), row)
        own = [field for parent, listed, field in OWN_VALUES if (parent, listed) == (type_.name, name)]
        if below.name in NODE_TYPES:
            key = key_of(metadata.tables[TABLES[below.name]])
            self._rows(below, rows, [each[key] for each in expected], path, own, row)
        else:
            self._equal(f"{path}.count", len(rows), len(expected), row)
            for each, stored in zip(rows, expected, strict=False):
                self.row(below, each, path, own, stored)

    def listed(self, type_name: str, name: str, row: Stored) -> Sequence[Stored] | None:
        """The rows of a list of a parent, in order; None for a list without a rule."""
        rule, reference = LISTS.get(f"{type_name}.{name}"), COLUMN_OF_LIST.get((type_name, name))
        if rule is not None:
            return rule(self._stored, row)
        if reference is None:
            return None
        return self._stored.live(reference.child.name, **{reference.column: row[key_of(reference.parent)]})

    def _rows(
        self,
        type_: Any,
        rows: Sequence[Any],
        ids: Sequence[UUID],
        path: str,
        own: Sequence[str] = (),
        parent: Any = None,
    ) -> None:
        self._equal(path, [UUID(each[key_name(type_)]) for each in rows], list(ids), parent)
        for each in rows:
            self.row(type_, each, path, own)

    def _pairs(self, type_: GraphQLObjectType, shown: Mapping[str, Any], path: str) -> None:
        """Ids and names beside objects, in objects that are no rows."""
        for name, value in shown.items():
            beside = shown.get(object_name(name)) if name.endswith("_id") else None
            if name.endswith("_id") and object_name(name) in shown:
                below: Any = get_named_type(type_.fields[object_name(name)].type)
                self._equal(f"{path}.{name}", value, None if beside is None else beside[key_name(below)])
            if name.endswith("_name") and name.removesuffix("_name") in shown:
                beside = shown[name.removesuffix("_name")]
                self._equal(f"{path}.{name}", value, None if beside is None else beside["name"])

    def _equal(self, path: str, value: Any, expected: Any, row: Any = None) -> None:
        if value != expected:
            self._differs(path, value, expected, row)

    def _differs(self, path: str, value: Any, expected: Any, row: Any = None) -> None:
        of = "" if row is None else f" of {row.get('id', row.get('user_id'))}"
        self.wrong.append(f"{path}{of} is {value!r}, not {expected!r}")


def like(expected: Any, kind: str, value: Any) -> Any:
    """The value of a response as the tables would have it, so that it can be compared with the expected one."""
    if value is None:
        return None
    if isinstance(value, list):
        items = expected if isinstance(expected, list) and expected else [None] * len(value)
        return [like(items[0], kind, each) for each in value]
    if kind == "UUID":
        return UUID(value)
    if kind == "DateTime":
        return datetime.fromisoformat(value)
    if kind == "Date":
        return date.fromisoformat(value)
    return Decimal(value) if isinstance(expected, Decimal) and isinstance(value, str) else value
