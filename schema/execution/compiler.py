"""Compiler: turns an operation of a valid document into a tree of selection plans, once.

Executing the plans gives the same data and errors as graphql-core's executor. Fields, types, resolvers and constant
arguments are looked up here, not per execution. Uses internals of Strawberry: the extension "strawberry-definition" of
graphql-core fields and types, `StrawberryField.base_resolver`, `.python_name` and `.extensions`. When they change,
`tests/schema/execution/test_compiler.py` fails, and pyproject.toml bounds the version.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLString,
    InlineFragmentNode,
    OperationDefinitionNode,
    SchemaMetaFieldDef,
    SelectionNode,
    SelectionSetNode,
    TypeMetaFieldDef,
    VariableNode,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)
from graphql.execution.values import VariableValues
from sqlalchemy import Column, ColumnElement, Table

from resolvers.context import SelectedBySource
from resolvers.errors import Refusal
from resolvers.lists.listing import check_constants
from resolvers.relations.batching import ColumnDependencies, dependencies_of
from resolvers.relations.selected import ALL, MAX_LEVELS, Join, Selected
from schema.execution.arguments import Arguments
from schema.execution.completion import ListCompletion, ObjectCompletion, is_unchanged, leaf_completion
from schema.execution.field_sources import (
    Attribute,
    BatchedResolver,
    JoinedRow,
    KeyedResolver,
    Source,
    SyncResolver,
    Typename,
    introspection_call,
    resolver_call,
    resolver_of,
)
from schema.execution.plan import Completion, FieldPlan, SelectionPlan

INTROSPECTION = {"__schema": SchemaMetaFieldDef, "__type": TypeMetaFieldDef}
"""Fields of the query type that no schema declares."""

DirectiveFlags = Mapping[str, Any]
"""Values of the variables in @skip and @include, by name."""


class CompiledOperation(NamedTuple):
    """The root plan, and what to read from each source (`ColumnDependencies.source`).

    A source that is not in `selected` is read with all columns. `has_one_source`: only one field of the document reads.
    `is_heavy`: one of its resolvers is.
    """

    selection: SelectionPlan
    selected: SelectedBySource
    has_one_source: bool
    is_heavy: bool

    def prepare(self, variables: VariableValues) -> None:
        """Build the statements that run first with these variables. May be called in any thread."""
        for field in _fields(self.selection):
            prepare = field.dependencies.prepare
            if prepare is not None and isinstance(field.source, BatchedResolver):
                with suppress(GraphQLError, Refusal):
                    prepare(self.selected, field.source.arguments.values(variables))


def compile_operation(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    flags: DirectiveFlags,
    *,
    reads_all: bool = False,
) -> CompiledOperation:
    """Compile an operation of a valid document. With `reads_all`, it reads all columns, and joins no rows.

    Raises GraphQLError for invalid arguments, and TypeError for a field of an abstract type or with Strawberry
    extensions.
    """
    assert schema.query_type is not None
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    compiler = _Compiler(schema, fragments, flags, joins=not reads_all)
    selection = compiler.selection_plan(schema.query_type, [operation.selection_set])
    # A keyed resolver has other fields read ahead.
    sources = [field.source for field in _fields(selection) if field.source.is_async]
    has_one_source = len(sources) == 1 and not isinstance(sources[0], KeyedResolver)
    selected = {} if reads_all else selected_by_source(selection)
    is_heavy = any(field.dependencies.is_heavy for field in _fields(selection))
    return CompiledOperation(selection, selected, has_one_source, is_heavy)


def _fields(selection: SelectionPlan) -> Iterator[FieldPlan]:
    """The fields of a plan at any depth."""
    for field in selection.fields:
        yield field
        if field.completion.selection is not None:
            yield from _fields(field.completion.selection)


def selected_by_source(selection: SelectionPlan) -> SelectedBySource:
    """What the fields of a plan read from each source, at any depth."""
    selected: dict[Hashable, Selected] = {}
    for field in _fields(selection):
        source = field.dependencies.source
        if source is not None and field.join is None:
            selected[source] = selected.get(source, Selected()) | _rows_shown(field)
    return {source: each for source, each in selected.items() if each != ALL}


def _rows_shown(field: FieldPlan) -> Selected:
    """What a field shows of the rows of its source."""
    dependencies, selection = field.dependencies, field.completion.selection
    if dependencies.column is not None:
        return Selected(frozenset([dependencies.column]))
    if dependencies.within is None or selection is None:
        return _selected(selection)
    shown = Selected(is_counted=not {item.name for item in selection.fields} <= {dependencies.within, "__typename"})
    for item in selection.fields:
        if item.name == dependencies.within:
            shown |= _selected(item.completion.selection, has_keys=not hasattr(dependencies.source, "columns_by_name"))
    return shown


def _selected(selection: SelectionPlan | None, *, has_keys: bool = False) -> Selected:
    """The columns of a row that a selection shows, and the rows that are joined to it.

    `has_keys`: of rows that no table has, whose columns may be arrays of objects.
    """
    keys = selection.keys_read if has_keys and selection is not None else ()
    if selection is None or keys is None:
        return ALL
    selected = Selected(selection.attributes, keys=keys)
    for field in selection.fields:
        if field.join is not None:
            column, inner = field.dependencies.column, field.completion.selection
            shown = Selected(frozenset(["key" if column is None else column]))
            selected |= Selected(joined=frozenset([(field.join, shown if inner is None else shown | _selected(inner))]))
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

    columns: Mapping[str, ColumnElement[Any]]
    within: str | None = None
    level: int = 0

    @property
    def takes_joins(self) -> bool:
        """Whether the statement that selects the rows can join others to them."""
        return self.within is None and self.level < MAX_LEVELS


@dataclass(frozen=True)
class _Compiler:
    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    flags: DirectiveFlags
    joins: bool

    def selection_plan(
        self, parent: GraphQLObjectType, sets: Iterable[SelectionSetNode], rows: Rows | None = None
    ) -> SelectionPlan:
        """The plan of all selection sets of the same object, merged."""
        fields: dict[str, list[FieldNode]] = {}
        visited_fragments: set[str] = set()
        for selection_set in sets:
            self._collect_fields(selection_set, fields, visited_fragments)
        return SelectionPlan([self._field_plan(parent, key, nodes, rows) for key, nodes in fields.items()])

    def _collect_fields(
        self, selection_set: SelectionSetNode, fields: dict[str, list[FieldNode]], visited_fragments: set[str]
    ) -> None:
        """Add the fields by response key, in document order (GraphQL, 6.3.2).

        The type conditions of a valid document apply: no field has an abstract type.
        """
        for node in selection_set.selections:
            if not self._is_included(node):
                continue
            if isinstance(node, FieldNode):
                fields.setdefault(response_key(node), []).append(node)
            elif isinstance(node, InlineFragmentNode):
                self._collect_fields(node.selection_set, fields, visited_fragments)
            elif isinstance(node, FragmentSpreadNode) and (name := node.name.value) not in visited_fragments:
                visited_fragments.add(name)
                self._collect_fields(self.fragments[name].selection_set, fields, visited_fragments)

    def _is_included(self, node: SelectionNode) -> bool:
        """Whether @skip and @include keep the node."""
        for directive in node.directives or ():
            (argument,) = directive.arguments or ()
            value: Any = argument.value
            flag = self.flags[value.name.value] if isinstance(value, VariableNode) else value.value
            if flag is (directive.name.value == "skip"):
                return False
        return True

    def _field_plan(
        self, parent: GraphQLObjectType, key: str, nodes: Sequence[FieldNode], rows: Rows | None
    ) -> FieldPlan:
        name = nodes[0].name.value
        coordinate = f"{parent.name}.{name}"
        if name == "__typename":
            completion: Completion = leaf_completion(GraphQLString, is_unchanged=True)
            return FieldPlan(key, coordinate, Typename(parent.name), frozenset(), completion)
        definition = INTROSPECTION.get(name) or parent.fields[name]
        arguments = Arguments(definition, nodes[0])
        dependencies = dependencies_of(resolver_of(definition))
        try:
            check_constants(arguments.constants, dependencies.max_days)
        except Refusal as refusal:
            raise GraphQLError(refusal.message, nodes[0], extensions=refusal.extensions) from refusal
        source = self._source(definition, coordinate, arguments)
        attributes = dependencies.attributes
        column: ColumnElement[Any] | None = None
        if isinstance(source, Attribute):
            attributes = frozenset([source.name])
            column = rows.columns.get(source.name) if rows is not None and rows.within is None else None
        join = dependencies.join if self.joins and rows is not None and rows.takes_joins else None
        items = _rows_of(dependencies, join, rows, name)
        completion = self._completion(definition.type, nodes, coordinate, items, column)
        if join is not None:
            attributes, value = frozenset(), dependencies.column
            prefix = join.prefix
            source = JoinedRow(prefix) if value is None else Attribute(prefix + value, dependencies.default)
        elif dependencies.counting is not None and _is_count(completion.selection):
            source = BatchedResolver(dependencies.counting, arguments)
            # A source of its own: nothing is read of the rows.
            dependencies = replace(dependencies, source=(dependencies.source, "count"), within=None, prepare=None)
        elif dependencies.batch is not None and dependencies.key is not None:
            fields = _fields_by_key(completion.selection, dependencies.key)
            source = KeyedResolver(dependencies.batch, arguments, dependencies.key, fields) if fields else source
        is_filled = isinstance(column, Column) and isinstance(column.table, Table) and not column.nullable
        is_non_null = is_non_null_type(definition.type)
        return FieldPlan(key, coordinate, source, attributes, completion, is_non_null, is_filled, dependencies, join)

    def _source(self, definition: GraphQLField, coordinate: str, arguments: Arguments) -> Source:
        """The source of a field's values."""
        field = definition.extensions.get("strawberry-definition")
        if field is None:
            return SyncResolver(coordinate, introspection_call(definition, arguments, self.schema))
        if field.extensions:
            raise TypeError(f"{coordinate} has Strawberry extensions, which the compiler does not run.")
        function = resolver_of(definition)
        if function is None:
            return Attribute(field.python_name)
        dependencies = dependencies_of(function)
        if dependencies.attribute is not None:
            return Attribute(dependencies.attribute)
        if dependencies.batch is not None:
            return BatchedResolver(dependencies.batch, arguments)
        if field.base_resolver.is_async:
            raise TypeError(f"The resolver of {coordinate} is a coroutine function: declare it as a batch resolver.")
        return SyncResolver(coordinate, resolver_call(function, field.base_resolver, arguments), dependencies.members)

    def _completion(
        self,
        type_: Any,
        nodes: Sequence[FieldNode],
        coordinate: str,
        rows: Rows | None,
        column: ColumnElement[Any] | None = None,
    ) -> Completion:
        """The completion of values of a type, which are those of `column` if it is known."""
        type_ = get_nullable_type(type_)
        if is_list_type(type_):
            items = self._completion(type_.of_type, nodes, coordinate, rows)
            return ListCompletion(items, coordinate, is_required=is_non_null_type(type_.of_type))
        if is_leaf_type(type_):
            return leaf_completion(type_, is_unchanged=is_unchanged(type_, column))
        if is_object_type(type_):
            sets = [node.selection_set for node in nodes if node.selection_set]
            return ObjectCompletion(self.selection_plan(type_, sets, rows))
        raise TypeError(f"{coordinate} has the type {type_}, which the compiler does not know.")


