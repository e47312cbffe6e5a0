"""Value completion: non-null types, lists and objects (GraphQL, 6.4.3 and 6.4.4)."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from graphql import GraphQLError

from db.reading.json_array import JsonArray
from db.reading.time_slices import time_slice
from schema.execution.plan import Completion, SelectionPlan
from schema.execution.state import FAILED, Column, ExecutionState, PathAt, ResponsePath


class NonNullCompletion:
    """Completes a non-null type: null becomes FAILED, with an error unless the value failed before."""

    def __init__(self, inner: Completion, name: str) -> None:
        self._inner = inner
        self._name = name
        self.is_async, self.selection = inner.is_async, inner.selection

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        data = await self._inner.complete(values, state, path_at)
        if None not in data:
            return data
        for index, value in enumerate(data):
            if value is None:
                if values[index] is None:
                    error = TypeError(f"Cannot return null for non-nullable field {self._name}.")
                    state.add_error(error, path_at(index))
                data[index] = FAILED
        return data


class ListCompletion:
    """Completes a list type: the items of all lists are completed together.

    A `JsonArray` with exactly the selected keys is complete; within a budget its objects must be counted.
    """

    def __init__(self, inner: Completion, name: str) -> None:
        self._inner = inner
        self._name = name
        self.is_async, self.selection = inner.is_async, inner.selection
        self._keys = None if inner.selection is None else inner.selection.keys

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        items: Column = []
        # Start and end of each list in `items`; None for a value that is no list.
        spans: list[tuple[int, int] | None] = []
        written: dict[int, Any] = {}
        for index, value in enumerate(values):
            if value is None or value is FAILED:
                spans.append(None)
            elif type(value) is JsonArray and state.budget is None and value.keys == self._keys:
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
        data = await self._inner.complete(items, state, _item_path_at(spans, path_at)) if items else []
        lists: Column = [None if span is None else data[slice(*span)] for span in spans]
        if state.errors:
            lists = [None if rows and any(item is FAILED for item in rows) else rows for rows in lists]
        for index, fragment in written.items():
            lists[index] = fragment
        return lists


def _item_path_at(spans: Sequence[tuple[int, int] | None], path_at: PathAt) -> PathAt:
    """The path of an item: that of its list, and its index there. Bisection, since thousands of items may fail."""

    @cache
    def lists() -> tuple[list[int], list[int]]:
        """The starts of the lists that have items, and their indexes."""
        found = [(span[0], index) for index, span in enumerate(spans) if span is not None and span[0] < span[1]]
        return [start for start, _ in found], [index for _, index in found]

    def item_path(item: int) -> ResponsePath:
        starts, indexes = lists()
        place = bisect_right(starts, item) - 1
        return [*path_at(indexes[place]), item - starts[place]]

    return item_path


class ObjectCompletion:
    """Completes an object type: executes its selection. An object that lost a non-null field is null."""

    def __init__(self, selection: SelectionPlan) -> None:
        self.selection: SelectionPlan | None = selection
        self.is_async = selection.is_async

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        indexes = [index for index, value in enumerate(values) if value is not None and value is not FAILED]
        objects = values if len(indexes) == len(values) else [values[index] for index in indexes]
        assert self.selection is not None
        completed = await self.selection.execute(objects, state, lambda index: path_at(indexes[index]))
        if len(indexes) == len(values) and not state.errors:
            return completed
        data: Column = [None] * len(values)
        for index, value in zip(indexes, completed, strict=True):
            data[index] = None if value is FAILED else value
        return data
