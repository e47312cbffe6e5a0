"""REST calls over HTTP, to a service elsewhere: `orgdata mcp --url`. Imports nothing of the server."""

from typing import Any, Self

import httpx2 as httpx

from rest_facade.errors.envelope import Error, new_request_id
from rest_facade.errors.refusals import RETRY_SECONDS, Code
from rest_facade.mcp.rest_calls import RestAnswer

TIMEOUT_SECONDS = 30.0
"""Time for one request; the service itself ends a request within ten seconds."""

UNREACHABLE = Error(
    503, Code.SERVICE_UNAVAILABLE, "The service could not be reached.", {"Retry-After": str(RETRY_SECONDS)}
)
NO_SERVICE = Error(
    503, Code.SERVICE_UNAVAILABLE, "The address answers, but not as this service.", {"Retry-After": "60"}
)


class RemoteCalls:
    """Requests to the service at `url`, such as https://host, with one key. Use it as an asynchronous context."""

    def __init__(self, url: str, key: str) -> None:
        # Redirects are not followed: another host must not get the key.
        self._http = httpx.AsyncClient(
            base_url=url, headers={"X-SERVICE-API-KEY": key}, timeout=TIMEOUT_SECONDS, follow_redirects=False
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def scopes(self, context: Any) -> frozenset[str] | None:
        """None: the API does not tell the scopes of a key, so that all tools are listed."""
        return None

    def call(self, context: Any) -> "RemoteCalls":
        """The requests of one call of a tool; each of them counts for the quota."""
        return self

    async def get(self, path: str, query: str) -> RestAnswer:
        """The response to a request; 503 if the address does not answer as the service."""
        try:
            response = await self._http.get(f"{path}?{query}" if query else path)
        except httpx.HTTPError:
            return _refusal(UNREACHABLE)
        answer = RestAnswer(response.status_code, response.content, response.headers)
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        if not is_json or (answer.is_error and b'"error"' not in answer.body):
            return _refusal(NO_SERVICE)
        return answer


def _refusal(error: Error) -> RestAnswer:
    request_id = new_request_id()
    return RestAnswer(error.status, error.body(request_id), {"X-Request-ID": request_id, **error.headers})
