"""Execution plan: the fields selected of one object type, executed for all objects of that type together.

Plain values (no resolver that is async, no list, no object) are read by one generated expression per selection. The
other fields are computed as columns first. After an error, plain fields become columns too, which finds the path of
each error.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import orjson

from db.reading.json_array import Keys
from db.reading.time_slices import in_time_slices
from resolvers.relations.batching import ColumnDependencies
from resolvers.rendering.runs import RenderedField, SelectedColumn
from schema.execution.field_sources import Attribute
from schema.execution.state import (
    FAILED,
    Budget,
    Column,
    ExecutionState,
    ExecutionStopped,
    Path,
    PathAt,
    gather_or_cancel,
)

VALUES_PER_SLICE = 4_000
"""Values that are built in one go: about a millisecond. A page of a list has fewer."""


class FieldSource(Protocol):
    """The source of a field's values: an attribute or a resolver. `is_async` says whether it may have to await."""

    is_async: bool
    names: Mapping[str, Any]
    """The globals that `expression` uses."""

    def expression(self, kind: type) -> str | None:
        """Python source for the value of an object `o` (a `dict`, or any `object`); None if there is no such source."""

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        """The value of each object; FAILED for one that failed."""


class Completion(Protocol):
    """Value completion of a field's type. `selection` is the plan of its objects, None for leaf types."""

    is_async: bool

    @property
    def selection(self) -> "SelectionPlan | None": ...

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        """The data of each value. A value that failed becomes None if the type is nullable, else FAILED."""

    def with_selection(self, selection: "SelectionPlan") -> "Completion":
        """The same completion, of objects with another plan."""


class Serializer(Protocol):
    """Serialization of plain values: `expression` is Python source for the data of a value `v` that is not null."""

    expression: str
    names: Mapping[str, Any]
    """The globals that `expression` uses."""


