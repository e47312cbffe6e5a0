"""Cache of the responses to `tools/list`: the SDK needs milliseconds for 40 KB, which depend on the scopes only.

The key of an entry is all that the SDK's response depends on: scopes, message and headers. So the cache needs to know
nothing of the protocol and its versions.
"""

from typing import Any, NamedTuple

import orjson
from cachetools import LRUCache
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rest_facade.access.authentication import Caller

MAX_MESSAGE = 64 * 1024
"""Bytes of a message at most. A list of 100 ids takes about 4,000."""

MAX_ENTRIES = 32
"""Responses at most, up to 100 KB each. The least recently used is evicted first."""

METHOD = "tools/list"
HEADERS = frozenset({b"accept", b"content-type"})
HEADER_PREFIX = b"mcp-"
"""Headers that the SDK reads, apart from those about the connection."""

Key = tuple[frozenset[str] | None, bytes, tuple[tuple[bytes, bytes], ...]]


class Listing(NamedTuple):
    """A request for the list: its id, and the key of its response."""

    id: int | str
    key: Key


class ListingCache:
    """Passes messages on to the SDK's application, but for lists of tools that it has sent before."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._results: LRUCache[Key, bytes] = LRUCache(MAX_ENTRIES)

    async def respond(self, caller: Caller, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one message of an authenticated caller."""
        messages, body = await _read(receive)
        listing = _listing(caller, scope, body)
        result = None if listing is None else self._results.get(listing.key)
        if listing is not None and result is not None:
            await _send_result(send, listing.id, result)
            return
        sent: list[Message] = []

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        async def record(message: Message) -> None:
            sent.append(message)
            await send(message)

        await self._app(scope, replay, send if listing is None else record)
        if listing is not None and (result := _result(sent, listing.id)) is not None:
            self._results[listing.key] = result


async def _read(receive: Receive) -> tuple[list[Message], bytes]:
    """The messages of a body, and the body; it ends early where it is too large, which the SDK refuses."""
    messages: list[Message] = []
    body = b""
    more = True
    while more and len(body) <= MAX_MESSAGE:
        message = await receive()
        messages.append(message)
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return messages, body


def _listing(caller: Caller, scope: Scope, body: bytes) -> Listing | None:
    """The request for the list in a body; None for any other message."""
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(message, dict) or message.get("method") != METHOD:
        return None
    id_ = message.pop("id", None)
    if isinstance(id_, bool) or not isinstance(id_, int | str):
        return None
    read = [(name, value) for name, value in scope["headers"] if name in HEADERS or name.startswith(HEADER_PREFIX)]
    return Listing(id_, (caller.scopes, orjson.dumps(message), tuple(sorted(read))))


def _result(sent: list[Message], id_: int | str) -> bytes | None:
    """The result in a complete response of the SDK; None for an error."""
    if not sent or sent[0].get("status") != 200 or sent[-1].get("more_body", False):
        return None
    try:
        response: Any = orjson.loads(b"".join(message.get("body", b"") for message in sent))
    except orjson.JSONDecodeError:
        return None
    if not isinstance(response, dict) or response.get("id") != id_ or set(response) != {"jsonrpc", "id", "result"}:
        return None
    return orjson.dumps(response["result"])


async def _send_result(send: Send, id_: int | str, result: bytes) -> None:
    body = b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (orjson.dumps(id_), result)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
