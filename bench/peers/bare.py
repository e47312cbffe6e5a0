"""A bare ASGI application with a constant body: the cost of HTTP on this machine."""

from starlette.types import Receive, Scope, Send

from bench.peers.serve import arguments, serve

HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"2")]


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": b"{}"})


if __name__ == "__main__":
    serve(app, arguments()[1], lifespan=False)
