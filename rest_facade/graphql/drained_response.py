"""Response that ends when the client has read it."""

from starlette.responses import Response
from starlette.types import Receive, Scope, Send


class DrainedResponse(Response):
    """A response whose call returns once the transport has at most its low-water mark of it left.

    uvicorn waits for the transport before each write, and not after it. So nothing is written at the end, and waits.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
