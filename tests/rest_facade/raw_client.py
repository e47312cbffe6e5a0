"""A raw HTTP/1.1 client that sends its bytes unchanged: HTTP libraries normalize or refuse some of them."""

import re
import socket
from types import TracebackType
from typing import Self

import httpx2 as httpx

TIMEOUT = 10.0
"""Seconds after which a waiting test fails."""

STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5][0-9]{2}) [A-Za-z ]+\r\n")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([ -~]*)\r\n")


class Connection:
    """One connection to a listener."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address, timeout=TIMEOUT)
        self._incoming = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._incoming.close()
        self._socket.close()

    def send(self, *parts: bytes) -> None:
        for part in parts:
            self._socket.sendall(part)

    def read(self, method: str = "GET") -> httpx.Response:
        """The next response, parsed as strictly as RFC 9112 allows. A response to HEAD has no body."""
        line = self._incoming.readline()
        match = STATUS_LINE.fullmatch(line)
        assert match is not None, line
        status = int(match[1])
        headers: dict[bytes, bytes] = {}
        while (line := self._incoming.readline()) != b"\r\n":
            field = FIELD.fullmatch(line)
            assert field is not None, line
            assert field[1].lower() not in headers, f"{field[1]!r} was sent twice"
            headers[field[1].lower()] = field[2]
        if status == 204:
            assert b"content-length" not in headers
        bodiless = status == 204 or method == "HEAD"
        body = b"" if bodiless else self._incoming.read(int(headers[b"content-length"]))
        return httpx.Response(status, headers=list(headers.items()), content=body)

    def rest(self) -> bytes:
        """All further bytes until the listener closes the connection."""
        return self._incoming.read()


def request(target: str, *headers: str, method: str = "GET", key: str | None = None) -> bytes:
    """The head of a request, unchecked."""
    lines = [f"{method} {target} HTTP/1.1", "Host: testserver", *headers]
    if key is not None:
        lines.append(f"X-SERVICE-API-KEY: {key}")
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1")
