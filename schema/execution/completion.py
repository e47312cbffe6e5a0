"""Value completion: non-null types, lists and objects (GraphQL, 6.4.3 and 6.4.4)."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from graphql import GraphQLError

from db.reading.json_array import JsonArray
from db.reading.time_slices import time_slice
from schema.execution.plan import Completion, SelectionPlan, refuse_nulls
from schema.execution.state import FAILED, Column, ExecutionState, PathAt, ResponsePath


class ListCompletion:
    """Completes a list type: the items of all lists are completed together. `is_required`: items may not be null.

    A `JsonArray` with exactly the selected keys is complete; within a budget its objects must be counted.
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
            elif type(value) is list or (isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)):
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
