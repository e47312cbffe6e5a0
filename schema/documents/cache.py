"""Cache of documents that clients send: parsed and validated once, their cost checked at each request.

Parsing, validating and compiling take up to some tenths of a second of CPU. One thread does it for all requests, so
that the event loop goes on: it gets the interpreter back within `sys.getswitchinterval`. Tokens take turns: each has
one document at a time in the queue of the thread.

Documents that differ in comments and white space are one document: they have the same tokens.
"""

import asyncio
import gc
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast
from weakref import WeakValueDictionary

from graphql import DocumentNode, GraphQLError, NameNode, Node, OperationDefinitionNode, Token, TokenKind, parse

from schema.documents.cost_limits import MAX_TOKENS, checked_cost
from schema.documents.document_cost import DocumentCost
from schema.documents.document_id import sha256_hex
from schema.documents.team_cache import TeamCache
from schema.documents.variable_limits import variable_errors
from schema.execution.arguments import CoercedVariables
from schema.execution.operation import InvalidDocument, Operation, definition_of

MAX_CACHED_CHARACTERS = 2**20
ENTRY_OVERHEAD = 2**12
TOKEN_OVERHEAD = 2**5
"""The size of the cache in characters; each document counts its length, its tokens and the overhead: at most 256 fit.

A token leaves some four objects, of which a full collection goes through two million in a second."""

COLLECTIONS_BEFORE_FULL = 100
"""Collections of the second generation before one of all objects, which holds the event loop for some 40 ms.

That is one in a thousand new documents, which leave some 3 MB: the classes of the rows of dropped statements."""

DocumentKey = tuple[str, str | None]
"""The hash of a text or of its tokens, and the name of the operation."""


def collect_garbage() -> None:
    """Collect the youngest generation of objects, and an older one when it is due.

    A validation leaves a thousand objects in circles. Those of ten documents would hold the event loop for 70 ms when
    Python collects them. After this it would hardly collect older ones: it counts objects from the last collection on.
    """
    _, second, oldest = gc.get_count()
    gc.collect(2 if oldest > COLLECTIONS_BEFORE_FULL else 1 if second > gc.get_threshold()[1] else 0)


@dataclass(frozen=True)
class _CachedDocument:
    """A parsed document, validated when `outcome` is first read."""

    text: str
    document: DocumentNode
    definition: OperationDefinitionNode

    @cached_property
    def outcome(self) -> Operation | Sequence[GraphQLError]:
        """The operation, or the errors of an invalid document."""
        name = self.definition.name
        try:
            operation = Operation(self.document, name=name.value if name is not None else None)
        except InvalidDocument as error:
            # Not the exception: its traceback grows each time it is raised.
            return error.errors
        else:
            _drop_tokens(self.document)
            return operation
        finally:
            collect_garbage()


def _drop_tokens(document: DocumentNode) -> None:
    """Drop the tokens and the places of names of a valid document, a third of what a full collection goes through."""
    nodes: list[Node] = [document]
    while nodes:
        node = nodes.pop()
        if isinstance(node, NameNode):
            object.__setattr__(node, "loc", None)
            continue
        if node.loc is not None:
            # graphql-core declares tokens as always there; errors read `start` and `source` alone.
            node.loc.start_token = node.loc.end_token = cast("Any", None)
        for key in node.keys:
            value = getattr(node, key)
            children = value if isinstance(value, (list, tuple)) else [value]
            nodes += [each for each in children if isinstance(each, Node)]


class LimitExceeded(InvalidDocument):
    """A document above a cost limit, with its cost."""

    def __init__(self, errors: Sequence[GraphQLError], document: str, cost: DocumentCost) -> None:
        super().__init__(errors, document)
        self.cost = cost


class CostedOperation(NamedTuple):
    """An operation within the cost limits, its cost, the coerced variables of the request, and whether it is heavy."""

    operation: Operation
    cost: DocumentCost
    variables: CoercedVariables
    is_heavy: bool


class DocumentCache:
    """LRU cache of operations. Without `introspection`, only `__typename` is allowed of the introspection fields."""

    def __init__(self, *, introspection: bool = True) -> None:
        self._introspection = introspection
        self._thread = ThreadPoolExecutor(1, "graphql-documents")
        self._by_text: TeamCache[DocumentKey, _CachedDocument] = TeamCache(MAX_CACHED_CHARACTERS)
        self._by_tokens: WeakValueDictionary[DocumentKey, _CachedDocument] = WeakValueDictionary()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def prepare(
        self, text: str, name: str | None, variables: Mapping[str, Any], team: str, *, token: str
    ) -> CostedOperation:
        """Like `find`, in the thread, for a call of a token. Raises InvalidDocument."""
        async with self._turns.setdefault(token, asyncio.Lock()):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self.find, text, name, variables, team)

    def find(self, text: str, name: str | None, variables: Mapping[str, Any], team: str = "") -> CostedOperation:
        """The operation called `name`, or the only one of a document, compiled for these variables.

        Limits are checked before validation, which is expensive for large documents. A new document counts for `team`.
        Raises InvalidDocument. Not thread-safe.
        """
        key = (sha256_hex(text), name)
        entry = self._by_text.get(key)
        if entry is None:
            parsed, tokens = _parse(text, name)
            entry = self._by_tokens.setdefault((sha256_hex(tokens), name), parsed)
            size = ENTRY_OVERHEAD + len(text) + TOKEN_OVERHEAD * tokens.count("\n")
            self._by_text.put(key, entry, size, team)
        try:
            return self._costed(entry, text, variables)
        except InvalidDocument:
            if entry.text == text:
                raise
            # Errors have locations in the text that was sent.
            return self._costed(_parse(text, name)[0], text, variables)

    def _costed(self, entry: _CachedDocument, text: str, variables: Mapping[str, Any]) -> CostedOperation:
        cost, errors = checked_cost(entry.document, entry.definition, variables)
        if cost.introspections and not self._introspection:
            errors.append(GraphQLError("Introspection is off."))
        errors += variable_errors(variables)
        if errors:
            raise LimitExceeded(errors, text, cost)
        if not isinstance(entry.outcome, Operation):
            raise InvalidDocument(entry.outcome, text)
        coerced = entry.outcome.coerce(variables)
        return CostedOperation(entry.outcome, cost, coerced, entry.outcome.compile_for(coerced))


def _parse(text: str, name: str | None) -> tuple[_CachedDocument, str]:
    """A document, and its tokens without comments, a line each. Raises InvalidDocument."""
    try:
        document = parse(text, max_lexical_tokens=MAX_TOKENS, max_comments=MAX_TOKENS, allow_empty_selection_sets=False)
        tokens = "\n".join(_unlinked_tokens(document))
        return _CachedDocument(text, document, definition_of(document, name)), tokens
    except GraphQLError as error:
        raise InvalidDocument([error], text) from error


def _unlinked_tokens(document: DocumentNode) -> Iterator[str]:
    """The tokens without comments. Breaks their chain: a dropped document is freed without the garbage collector."""
    assert document.loc is not None
    token: Token | None = document.loc.start_token
    while token is not None:
        if token.kind is not TokenKind.COMMENT:
            yield document.loc.source.body[token.start : token.end]
        following = token.next
        token.prev = token.next = None
        token = following
