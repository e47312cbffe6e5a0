"""`assert_error`: the error envelope of the REST API."""

from typing import Any

import httpx2 as httpx

from rest_facade.errors.refusals import Code

NO_API_KEY = "Invalid API key. Send it once, in the header X-SERVICE-API-KEY."
KEY_NOT_ALONE = "Invalid API key. Send it without Bearer, quotes and other characters."
CHALLENGE = 'ApiKey header="X-SERVICE-API-KEY"'

seen: set[str] = set()
"""The request ids of this run, to check that all differ."""


def assert_error(
    response: httpx.Response, status: int, code: str, message: str | None = None, details: Any = None
) -> None:
    """Assert that a response is an error: its envelope with nothing else in it, and its headers."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    assert "server" not in response.headers
    body = response.json()
    assert set(body) == {"error"}
    error = body["error"]
    optional = {"details"} if code == "VALIDATION_ERROR" else set()
    required = {"code", "message", "request_id"} | ({"retry_after_seconds"} if code == "RATE_LIMIT_EXCEEDED" else set())
    assert required <= set(error) <= required | optional
    assert error["code"] == code
    assert error["code"] in list(Code)
    assert error["message"]
    assert response.headers.get("www-authenticate") == (CHALLENGE if status == 401 else None)
    if message is not None:
        assert error["message"] == message
    if details is not None:
        assert error["details"] == details
    assert error["request_id"] == response.headers["x-request-id"]
    assert error["request_id"] not in seen
    seen.add(error["request_id"])
