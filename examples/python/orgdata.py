"""Over the client that openapi-python-client generates: walk pages, wait for the quota, poll for changes."""

import random
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from orgdata_client import AuthenticatedClient

OVERLAP = timedelta(minutes=1)  # transactions become visible up to a minute after the time of their change


class Refused(Exception):
    def __init__(self, response: Any) -> None:
        super().__init__(f"{int(response.status_code)}: {response.content.decode()}")
        self.status = int(response.status_code)


def connect(base_url: str, key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url, token=key, prefix="", auth_header_name="X-SERVICE-API-KEY")


def call(operation: Any, client: AuthenticatedClient, *ids: Any, **query: Any) -> Any:
    """The response of an operation. It waits as long as the service asks for (429 and 503)."""
    while (response := operation.sync_detailed(*ids, client=client, **query)).status_code in (429, 503):
        time.sleep(float(response.headers.get("Retry-After", 5)) + random.random())
    if response.status_code != 200:
        raise Refused(response)
    return response


def pages(operation: Any, client: AuthenticatedClient, *ids: Any, **query: Any) -> Iterator[Any]:
    """The responses of a list, page by page: `next` has the page and its token, `next_cursor` the cursor."""
    following: dict[str, Any] | None = {}
    while following is not None:
        response = call(operation, client, *ids, **query | following)
        yield response
        body = response.parsed
        if hasattr(body, "pagination"):
            following = {"cursor": body.pagination.next_cursor} if body.pagination.has_more else None
        else:
            position = dict(parse_qsl(urlsplit(body.next_ or "").query))
            following = {"page": int(position["page"]), "after": position["after"]} if body.next_ else None


def rows(operation: Any, client: AuthenticatedClient, *ids: Any, **query: Any) -> Iterator[Any]:
    for response in pages(operation, client, *ids, **query):
        yield from response.parsed.results


def poll(operation: Any, client: AuthenticatedClient, since: datetime | None, **query: Any) -> tuple[list[Any], Any]:
    """All rows, or those that changed `since`; and the `since` of the next poll. Keep both together."""
    changed = query if since is None else query | {"updated_since": since.isoformat()}
    read = list(pages(operation, client, **changed))
    moments = [response.headers.get("X-Data-As-Of") for response in read]
    found = [row for response in read for row in response.parsed.results]
    # A response without the header has an unknown age: the next poll then begins where this one did.
    return found, datetime.fromisoformat(min(moments)) - OVERLAP if all(moments) else since
