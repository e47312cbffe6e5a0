"""A compiled operation in words: the steps that make its answer, what they read first, and the generated functions."""

from collections.abc import Iterator

from graphql import VariableValues

from resolvers.steps.attribute import Attribute
from resolvers.steps.batch import Batch
from resolvers.steps.step import FieldStep
from schema.execution.compiler import CompiledOperation
from schema.execution.plan import FieldPlan, SelectionPlan


def step_lines(selection: SelectionPlan, level: int = 0) -> Iterator[str]:
    """A line for each field, and for what it shows; plain values of an object share one."""
    indent, plain = "  " * level, []
    for field in selection.fields:
        inner, step = field.completion.selection, field.step
        if inner is None and not isinstance(step, Batch):
            plain.append(field.key)
            continue
        name = field.key if field.key == field.name else f"{field.key}: {field.name}"
        yield f"{indent}{name}: {_described(step)}"
        if inner is not None:
            yield from step_lines(inner, level + 1)
    if plain:
        yield f"{indent}{', '.join(plain)}"


def _described(step: FieldStep) -> str:
    """The class of a step, what it reads, and by which attributes of its object."""
    if isinstance(step, Attribute):
        return "Attribute"
    read = step.rows if step.join is None else step.join.relation
    of, needs = "" if read is None else f" of {read}", ", ".join(sorted(step.needs or ()))
    return f"{type(step).__name__}{of}{needs and f' by {needs}'}"


def generated_functions(operation: CompiledOperation, variables: VariableValues) -> Iterator[tuple[str, str]]:
    """The functions that made objects of the operation so far, or are expected to, if none did: field and source.

    Each makes the objects of its field from rows of one layout, or from other objects.
    """
    expected = {id(_rows_of(field)): each.columns for field, each in operation.first_statements(variables)}
    todo: list[tuple[str, SelectionPlan]] = [("Query", operation.selection)]
    while todo:
        coordinate, selection = todo.pop(0)
        for layout in selection.builders or [expected.get(id(selection))]:
            yield coordinate, selection.builder_source(layout)
        # The objects of other fields are made by the functions of the objects around them.
        inner = ((field.coordinate, field.completion.selection) for field in selection.column_fields)
        todo += [(name, each) for name, each in inner if each is not None]


def _rows_of(field: FieldPlan) -> SelectionPlan | None:
    """What is selected of the rows that a field reads."""
    selection, within = field.completion.selection, field.step.within
    if within is None or selection is None:
        return selection
    return next((each.completion.selection for each in selection.fields if each.name == within), None)
