"""REST calls over HTTP, to a service elsewhere: `orgdata mcp --url`. Imports nothing of the server."""

from dataclasses import replace

import httpx2 as httpx

from rest_facade.errors.refusals import SCOPES_HEADER, SERVICE_UNAVAILABLE, TOO_LARGE
from rest_facade.mcp.calls import Call, RestAnswer, call_refusal, refused_call

TIMEOUT_SECONDS = 30.0
"""Time for one request; the service itself ends a request within ten seconds."""

UNREACHABLE = replace(SERVICE_UNAVAILABLE, message="The service could not be reached.")
NO_SERVICE = replace(
    SERVICE_UNAVAILABLE, message="The address answers, but not as this service.", headers={"Retry-After": "60"}
)

SCOPES_PATH = "/v1/organization/"
"""Every response to an MCP key has its scopes in a header, also where the scope of the path is not among them."""


class RemoteCalls:
    """Requests to the service that `http` is opened for, with one key. Each of them counts for the quota."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def scopes(self) -> frozenset[str] | None:
        """The scopes of the key; None for all. Raises CallRefused for a key that is not valid."""
        answer = await self._send(SCOPES_PATH, "")
        if SCOPES_HEADER in answer.headers:
            return frozenset(answer.headers[SCOPES_HEADER].split())
        if answer.status != 200:
            raise call_refusal(answer)
        return None

    def call(self) -> Call:
        """The requests of one call of a tool."""
        return Call(self._send)

    async def _send(self, path: str, query: str) -> RestAnswer:
        try:
            response = await self._http.get(f"{path}?{query}" if query else path)
        except httpx.HTTPError as error:
            raise refused_call(UNREACHABLE) from error
        except httpx.InvalidURL as error:
            # The library refuses a longer one than the service.
            raise refused_call(TOO_LARGE) from error
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        if not is_json or (response.status_code != 200 and b'"error"' not in response.content):
            raise refused_call(NO_SERVICE)
        return RestAnswer(response.status_code, response.content, response.headers)


def http_client(url: str, key: str) -> httpx.AsyncClient:
    """A client of the service at `url`. Redirects are not followed: another host must not get the key."""
    return httpx.AsyncClient(
        base_url=url, headers={"X-SERVICE-API-KEY": key}, timeout=TIMEOUT_SECONDS, follow_redirects=False
    )
