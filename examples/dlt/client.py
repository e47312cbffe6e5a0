"""An HTTP client that keeps to the quota: it waits before a request that would be refused, and retries refused ones."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

PAYROLL = frozenset({"payment_settings", "hourly_payment_logs", "one_time_payment_logs", "payables"})
ATTEMPTS = 8
TIMEOUT = 60
OK, NOT_FOUND = 200, 404
PASSING = frozenset({429, 502, 503, 504})

Query = Mapping[str, str]


class Refused(Exception):
    """A request that was answered with an error: its status, and the code, message and details of the body."""

    def __init__(self, status: int, url: str, error: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {error.get('code')} {error.get('message')} ({url})")
        self.status = status
        self.details: Mapping[str, Any] = error.get("details") or {}


class Client:
    """Reads objects, arrays, and pages of lists. `requests` counts what was sent, `waited` the seconds of waiting."""

    def __init__(
        self,
        base_url: str,
        key: str,
        session: Any,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.requests: dict[str, int] = {}
        self.waited = 0.0
        self.data_as_of: str | None = None
        """The moment up to which the last response has every change; None if that is not known."""
        self._base_url = base_url.rstrip("/")
        self._headers = {"X-SERVICE-API-KEY": key}
        self._session = session
        self._sleep = sleep
        self._clock = clock
        self._resets: dict[str, float] = {}
        """When the window ends of each resource group whose quota is used up."""

    def get(self, path: str, query: Query) -> Any:
        """The body of a response. Raises Refused."""
        group = resource_group(path)
        url = self._base_url + path
        for attempt in range(1, ATTEMPTS + 1):
            self._wait(self._resets.pop(group, 0.0) - self._clock())
            try:
                response = self._session.get(url, params=query, headers=self._headers, timeout=TIMEOUT)
            except OSError:
                # A first load takes hours: a restart on the way must not end it. A wrong address does at once.
                if attempt == ATTEMPTS or not self.requests:
                    raise
                self._wait(2**attempt + random.random())
                continue
            self.requests[group] = self.requests.get(group, 0) + 1
            if response.headers.get("RateLimit-Remaining") == "0":
                self._resets[group] = float(response.headers["RateLimit-Reset"])
            if response.status_code == OK:
                self.data_as_of = response.headers.get("X-Data-As-Of")
                return response.json()
            if response.status_code in PASSING and attempt < ATTEMPTS:
                # A proxy's own 429 may lack the header. The random part keeps clients apart that were refused together.
                seconds = float(response.headers.get("Retry-After", 2**attempt))
                self._resets.pop(group, None)
                self._wait(seconds + random.random())
                continue
            raise Refused(response.status_code, url, _error_of(response))
        raise AssertionError

    def pages(self, path: str, query: Query) -> Iterator[list[Any]]:
        """The pages of a list with `page`, by the query of `next`; the key goes to no other address."""
        body = self.get(path, query)
        yield body["results"]
        while body["next"] is not None:
            body = self.get(path, dict(parse_qsl(urlsplit(body["next"]).query)))
            yield body["results"]

    def cursor_pages(self, path: str, query: Query) -> Iterator[list[Any]]:
        """The pages of a list with `cursor`."""
        body = self.get(path, query)
        yield body["results"]
        while body["pagination"]["has_more"]:
            body = self.get(path, {**query, "cursor": body["pagination"]["next_cursor"]})
            yield body["results"]

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self.waited += seconds
            self._sleep(seconds)


def resource_group(path: str) -> str:
    """The group whose requests count together: the first segment of the path, and one for the payroll lists."""
    segments = path.strip("/").split("/")[1:]
    return "payroll" if segments[-1] in PAYROLL else segments[0]


def _error_of(response: Any) -> Mapping[str, Any]:
    try:
        error = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        return {"message": response.text[:200]}
    return error if isinstance(error, dict) else {"message": str(error)}
