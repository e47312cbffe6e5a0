"""Documents that come from outside: judged each time, parsed and validated once, kept while they are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from cachetools import LRUCache
from graphql import DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode, parse

from schema.documents.cost_limits import MOST_TOKENS, DocumentCost, cost_of, refusals
from schema.execution.operation import InvalidDocument, Operation, definition_of
from schema.schema import GRAPHQL_SCHEMA

MOST_KEPT, EACH_KEPT = 2**20, 2**12
"""What is kept of documents: so many characters, while each counts for some more than it has. So these are 256 at most,
and fewer where they are long: a document takes some twenty times the memory of its text."""


@dataclass(frozen=True)
class _Parsed:
    """An operation of a document that may yet prove invalid."""

    length: int
    document: DocumentNode
    definition: OperationDefinitionNode
    schema: GraphQLSchema

    @cached_property
    def outcome(self) -> Operation | Sequence[GraphQLError]:
        name = self.definition.name
        try:
            return Operation(self.document, self.schema, name.value if name is not None else None)
        except InvalidDocument as error:
            # Not the exception: each time that one is raised it holds on to more.
            return error.errors


class CostedOperation(NamedTuple):
    """An operation that may be executed, and how much it asks for with its variables."""

    operation: Operation
    size: DocumentCost


class DocumentCache:
    """What is asked ad hoc. Without `introspection`, nothing of the schema can be asked but the names of types."""

    def __init__(self, *, introspection: bool = True, schema: GraphQLSchema = GRAPHQL_SCHEMA) -> None:
        self._introspection = introspection
        self._schema = schema
        self._kept: LRUCache[tuple[str, str | None], _Parsed] = LRUCache(
            MOST_KEPT, lambda kept: min(kept.length + EACH_KEPT, MOST_KEPT)
        )

    def find(self, text: str, name: str | None, variables: Mapping[str, Any]) -> CostedOperation:
        """The operation called `name`, or the only one of a document. Raises InvalidDocument.

        Limits come before validation, so that whatever that costs is spent on documents of a moderate size only.
        """
        parsed = self._kept.get((text, name))
        if parsed is None:
            parsed = self._kept[text, name] = self._parse(text, name)
        size, errors = cost_of(parsed.document, parsed.definition, variables, self._schema)
        errors += refusals(size)
        if size.introspections and not self._introspection:
            errors.append(GraphQLError("Introspection is off."))
        if errors:
            raise InvalidDocument(errors, text)
        if not isinstance(parsed.outcome, Operation):
            raise InvalidDocument(parsed.outcome, text)
        return CostedOperation(parsed.outcome, size)

    def _parse(self, text: str, name: str | None) -> _Parsed:
        try:
            document = parse(
                text, max_lexical_tokens=MOST_TOKENS, max_comments=MOST_TOKENS, allow_empty_selection_sets=False
            )
            return _Parsed(len(text), document, definition_of(document, name), self._schema)
        except GraphQLError as error:
            raise InvalidDocument([error], text) from error
