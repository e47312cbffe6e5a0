"""How the values of fields become data: what must be there, lists, and objects (GraphQL, 6.4.3 and 6.4.4)."""

from collections.abc import Iterable, Mapping, Sequence

from graphql import GraphQLError

from schema.execution.plan import Completion, Selection
from schema.execution.state import FAILED, Column, ExecutionState, Path, PathAt


class NonNullCompletion:
    """What is never null: a null is an error, unless one explains it already, and FAILED."""

    def __init__(self, inner: Completion, name: str) -> None:
        self._inner = inner
        self._name = name
        self.waits, self.selection = inner.waits, inner.selection

    async def column(self, values: Column, run: ExecutionState, where: PathAt) -> Column:
        data = await self._inner.column(values, run, where)
        if None not in data:
            return data
        for at, value in enumerate(data):
            if value is None:
                if values[at] is None:
                    run.fail(TypeError(f"Cannot return null for non-nullable field {self._name}."), where(at))
                data[at] = FAILED
        return data


class ListCompletion:
    """Lists: the items of all of them are completed together."""

    def __init__(self, inner: Completion, name: str) -> None:
        self._inner = inner
        self._name = name
        self.waits, self.selection = inner.waits, inner.selection

    async def column(self, values: Column, run: ExecutionState, where: PathAt) -> Column:
        items: Column = []
        # Where the items of each list begin and end; None for what is no list.
        spans: list[tuple[int, int] | None] = []
        for at, value in enumerate(values):
            if value is None or value is FAILED:
                spans.append(None)
            elif isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
                begin = len(items)
                items.extend(value)
                spans.append((begin, len(items)))
            else:
                message = f"Expected Iterable, but did not find one for field '{self._name}'."
                run.fail(GraphQLError(message), where(at))
                spans.append(None)
        data = await self._inner.column(items, run, _places(spans, where)) if items else []
        lists: Column = [None if span is None else data[slice(*span)] for span in spans]
        if run.errors:
            lists = [None if some and any(item is FAILED for item in some) else some for some in lists]
        return lists


def _places(spans: Sequence[tuple[int, int] | None], where: PathAt) -> PathAt:
    """The path of an item: that of its list, and its index there."""

    def place(index: int) -> Path:
        at, begin = next((at, span[0]) for at, span in enumerate(spans) if span and span[0] <= index < span[1])
        return [*where(at), index - begin]

    return place


class ObjectCompletion:
    """Objects of one type; null for one that lost a value which it must have."""

    def __init__(self, selection: Selection) -> None:
        self.selection: Selection | None = selection
        self.waits = selection.waits

    async def column(self, values: Column, run: ExecutionState, where: PathAt) -> Column:
        places = [at for at, value in enumerate(values) if value is not None and value is not FAILED]
        there = values if len(places) == len(values) else [values[at] for at in places]
        assert self.selection is not None
        found = await self.selection.data(there, run, lambda index: where(places[index]))
        if len(places) == len(values) and not run.errors:
            return found
        data: Column = [None] * len(values)
        for at, some in zip(places, found, strict=True):
            data[at] = None if some is FAILED else some
        return data
