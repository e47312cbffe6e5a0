"""Cache of documents that clients send: parsed and validated once, their cost checked at each request.

Parsing, validating and compiling take up to some tenths of a second of CPU. One thread does it for all requests, so
that the event loop goes on: it gets the interpreter back within `sys.getswitchinterval`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from cachetools import LRUCache
from graphql import DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode, parse

from schema.documents.cost_limits import MAX_TOKENS, DocumentCost, cost_of, limit_errors
from schema.execution.operation import InvalidDocument, Operation, definition_of
from schema.schema import GRAPHQL_SCHEMA

MAX_CACHED_CHARACTERS = 2**20
ENTRY_OVERHEAD = 2**12
"""The size of the cache in characters; each document counts its length and the overhead, so at most 256 fit.

A parsed document takes some twenty times the memory of its text."""


@dataclass(frozen=True)
class _CachedDocument:
    """A parsed document, validated when `outcome` is first read."""

    length: int
    document: DocumentNode
    definition: OperationDefinitionNode
    schema: GraphQLSchema

    @cached_property
    def outcome(self) -> Operation | Sequence[GraphQLError]:
        """The operation, or the errors of an invalid document."""
        name = self.definition.name
        try:
            return Operation(self.document, self.schema, name.value if name is not None else None)
        except InvalidDocument as error:
            # Not the exception: its traceback grows each time it is raised.
            return error.errors


class LimitExceeded(InvalidDocument):
    """A document above a cost limit, with its cost."""

    def __init__(self, errors: Sequence[GraphQLError], document: str, cost: DocumentCost) -> None:
        super().__init__(errors, document)
        self.cost = cost


class CostedOperation(NamedTuple):
    """An operation within the cost limits, and its cost with the variables of the request."""

    operation: Operation
    cost: DocumentCost


class DocumentCache:
    """LRU cache of operations. Without `introspection`, only `__typename` is allowed of the introspection fields."""

    def __init__(self, *, introspection: bool = True, schema: GraphQLSchema = GRAPHQL_SCHEMA) -> None:
        self._introspection = introspection
        self._schema = schema
        self._thread = ThreadPoolExecutor(1, "graphql-documents")
        self._entries: LRUCache[tuple[str, str | None], _CachedDocument] = LRUCache(
            MAX_CACHED_CHARACTERS, lambda entry: min(entry.length + ENTRY_OVERHEAD, MAX_CACHED_CHARACTERS)
        )

    async def prepare(self, text: str, name: str | None, variables: Mapping[str, Any]) -> CostedOperation:
        """Like `find`, in the thread; the operation is compiled for these variables. Raises InvalidDocument."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._prepare, text, name, variables)

    def _prepare(self, text: str, name: str | None, variables: Mapping[str, Any]) -> CostedOperation:
        costed = self.find(text, name, variables)
        costed.operation.compile_for(variables)
        return costed

    def find(self, text: str, name: str | None, variables: Mapping[str, Any]) -> CostedOperation:
        """The operation called `name`, or the only one of a document. Raises InvalidDocument. Not thread-safe.

        Limits are checked before validation, which is expensive for large documents.
        """
        entry = self._entries.get((text, name))
        if entry is None:
            entry = self._entries[text, name] = self._parse(text, name)
        cost, errors = cost_of(entry.document, entry.definition, variables, self._schema)
        errors += limit_errors(cost)
        if cost.introspections and not self._introspection:
            errors.append(GraphQLError("Introspection is off."))
        if errors:
            raise LimitExceeded(errors, text, cost)
        if not isinstance(entry.outcome, Operation):
            raise InvalidDocument(entry.outcome, text)
        return CostedOperation(entry.outcome, cost)

    def _parse(self, text: str, name: str | None) -> _CachedDocument:
        try:
            document = parse(
                text, max_lexical_tokens=MAX_TOKENS, max_comments=MAX_TOKENS, allow_empty_selection_sets=False
            )
            _unlink_tokens(document)
            return _CachedDocument(len(text), document, definition_of(document, name), self._schema)
        except GraphQLError as error:
            raise InvalidDocument([error], text) from error


def _unlink_tokens(document: DocumentNode) -> None:
    """Break the chain of tokens, which refer to each other: a dropped document is freed without the garbage collector.

    Errors take their locations from offsets, not from tokens.
    """
    token = document.loc.start_token if document.loc is not None else None
    while token is not None:
        following = token.next
        token.prev = token.next = None
        token = following
