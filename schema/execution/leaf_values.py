"""Serialization of leaf values: scalars and enumerations of a compiled operation."""

from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

from graphql import GraphQLEnumType, GraphQLLeafType
from sqlalchemy import Boolean, ColumnElement, Integer, Text
from sqlalchemy import Column as StoredColumn
from sqlalchemy.types import TypeEngine
from strawberry.types.scalar import ScalarDefinition

from schema.execution.state import FAILED, Column, ExecutionState, PathAt
from schema.scalars import unchanged

FAST_PATHS = {
    "String": "v if type(v) is str else {write}(v)",
    "Boolean": "v if v is True or v is False else {write}(v)",
    "Int": "v if type(v) is int and -0x80000000 <= v < 0x80000000 else {write}(v)",
}
"""Expressions that skip serialization for a value of the usual Python type, by scalar."""


class LeafSerializer:
    """Serializes the values of one leaf type.

    `expression` is Python source for the data of a value `v` that is not null; `names` are the globals it uses.
    """

    is_async = False
    selection = None

    def __init__(self, type_: GraphQLLeafType) -> None:
        self._type = type_
        write, table = f"write_{type_.name}", f"names_{type_.name}"
        # Not the method: a reference to itself would keep a dropped plan until the garbage collector comes.
        serialize = partial(_serialize, type_)
        self.names: Mapping[str, Any] = {write: serialize}
        self.expression = FAST_PATHS.get(type_.name, "{write}(v)").format(write=write)
        definition = (type_.extensions or {}).get("strawberry-definition")
        if isinstance(definition, ScalarDefinition) and definition.serialize is unchanged:
            self.expression = "v"
        elif isinstance(type_, GraphQLEnumType):
            self.names = {write: serialize, table: {item.value: name for name, item in type_.values.items()}}
            self.expression = f"{table}.get(v) or {write}(v)"
        self._serialize_all = self._compile()

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        """The data of each value; None for null and for a value that failed."""
        try:
            return self._serialize_all(values)
        except Exception:  # noqa: BLE001 - repeated value by value below, to find the path
            return [self._complete_one(value, state, path_at, index) for index, value in enumerate(values)]

    def _complete_one(self, value: Any, state: ExecutionState, path_at: PathAt, index: int) -> Any:
        if value is None or value is FAILED:
            return None
        try:
            return _serialize(self._type, value)
        except Exception as error:  # noqa: BLE001 - any exception is an error of this field
            state.add_error(error, path_at(index))
            return None

    def _compile(self) -> Callable[[Column], Column]:
        absent = "None if v is None or v is failed else"
        names = {**self.names, "failed": FAILED}
        serialize_all: Callable[[Column], Column] = eval(  # noqa: S307 - built only from names of the schema
            f"lambda values: [{absent} ({self.expression}) for v in values]", names
        )
        return serialize_all


COLUMN_TYPES: Mapping[str, type[TypeEngine[Any]]] = {"String": Text, "Boolean": Boolean, "Int": Integer}


def is_unchanged(type_: GraphQLLeafType, column: ColumnElement[Any] | None) -> bool:
    """Whether every value of a column is the data of a leaf type: by its type, or by the CHECK of an enumeration."""
    if column is None or not isinstance(type_, GraphQLEnumType):
        return column is not None and type(column.type) is COLUMN_TYPES.get(type_.name)
    stored = column.info.get("values", ()) if isinstance(column, StoredColumn) else ()
    is_same = all(name == item.value for name, item in type_.values.items())
    return bool(stored) and is_same and {each.value for each in stored} <= set(type_.values)


class ListSerializer:
    """Serializes lists of the values of one leaf type. `is_required`: items may not be null."""

    def __init__(self, items: LeafSerializer, *, is_required: bool) -> None:
        absent = "missing()" if is_required else "None"
        self.expression = f"[{absent} if v is None else {items.expression} for v in items(v)]"
        self.names: Mapping[str, Any] = {**items.names, "items": _items}


UNCHANGED = SimpleNamespace(expression="v", names={})
"""Serializes values that need no check, because of their column."""


def _items(values: Any) -> Any:
    if not isinstance(values, list | tuple):
        raise TypeError(f"{values!r} is not a list.")
    return values


def _serialize(type_: GraphQLLeafType, value: Any) -> Any:
    """The data of one value that is not null. Raises what the type raises."""
    data = type_.coerce_output_value(value)
    if data is None:
        raise TypeError(f"{type_} has no data for {value!r}.")
    return data
