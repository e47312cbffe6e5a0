"""Clients that send requests all the time and check each response."""

import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import httpx2 as httpx

from tests.errors import assert_error
from tests.faults.database.cluster import Tenant
from tests.faults.service import Serving
from tests.helpers.waiting import until

UNEXPECTED = "An unexpected error occurred."


@dataclass
class TimedResponse:
    """One answer: what it was, and when, on the monotonic clock."""

    status: int
    began: float
    ended: float

    @property
    def seconds(self) -> float:
        return self.ended - self.began


class TeamsClient:
    """A client of the public listener. Each 200 must have the tenant's own rows, all of them; each other is a 500."""

    def __init__(self, serving: Serving, tenant: Tenant, address: str = "127.0.0.1") -> None:
        transport = httpx.HTTPTransport(local_address=address)
        self.http = httpx.Client(transport=transport, base_url=serving.public, timeout=30)
        self.tenant = tenant

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def teams(self, key: str | None = None) -> TimedResponse:
        """Ask for all teams, and check whatever the answer is."""
        began = time.monotonic()
        answer = self.get("/v1/teams/?limit=100", key or self.tenant.key)
        ended = time.monotonic()
        if answer.status_code == 200:
            assert sorted(team["name"] for team in answer.json()["results"]) == list(self.tenant.names)
        else:
            assert_error(answer, 500, "INTERNAL_ERROR", UNEXPECTED)
        return TimedResponse(answer.status_code, began, ended)

    def get(self, path: str, key: str | None = None, method: str = "GET") -> httpx.Response:
        headers: Mapping[str, str] = {} if key is None else {"X-SERVICE-API-KEY": key}
        return self.http.request(method, path, headers=headers)

    def until_well(self, timeout: float = 3.0) -> float:
        """Ask until the answer is a 200; how many seconds that took."""
        began = time.monotonic()
        until(lambda: self.teams().status == 200, timeout)
        return time.monotonic() - began


@dataclass
class Traffic:
    """Clients of all tenants that ask all the time, and what they were answered."""

    serving: Serving
    tenants: list[Tenant]
    clients: int = 8
    pause: float = 0.15
    answers: list[TimedResponse] = field(default_factory=list)
    unexpected: list[Exception] = field(default_factory=list)
    answered: Counter[int] = field(default_factory=Counter)
    """How many answers each client had."""

    def __enter__(self) -> Self:
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(self.clients)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join(30)

    def _ask(self, number: int) -> None:
        with TeamsClient(self.serving, self.tenants[number % len(self.tenants)]) as asking:
            while not self._end.wait(self.pause):
                try:
                    self.answers.append(asking.teams())
                    self.answered[number] += 1
                except Exception as error:  # noqa: BLE001 - the test tells of it
                    self.unexpected.append(error)

    def wait_for(self, number: int) -> None:
        """Go on until so many more answers came."""
        wanted = len(self.answers) + number
        until(lambda: len(self.answers) >= wanted or bool(self.unexpected), 20)

    def wait_for_pending(self) -> None:
        """Go on until the requests that are under way are answered."""
        before = self.answered.copy()
        numbers = range(self.clients)
        until(lambda: all(self.answered[each] > before[each] for each in numbers) or bool(self.unexpected), 20)

    def counts(self) -> Counter[int]:
        """How many answers had which status, all of them right."""
        assert not self.unexpected, self.unexpected[:3]
        return Counter(answer.status for answer in self.answers)

    def errors(self) -> list[TimedResponse]:
        return [answer for answer in self.answers if answer.status != 200]
