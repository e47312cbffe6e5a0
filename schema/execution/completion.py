"""Value completion: leaf values, non-null types, lists and objects (GraphQL, 6.4.3 and 6.4.4)."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

from graphql import GraphQLEnumType, GraphQLError, GraphQLLeafType
from strawberry.types.scalar import ScalarDefinition

from db.values.json_array import JsonArray
from db.values.time_slices import time_slice
from resolvers.relations.strawberry_internals import definition_behind
from resolvers.steps.expression import Expression
from schema.execution.plan import VALUE, Completion, SelectionPlan, refuse_nulls
from schema.execution.state import FAILED, ORPHAN, Column, ExecutionState, PathAt, ResponsePath, resolve_each
from schema.scalars import unchanged

FAST_PATHS = {
    "String": "{v} if type({v}) is str else {write}({v})",
    "Boolean": "{v} if {v} is True or {v} is False else {write}({v})",
    "Int": "{v} if type({v}) is int and -0x80000000 <= {v} < 0x80000000 else {write}({v})",
}
"""Expressions that skip serialization for a value of the usual Python type, by scalar."""


class LeafCompletion(Completion):
    """Serializes the values of one leaf type."""

    def __init__(self, type_: GraphQLLeafType) -> None:
        write, table = f"write_{type_.name}", f"names_{type_.name}"
        self.names = {write: partial(_serialize, type_)}
        pattern = FAST_PATHS.get(type_.name, "{write}({v})")
        definition = definition_behind(type_)
        if isinstance(definition, ScalarDefinition) and definition.serialize is unchanged:
            self.names, pattern = {}, "{v}"
        elif isinstance(type_, GraphQLEnumType):
            self.names |= {table: {item.value: name for name, item in type_.values.items()}}
            pattern = f"{table}.get({{v}}) or {write}({{v}})"
        self._pattern = partial(pattern.format, write=write)
        self._serialize_all: Callable[[Column], Column] = eval(  # noqa: S307 - built only from names of the schema
            f"lambda values: [None if v is None or v is failed else ({self.data_of(VALUE)}) for v in values]",
            {**self.names, "failed": FAILED},
        )

    def data_of(self, value: Expression) -> Expression:
        return Expression(self._pattern(v=value))

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        try:
            return self._serialize_all(values)
        except Exception:  # noqa: BLE001 - repeated value by value, to find the path
            data = await resolve_each(lambda value: self._serialize_all([value])[0], values, state, path_at)
            return [None if each is FAILED else each for each in data]


leaf_completion = lru_cache(256)(LeafCompletion)
"""The completion of a leaf type, made once for all documents."""


def _serialize(type_: GraphQLLeafType, value: Any) -> Any:
    """The data of one value that is not null. Raises what the type raises."""
    data = type_.coerce_output_value(value)
    if data is None:
        raise TypeError(f"{type_} has no data for {value!r}.")
    return data


class ListCompletion(Completion):
    """Completes a list type: the items of all lists are completed together. `is_required`: items may not be null.

    A `JsonArray` with exactly the selected keys is complete. A budget counts its objects and its text.
    """

    def __init__(self, inner: Completion, coordinate: str, *, is_required: bool) -> None:
        self._inner = inner
        self._coordinate = coordinate
        self._is_required = is_required
        self.names = inner.names

    def data_of(self, value: Expression) -> Expression | None:
        data = self._inner.data_of(VALUE)
        if data is None:
            return None
        item = f"{'missing()' if self._is_required else 'None'} if v is None else {data}"
        # None raises, as it is not iterable: the value is completed below.
        return Expression(f"[{item} for v in ({value} if isinstance({value}, (list, tuple)) else None)]")

    @property
    def selection(self) -> SelectionPlan | None:
        return self._inner.selection

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        items: Column = []
        starts: list[int] = []
        # The data of the lists whose items are not completed here, by index.
        complete: dict[int, Any] = {}
        for index, value in enumerate(values):
            starts.append(len(items))
            if type(value) is JsonArray:
                if self.selection is None or value.keys != self.selection.keys:
                    # It may take a millisecond to parse.
                    async with time_slice():
                        items.extend(value)
                    continue
                if state.budget is not None:
                    state.budget.add_objects(value.object_count, path_at)
                    state.budget.add_size(len(value.text.encode()), path_at)
                complete[index] = value.fragment
            elif type(value) is list or (isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)):
                items.extend(value)
            else:
                complete[index] = None
                if value is not None and value is not FAILED:
                    message = f"Expected Iterable, but did not find one for field '{self._coordinate}'."
                    state.add_error(GraphQLError(message), path_at(index))
        starts.append(len(items))

        def item_path_at(item: int) -> ResponsePath:
            index = bisect_right(starts, item) - 1
            return [*path_at(index), item - starts[index]]

        data = await self._inner.complete(items, state, item_path_at) if items else []
        if self._is_required and None in data:
            refuse_nulls(data, items, self._coordinate, state, item_path_at)
        if state.budget is not None and self.selection is not None:
            # What the objects in the lists did not count: brackets, commas and nulls.
            lengths = [end - start for index, (start, end) in enumerate(pairwise(starts)) if index not in complete]
            around = sum(max(2, length + 1) for length in lengths)
            state.budget.add_size(around + data.count(None) * len("null"), path_at)
        lists: Column = [data[start:end] for start, end in pairwise(starts)]
        if state.orphans and self._is_required:
            lists = [[item for item in rows if item is not ORPHAN] for rows in lists]
        elif state.orphans:
            lists = [[None if item is ORPHAN else item for item in rows] for rows in lists]
        if state.errors:
            lists = [None if any(item is FAILED for item in rows) else rows for rows in lists]
        for index, known in complete.items():
            lists[index] = known
        return lists
