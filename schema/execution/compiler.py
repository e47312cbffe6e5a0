"""Compiler: turns an operation of a valid document into a tree of selection plans, once.

Executing the plans gives the same data and errors as graphql-core's executor. Fields, types, resolvers and constant
arguments are looked up here, not per execution. Uses internals of Strawberry: the extension "strawberry-definition" of
graphql-core fields and types, `StrawberryField.base_resolver`, `.python_name` and `.extensions`. When they change,
`tests/schema/execution/test_compiler.py` fails, and pyproject.toml bounds the version.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    NamedTypeNode,
    OperationDefinitionNode,
    OperationType,
    SelectionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
    is_abstract_type,
    is_input_object_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)
from strawberry.types.field import StrawberryField

from resolvers.relations.batching import ColumnDependencies, batch_of, dependencies_of
from schema.execution.arguments import Arguments
from schema.execution.completion import ListCompletion, NonNullCompletion, ObjectCompletion
from schema.execution.field_sources import (
    AsyncResolver,
    Attribute,
    BatchedResolver,
    ResolverCall,
    SyncResolver,
    Typename,
    unwrapped,
)
from schema.execution.introspection import Introspection
from schema.execution.leaf_values import LeafSerializer
from schema.execution.plan import Completion, FieldPlan, FieldSource, SelectionPlan, union_of


class NotCompiled(Exception):
    """The operation uses something that graphql-core must execute."""


DirectiveFlags = Mapping[str, Any]
"""Values of the variables in @skip and @include, by name."""


class CompiledOperation(NamedTuple):
    """The root plan, and the columns to read from each source (`ColumnDependencies.source`).

    A source that is not in `columns` is read with all columns.
    """

    selection: SelectionPlan
    columns: Mapping[Hashable, frozenset[str]]


def compile_operation(
    schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, flags: DirectiveFlags
) -> CompiledOperation:
    """Compile an operation of a valid document.

    Raises NotCompiled for interfaces and unions, input objects, fields with Strawberry extensions, flags
    that are not booleans, and operations that are not queries.
    """
    if operation.operation is not OperationType.QUERY or schema.query_type is None:
        raise NotCompiled(f"a {operation.operation.value}")
    wrong = [name for name, value in flags.items() if not isinstance(value, bool)]
    if wrong:
        raise NotCompiled(f"flags that are not true or false: {wrong}")
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    compiler = _Compiler(schema, operation, fragments, flags)
    selection = compiler.selection_plan(schema.query_type, [operation.selection_set])
    columns = {source: names for source, names in compiler.columns.items() if names is not None}
    return CompiledOperation(selection, columns)


def directive_variables(document: DocumentNode) -> tuple[str, ...]:
    """The names of the variables in @skip and @include, sorted."""
    names = {
        argument.value.name.value
        for node in _selection_nodes(document)
        for directive in node.directives or ()
        for argument in directive.arguments or ()
        if isinstance(argument.value, VariableNode)
    }
    return tuple(sorted(names))


def _selection_nodes(document: DocumentNode) -> Iterator[SelectionNode]:
    stack: list[Any] = list(document.definitions)
    while stack:
        node = stack.pop()
        if isinstance(node, SelectionNode):
            yield node
        selection_set: SelectionSetNode | None = getattr(node, "selection_set", None)
        stack.extend(selection_set.selections if selection_set is not None else ())


class _Compiler:
    def __init__(
        self,
        schema: GraphQLSchema,
        operation: OperationDefinitionNode,
        fragments: Mapping[str, FragmentDefinitionNode],
        flags: DirectiveFlags,
    ) -> None:
        self._schema = schema
        self._operation = operation
        self._fragments = fragments
        self._flags = flags
        self._serializers: dict[str, LeafSerializer] = {}
        self.columns: dict[Hashable, frozenset[str] | None] = {}

    def selection_plan(self, parent: GraphQLObjectType, sets: Iterable[SelectionSetNode]) -> SelectionPlan:
        """The plan of all selection sets of the same object, merged."""
        fields: dict[str, list[FieldNode]] = {}
        visited_fragments: set[str] = set()
        for selection_set in sets:
            self._collect_fields(parent, selection_set, fields, visited_fragments)
        return SelectionPlan([self._field_plan(parent, key, nodes) for key, nodes in fields.items()])

    def _collect_fields(
        self,
        parent: GraphQLObjectType,
        selection_set: SelectionSetNode,
        fields: dict[str, list[FieldNode]],
        visited_fragments: set[str],
    ) -> None:
        """Add the fields by response key, in document order (GraphQL, 6.3.2)."""
        for node in selection_set.selections:
            if not self._is_included(node):
                continue
            if isinstance(node, FieldNode):
                fields.setdefault(response_key(node), []).append(node)
            elif isinstance(node, InlineFragmentNode):
                if node.type_condition is None or self._applies(node.type_condition, parent):
                    self._collect_fields(parent, node.selection_set, fields, visited_fragments)
            elif isinstance(node, FragmentSpreadNode) and node.name.value not in visited_fragments:
                visited_fragments.add(node.name.value)
                fragment = self._fragments[node.name.value]
                if self._applies(fragment.type_condition, parent):
                    self._collect_fields(parent, fragment.selection_set, fields, visited_fragments)

    def _applies(self, type_condition: NamedTypeNode, parent: GraphQLObjectType) -> bool:
        name = type_condition.name.value
        if is_abstract_type(self._schema.type_map[name]):
            raise NotCompiled(f"a fragment on {name}")
        return name == parent.name

    def _is_included(self, node: SelectionNode) -> bool:
        """Whether @skip and @include keep the node."""
        for directive in node.directives or ():
            (argument,) = directive.arguments or ()
            value: Any = argument.value
            flag = self._flags[value.name.value] if isinstance(value, VariableNode) else value.value
            if flag is (directive.name.value == "skip"):
                return False
        return True

    def _field_plan(self, parent: GraphQLObjectType, key: str, nodes: Sequence[FieldNode]) -> FieldPlan:
        name = nodes[0].name.value
        if name == "__typename":
            string = self._serializer(self._schema.type_map["String"])
            return FieldPlan(key, name, Typename(parent.name), frozenset(), string, string, is_required=False)
        if name.startswith("__"):
            introspection = Introspection(self._schema, self._operation, self._fragments, key, nodes)
            return FieldPlan(key, name, introspection, frozenset(), introspection, None, is_required=False)
        definition = parent.fields[name]
        is_required = is_non_null_type(definition.type)
        nullable: Any = definition.type.of_type if is_required else definition.type
        completion = self._completion(definition.type, nodes, f"{parent.name}.{name}")
        source, resolver = _source(definition, nodes[0])
        attributes: frozenset[str] | None = frozenset([definition.extensions["strawberry-definition"].python_name])
        if resolver is not None:
            attributes = self._add_columns(dependencies_of(resolver), completion.selection)
        serializer = self._serializer(nullable) if is_leaf_type(nullable) else None
        return FieldPlan(key, name, source, attributes, completion, serializer, is_required)

    def _add_columns(
        self, dependencies: ColumnDependencies | None, selection: SelectionPlan | None
    ) -> frozenset[str] | None:
        """Add the columns that a resolver's source must read. Returns the attributes of the parent that it reads.

        `selection` is the plan of the objects that the resolver returns.
        """
        if dependencies is None:
            return None
        source = dependencies.source
        if source is not None:
            if dependencies.column is not None:
                columns: Iterable[frozenset[str] | None] = [frozenset([dependencies.column])]
            else:
                columns = _attributes_read(dependencies.within, selection)
            self.columns[source] = union_of([self.columns.get(source, frozenset()), *columns])
        return dependencies.attributes

    def _completion(self, type_: Any, nodes: Sequence[FieldNode], name: str) -> Completion:
        if is_non_null_type(type_):
            return NonNullCompletion(self._completion(type_.of_type, nodes, name), name)
        if is_list_type(type_):
            return ListCompletion(self._completion(type_.of_type, nodes, name), name)
        if is_leaf_type(type_):
            return self._serializer(type_)
        if is_object_type(type_):
            sets = [node.selection_set for node in nodes if node.selection_set]
            return ObjectCompletion(self.selection_plan(type_, sets))
        raise NotCompiled(f"a field of the type {type_}")

    def _serializer(self, type_: Any) -> LeafSerializer:
        serializer = self._serializers.get(type_.name)
        if serializer is None:
            serializer = self._serializers[type_.name] = LeafSerializer(type_)
        return serializer


def _attributes_read(name: str | None, selection: SelectionPlan | None) -> Iterable[frozenset[str] | None]:
    """The attributes that a plan reads: of its own objects, or of those under its fields called `name`."""
    if selection is None:
        return [None]
    if name is None:
        return [selection.attributes]
    inner = [field.completion.selection for field in selection.fields if field.name == name]
    return [None if plan is None else plan.attributes for plan in inner]


def response_key(node: FieldNode) -> str:
    """The key of a field in the response: its alias, or its name."""
    return node.alias.value if node.alias else node.name.value


def _source(definition: GraphQLField, node: FieldNode) -> tuple[FieldSource, Callable[..., Any] | None]:
    """The source of a field's values, and its resolver function, if it has one."""
    field = definition.extensions.get("strawberry-definition")
    if not isinstance(field, StrawberryField) or field.extensions:
        raise NotCompiled(f"{node.name.value}, which is more than a resolver")
    if field.base_resolver is None:
        return Attribute(field.python_name), None
    if any(is_input_object_type(get_named_type(argument.type)) for argument in definition.args.values()):
        raise NotCompiled(f"{node.name.value}, which takes an input object")
    arguments = Arguments(definition, node)
    function = unwrapped(field.base_resolver)
    batch_resolver = batch_of(function)
    if batch_resolver is not None:
        return BatchedResolver(batch_resolver, arguments), function
    call = ResolverCall(field.base_resolver, arguments)
    return AsyncResolver(call) if field.base_resolver.is_async else SyncResolver(node.name.value, call), function