@dataclass(frozen=True)
class FieldPlan:
    """One response key of an object.

    `serializer` is set for scalars and enumerations, `is_required` for non-null types. `attributes` are those that the
    field reads of the object; None if they are unknown. `dependencies` are those of its resolver, if it declares them.
    `rendered` is the field in a run, if the database can write it; `objects` the number of objects in its text.
    """

    key: str
    name: str
    source: FieldSource
    attributes: frozenset[SelectedColumn] | None
    completion: Completion
    serializer: Serializer | None
    is_required: bool
    dependencies: ColumnDependencies | None = None
    rendered: RenderedField | None = None
    objects: int = 0

    @property
    def is_async(self) -> bool:
        return self.source.is_async or self.completion.is_async

    @property
    def is_plain(self) -> bool:
        """Whether an expression gives its data."""
        return self.serializer is not None and self.source.expression(object) is not None

    async def execute(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        """The data of this field for each object."""

        def field_path_at(index: int) -> Path:
            return [*path_at(index), self.key]

        values = await self.source.resolve(objects, state, field_path_at)
        return await self.completion.complete(values, state, field_path_at)


class SelectionPlan:
    """The fields selected of one object type. `attributes` are all that they read; None if that is unknown."""

    def __init__(self, fields: Sequence[FieldPlan]) -> None:
        self.fields = fields
        self.attributes = union_of(field.attributes for field in fields)
        self._plain_fields = [field for field in fields if field.is_plain]
        self._column_fields = [field for field in fields if not field.is_plain]
        async_fields = sum(field.is_async for field in fields)
        self.is_async, self._is_concurrent = async_fields > 0, async_fields > 1
        self._nested_keys = [field.key for field in self._column_fields if field.completion.selection is not None]
        self._objects_per_row = 1 + sum(field.objects for field in fields)

    @cached_property
    def _build_from_rows(self) -> Callable[..., Column]:
        """The builder for rows."""
        return _builder(self.fields, object)

    @cached_property
    def keys(self) -> Keys | None:
        """The keys of the data if each field is the attribute of the same name; None for aliases and resolvers."""
        keys: list[str | tuple[str, Keys]] = []
        for field in self.fields:
            inner = field.completion.selection
            nested = None if inner is None else inner.keys
            is_attribute = isinstance(field.source, Attribute) and field.attributes == frozenset([field.key])
            if not is_attribute or (inner is not None and nested is None):
                return None
            keys.append(field.key if nested is None else (field.key, nested))
        return tuple(keys)

    @cached_property
    def _build_from_dicts(self) -> Callable[..., Column]:
        """The builder for objects that are values of a JSON column; few selections need it."""
        return _builder(self.fields, dict)

    def prepare(self) -> None:
        """Generate the builders of rows now, here and below, so that no execution waits for it."""
        self._build_from_rows  # noqa: B018
        for field in self.fields:
            if field.completion.selection is not None:
                field.completion.selection.prepare()

    async def execute(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        """One dict per object; FAILED for an object that lost a non-null field. Raises ExecutionStopped."""
        if not objects:
            return []
        if state.budget is not None:
            state.budget.add_objects(len(objects) * self._objects_per_row, path_at)
        columns = await self._columns(objects, state, path_at)
        if not state.errors:
            build = self._build_from_dicts if type(objects[0]) is dict else self._build_from_rows
            try:
                return await self._build(build, objects, columns, state.budget, path_at)
            except ExecutionStopped:
                raise
            except Exception:  # noqa: BLE001, S110 - repeated field by field below, to find the path
                pass
        columns |= {field.key: await field.execute(objects, state, path_at) for field in self._plain_fields}
        return [
            _data_or_failed({field.key: columns[field.key][index] for field in self.fields})
            for index in range(len(objects))
        ]

    async def _build(
        self,
        build: Callable[..., Column],
        objects: Sequence[Any],
        columns: Mapping[str, Column],
        budget: Budget | None,
        path_at: PathAt,
    ) -> Column:
        """The dicts of all objects, in time slices. Raises ExecutionStopped, and what a value raises."""
        size = max(1, VALUES_PER_SLICE // len(self.fields))
        if budget is None and len(objects) <= size:
            return build(objects, *columns.values())

        def build_part(part: Sequence[int]) -> Column:
            items = slice(part[0], part[-1] + 1)
            values = {key: column[items] for key, column in columns.items()}
            if budget is None:
                return build(objects[items], *values.values())
            # What is nested was measured when it was built, so its keys are null while the rest is measured.
            absent = dict.fromkeys(self._nested_keys, [None] * len(part))
            data = build(objects[items], *(values | absent).values())
            budget.add_size(len(orjson.dumps(data)), path_at)
            for key in self._nested_keys:
                for row, value in zip(data, values[key], strict=True):
                    row[key] = value
            return data

        return await in_time_slices(build_part, range(len(objects)), size)

    async def _columns(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> dict[str, Column]:
        """The columns of the fields that are not plain, by key; several async fields run concurrently."""
        if not self._is_concurrent:
            columns = {}
            for field in self._column_fields:
                columns[field.key] = await field.execute(objects, state, path_at)
            return columns
        found = await gather_or_cancel(field.execute(objects, state, path_at) for field in self._column_fields)
        return {field.key: column for field, column in zip(self._column_fields, found, strict=True)}


def _data_or_failed(data: dict[str, Any]) -> Any:
    return FAILED if any(value is FAILED for value in data.values()) else data


def union_of(sets: Iterable[frozenset[SelectedColumn] | None]) -> frozenset[SelectedColumn] | None:
    """The union of sets of columns; None if one of them is unknown."""
    names: frozenset[SelectedColumn] = frozenset()
    for each in sets:
        if each is None:
            return None
        names |= each
    return names


def _builder(fields: Sequence[FieldPlan], kind: type) -> Callable[..., Column]:
    """A generated function of objects of one kind and of the columns of the fields that are not plain, in order.

    It returns one dict per object, and raises for a value that its type does not allow.
    """
    names: dict[str, Any] = {"missing": _missing}
    columns: list[str] = []
    items: list[str] = []
    for field in fields:
        if not field.is_plain:
            columns.append(f"c{len(columns)}")
            items.append(f"{field.key!r}: {columns[-1].replace('c', 'v')}")
            continue
        assert field.serializer is not None
        names |= {**field.source.names, **field.serializer.names}
        value, absent = field.source.expression(kind), "missing()" if field.is_required else "None"
        if field.serializer.expression == "v" and not field.is_required:
            items.append(f"{field.key!r}: {value}")
        else:
            items.append(f"{field.key!r}: {absent} if (v := {value}) is None else {field.serializer.expression}")
    parameters = ", ".join(["objects", *columns])
    loop = "for o in objects"
    if columns:
        loop = f"for o, {', '.join(column.replace('c', 'v') for column in columns)} in zip({parameters})"
    build: Callable[..., Column] = eval(  # noqa: S307 - built only from names that a schema and a document allow
        f"lambda {parameters}: [{{{', '.join(items)}}} {loop}]", names
    )
    return build


def _missing() -> None:
    raise ValueError("null for a non-null field")
