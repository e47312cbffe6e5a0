"""Types of the result and the variables of a document, with the descriptions of the schema.

OpenAPI and MCP are generated from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLOutputType, get_named_type, get_nullable_type, is_list_type, is_non_null_type, parse
from graphql.language import ast

from schema.documents.endpoint_document import EMBEDDED
from schema.execution.compiler import response_key
from schema.schema import GRAPHQL_SCHEMA

PARTS: Mapping[tuple[str, frozenset[str]], tuple[str, str]] = {
    ("Member", frozenset(EMBEDDED["Member"].split())): ("User", "A person, embedded in the rows about that person.")
}
"""Selections of a type that have a name and a description of their own, by the type and the selected keys."""


@dataclass(frozen=True)
class ResultField:
    """One key of an object. An optional key has @include or @skip, so it may be absent.

    `keys` are those that the document selects of the object, or of each object of the list.
    """

    name: str
    description: str
    type: GraphQLOutputType
    is_optional: bool
    keys: tuple["ResultField", ...]

    @property
    def is_nullable(self) -> bool:
        return not is_non_null_type(self.type)

    @property
    def is_list(self) -> bool:
        return is_list_type(get_nullable_type(self.type))

    @property
    def object_type(self) -> tuple[str, str]:
        """The name and the description of the type of the objects."""
        named: Any = get_named_type(self.type)
        return PARTS.get((named.name, frozenset(key.name for key in self.keys)), (named.name, named.description or ""))


class DocumentTypes:
    """The types of the document of an endpoint: one operation, without fragments.

    `result` is the field at `Operation.result_path`. `descriptions` has that of the argument of each variable by name.
    """

    def __init__(self, document: str) -> None:
        (operation,) = parse(document, no_location=True).definitions
        assert isinstance(operation, ast.OperationDefinitionNode)
        self.descriptions: dict[str, str] = {}
        self.result = self._keys(GRAPHQL_SCHEMA.query_type, operation.selection_set)[0]
        while len(self.result.keys) == 1 and not self.result.is_list:
            self.result = self.result.keys[0]

    def _keys(self, type_: Any, selection_set: ast.SelectionSetNode | None) -> tuple[ResultField, ...]:
        keys = []
        for node in selection_set.selections if selection_set is not None else ():
            assert isinstance(node, ast.FieldNode)
            field = type_.fields[node.name.value]
            for argument in node.arguments or ():
                if isinstance(argument.value, ast.VariableNode):
                    description = field.args[argument.name.value].description or ""
                    self.descriptions.setdefault(argument.value.name.value, description)
            name, inner = response_key(node), self._keys(get_named_type(field.type), node.selection_set)
            keys.append(ResultField(name, field.description or "", field.type, bool(node.directives), inner))
        return tuple(keys)