def _rows_of(dependencies: ColumnDependencies, join: Join | None, parent: Rows | None, name: str) -> Rows | None:
    """Whether the objects of a field are rows that a statement selects, or contain them."""
    if parent is not None and parent.within == name:
        return Rows(parent.columns)
    if join is not None and parent is not None:
        return Rows(join.relation.columns_by_name, level=parent.level + 1)
    columns = getattr(dependencies.source, "columns_by_name", None)
    return None if columns is None else Rows(columns, dependencies.within)


def _is_count(selection: SelectionPlan | None) -> bool:
    """Whether nothing but the count of a page is selected."""
    names = {field.name for field in selection.fields} if selection is not None else set()
    return names - {"__typename"} == {"count"}


def _fields_by_key(selection: SelectionPlan | None, key: str) -> list[BatchedResolver]:
    """The sources of fields whose rows depend on the attribute `key` of their object alone, and are read by loaders."""
    return [
        field.source
        for field in ([] if selection is None else selection.fields)
        if isinstance(field.source, BatchedResolver)
        and field.dependencies.source is not None
        and field.dependencies.attributes == frozenset([key])
    ]


def response_key(node: FieldNode) -> str:
    """The key of a field in the response: its alias, or its name."""
    return node.alias.value if node.alias else node.name.value
