"""A compiled operation in words: the steps that make its answer, what they read first, and the generated functions."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from graphql import GraphQLError
from graphql.execution.values import VariableValues

from db.reading.statement import Statement
from resolvers.errors import Refusal
from schema.execution.compiler import CompiledOperation
from schema.execution.field_sources import BatchedResolver
from schema.execution.plan import FieldPlan, SelectionPlan


class GeneratedFunction(NamedTuple):
    """The function that makes the objects of a field from rows of one layout, or from other objects."""

    coordinate: str
    source: str


def step_lines(selection: SelectionPlan, level: int = 0) -> Iterator[str]:
    """A line for each field, and for what it shows; plain values of an object share one."""
    indent, plain = "  " * level, []
    for field in selection.fields:
        inner, source = field.completion.selection, type(field.source).__name__
        if inner is None and not isinstance(field.source, BatchedResolver):
            plain.append(field.key)
            continue
        name = field.key if field.key == field.name else f"{field.key}: {field.name}"
        yield f"{indent}{name}: {source}{_read_by(field)}"
        if inner is not None:
            yield from step_lines(inner, level + 1)
    if plain:
        yield f"{indent}{', '.join(plain)}"


def _read_by(field: FieldPlan) -> str:
    """Which attributes of its object a field depends on."""
    attributes = field.dependencies.attributes
    return f" by {', '.join(sorted(attributes))}" if attributes else ""


def first_statements(operation: CompiledOperation, variables: VariableValues) -> Iterator[tuple[FieldPlan, Statement]]:
    """The statements that fields run first with these variables, each with its field. Others follow from their rows."""
    for field in operation.fields:
        prepare = field.dependencies.prepare
        if prepare is not None and isinstance(field.source, BatchedResolver):
            with suppress(GraphQLError, Refusal):
                yield field, prepare(operation.selected, field.source.arguments.values(variables))


def generated_functions(operation: CompiledOperation, variables: VariableValues) -> Iterator[GeneratedFunction]:
    """The functions that made objects of the operation so far; those that are expected, if none did."""
    expected = {id(_rows_of(field)): each.columns for field, each in first_statements(operation, variables)}
    todo: list[tuple[str, SelectionPlan]] = [("Query", operation.selection)]
    while todo:
        coordinate, selection = todo.pop(0)
        layouts: Any = selection.layouts or [expected.get(id(selection))]
        for layout in layouts:
            yield GeneratedFunction(coordinate, selection.builder_source(layout))
        # The objects of other fields are made by the functions of the objects around them.
        inner = ((field.coordinate, field.completion.selection) for field in selection.column_fields)
        todo += [(name, each) for name, each in inner if each is not None]


def _rows_of(field: FieldPlan) -> SelectionPlan | None:
    """What is selected of the rows that a field reads."""
    selection, within = field.completion.selection, field.dependencies.within
    if within is None or selection is None:
        return selection
    return next((each.completion.selection for each in selection.fields if each.name == within), None)
