"""Rendering: runs of fields that the database writes as JSON text (see `resolvers.rendering.runs`), in a plan."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import orjson
from graphql import GraphQLEnumType, is_leaf_type, is_list_type, is_non_null_type

from resolvers.relations.batching import ColumnDependencies
from resolvers.rendering.json_kinds import array_kind, enum_kind, scalar_kind
from resolvers.rendering.runs import (
    ColumnField,
    ComputedField,
    Expression,
    ObjectField,
    RelatedField,
    RenderedField,
    RowSource,
    Run,
)
from schema.execution.plan import FieldPlan, SelectionPlan
from schema.execution.state import Column, ExecutionState, PathAt

NewRun = Callable[[tuple[RenderedField, ...]], Run]
"""Makes a run with a number that no other run of the same source has in the document."""


class NotRendered(Exception):
    """A text is null, because a required value of its row is null. Without runs, the error has its path."""


class RunSource:
    """The source of a run: its text, in a column of the row."""

    is_async = False
    names: Mapping[str, Any] = {}

    def __init__(self, name: str) -> None:
        self._name = name

    def expression(self, kind: type) -> str | None:
        return f"o.{self._name}"

    async def resolve(self, objects: Sequence[Any], state: ExecutionState, path_at: PathAt) -> Column:
        texts = [getattr(row, self._name) for row in objects]
        if None in texts:
            raise NotRendered
        return texts


class RunCompletion:
    """The completion of a run: its text becomes part of the response as it is."""

    is_async = False
    selection = None
    expression = "Fragment(v)"
    names: Mapping[str, Any] = {"Fragment": orjson.Fragment}

    async def complete(self, values: Column, state: ExecutionState, path_at: PathAt) -> Column:
        return [orjson.Fragment(text) for text in values]

    def with_selection(self, selection: SelectionPlan) -> "RunCompletion":
        return self


class Members(NamedTuple):
    """The source of an object that a resolver makes of a row: its attributes are columns or expressions of `rows`."""

    rows: RowSource
    attributes: Mapping[str, str | Expression]


def value_field(
    key: str, value: str | Expression, type_: Any, rows: RowSource, *, is_required: bool
) -> ColumnField | ComputedField | None:
    """The field of a run that shows a column, or an expression, of `rows`; None if there is no such field.

    `type_` is nullable.
    """
    names = (value,) if isinstance(value, str) else value.columns
    columns = [rows.rendered_columns[name] for name in names if name in rows.rendered_columns]
    if len(columns) < len(names):
        return None
    element = columns[0] if isinstance(value, str) else value.sql(*columns)
    kind = None
    if isinstance(type_, GraphQLEnumType):
        kind = enum_kind({name: item.value for name, item in type_.values.items()}, element)
    elif (
        is_required and is_list_type(type_) and is_non_null_type(type_.of_type) and is_leaf_type(type_.of_type.of_type)
    ):
        kind = array_kind(type_.of_type.of_type.name, element)
    elif is_leaf_type(type_):
        kind = scalar_kind(type_.name, element)
    if kind is None:
        return None
    if isinstance(value, str):
        return ColumnField(key, value, kind, is_required)
    return ComputedField(key, value, kind, is_required)


def rendered_field(
    key: str,
    attribute: str,
    dependencies: ColumnDependencies | None,
    type_: Any,
    selection: SelectionPlan | None,
    source: RowSource | Members,
    *,
    is_required: bool,
) -> RenderedField | None:
    """The field of a run, of rows or members; None if there is no such field.

    `dependencies` are those of its resolver; None for a field that is the attribute. `type_` is nullable.
    """
    if dependencies is None:
        if not isinstance(source, Members):
            return value_field(key, attribute, type_, source, is_required=is_required)
        member = source.attributes.get(attribute)
        return None if member is None else value_field(key, member, type_, source.rows, is_required=is_required)
    if isinstance(source, Members):
        return None
    if dependencies.expression is not None:
        return value_field(key, dependencies.expression, type_, source, is_required=is_required)
    if dependencies.members is not None:
        fields = _all_rendered(selection)
        return None if fields is None else ObjectField(key, fields)
    return related_field(key, dependencies, type_, selection, is_required=is_required)


def _all_rendered(selection: SelectionPlan | None) -> tuple[RenderedField, ...] | None:
    """The fields of a selection in a run; None unless all of them can be."""
    fields = [field.rendered for field in selection.fields] if selection is not None else [None]
    rendered = tuple(field for field in fields if field is not None)
    return rendered if len(rendered) == len(fields) else None


def related_field(
    key: str, dependencies: ColumnDependencies, type_: Any, selection: SelectionPlan | None, *, is_required: bool
) -> RelatedField | None:
    """The field of a run that shows a related row, or one column of it; None if there is no such field."""
    relation: Any = dependencies.source
    if not getattr(relation, "is_joinable", False):
        return None
    (parent_key,) = dependencies.attributes
    if dependencies.column is not None:
        column = value_field(key, dependencies.column, type_, relation, is_required=is_required)
        default = None if dependencies.default is None else orjson.dumps(dependencies.default).decode()
        if not isinstance(column, ColumnField):
            return None
        return RelatedField(key, relation, parent_key, column, is_required, default)
    fields = _all_rendered(selection)
    if fields is None or not relation.has_rows or dependencies.default is not None:
        return None
    return RelatedField(key, relation, parent_key, fields, is_required)


def with_runs(selection: SelectionPlan, new_run: NewRun) -> SelectionPlan:
    """The plan with its rendered fields as runs. A plan that may read any column keeps all of them."""
    if selection.attributes is None:
        return selection
    fields: list[FieldPlan] = []
    for is_rendered, group in groupby(selection.fields, key=lambda field: field.rendered is not None):
        if is_rendered:
            fields.append(_run_plan(group, new_run))
        else:
            fields += group
    return SelectionPlan(fields)


def _run_plan(fields: Iterable[FieldPlan], new_run: NewRun) -> FieldPlan:
    run = new_run(tuple(field.rendered for field in fields if field.rendered is not None))
    completion = RunCompletion()
    return FieldPlan(
        key=run.fields[0].key,
        name="",
        source=RunSource(run.name),
        attributes=frozenset([run]),
        completion=completion,
        serializer=completion,
        is_required=True,
        objects=run.objects,
    )
