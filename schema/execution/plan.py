"""Execution plan: the fields selected of one object type, executed for all objects of that type together.

Plain values (no resolver that is async, no list of objects) and the objects that are in columns of the same row are
read by one generated expression per selection. The other fields are computed as columns first. After an error, plain
fields become columns too, which finds the path of each error.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import orjson

from db.reading.json_array import Keys, union_of_keys
from db.reading.time_slices import in_time_slices
from resolvers.relations.batching import UNDECLARED, ColumnDependencies
from resolvers.relations.selected import Join
from schema.execution.field_sources import Access, Attribute, Source
from schema.execution.state import (
    FAILED,
    Column,
    ExecutionBudget,
    ExecutionState,
    ExecutionStopped,
    PathAt,
    ResponsePath,
    gather_or_cancel,
)

VALUES_PER_SLICE = 4_000
"""Values that are built in one go: about a millisecond. A page of a list has fewer."""

ROW = Access("o.{}".format, "o")
JSON_OBJECT = Access("o.get({!r})".format, "o")


class Completion:
    """Value completion of a field's type. `selection` is the plan of its objects, None for leaf types.

    `expression` is Python source for the data of a value `v` that is not null, with the globals `names`; None for
    objects and lists of them.
    """

    is_async = False
    selection: "SelectionPlan | None" = None
    expression: str | None = None
    names: Mapping[str, Any] = {}

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        """The data of each value. A value that failed becomes None if the type is nullable, else FAILED."""
        raise NotImplementedError


class Expression(NamedTuple):
    """Python source of the data of a field or an object, with its globals."""

    text: str
    names: Mapping[str, Any]


@dataclass(frozen=True)
class FieldPlan:
    """One response key of an object.

    `coordinate` is the field's name with that of its type: `Project.name`. `attributes` are those that the field reads
    of the object; None if they are unknown. `is_filled`: its values are those of a NOT NULL column. With `join`, the
    statement of the object joined it.
    """

    key: str
    coordinate: str
    source: Source
    attributes: frozenset[str] | None
    completion: Completion
    is_non_null: bool = True
    is_filled: bool = False
    dependencies: ColumnDependencies = UNDECLARED
    join: Join | None = None

    @property
    def name(self) -> str:
        return self.coordinate.rpartition(".")[2]

    @property
    def is_async(self) -> bool:
        return self.source.is_async or self.completion.is_async

    @property
    def keys_read(self) -> Keys | None:
        """The keys that the field reads of an object; None if they are unknown."""
        inner = self.completion.selection
        if isinstance(self.source, Attribute) and inner is not None:
            return None if inner.keys_read is None else ((self.source.name, inner.keys_read),)
        return None if self.attributes is None else tuple(sorted(self.attributes))

    def expression(self, access: Access) -> Expression | None:
        """The data of this field; None if it must be resolved for itself."""
        is_required = self.is_non_null and not self.is_filled
        absent = "missing()" if is_required else "None"
        if self.completion.selection is not None:
            inside = self.source.inside(access)
            data = None if inside is None else self.completion.selection.expression(inside)
            if inside is None or data is None or inside.presence is None:
                return data
            return Expression(f"{absent} if {inside.presence} is None else {data.text}", data.names)
        value = self.source.expression(access)
        if value is None or self.completion.expression is None:
            return None
        text = value
        if self.completion.expression != "v" or is_required:
            text = f"{absent} if (v := {value}) is None else {self.completion.expression}"
        return Expression(text, {**self.source.names, **self.completion.names})

    async def execute(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        """The data of this field for each object."""

        def field_path_at(index: int) -> ResponsePath:
            return [*path_at(index), self.key]

        try:
            values = await self.source.resolve(objects, state, field_path_at)
        except Exception as error:  # noqa: BLE001 - any is an error of this field; ExecutionStopped is raised again
            values = [state.add_error(error, field_path_at(index)) for index in range(len(objects))]
        data = await self.completion.complete(values, state, field_path_at)
        if self.is_non_null and None in data:
            refuse_nulls(data, values, self.coordinate, state, field_path_at)
        return data


class SelectionPlan:
    """The fields selected of one object type. `attributes` are all that they read; None if that is unknown."""

    def __init__(self, fields: Sequence[FieldPlan]) -> None:
        self.fields = fields
        known = [field.attributes for field in fields if field.attributes is not None]
        self.attributes = frozenset[str]().union(*known) if len(known) == len(fields) else None
        expressions = {field.key: field.expression(ROW) for field in fields}
        self._plain_fields = [field for field in fields if expressions[field.key] is not None]
        self._column_fields = [field for field in fields if expressions[field.key] is None]
        async_fields = sum(field.is_async for field in fields)
        self.is_async, self._is_concurrent = async_fields > 0, async_fields > 1
        self._builders: dict[Any, Callable[..., Column]] = {}
        self._nested_keys = [field.key for field in self._column_fields if field.completion.selection is not None]

    def expression(self, access: Access) -> Expression | None:
        """The data of an object that is in columns of another; None unless all fields have an expression."""
        fields = [(field.key, field.expression(access)) for field in self.fields]
        return _object([(key, data) for key, data in fields if data]) if all(data for _, data in fields) else None

    @cached_property
    def keys(self) -> Keys | None:
        """The keys of the data if each field is the attribute of the same name; None for aliases and resolvers."""
        for field in self.fields:
            inner = field.completion.selection
            is_attribute = isinstance(field.source, Attribute) and field.attributes == frozenset([field.key])
            if not is_attribute or (inner is not None and inner.keys is None):
                return None
        return self.keys_read

    @cached_property
    def keys_read(self) -> Keys | None:
        """The keys that the fields read of an object, in their order; None if they are unknown."""
        keys: Keys = ()
        for field in self.fields:
            own = field.keys_read
            if own is None:
                return None
            keys = union_of_keys(keys, own)
        return keys

    def _count_inside(self, data: Column) -> int:
        """The number of objects in columns of rows, of which this is the data."""
        count = 0
        for field in self._plain_fields:
            if field.completion.selection is not None:
                objects = [row[field.key] for row in data if row is not FAILED and row[field.key] is not None]
                count += len(objects) + field.completion.selection._count_inside(objects)  # noqa: SLF001
        return count

    async def execute(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        """One dict per object; FAILED for an object that lost a non-null field. Raises ExecutionStopped."""
        if not objects:
            return []
        budget = state.budget
        if budget is not None:
            budget.add_objects(len(objects), path_at)
        columns: dict[str, Column] = {}
        if self._is_concurrent:
            pending = (field.execute(objects, state, path_at) for field in self._column_fields)
            columns = dict(
                zip([field.key for field in self._column_fields], await gather_or_cancel(pending), strict=True)
            )
        else:
            for field in self._column_fields:
                columns[field.key] = await field.execute(objects, state, path_at)
        # Few selections have objects of several types. Not by the type: each statement has one of its own.
        types = {*map(type, objects)}
        type_ = types.pop()
        layout = type_ if type_ is dict else None if types else getattr(type_, "_fields", None)
        build = self._builders.get(layout)
        if build is None:
            build = self._builders[layout] = self._new_builder(layout)
        if not state.errors:
            try:
                if budget is None and len(objects) * len(self.fields) <= VALUES_PER_SLICE:
                    return build(objects, *columns.values())
                return await self._build_parts(build, objects, columns, budget, path_at)
            except ExecutionStopped:
                raise
            except Exception:  # noqa: BLE001, S110 - repeated field by field below, to find the path
                pass
        # What is in columns of the row is measured with the row.
        uncounted = replace(state, budget=None)
        columns |= {field.key: await field.execute(objects, uncounted, path_at) for field in self._plain_fields}
        data = [
            _data_or_failed({field.key: columns[field.key][index] for field in self.fields})
            for index in range(len(objects))
        ]
        if budget is not None:
            self._measure(data, budget, path_at)
        return data

    async def _build_parts(
        self,
        build: Callable[..., Column],
        objects: Sequence[Any],
        columns: Mapping[str, Column],
        budget: ExecutionBudget | None,
        path_at: PathAt,
    ) -> Column:
        """The dicts of all objects, in time slices. Raises ExecutionStopped, and what a value raises."""

        def build_part(part: Sequence[int]) -> Column:
            items = slice(part[0], part[-1] + 1)
            data = build(objects[items], *[column[items] for column in columns.values()])
            if budget is not None:
                self._measure(data, budget, path_at)
            return data

        return await in_time_slices(build_part, range(len(objects)), max(1, VALUES_PER_SLICE // len(self.fields)))

    def _measure(self, data: Column, budget: ExecutionBudget, path_at: PathAt) -> None:
        """Count the bytes of objects, without those of what is nested, which was measured when it was built.

        Objects in columns of the rows are counted, too.
        """
        budget.add_objects(self._count_inside(data), path_at)
        absent = dict.fromkeys(self._nested_keys)
        rows = [None if row is FAILED else row | absent for row in data] if absent else data
        nested = sum(row is not FAILED and row[key] is not None for row in data for key in absent)
        # Without the brackets and commas around the rows, and the nulls in place of what is nested.
        around = len(rows) + 1 + nested * len("null")
        budget.add_size(len(orjson.dumps(rows, default=_null, option=orjson.OPT_UTC_Z)) - around, path_at)

    def _new_builder(self, layout: Any) -> Callable[..., Column]:
        """A generated function of objects of one layout and of the columns of the fields that are not plain, in order.

        It returns one dict per object, and raises for a value that its type does not allow. The layout is `dict`, the
        names of tuples, or None.
        """
        access, unpacked = JSON_OBJECT if layout is dict else ROW, ""
        if layout is not None and layout is not dict:
            places = {name: f"a{place}" for place, name in enumerate(layout)}
            access = Access(lambda name: places.get(name) or f"o.{name}", "o")
            unpacked = f" for ({', '.join(places.values())},) in [o]"
        variables = {field.key: f"v{number}" for number, field in enumerate(self._column_fields)}
        row = _object(
            [(field.key, field.expression(access) or Expression(variables[field.key], {})) for field in self.fields]
        )
        columns = [f"c{number}" for number in range(len(variables))]
        parameters = ", ".join(["objects", *columns])
        loop = f"o, {', '.join(variables.values())} in zip({parameters})" if columns else "o in objects"
        build: Callable[..., Column] = eval(  # noqa: S307 - built only from names that a schema and a document allow
            f"lambda {parameters}: [{row.text} for {loop}{unpacked}]", {**row.names, "missing": _missing}
        )
        return build


def refuse_nulls(data: Column, values: Column, coordinate: str, state: ExecutionState, path_at: PathAt) -> None:
    """Replace nulls in the data of a non-null type by FAILED, with an error unless the value failed before."""
    for index, each in enumerate(data):
        if each is None:
            if values[index] is None:
                error = TypeError(f"Cannot return null for non-nullable field {coordinate}.")
                state.add_error(error, path_at(index))
            data[index] = FAILED


def _object(fields: Sequence[tuple[str, Expression]]) -> Expression:
    items = ", ".join(f"{key!r}: {data.text}" for key, data in fields)
    return Expression(f"{{{items}}}", {name: value for _, data in fields for name, value in data.names.items()})


def _data_or_failed(data: dict[str, Any]) -> Any:
    return FAILED if any(value is FAILED for value in data.values()) else data


def _null(_: Any) -> None:
    """How a value that failed is written."""


def _missing() -> None:
    raise ValueError("null for a non-null field")
