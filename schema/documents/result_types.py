"""Types of the result and the variables of a document, with the descriptions of the schema.

OpenAPI and MCP are generated from them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    get_named_type,
    is_non_null_type,
    parse,
    type_from_ast,
    value_from_ast_untyped,
)
from graphql.language import ast

from schema.schema import GRAPHQL_SCHEMA

PARTS: Mapping[tuple[str, frozenset[str]], tuple[str, str]] = {
    ("Member", frozenset({"user_id", "email", "full_name"})): (
        "User",
        "A person, embedded in the rows about that person.",
    )
}
"""Selections of a type that have a name and a description of their own, by the type and the selected keys."""


@dataclass(frozen=True)
class ScalarType:
    """A scalar, by the name of its GraphQL type (see `schema.scalars`)."""

    name: str


@dataclass(frozen=True)
class EnumType:
    """An enumeration, with the description of each value."""

    name: str
    description: str
    values: tuple[str, ...]
    value_descriptions: tuple[str, ...]


@dataclass(frozen=True)
class ListType:
    """A list; no list of the schema has null items."""

    item: "ResultType"


@dataclass(frozen=True)
class ObjectType:
    """An object type with the keys that the document selects."""

    name: str
    description: str
    keys: tuple["ResultField", ...]


ResultType = ScalarType | EnumType | ListType | ObjectType


@dataclass(frozen=True)
class ResultField:
    """One key of an object. An optional key has @include or @skip, so it may be absent."""

    name: str
    description: str
    type: ResultType
    is_nullable: bool
    is_optional: bool


@dataclass(frozen=True)
class VariableType:
    """A variable of a document: the description of its argument, its default, and its enumeration.

    The last two are None if it has none.
    """

    description: str
    default: Any
    enum: EnumType | None


class DocumentTypes:
    """The types of a valid document with one operation."""

    def __init__(self, document: str) -> None:
        self._document: ast.DocumentNode = parse(document, no_location=True)
        nodes = self._document.definitions
        self._fragments = {node.name.value: node for node in nodes if isinstance(node, ast.FragmentDefinitionNode)}
        (self._operation,) = [node for node in nodes if isinstance(node, ast.OperationDefinitionNode)]
        assert GRAPHQL_SCHEMA.query_type
        self._query = GRAPHQL_SCHEMA.query_type

    def result(self) -> ResultField:
        """The field at `Operation.result_path`."""
        key = self._keys(self._query, self._operation.selection_set.selections)[0]
        while isinstance(key.type, ObjectType) and len(key.type.keys) == 1:
            key = key.type.keys[0]
        return key

    def variables(self) -> Mapping[str, VariableType]:
        """The variables by name."""
        descriptions: dict[str, str] = {}
        for field, node in self._all_fields(self._query, self._operation.selection_set.selections):
            for argument in node.arguments or ():
                if isinstance(argument.value, ast.VariableNode):
                    description = field.args[argument.name.value].description or ""
                    descriptions.setdefault(argument.value.name.value, description)
        return {
            node.variable.name.value: VariableType(
                descriptions.get(node.variable.name.value, ""),
                None if node.default_value is None else value_from_ast_untyped(node.default_value),
                _enum(get_named_type(type_from_ast(GRAPHQL_SCHEMA, node.type))),
            )
            for node in self._operation.variable_definitions or ()
        }

    def _keys(self, type_: GraphQLObjectType, selections: Sequence[ast.SelectionNode]) -> tuple[ResultField, ...]:
        keys: dict[str, ResultField] = {}
        for field, node in self._selected_fields(type_, selections):
            name = node.alias.value if node.alias else node.name.value
            keys[name] = ResultField(
                name,
                field.description or "",
                self._type(field.type, node),
                not is_non_null_type(field.type),
                bool(node.directives),
            )
        return tuple(keys.values())

    def _type(self, type_: Any, node: ast.FieldNode) -> ResultType:
        if isinstance(type_, GraphQLNonNull):
            return self._type(type_.of_type, node)
        if isinstance(type_, GraphQLList):
            return ListType(self._type(type_.of_type, node))
        enum = _enum(type_)
        if enum is not None:
            return enum
        if isinstance(type_, GraphQLObjectType) and node.selection_set:
            keys = self._keys(type_, node.selection_set.selections)
            whole = (type_.name, type_.description or "")
            return ObjectType(*PARTS.get((type_.name, frozenset(key.name for key in keys)), whole), keys)
        return ScalarType(type_.name)

    def _all_fields(
        self, type_: GraphQLObjectType, selections: Sequence[ast.SelectionNode]
    ) -> Iterator[tuple[GraphQLField, ast.FieldNode]]:
        """All fields at any depth, outer ones first."""
        for field, node in self._selected_fields(type_, selections):
            yield field, node
            inner = get_named_type(field.type)
            if isinstance(inner, GraphQLObjectType) and node.selection_set:
                yield from self._all_fields(inner, node.selection_set.selections)

    def _selected_fields(
        self, type_: GraphQLObjectType, selections: Sequence[ast.SelectionNode]
    ) -> Iterator[tuple[GraphQLField, ast.FieldNode]]:
        """The fields selected of one object, also those in fragments."""
        for node in selections:
            if isinstance(node, ast.FieldNode):
                yield type_.fields[node.name.value], node
            elif isinstance(node, ast.FragmentSpreadNode):
                yield from self._selected_fields(type_, self._fragments[node.name.value].selection_set.selections)
            elif isinstance(node, ast.InlineFragmentNode):
                yield from self._selected_fields(type_, node.selection_set.selections)


def _enum(type_: object) -> EnumType | None:
    if not isinstance(type_, GraphQLEnumType):
        return None
    texts = tuple(value.description or "" for value in type_.values.values())
    return EnumType(type_.name, type_.description or "", tuple(type_.values), texts)
