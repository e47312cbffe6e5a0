"""Execution plan: the fields selected of one object type, executed for all objects of that type together.

Plain values (no resolver that is async, no list of objects) and the objects that are in columns of the same row are
read by one generated expression per selection. The other fields are computed as columns first. After an error, plain
fields become columns too, which finds the path of each error.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any

import orjson

from db.values.json_array import Keys, union_of_keys
from db.values.time_slices import in_time_slices
from resolvers.steps.attribute import Attribute
from resolvers.steps.batch import Batch
from resolvers.steps.computed import Computed
from resolvers.steps.expression import Access, Expression
from resolvers.steps.related_row import RowByKey
from resolvers.steps.step import FieldStep
from schema.execution.arguments import Arguments
from schema.execution.state import (
    CALLS_PER_SLICE,
    FAILED,
    ORPHAN,
    Column,
    ExecutionBudget,
    ExecutionState,
    ExecutionStopped,
    PathAt,
    ResponsePath,
    gather_or_cancel,
    resolve_each,
)

log = logging.getLogger(__name__)

SLOW = "A generated function failed where no field has an error: each field was computed alone."

VALUES_PER_SLICE = 4_000
"""Values that are built in one go: about a millisecond. A page of a list has fewer."""

OBJECT, VALUE = Expression("o"), Expression("v")
"""The names of an object and of a value in generated source."""

ROW = Access(lambda name: Expression(f"o.{name}"), OBJECT)
JSON_OBJECT = Access(lambda name: Expression(f"o.get({name!r})"), OBJECT)


class Completion:
    """Value completion of a field's type. `names` are the globals of its source."""

    names: Mapping[str, Any] = {}

    def data_of(self, value: Expression) -> Expression | None:
        """Python source for the data of the value of a variable that is not null; None for objects and lists of them.

        The variable itself, if the data is the value.
        """
        return None

    @property
    def selection(self) -> "SelectionPlan | None":
        """The plan of the objects; None for leaf types."""
        return None

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        """The data of each value; None for null and for a value that failed. Raises ExecutionStopped."""
        raise NotImplementedError


