"""HTTP requests as bytes, and a client that sends one of them."""

import http.client
import json
from collections.abc import Mapping
from typing import Any

HOST = "bench.example"

SECONDS = 30


def get(path: str, headers: Mapping[str, str] | None = None, method: str = "GET") -> bytes:
    """A request without a body."""
    fields = {"Host": HOST, "User-Agent": "bench", "Accept": "*/*", **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def post(path: str, body: Any, headers: Mapping[str, str] | None = None) -> bytes:
    """A POST request with a JSON body."""
    text = json.dumps(body).encode()
    fields = {"Content-Type": "application/json", "Content-Length": str(len(text)), **(headers or {})}
    return get(path, fields, "POST") + text


def send(port: int, request: bytes) -> tuple[int, Any]:
    """Send one request. Returns the status and the JSON of the response."""
    status, body = receive(port, request)
    return status, json.loads(body) if body else None


def receive(port: int, request: bytes) -> tuple[int, bytes]:
    """Send one request. Returns the status and the body of the response."""
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, path, _ = first.split(" ")
    headers = dict(line.split(": ", 1) for line in lines)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request(method, path, body or None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
