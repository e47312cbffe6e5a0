"""What a document answers and takes, with the words of the schema: for whoever describes documents to others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    VariableNode,
    get_named_type,
    is_non_null_type,
    parse,
    type_from_ast,
    value_from_ast_untyped,
)

from schema.schema import GRAPHQL_SCHEMA


@dataclass(frozen=True)
class ScalarType:
    """A value that has no keys: the name of its GraphQL type says how it is written."""

    name: str


@dataclass(frozen=True)
class EnumType:
    """One of several words."""

    name: str
    description: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class ListType:
    """A list. No list of the schema holds nulls."""

    item: "ResultType"


@dataclass(frozen=True)
class ObjectType:
    """An object with the keys that the document selects of its type."""

    name: str
    description: str
    keys: tuple["ResultField", ...]


ResultType = ScalarType | EnumType | ListType | ObjectType


@dataclass(frozen=True)
class ResultField:
    """One key of an object. An optional one is answered only when the document is told to."""

    name: str
    description: str
    shape: ResultType
    is_nullable: bool
    is_optional: bool


@dataclass(frozen=True)
class VariableType:
    """A variable as the document uses it: the words of the argument that it fills, its default or None, its choice.

    The last is None where it is no enumeration.
    """

    description: str
    default: Any
    choice: EnumType | None


class DocumentTypes:
    """Reads a document that is known to be valid and to hold one operation."""

    def __init__(self, document: str) -> None:
        self._document: DocumentNode = parse(document, no_location=True)
        nodes = self._document.definitions
        self._fragments = {node.name.value: node for node in nodes if isinstance(node, FragmentDefinitionNode)}
        (self._operation,) = [node for node in nodes if isinstance(node, OperationDefinitionNode)]

    def about(self) -> ResultField:
        """What the operation is about: down every selection of one plain field, as `Operation.answer` leads."""
        assert GRAPHQL_SCHEMA.query_type
        key = self._keys(GRAPHQL_SCHEMA.query_type, self._operation.selection_set.selections)[0]
        while isinstance(key.shape, ObjectType) and len(key.shape.keys) == 1:
            key = key.shape.keys[0]
        return key

    def taken(self) -> Mapping[str, VariableType]:
        """The variables by their names."""
        assert GRAPHQL_SCHEMA.query_type
        words: dict[str, str] = {}
        for field, node in self._fields(GRAPHQL_SCHEMA.query_type, self._operation.selection_set.selections):
            for name, argument in _filled(field, node):
                words.setdefault(name, argument.description or "")
        return {
            node.variable.name.value: VariableType(
                words.get(node.variable.name.value, ""),
                None if node.default_value is None else value_from_ast_untyped(node.default_value),
                _choice(get_named_type(type_from_ast(GRAPHQL_SCHEMA, node.type))),
            )
            for node in self._operation.variable_definitions or ()
        }

    def _keys(self, type_: GraphQLObjectType, selections: Sequence[SelectionNode]) -> tuple[ResultField, ...]:
        keys: dict[str, ResultField] = {}
        for field, node in self._own(type_, selections):
            name = node.alias.value if node.alias else node.name.value
            keys[name] = ResultField(
                name,
                field.description or "",
                self._shape(field.type, node),
                not is_non_null_type(field.type),
                bool(node.directives),
            )
        return tuple(keys.values())

    def _shape(self, type_: Any, node: FieldNode) -> ResultType:
        if isinstance(type_, GraphQLNonNull):
            return self._shape(type_.of_type, node)
        if isinstance(type_, GraphQLList):
            return ListType(self._shape(type_.of_type, node))
        choice = _choice(type_)
        if choice is not None:
            return choice
        if isinstance(type_, GraphQLObjectType) and node.selection_set:
            return ObjectType(type_.name, type_.description or "", self._keys(type_, node.selection_set.selections))
        return ScalarType(type_.name)

    def _fields(
        self, type_: GraphQLObjectType, selections: Sequence[SelectionNode]
    ) -> Iterator[tuple[GraphQLField, FieldNode]]:
        """Every field at whatever depth, from the outside in."""
        for field, node in self._own(type_, selections):
            yield field, node
            inner: Any = field.type
            while isinstance(inner, (GraphQLNonNull, GraphQLList)):
                inner = inner.of_type
            if isinstance(inner, GraphQLObjectType) and node.selection_set:
                yield from self._fields(inner, node.selection_set.selections)

    def _own(
        self, type_: GraphQLObjectType, selections: Sequence[SelectionNode]
    ) -> Iterator[tuple[GraphQLField, FieldNode]]:
        """The fields of one object, those in fragments too."""
        for node in selections:
            if isinstance(node, FieldNode):
                yield type_.fields[node.name.value], node
            elif isinstance(node, FragmentSpreadNode):
                yield from self._own(type_, self._fragments[node.name.value].selection_set.selections)
            elif isinstance(node, InlineFragmentNode):
                yield from self._own(type_, node.selection_set.selections)


def _choice(type_: object) -> EnumType | None:
    if not isinstance(type_, GraphQLEnumType):
        return None
    return EnumType(type_.name, type_.description or "", tuple(type_.values))


def _filled(field: GraphQLField, node: FieldNode) -> Iterator[tuple[str, GraphQLArgument]]:
    """The variables that stand as arguments of a field, with the arguments that they fill."""
    for argument in node.arguments or ():
        if isinstance(argument.value, VariableNode):
            yield argument.value.name.value, field.args[argument.name.value]
