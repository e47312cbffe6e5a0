"""The error envelope of every refusal, and the exception that carries a refusal to where the response is built.

{"error": {"code": ..., "message": ..., "request_id": ..., ["retry_after_seconds": ...], ["details": ...]}}
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, partial
from secrets import token_hex
from typing import Any

import orjson

RawHeaders = Mapping[bytes, bytes]
"""Headers in the form of ASGI: names in lower case."""


def raw_headers(headers: Mapping[str, str]) -> RawHeaders:
    """Headers in the form of ASGI."""
    return {name.lower().encode(): value.encode("latin-1") for name, value in headers.items()}


@dataclass(frozen=True)
class Error:
    """An error response: status, code, message and headers. REST has the codes of `Code` only; GraphQL has more."""

    status: int
    code: StrEnum
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)
    retry_after_seconds: int | None = None
    details: Mapping[str, Any] | None = None

    @cached_property
    def raw_headers(self) -> RawHeaders:
        """The headers of the response, and the one that all errors have, in the form of ASGI."""
        return raw_headers({**self.headers, "Cache-Control": "no-store"})

    def body(self, request_id: str) -> bytes:
        """The error envelope (spec, Error envelope)."""
        error: dict[str, Any] = {"code": self.code, "message": self.message, "request_id": request_id}
        if self.retry_after_seconds is not None:
            error["retry_after_seconds"] = self.retry_after_seconds
        if self.details is not None:
            error["details"] = self.details
        return orjson.dumps({"error": error})


class Refused(Exception):
    """Raised by a step to end the request with an error; caught where the response is built."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.message)
        self.error = error


new_request_id = partial(token_hex, 16)
"""Returns a new request id. It never comes from the client, who could forge entries of the log with it."""
