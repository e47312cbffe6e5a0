"""Compiler: turns an operation of a valid document into a tree of selection plans, once.

Executing the plans gives the same data and errors as graphql-core's executor. Fields, types, resolvers and constant
arguments are looked up here, not per execution. Uses internals of Strawberry: the extension "strawberry-definition" of
graphql-core fields and types, `StrawberryField.base_resolver` with `wrapped_func` and its parameters, `.python_name`
and `.extensions`. When they change, `tests/schema/execution/test_compiler.py` fails, and pyproject.toml bounds the
version.
"""

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLString,
    OperationDefinitionNode,
    SchemaMetaFieldDef,
    SelectionSetNode,
    TypeMetaFieldDef,
    VariableNode,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)
from graphql.execution.collect_fields import (
    FieldDetailsList,
    FragmentDetails,
    GroupedFieldSet,
    collect_fields,
    collect_subfields,
)
from graphql.execution.values import VariableValues

from resolvers.context import SelectedBySource
from resolvers.errors import Refusal
from resolvers.lists.listing import check_constants
from resolvers.relations.batching import ColumnDependencies, dependencies_of
from resolvers.relations.selected import ALL, MAX_LEVELS, Selected
from schema.execution.arguments import Arguments
from schema.execution.completion import ListCompletion, leaf_completion
from schema.execution.field_sources import (
    Attribute,
    BatchedResolver,
    JoinedRow,
    KeyedResolver,
    Source,
    SyncResolver,
    Typename,
    introspection_resolver,
    resolver_of,
)
from schema.execution.plan import Completion, FieldPlan, SelectionPlan

INTROSPECTION = {"__schema": SchemaMetaFieldDef, "__type": TypeMetaFieldDef}
"""Fields of the query type that no schema declares."""


class CompiledOperation(NamedTuple):
    """The root plan, and what to read from each source (`ColumnDependencies.source`).

    `fields` are those of all levels. A source that is not in `selected` is read with all columns. `has_one_source`:
    only one field of the document reads. `is_heavy`: one of its resolvers is.
    """

    selection: SelectionPlan
    fields: Sequence[FieldPlan]
    selected: SelectedBySource
    has_one_source: bool
    is_heavy: bool

    def prepare(self, variables: VariableValues) -> None:
        """Build the statements that run first with these variables. May be called in any thread."""
        for each in self.fields:
            prepare = each.dependencies.prepare
            if prepare is not None and isinstance(each.source, BatchedResolver):
                with suppress(GraphQLError, Refusal):
                    prepare(self.selected, each.source.arguments.values(variables))


def compile_operation(
    schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, flags: dict[str, Any]
) -> CompiledOperation:
    """Compile an operation of a valid document. `flags` are the values of the variables in @skip and @include, by name.

    Raises GraphQLError for invalid arguments, and TypeError for a field of an abstract type or with Strawberry
    extensions.
    """
    assert schema.query_type is not None
    fragments = {
        node.name.value: FragmentDetails(node)
        for node in document.definitions
        if isinstance(node, FragmentDefinitionNode)
    }
    compiler = _Compiler(schema, fragments, VariableValues({}, flags), operation)
    fields = collect_fields(schema, fragments, compiler.flags, schema.query_type, operation).grouped_field_set
    selection = compiler.selection_plan(schema.query_type, fields)
    sources = [each.source for each in compiler.compiled if isinstance(each.source, BatchedResolver)]
    # A keyed resolver has other fields read ahead.
    has_one_source = len(sources) == 1 and not isinstance(sources[0], KeyedResolver)
    is_heavy = any(each.dependencies.is_heavy for each in compiler.compiled)
    selected = selected_by_source(compiler.compiled)
    return CompiledOperation(selection, compiler.compiled, selected, has_one_source, is_heavy)


def selected_by_source(fields: Iterable[FieldPlan]) -> SelectedBySource:
    """What the fields of a plan, at any depth, read from each source."""
    selected: dict[Hashable, Selected] = {}
    for each in fields:
        source = each.dependencies.source
        if source is not None and each.dependencies.join is None:
            selected[source] = selected.get(source, Selected()) | _rows_shown(each)
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
    for each in selection.fields:
        join = each.dependencies.join
        if join is not None:
            # The key of a joined row says whether there is one.
            key = Selected(frozenset(["key"] if each.dependencies.column is None else []))
            selected |= Selected(joined=frozenset([(join, key | _rows_shown(each))]))
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

    @property
    def takes_joins(self) -> bool:
        """Whether the statement that selects the rows can join others to them."""
        return self.within is None and self.level < MAX_LEVELS


