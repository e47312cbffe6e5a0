"""Documents compiled: an operation is walked once against the schema and becomes a tree of selections.

What that answers is what graphql-core's executor answers, for a fraction of the work: what is asked, of which type,
by which resolver and with which arguments is found out here, and never again.
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
    function_of,
)
from schema.execution.leaf_values import LeafSerializer
from schema.execution.plan import Completion, FieldSource, PlannedField, Selection, union


class NotCompiled(Exception):
    """The document asks for something that is left to graphql-core."""


DirectiveFlags = Mapping[str, Any]
"""The values of the variables on which @skip and @include depend."""


class CompiledOperation(NamedTuple):
    """A tree of selections; and of whose rows (`Reads.source`) which columns it needs, where not all of them."""

    selection: Selection
    columns: Mapping[Hashable, frozenset[str]]


def compile_operation(
    schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, flags: DirectiveFlags
) -> CompiledOperation:
    """The tree of an operation of a valid document.

    Raises NotCompiled for introspection, interfaces and unions, input objects, fields with extensions, flags that are
    no booleans, and whatever is no query.
    """
    if operation.operation is not OperationType.QUERY or schema.query_type is None:
        raise NotCompiled(f"a {operation.operation.value}")
    wrong = [name for name, value in flags.items() if not isinstance(value, bool)]
    if wrong:
        raise NotCompiled(f"flags that are not true or false: {wrong}")
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    walk = _Walk(schema, fragments, flags)
    selection = walk.selection(schema.query_type, [operation.selection_set])
    return CompiledOperation(selection, {source: names for source, names in walk.columns.items() if names is not None})


def flags_of(document: DocumentNode) -> tuple[str, ...]:
    """The names of the variables on which @skip and @include depend."""
    names = {
        argument.value.name.value
        for node in _nodes(document)
        for directive in node.directives or ()
        for argument in directive.arguments or ()
        if isinstance(argument.value, VariableNode)
    }
    return tuple(sorted(names))


def _nodes(document: DocumentNode) -> Iterator[SelectionNode]:
    waiting: list[Any] = list(document.definitions)
    while waiting:
        node = waiting.pop()
        if isinstance(node, SelectionNode):
            yield node
        below: SelectionSetNode | None = getattr(node, "selection_set", None)
        waiting.extend(below.selections if below is not None else ())


class _Walk:
    def __init__(
        self, schema: GraphQLSchema, fragments: Mapping[str, FragmentDefinitionNode], flags: DirectiveFlags
    ) -> None:
        self._schema = schema
        self._fragments = fragments
        self._flags = flags
        self._leaves: dict[str, LeafSerializer] = {}
        self.columns: dict[Hashable, frozenset[str] | None] = {}

    def selection(self, parent: GraphQLObjectType, sets: Iterable[SelectionSetNode]) -> Selection:
        """One selection from all the sets that ask for the same object."""
        asked: dict[str, list[FieldNode]] = {}
        spread: set[str] = set()
        for each in sets:
            self._collect(parent, each, asked, spread)
        return Selection([self._field(parent, key, nodes) for key, nodes in asked.items()])

    def _collect(
        self,
        parent: GraphQLObjectType,
        nodes: SelectionSetNode,
        asked: dict[str, list[FieldNode]],
        spread: set[str],
    ) -> None:
        """The fields by their keys, in the order in which the document first names them (GraphQL, 6.3.2)."""
        for node in nodes.selections:
            if not self._is_included(node):
                continue
            if isinstance(node, FieldNode):
                asked.setdefault(key_of(node), []).append(node)
            elif isinstance(node, InlineFragmentNode):
                if node.type_condition is None or self._applies(node.type_condition, parent):
                    self._collect(parent, node.selection_set, asked, spread)
            elif isinstance(node, FragmentSpreadNode) and node.name.value not in spread:
                spread.add(node.name.value)
                fragment = self._fragments[node.name.value]
                if self._applies(fragment.type_condition, parent):
                    self._collect(parent, fragment.selection_set, asked, spread)

    def _applies(self, condition: NamedTypeNode, parent: GraphQLObjectType) -> bool:
        name = condition.name.value
        if is_abstract_type(self._schema.type_map[name]):
            raise NotCompiled(f"a fragment on {name}")
        return name == parent.name

    def _is_included(self, node: SelectionNode) -> bool:
        for directive in node.directives or ():
            (condition,) = directive.arguments or ()
            value: Any = condition.value
            flag = self._flags[value.name.value] if isinstance(value, VariableNode) else value.value
            if flag is (directive.name.value == "skip"):
                return False
        return True

    def _field(self, parent: GraphQLObjectType, key: str, nodes: Sequence[FieldNode]) -> PlannedField:
        name = nodes[0].name.value
        if name == "__typename":
            text = self._leaf(self._schema.type_map["String"])
            return PlannedField(key, name, Typename(parent.name), frozenset(), text, text, is_required=False)
        if name.startswith("__"):
            raise NotCompiled(name)
        definition = parent.fields[name]
        is_required = is_non_null_type(definition.type)
        bare: Any = definition.type.of_type if is_required else definition.type
        completion = self._completion(definition.type, nodes, f"{parent.name}.{name}")
        source, resolver = _source(definition, nodes[0])
        reads: frozenset[str] | None = frozenset([definition.extensions["strawberry-definition"].python_name])
        if resolver is not None:
            reads = self._note(dependencies_of(resolver), completion.selection)
        leaf = self._leaf(bare) if is_leaf_type(bare) else None
        return PlannedField(key, name, source, reads, completion, leaf, is_required)

    def _note(self, reads: ColumnDependencies | None, below: Selection | None) -> frozenset[str] | None:
        """Note which columns of its source a resolver needs; returns which attributes of the parent it does."""
        if reads is None:
            return None
        if reads.source is not None:
            found = [frozenset([reads.column])] if reads.column is not None else _below(reads.within, below)
            known = self.columns.get(reads.source, frozenset())
            self.columns[reads.source] = union([known, *found])
        return reads.attributes

    def _completion(self, type_: Any, nodes: Sequence[FieldNode], name: str) -> Completion:
        if is_non_null_type(type_):
            return NonNullCompletion(self._completion(type_.of_type, nodes, name), name)
        if is_list_type(type_):
            return ListCompletion(self._completion(type_.of_type, nodes, name), name)
        if is_leaf_type(type_):
            return self._leaf(type_)
        if is_object_type(type_):
            return ObjectCompletion(self.selection(type_, [node.selection_set for node in nodes if node.selection_set]))
        raise NotCompiled(f"a field of the type {type_}")

    def _leaf(self, type_: Any) -> LeafSerializer:
        leaf = self._leaves.get(type_.name)
        if leaf is None:
            leaf = self._leaves[type_.name] = LeafSerializer(type_)
        return leaf


def _below(name: str | None, selection: Selection | None) -> Iterable[frozenset[str] | None]:
    """What is read of rows: of the objects themselves, or of those under the field called `name`."""
    if selection is None:
        return [None]
    if name is None:
        return [selection.reads]
    found = [field.completion.selection for field in selection.fields if field.name == name]
    return [None if some is None else some.reads for some in found]


def key_of(node: FieldNode) -> str:
    """Under which key the data of a field stands."""
    return node.alias.value if node.alias else node.name.value


def _source(definition: GraphQLField, node: FieldNode) -> tuple[FieldSource, Callable[..., Any] | None]:
    """Where the values of a field come from, and the function that resolves it, if there is one."""
    field = definition.extensions.get("strawberry-definition")
    if not isinstance(field, StrawberryField) or field.extensions:
        raise NotCompiled(f"{node.name.value}, which is more than a resolver")
    if field.base_resolver is None:
        return Attribute(field.python_name), None
    if any(is_input_object_type(get_named_type(argument.type)) for argument in definition.args.values()):
        raise NotCompiled(f"{node.name.value}, which takes an input object")
    arguments = Arguments(definition, node)
    function = function_of(field.base_resolver)
    many = batch_of(function)
    if many is not None:
        return BatchedResolver(many, arguments), function
    call = ResolverCall(field.base_resolver, arguments)
    return AsyncResolver(call) if field.base_resolver.is_async else SyncResolver(node.name.value, call), function
