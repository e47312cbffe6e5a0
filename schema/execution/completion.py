"""Value completion: leaf values, non-null types, lists and objects (GraphQL, 6.4.3 and 6.4.4)."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from types import SimpleNamespace
from typing import Any

from graphql import GraphQLEnumType, GraphQLError, GraphQLLeafType
from sqlalchemy import Boolean, ColumnElement, Integer, Text
from sqlalchemy import Column as StoredColumn
from sqlalchemy.types import TypeEngine
from strawberry.types.scalar import ScalarDefinition

from db.reading.json_array import JsonArray
from db.reading.time_slices import time_slice
from schema.execution.plan import Completion, SelectionPlan, refuse_nulls
from schema.execution.state import FAILED, Column, ExecutionState, PathAt, ResponsePath
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


@lru_cache(256)
def serializer_of(type_: GraphQLLeafType) -> LeafSerializer:
    """The serializer of a leaf type, made once for all documents."""
    return LeafSerializer(type_)


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
        self.expression = (
            f"[{absent} if v is None else {items.expression} for v in (v if type(v) is list else items(v))]"
        )
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


class ListCompletion:
    """Completes a list type: the items of all lists are completed together. `is_required`: items may not be null.

    A `JsonArray` with exactly the selected keys is complete. A budget counts its objects and its text.
    """

    def __init__(self, inner: Completion, name: str, *, is_required: bool) -> None:
        self._inner = inner
        self._name = name
        self._is_required = is_required
        self.is_async, self.selection = inner.is_async, inner.selection
        self._keys = None if inner.selection is None else inner.selection.keys

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        items: Column = []
        # Start and end of each list in `items`; None for a value that is no list.
        spans: list[tuple[int, int] | None] = []
        written: dict[int, Any] = {}
        for index, value in enumerate(values):
            if type(value) is list:
                start = len(items)
                items += value
                spans.append((start, len(items)))
            elif value is None or value is FAILED:
                spans.append(None)
            elif type(value) is JsonArray and value.keys == self._keys:
                if state.budget is not None:
                    state.budget.add_objects(value.object_count, path_at)
                    state.budget.add_size(len(value.text.encode()), path_at)
                spans.append(None)
                written[index] = value.fragment
            elif type(value) is JsonArray:
                start = len(items)
                # It may take a millisecond to parse.
                async with time_slice():
                    items.extend(value)
                spans.append((start, len(items)))
            elif isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
                start = len(items)
                items.extend(value)
                spans.append((start, len(items)))
            else:
                message = f"Expected Iterable, but did not find one for field '{self._name}'."
                state.add_error(GraphQLError(message), path_at(index))
                spans.append(None)
        item_path_at = _ItemPaths(spans, path_at)
        data = await self._inner.complete(items, state, item_path_at) if items else []
        if self._is_required and None in data:
            refuse_nulls(data, items, self._name, state, item_path_at)
        if state.budget is not None and self.selection is not None:
            # What the objects in the lists did not count: brackets, commas and nulls.
            around = sum(max(2, span[1] - span[0] + 1) for span in spans if span is not None)
            state.budget.add_size(around + data.count(None) * len("null"), path_at)
        lists: Column = [None if span is None else data[slice(*span)] for span in spans]
        if state.errors:
            lists = [None if rows and any(item is FAILED for item in rows) else rows for rows in lists]
        for index, fragment in written.items():
            lists[index] = fragment
        return lists


class _ItemPaths:
    """The path of an item: that of its list, and its index there."""

    def __init__(self, spans: Sequence[tuple[int, int] | None], path_at: PathAt) -> None:
        self._spans = spans
        self._path_at = path_at

    @cached_property
    def _lists(self) -> tuple[list[int], list[int]]:
        """The starts of the lists that have items, and their indexes."""
        found = [(span[0], index) for index, span in enumerate(self._spans) if span is not None and span[0] < span[1]]
        return [start for start, _ in found], [index for _, index in found]

    def __call__(self, item: int) -> ResponsePath:
        starts, indexes = self._lists
        place = bisect_right(starts, item) - 1
        return [*self._path_at(indexes[place]), item - starts[place]]


class ObjectCompletion:
    """Completes an object type: executes its selection. An object that lost a non-null field is null."""

    def __init__(self, selection: SelectionPlan) -> None:
        self.selection: SelectionPlan | None = selection
        self.is_async = selection.is_async

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        assert self.selection is not None
        if None not in values and FAILED not in values:
            completed = await self.selection.execute(values, state, path_at)
            return [None if each is FAILED else each for each in completed] if state.errors else completed
        indexes = [index for index, value in enumerate(values) if value is not None and value is not FAILED]
        objects = [values[index] for index in indexes]
        completed = await self.selection.execute(objects, state, lambda index: path_at(indexes[index]))
        data: Column = [None] * len(values)
        for index, value in zip(indexes, completed, strict=True):
            data[index] = None if value is FAILED else value
        return data
