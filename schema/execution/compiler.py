"""Compiler: turns an operation of a valid document into a tree of selection plans, once.

Fields, types, steps and constant arguments are looked up here, not per execution. Data and errors are graphql-core's.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLString,
    OperationDefinitionNode,
    SchemaMetaFieldDef,
    SelectionSetNode,
    TypeMetaFieldDef,
    VariableNode,
    VariableValues,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)

from db.reading.statement import Statement
from resolvers.context import SelectedBySource
from resolvers.errors import Refusal
from resolvers.selected import ALL, MAX_LEVELS, RowSource, Selected, TableRows
from resolvers.steps.batch import Batch
from resolvers.steps.constant import Constant
from resolvers.steps.page import PageCount
from resolvers.steps.related_row import RowByKey
from resolvers.steps.step import FieldStep
from schema.execution.arguments import NO_ARGUMENTS, Arguments
from schema.execution.completion import ListCompletion, leaf_completion
from schema.execution.declared_steps import step_of_field
from schema.execution.graphql_core_internals import SameFields, SelectedFields, node_of
from schema.execution.plan import Completion, FieldPlan, SelectionPlan

INTROSPECTION = {"__schema": SchemaMetaFieldDef, "__type": TypeMetaFieldDef}
"""Fields of the query type that no schema declares."""


class CompiledOperation(NamedTuple):
    """The root plan, and what to read from each source of rows.

    `fields` are those of all levels. A source that is not in `selected` is read with all columns. `has_one_source`:
    only one field of the document reads. `is_heavy`: one of its steps is.
    """

    selection: SelectionPlan
    fields: Sequence[FieldPlan]
    selected: SelectedBySource
    has_one_source: bool
    is_heavy: bool

    def first_statements(self, variables: VariableValues) -> Iterator[tuple[FieldPlan, Statement]]:
        """The statements that run first with these variables, each with its field. May be called in any thread."""
        for each in self.fields:
            if isinstance(each.step, Batch) and each.step.first_statement is not None:
                with suppress(GraphQLError, Refusal):
                    yield each, each.step.first_statement(self.selected, each.arguments.values(variables))


def compile_operation(
    schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, flags: dict[str, Any]
) -> CompiledOperation:
    """Compile an operation of a valid document. `flags` are the values of the variables in @skip and @include, by name.

    Raises GraphQLError for invalid arguments, TypeError for a field of an abstract type or with a Strawberry resolver.
    """
    assert schema.query_type is not None
    fields = SelectedFields(schema, document, operation, flags)
    compiler = _Compiler(schema, fields)
    selection = compiler.selection_plan(schema.query_type, fields.of_root(schema.query_type))
    reading = [each for each in compiler.compiled if isinstance(each.step, Batch)]
    # A row by key has other fields read ahead.
    has_one_source = len(reading) == 1 and not reading[0].ahead
    is_heavy = any(isinstance(each.step, Batch) and each.step.is_heavy for each in reading)
    selected = selected_by_source(compiler.compiled)
    return CompiledOperation(selection, compiler.compiled, selected, has_one_source, is_heavy)


def selected_by_source(fields: Iterable[FieldPlan]) -> SelectedBySource:
    """What the fields of a plan, at any depth, read from each source."""
    selected: dict[RowSource, Selected] = {}
    for each in fields:
        if (rows := each.step.rows) is not None:
            selected[rows] = selected.get(rows, Selected()) | _rows_shown(each)
    return {source: each for source, each in selected.items() if each != ALL}


def _rows_shown(field: FieldPlan) -> Selected:
    """What a field shows of the rows that its step reads, or that are joined to its object."""
    step, selection = field.step, field.completion.selection
    if step.column is not None:
        return Selected(frozenset([step.column]))
    if step.within is None or selection is None:
        return _selected(selection)
    shown = Selected(is_counted=not {item.name for item in selection.fields} <= {step.within, "__typename"})
    for item in selection.fields:
        if item.name == step.within:
            shown |= _selected(item.completion.selection, has_keys=not isinstance(step.rows, TableRows))
    return shown


def _selected(selection: SelectionPlan | None, *, has_keys: bool = False) -> Selected:
    """The columns of a row that a selection shows, and the rows that are joined to it.

    `has_keys`: of rows that no table has, whose columns may be arrays of objects.
    """
    keys = selection.keys_read if has_keys and selection is not None else ()
    if selection is None or keys is None:
        return ALL
    selected = Selected(selection.attributes, keys=keys)
    for each in selection.fields:
        if each.step.join is not None:
            # The key of a joined row says whether there is one.
            key = Selected(frozenset(["key"] if each.step.column is None else []))
            selected |= Selected(joined=frozenset([(each.step.join, key | _rows_shown(each))]))
    return selected


def directive_variables(document: DocumentNode) -> tuple[str, ...]:
    """The names of the variables in @skip and @include, sorted."""
    names: set[str] = set()
    nodes: list[Any] = [*document.definitions]
    for node in nodes:
        arguments = (argument for directive in node.directives or () for argument in directive.arguments or ())
        names.update(each.value.name.value for each in arguments if isinstance(each.value, VariableNode))
        selection_set: SelectionSetNode | None = getattr(node, "selection_set", None)
        nodes.extend(selection_set.selections if selection_set is not None else ())
    return tuple(sorted(names))


class Rows(NamedTuple):
    """The objects of a selection are rows that a statement selects, or contain them in the field `within`.

    `level` is the number of joins by which they are in the statement.
    """

    within: str | None = None
    level: int = 0


@dataclass(frozen=True)
class _Compiler:
    schema: GraphQLSchema
    fields: SelectedFields
    compiled: list[FieldPlan] = field(default_factory=list)
    """The fields of all levels."""

    def selection_plan(
        self, parent: GraphQLObjectType, fields: Mapping[str, SameFields], rows: Rows | None = None
    ) -> SelectionPlan:
        """The plan of the fields of an object by their response keys."""
        plans = [self._field_plan(parent, key, same, rows) for key, same in fields.items()]
        self.compiled.extend(plans)
        return SelectionPlan(plans)

    def _field_plan(self, parent: GraphQLObjectType, key: str, same: SameFields, rows: Rows | None) -> FieldPlan:
        """The plan of a field, which a document may have several times."""
        node = node_of(same)
        name = node.name.value
        coordinate = f"{parent.name}.{name}"
        if name == "__typename":
            return FieldPlan(key, coordinate, Constant(parent.name), NO_ARGUMENTS, leaf_completion(GraphQLString))
        definition = INTROSPECTION.get(name) or parent.fields[name]
        arguments = Arguments(definition, node) if definition.args else NO_ARGUMENTS
        step = step_of_field(coordinate, definition, self.schema)
        try:
            for each in step.arguments:
                if each.check is not None and each.name in arguments.constants:
                    each.check(arguments.constants)
        except Refusal as refusal:
            raise GraphQLError(refusal.message, node, extensions=refusal.extensions) from refusal
        if rows is not None and rows.within is None and rows.level < MAX_LEVELS:
            step = step.in_joined_row()
        completion = self._completion(definition.type, same, coordinate, _rows_of(step, rows, name))
        step = step.of_count() if _is_count(completion.selection) else step
        ahead = _fields_by_key(completion.selection, step.key) if isinstance(step, RowByKey) else ()
        return FieldPlan(key, coordinate, step, arguments, completion, is_non_null_type(definition.type), ahead)

    def _completion(self, type_: Any, same: SameFields, coordinate: str, rows: Rows | None) -> Completion:
        type_ = get_nullable_type(type_)
        if is_list_type(type_):
            items = self._completion(type_.of_type, same, coordinate, rows)
            return ListCompletion(items, coordinate, is_required=is_non_null_type(type_.of_type))
        if is_leaf_type(type_):
            return leaf_completion(type_)
        if is_object_type(type_):
            return self.selection_plan(type_, self.fields.below(type_, same), rows)
        raise TypeError(f"{coordinate} has the type {type_}, which the compiler does not know.")


def _rows_of(step: FieldStep, parent: Rows | None, name: str) -> Rows | None:
    """Whether the objects of a field are rows that a statement selects, or contain them."""
    if parent is not None and parent.within == name:
        return Rows()
    if parent is not None and step.join is not None:
        return Rows(level=parent.level + 1)
    return Rows(step.within) if isinstance(step.rows, TableRows) else None


def _is_count(selection: SelectionPlan | None) -> bool:
    """Whether nothing but the count of a page is selected."""
    names = {field.name for field in selection.fields} if selection is not None else set()
    return names - {"__typename"} == {"count"}


def _fields_by_key(selection: SelectionPlan | None, key: str) -> Sequence[FieldPlan]:
    """The fields whose rows depend on the attribute `key` of their object alone, and are read by loaders."""
    return [
        each
        for each in ([] if selection is None else selection.fields)
        if isinstance(each.step, Batch)
        and (each.step.rows is not None or isinstance(each.step, PageCount))
        and each.step.needs == frozenset([key])
    ]


def response_key(node: FieldNode) -> str:
    """The key of a field in the response: its alias, or its name."""
    return node.alias.value if node.alias else node.name.value
