"""Rendering: runs of fields that the database writes as JSON text (see `resolvers.rendering.runs`), in a plan."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import orjson
from graphql import GraphQLEnumType, GraphQLLeafType

from resolvers.relations.batching import ColumnDependencies
from resolvers.rendering.json_kinds import enum_kind, scalar_kind
from resolvers.rendering.runs import ColumnField, RelatedField, RenderedField, RowSource, Run
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


def column_field(
    key: str, column: str, type_: GraphQLLeafType, rows: RowSource, *, is_required: bool
) -> ColumnField | None:
    """The field of a run that shows a column of `rows`; None if the database cannot write it."""
    element = rows.rendered_columns.get(column)
    if element is None:
        return None
    if isinstance(type_, GraphQLEnumType):
        kind = enum_kind({name: value.value for name, value in type_.values.items()}, element)
    else:
        kind = scalar_kind(type_.name, element)
    return None if kind is None else ColumnField(key, column, kind, is_required)


def related_field(
    key: str, dependencies: ColumnDependencies, type_: Any, selection: SelectionPlan | None, *, is_required: bool
) -> RelatedField | None:
    """The field of a run that shows a related row, or one column of it; None if the database cannot write it."""
    relation: Any = dependencies.source
    if getattr(relation, "joined", None) is None or dependencies.attributes is None or dependencies.has_default:
        return None
    (parent_key,) = dependencies.attributes
    if dependencies.column is not None:
        column = column_field(key, dependencies.column, type_, relation, is_required=is_required)
        return None if column is None else RelatedField(key, relation, parent_key, column, is_required)
    fields = [field.rendered for field in selection.fields] if selection is not None else [None]
    rendered = tuple(field for field in fields if field is not None)
    if len(rendered) < len(fields):
        return None
    return RelatedField(key, relation, parent_key, rendered, is_required)


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