@dataclass(frozen=True)
class FieldPlan:
    """One response key of an object.

    `coordinate` is the field's name with that of its type: `Project.name`. `arguments` are those that the document
    gives to the step. `ahead` are fields of the row of a key that are read in the same round trip.
    """

    key: str
    coordinate: str
    step: FieldStep
    arguments: Arguments
    completion: Completion
    is_non_null: bool = True
    ahead: Sequence["FieldPlan"] = ()

    @property
    def name(self) -> str:
        return self.coordinate.rpartition(".")[2]

    @property
    def names(self) -> Mapping[str, Any]:
        """The globals of `expression`."""
        return {**self.step.names, **self.completion.names}

    @property
    def keys_read(self) -> Keys | None:
        """The keys that the field reads of an object; None if they are unknown."""
        inner = self.completion.selection
        if isinstance(self.step, Attribute) and inner is not None:
            return None if inner.keys_read is None else ((self.step.name, inner.keys_read),)
        return None if self.step.needs is None else tuple(sorted(self.step.needs))

    def expression(self, access: Access) -> Expression | None:
        """Python source for the data of this field; None if it must be resolved for itself."""
        absent = "missing()" if self.is_non_null else "None"
        if self.completion.selection is not None:
            inside = self.step.inside(access)
            data = None if inside is None else self.completion.selection.object_expression(inside)
            if inside is None or data is None or inside.presence is None:
                return data
            return Expression(f"{absent} if {inside.presence} is None else {data}")
        value = self.step.expression(access)
        if value is None:
            return None
        # A local variable needs no second name, which would be assigned for each value.
        variable = value if value.isidentifier() else VALUE
        data = self.completion.data_of(variable)
        if data is None:
            return None
        if data == variable and not self.is_non_null:
            return value
        found = value if variable is value else f"({VALUE} := {value})"
        return Expression(f"{absent} if {found} is None else {data}")

    async def fill_column(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        """The data of this field for each object."""

        def field_path_at(index: int) -> ResponsePath:
            return [*path_at(index), self.key]

        try:
            step, arguments = self.step, self.arguments
            if isinstance(step, Batch):
                given = arguments.values(state.variables)
                if self.ahead:
                    values = await self._with_fields_ahead(objects, given, state)
                else:
                    values = list(await step.resolve(state.context, objects, given))
            elif isinstance(step, Computed):
                call = partial(step.function, **arguments.values(state.variables))
                values = await resolve_each(call, objects, state, field_path_at)
            else:
                is_short = len(objects) <= CALLS_PER_SLICE
                values = (
                    step.values(objects) if is_short else await in_time_slices(step.values, objects, CALLS_PER_SLICE)
                )
        except Exception as error:  # noqa: BLE001 - any is an error of this field; ExecutionStopped is raised again
            values = [state.add_error(error, field_path_at(index)) for index in range(len(objects))]
        data = await self.completion.complete(values, state, field_path_at)
        if self.is_non_null and None in data:
            refuse_nulls(data, values, self.coordinate, state, field_path_at, is_related=self.step.is_related)
        elif state.orphans and not self.is_non_null:
            data = [state.report_orphan(field_path_at(at)) if each is ORPHAN else each for at, each in enumerate(data)]
        return data

    async def _with_fields_ahead(
        self, objects: Sequence[Any], given: Mapping[str, Any], state: ExecutionState
    ) -> Column:
        """The row with a key; the fields of it that depend on the key alone are read in the same round trip.

        These fields are resolved twice, first for an object that has nothing but the key. What that reads stays in the
        loaders of the request. Errors are those of the second time, if the row exists at all.
        """
        assert isinstance(self.step, RowByKey)
        key = self.step.key
        expected = [SimpleNamespace(**{key: given.get(key) or given.get("id")})]

        async def read_ahead(field: FieldPlan) -> None:
            assert isinstance(field.step, Batch)
            with suppress(Exception):
                await field.step.resolve(state.context, expected, field.arguments.values(state.variables))

        row = self.step.resolve(state.context, objects, given)
        column, *_ = await gather_or_cancel([row, *map(read_ahead, self.ahead)])
        return list(column)


class SelectionPlan(Completion):
    """Completes an object type: the fields selected of it. `attributes` are all that they read; None if unknown."""

    def __init__(self, fields: Sequence[FieldPlan]) -> None:
        self.fields = fields
        self.names = {name: value for field in fields for name, value in field.names.items()}
        known = [each for field in fields if (each := field.step.needs) is not None]
        self.attributes = frozenset[str]().union(*known) if len(known) == len(fields) else None
        plain_keys = {field.key for field in fields if field.expression(ROW) is not None}
        self._plain_fields = [field for field in fields if field.key in plain_keys]
        self.column_fields = [field for field in fields if field.key not in plain_keys]
        self.builders: dict[Any, Callable[..., Column]] = {}
        """The functions that completed objects so far, by the layout of the objects."""
        self._slice_size = max(1, VALUES_PER_SLICE // max(1, len(fields)))
        self._nested_keys = [field.key for field in self.column_fields if field.completion.selection is not None]

    @property
    def selection(self) -> "SelectionPlan":
        return self

    def object_expression(self, access: Access) -> Expression | None:
        """Python source for an object that is in columns of another; None unless all fields have an expression."""
        fields = {field.key: field.expression(access) for field in self.fields}
        return _object(fields) if all(fields.values()) else None

    @cached_property
    def keys(self) -> Keys | None:
        """The keys of the data if each field is the attribute of the same name; None for aliases and resolvers."""
        for field in self.fields:
            inner = field.completion.selection
            is_attribute = isinstance(field.step, Attribute) and field.step.name == field.key
            if not is_attribute or (inner is not None and inner.keys is None):
                return None
        return self.keys_read

    @cached_property
    def keys_read(self) -> Keys | None:
        """The keys that the fields read of an object, in their order; None if they are unknown."""
        keys: Keys = ()
        for field in self.fields:
            if field.keys_read is None:
                return None
            keys = union_of_keys(keys, field.keys_read)
        return keys

    def _count_inside(self, data: Column) -> int:
        """The number of objects in columns of rows, of which this is the data."""
        count = 0
        for field in self._plain_fields:
            if field.completion.selection is not None:
                objects = [row[field.key] for row in data if row is not None and row[field.key] is not None]
                count += len(objects) + field.completion.selection._count_inside(objects)  # noqa: SLF001 - of another object of the class
        return count

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        """One dict per object. An object that lost a non-null field is null."""
        if not values:
            return []
        if None in values or FAILED in values:
            indexes = [index for index, value in enumerate(values) if value is not None and value is not FAILED]
            found = await self.complete([values[at] for at in indexes], state, lambda index: path_at(indexes[index]))
            by_index = dict(zip(indexes, found, strict=True))
            return [by_index.get(index) for index in range(len(values))]
        budget = state.budget
        if budget is not None:
            budget.add_objects(len(values), path_at)
        columns: list[Column] = []
        if len(self.column_fields) > 1:
            columns = await gather_or_cancel(field.fill_column(values, state, path_at) for field in self.column_fields)
        else:
            for field in self.column_fields:
                columns.append(await field.fill_column(values, state, path_at))
        build = self._builder(values)
        failure: Exception | None = None
        if not state.errors and not state.orphans:
            try:
                if budget is None and len(values) <= self._slice_size:
                    return build(values, *columns)

                def build_part(part: Sequence[int]) -> Column:
                    items = slice(part[0], part[-1] + 1)
                    data = build(values[items], *[column[items] for column in columns])
                    return self._measured(data, len(values), budget, path_at)

                return await in_time_slices(build_part, range(len(values)), self._slice_size)
            except ExecutionStopped:
                raise
            except Exception as error:  # noqa: BLE001 - repeated field by field below, to find the path
                failure = error
        data = await self._complete_by_field(values, columns, state, path_at)
        if failure is not None and not state.errors and not state.orphans:
            log.error(SLOW, exc_info=failure)
        return data

    def _builder(self, values: Column) -> Callable[..., Column]:
        """The function that completes objects of the layout of these, generated at the first ones."""
        # Few selections have objects of several types. Not by the type: each statement has one of its own.
        types = {*map(type, values)}
        type_ = types.pop()
        layout = type_ if type_ is dict else None if types else getattr(type_, "_fields", None)
        build = self.builders.get(layout)
        if build is None:
            source = self.builder_source(layout)
            # Built only from names that a schema and a document allow.
            build = self.builders[layout] = eval(source, {**self.names, "missing": _missing})  # noqa: S307
        return build

    async def _complete_by_field(
        self, values: Column, columns: Sequence[Column], state: ExecutionState, path_at: PathAt
    ) -> Column:
        """The same without a generated function: each error has its path. `columns` are those of `column_fields`."""
        # What is in columns of the row is measured with the row.
        uncounted = replace(state, budget=None)
        by_key = {field.key: await field.fill_column(values, uncounted, path_at) for field in self._plain_fields}
        by_key |= {field.key: column for field, column in zip(self.column_fields, columns, strict=True)}

        def join_part(part: Sequence[int]) -> Column:
            rows = [{field.key: by_key[field.key][index] for field in self.fields} for index in part]
            lost = [FAILED if FAILED in row.values() else ORPHAN if ORPHAN in row.values() else None for row in rows]
            data = [row if why is None else None for row, why in zip(rows, lost, strict=True)]
            data = self._measured(data, len(values), state.budget, path_at)
            return [ORPHAN if why is ORPHAN else row for row, why in zip(data, lost, strict=True)]

        return await in_time_slices(join_part, range(len(values)), self._slice_size)

    def _measured(self, data: Column, count: int, budget: ExecutionBudget | None, path_at: PathAt) -> Column:
        """A part of `count` objects, whose size the budget counts."""
        if budget is None:
            return data
        self._measure(data, budget, path_at)
        # Of a long list as JSON: the whole of it would be encoded in one go, and dicts take several times its size.
        return data if count <= self._slice_size else [*map(_encoded, data)]

    def _measure(self, data: Column, budget: ExecutionBudget, path_at: PathAt) -> None:
        """Count the bytes of objects, without those of what is nested, which was measured when it was built.

        Objects in columns of the rows are counted, too.
        """
        budget.add_objects(self._count_inside(data), path_at)
        absent = dict.fromkeys(self._nested_keys)
        rows = [None if row is None else row | absent for row in data] if absent else data
        nested = sum(row is not None and row[key] is not None for row in data for key in absent)
        # Without the brackets and commas around the rows, and the nulls in place of what is nested.
        around = len(rows) + 1 + nested * len("null")
        budget.add_size(len(orjson.dumps(rows, option=orjson.OPT_UTC_Z)) - around, path_at)

    def builder_source(self, layout: Any) -> str:
        """Python source: a function of objects of one layout, and of the columns of the fields that are not plain.

        It returns a dict per object, and raises for an invalid value. The layout is `dict`, names of tuples, or None.
        """
        access, unpacked = JSON_OBJECT if layout is dict else ROW, ""
        if layout is not None and layout is not dict:
            # With an underscore, no name of a column is one of the source.
            names = {name: f"{name}_" if name.isidentifier() else f"column_{at}" for at, name in enumerate(layout)}
            access = Access(lambda name: Expression(names.get(name) or f"o.{name}"), OBJECT)
            unpacked = f"\nfor ({', '.join(names.values())},) in [o]"
        variables = {field.key: Expression(f"v{number}") for number, field in enumerate(self.column_fields)}
        row = _object({field.key: variables.get(field.key) or field.expression(access) for field in self.fields})
        columns = [f"c{number}" for number in range(len(variables))]
        parameters = ", ".join(["objects", *columns])
        loop = f"o, {', '.join(variables.values())} in zip({parameters})" if columns else "o in objects"
        return f"lambda {parameters}: [{row}\nfor {loop}{unpacked}]"


def refuse_nulls(
    data: Column, values: Column, coordinate: str, state: ExecutionState, path_at: PathAt, *, is_related: bool = False
) -> None:
    """Replace nulls in the data of a non-null type by FAILED, with an error unless the value failed before.

    `is_related`: a value is null because a related row does not exist. Then it is replaced by ORPHAN.
    """
    for index, each in enumerate(data):
        if each is None and values[index] is None and is_related:
            data[index] = state.add_orphan(coordinate, path_at(index))
        elif each is None:
            if values[index] is None:
                error = TypeError(f"Cannot return null for non-nullable field {coordinate}.")
                state.add_error(error, path_at(index))
            data[index] = FAILED


def _object(fields: Mapping[str, Expression | None]) -> Expression:
    """Python source for an object, from that of its fields."""
    members = ",\n ".join(f"{key!r}: {data}" for key, data in fields.items())
    return Expression(f"{{{members}}}")


def _encoded(row: Mapping[str, Any] | None) -> orjson.Fragment | None:
    return None if row is None else orjson.Fragment(orjson.dumps(row, option=orjson.OPT_UTC_Z))


def _missing() -> None:
    raise ValueError("null for a non-null field")