@dataclass(frozen=True)
class _Compiler:
    schema: GraphQLSchema
    fragments: dict[str, FragmentDetails]
    flags: VariableValues
    operation: OperationDefinitionNode
    compiled: list[FieldPlan] = field(default_factory=list)
    """The fields of all levels."""

    def selection_plan(
        self, parent: GraphQLObjectType, fields: GroupedFieldSet, rows: Rows | None = None
    ) -> SelectionPlan:
        """The plan of the fields of an object by their response keys."""
        plans = [self._field_plan(parent, key, same, rows) for key, same in fields.items()]
        self.compiled.extend(plans)
        return SelectionPlan(plans)

    def _field_plan(self, parent: GraphQLObjectType, key: str, same: FieldDetailsList, rows: Rows | None) -> FieldPlan:
        """The plan of a field, which a document may have several times."""
        node = same[0].node
        name = node.name.value
        coordinate = f"{parent.name}.{name}"
        if name == "__typename":
            completion: Completion = leaf_completion(GraphQLString)
            return FieldPlan(key, coordinate, Typename(parent.name), completion, ColumnDependencies(frozenset()))
        definition = INTROSPECTION.get(name) or parent.fields[name]
        arguments = Arguments(definition, node)
        dependencies = dependencies_of(resolver_of(definition))
        try:
            check_constants(arguments.constants, dependencies.max_days)
        except Refusal as refusal:
            raise GraphQLError(refusal.message, node, extensions=refusal.extensions) from refusal
        join = dependencies.join
        if join is not None and (rows is None or not rows.takes_joins):
            join, dependencies = None, replace(dependencies, join=None)
        source = self._source(definition, coordinate, arguments)
        if isinstance(source, Attribute):
            dependencies = replace(dependencies, attributes=frozenset([source.name]))
        completion = self._completion(definition.type, same, coordinate, _rows_of(dependencies, rows, name))
        if join is not None:
            value = dependencies.column
            source = JoinedRow(join.prefix) if value is None else Attribute(join.prefix + value, dependencies.default)
            # What is joined to an object is read of no attribute.
            dependencies = replace(dependencies, attributes=frozenset())
        elif dependencies.counting is not None and _is_count(completion.selection):
            source = BatchedResolver(dependencies.counting, arguments)
            # A source of its own: nothing is read of the rows.
            dependencies = replace(dependencies, source=(dependencies.source, "count"), within=None, prepare=None)
        elif dependencies.batch is not None and dependencies.key is not None:
            fields = _fields_by_key(completion.selection, dependencies.key)
            source = KeyedResolver(dependencies.batch, arguments, dependencies.key, fields) if fields else source
        return FieldPlan(key, coordinate, source, completion, dependencies, is_non_null_type(definition.type))

    def _source(self, definition: GraphQLField, coordinate: str, arguments: Arguments) -> Source:
        """The source of a field's values."""
        declared = definition.extensions.get("strawberry-definition")
        if declared is None:
            return introspection_resolver(coordinate, definition, arguments, self.schema)
        if declared.extensions:
            raise TypeError(f"{coordinate} has Strawberry extensions, which the compiler does not run.")
        function = resolver_of(definition)
        if function is None:
            return Attribute(declared.python_name)
        dependencies = dependencies_of(function)
        if dependencies.attribute is not None:
            return Attribute(dependencies.attribute)
        if dependencies.batch is not None:
            return BatchedResolver(dependencies.batch, arguments)
        if declared.base_resolver.is_async:
            raise TypeError(f"The resolver of {coordinate} is a coroutine function: declare it as a batch resolver.")
        resolver = declared.base_resolver
        parent = resolver.self_parameter or resolver.root_parameter or resolver.parent_parameter
        name = parent.name if parent is not None else None
        return SyncResolver(coordinate, function, arguments, name, dependencies.members)

    def _completion(self, type_: Any, same: FieldDetailsList, coordinate: str, rows: Rows | None) -> Completion:
        type_ = get_nullable_type(type_)
        if is_list_type(type_):
            items = self._completion(type_.of_type, same, coordinate, rows)
            return ListCompletion(items, coordinate, is_required=is_non_null_type(type_.of_type))
        if is_leaf_type(type_):
            return leaf_completion(type_)
        if is_object_type(type_):
            found = collect_subfields(self.schema, self.fragments, self.flags, self.operation, type_, same)
            return self.selection_plan(type_, found.grouped_field_set, rows)
        raise TypeError(f"{coordinate} has the type {type_}, which the compiler does not know.")


def _rows_of(dependencies: ColumnDependencies, parent: Rows | None, name: str) -> Rows | None:
    """Whether the objects of a field are rows that a statement selects, or contain them."""
    if parent is not None and parent.within == name:
        return Rows()
    if parent is not None and dependencies.join is not None:
        return Rows(level=parent.level + 1)
    return Rows(dependencies.within) if hasattr(dependencies.source, "columns_by_name") else None


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
