"""Internals of uvicorn: the responses of ours equal those of uvicorn, and a whole one is one write.

`test_http_protocol.py` covers the connection.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, cast

import pytest
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from rest_facade.server.uvicorn_internals import WholeResponseCycle

LENGTH, CHUNKED = (b"content-length", b"2"), (b"transfer-encoding", b"chunked")


class RecordingTransport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.is_closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def close(self) -> None:
        self.is_closed = True


async def written(
    type_: type[RequestResponseCycle],
    messages: Sequence[dict[str, Any]],
    *,
    method: str = "GET",
    keep_alive: bool = True,
    default_headers: Sequence[tuple[bytes, bytes]] = ((b"date", b"Mon, 23 Nov 2026 12:00:00 GMT"),),
) -> RecordingTransport:
    """What a cycle writes for the messages of an application."""
    transport, ended, log = RecordingTransport(), asyncio.Event(), logging.getLogger("test")
    cycle = RequestResponseCycle(
        scope=cast("Any", {"type": "http", "method": method}),
        transport=transport,
        flow=FlowControl(transport),
        logger=log,
        access_logger=log,
        access_log=False,
        default_headers=[*default_headers],
        message_event=asyncio.Event(),
        expect_100_continue=False,
        keep_alive=keep_alive,
        on_response=ended.set,
    )
    cycle.__class__ = type_
    for message in messages:
        await cycle.send(cast("Any", message))
    assert ended.is_set() is cycle.response_complete
    assert cycle.message_event.is_set() is cycle.response_complete
    return transport


def start(*headers: tuple[bytes, bytes], status: int = 200) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": [*headers]}


def body(data: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}


async def test_whole_response_is_one_write() -> None:
    transport = await written(WholeResponseCycle, [start(LENGTH), body(b"{}")])
    head = b"HTTP/1.1 200 OK\r\ndate: Mon, 23 Nov 2026 12:00:00 GMT\r\ncontent-length: 2\r\n\r\n"
    assert (transport.written, transport.is_closed) == ([head + b"{}"], False)


RESPONSES: dict[str, tuple[Sequence[dict[str, Any]], dict[str, Any]]] = {
    "whole": ([start(LENGTH), body(b"{}")], {}),
    "no body": ([start(status=304), body(b"")], {}),
    "no length": ([start(), body(b"{}")], {}),
    "pieces": ([start(LENGTH), body(b"{", more=True), body(b"}")], {}),
    "chunks": ([start(CHUNKED), body(b"{}", more=True), body(b"")], {}),
    "HEAD": ([start(LENGTH), body(b"{}")], {"method": "HEAD"}),
    "POST": ([start(LENGTH), body(b"{}")], {"method": "POST"}),
    "last of a connection": ([start(LENGTH), body(b"{}")], {"keep_alive": False}),
    "draining": ([start(LENGTH), body(b"{}")], {"default_headers": [(b"connection", b"close")]}),
    "head alone": ([start()], {"keep_alive": False}),
}


@pytest.mark.parametrize(("messages", "options"), RESPONSES.values(), ids=RESPONSES)
async def test_bytes_equal_those_of_uvicorn(messages: Sequence[dict[str, Any]], options: dict[str, Any]) -> None:
    ours = await written(WholeResponseCycle, messages, **options)
    theirs = await written(RequestResponseCycle, messages, **options)
    # The head of a response without a body waits for it.
    expected = b"".join(theirs.written) if len(messages) > 1 else b""
    assert (b"".join(ours.written), ours.is_closed) == (expected, theirs.is_closed)


@pytest.mark.parametrize("value", [b"a\r\nb: c", b"a\nb", b"a\rb"])
async def test_line_break_in_a_header_is_refused(value: bytes) -> None:
    with pytest.raises(RuntimeError, match="line break"):
        await written(WholeResponseCycle, [start(LENGTH, (b"x", value)), body(b"{}")])
