"""Bytes of responses that clients have not read yet: counted by token, and bounded for the process."""

import asyncio
from collections import Counter

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import SERVICE_UNAVAILABLE

SMALL = 2**16
"""Bytes of a response that fits the buffers of its connection. It is not counted."""

WAIT_SECONDS = 1.0
"""Seconds that a response waits until others are read."""


class UnreadBytes:
    """At most `maximum` bytes. A token may have as many as it leaves free: half, as long as it is the only one.

    The next token may have half of the rest. So tokens that read nothing always leave some to others.
    """

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._by_token: Counter[str] = Counter()
        self._largest: dict[str, int] = {}
        """The largest response of each token that has unread ones."""
        self._removed = asyncio.Event()

    def has_room(self, token: str, size: int) -> bool:
        """Whether the token may have `size` more bytes."""
        return self._by_token[token] + size <= self._maximum - self._by_token.total() - size

    def may_begin(self, token: str, running: int) -> bool:
        """Whether a token may begin a response, beside `running` ones that are not made yet.

        Each is taken to be as large as the largest that the token left unread: they take their memory while they are
        made, and their size is known at the end.
        """
        return self.has_room(token, max(1, self._largest.get(token, 0) * (running + 1)))

    async def add(self, token: str, size: int) -> int:
        """Count a response that will be written. Returns the bytes to `remove` when it was read.

        Raises Refused (503) if there is no room.
        """
        if size <= SMALL:
            return 0
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while not self.has_room(token, size):
                    await self._removed.wait()
        except TimeoutError as error:
            raise Refused(SERVICE_UNAVAILABLE) from error
        self._by_token[token] += size
        self._largest[token] = max(size, self._largest.get(token, 0))
        return size

    def remove(self, token: str, size: int) -> None:
        """The response was read, or its connection was lost."""
        self._by_token[token] -= size
        if not self._by_token[token]:
            del self._by_token[token], self._largest[token]
        self._removed.set()
        self._removed.clear()


class DrainedResponse(Response):
    """A response whose call returns once the transport has at most its low-water mark of it left.

    uvicorn waits for the transport before each write, and not after it. So nothing is written at the end, and waits.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
