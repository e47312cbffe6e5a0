"""Calls that a request makes: a bound of the length of its path, which does not depend on the machine.

Counted are calls of functions, with those of libraries and of built-in ones, and resumptions of coroutines, between the
ASGI server and the database. The event loop is not: in production it is another one. The test also bounds the functions
of the four packages among them, with generated ones and comprehensions, and their files: a reader of a request reads
them all.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from types import FrameType
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from rest_facade.composition import Service, build_service
from rest_facade.settings import load
from tests.factories.rows import Rows
from tests.helpers.repository import ROOT
from tests.rest_facade.rest.listener import BASE_URL

MAX_FUNCTIONS, MAX_FILES = 90, 25

WARM_REQUESTS = 8
MEASURED_REQUESTS = 5
"""The least of several counts: a task in the background may run during one."""


EVENT_LOOP = ("asyncio", "selectors")
"""Parts of the paths of its modules."""

OWN = ("<string>", *(f"{ROOT}/{package}/" for package in ("db", "resolvers", "schema", "rest_facade")))
"""Starts of the paths of own modules, and what generated functions have instead."""


async def send(service: Service, path: str, query: bytes, key: str) -> int:
    """Send a request to the public listener's application. Returns the status."""
    statuses: list[int] = []
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": [(b"x-service-api-key", key.encode())],
        "client": ("10.255.1.1", 1),
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def take(message: Any) -> None:
        statuses.append(message.get("status"))

    await service.public(scope, receive, take)
    return statuses[0]


class RequestPath(NamedTuple):
    """What one request calls: the number of calls, and the own functions and files among them."""

    calls: int
    functions: int
    files: int


async def path_of(service: Service, path: str, query: bytes, key: str) -> RequestPath:
    """The path of one request when everything is warm."""
    counts: list[int] = []
    count = 0
    functions: set[tuple[str, str]] = set()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        code = frame.f_code
        if event in ("call", "c_call") and not any(part in code.co_filename for part in EVENT_LOOP):
            count += 1
            if event == "call" and code.co_filename.startswith(OWN):
                functions.add((code.co_filename, code.co_qualname))

    for number in range(WARM_REQUESTS + MEASURED_REQUESTS):
        request = asyncio.create_task(send(service, path, query, key))
        count = 0
        sys.setprofile(profile if number >= WARM_REQUESTS else None)
        try:
            status = await request
        finally:
            sys.setprofile(None)
        assert status == 200
        counts.append(count)
    files = {file for file, _ in functions if not file.startswith("<")}
    return RequestPath(min(counts[WARM_REQUESTS:]), len(functions), len(files))


@pytest.fixture
async def service(owner_url: str) -> AsyncIterator[Service]:
    """Without the request log, whose renderer in tests is that of a terminal."""
    settings = load({"signing_keys": "a signing key of the tests", "request_log": "0", "pool_size": "1"})
    service = build_service(settings, url=owner_url, base_url=BASE_URL)
    async with service.running():
        yield service


async def test_list_of_two_has_a_short_path(service: Service, rows: Rows, organization: UUID) -> None:
    for _ in range(3):
        rows.project(organization, client_id=rows.client(organization))
    found = await path_of(service, "/v1/projects/", b"limit=2", rows.partner_key(organization))
    assert 100 < found.calls <= 470
    assert 50 < found.functions <= MAX_FUNCTIONS
    assert 10 < found.files <= MAX_FILES


async def test_detail_makes_at_most_380_calls(service: Service, rows: Rows, organization: UUID) -> None:
    project_id = rows.project(organization, client_id=rows.client(organization))
    assert (
        100 < (await path_of(service, f"/v1/projects/{project_id}/", b"", rows.partner_key(organization))).calls <= 380
    )
