"""Idle and slow clients of the internal listener: they end in time, and the public listener does not notice them."""

import asyncio
import json
import signal
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from rest_facade.server.listener_protocols import InternalProtocol
from tests.factories.rows import Rows
from tests.faults.clients import (
    connect_with_small_buffer,
    get,
    memory_mb,
    metric_value,
    open_connections,
    response_times,
    statuses,
)
from tests.faults.service import Serving, serving
from tests.helpers.waiting import until
from tests.rest_facade.graphql.client import token as graphql_token

pytestmark = pytest.mark.fault

TIMEOUT = 10.0
SMALL = "/v1/clients/?limit=1"
IDLE = 650
UNREAD = 54


@pytest.fixture(scope="module")
def organization(rows: Rows) -> UUID:
    own = rows.organization()
    rows.quota(own, 1_000_000)
    for number in range(100):
        rows.client(own, name=f"Client {number} " + "x" * 200)
    return own


@pytest.fixture(scope="module")
def token(rows: Rows) -> str:
    return graphql_token(rows)


@pytest.fixture
def service(owner_url: str, folder: Path) -> Iterator[Serving]:
    limits = ("prlimit", "--nofile=1024")
    with serving(folder, before=limits, database_url=owner_url, request_log="0", graphql_quota="1000") as service:
        yield service


def operators(service: Serving) -> tuple[str, int]:
    """Host and port of the internal listener."""
    return "127.0.0.1", int(service.internal.rpartition(":")[2])


def test_idle_internal_connections_take_no_public_descriptors(service: Serving, key: str) -> None:
    assert asyncio.run(statuses(service.address, [get(SMALL, key)] * 8)) == {200: 8}
    with ExitStack() as stack:
        for _ in range(IDLE):
            stack.enter_context(socket.create_connection(operators(service)))
        # The public listener still takes as many connections as it may.
        public = [stack.enter_context(socket.create_connection(service.address)) for _ in range(600)]
        for connection in public[::50]:
            connection.sendall(get(SMALL, key))
            assert connection.recv(12) == b"HTTP/1.1 200"
        assert open_connections(operators(service)) <= 256
    until(lambda: metric_value(service, "orgdata_internal_connections_cut_total", 'why="many"') >= IDLE - 256)


@pytest.mark.parametrize("own", ["127.0.0.1", "127.0.0.9"], ids=["same address", "another address"])
def test_probes_are_answered_beside_idle_connections(service: Serving, own: str) -> None:
    """Of 242 probes beside 256 idle connections, three were answered."""
    with ExitStack() as stack:
        for number in range(IDLE):
            stack.enter_context(socket.create_connection(operators(service)))
            if number % 10 == 0:
                with socket.create_connection(operators(service), TIMEOUT, (own, 0)) as probe:
                    probe.sendall(get("/live"))
                    assert probe.recv(12) == b"HTTP/1.1 200"


def test_idle_internal_connections_end_in_time(service: Serving) -> None:
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(socket.create_connection(operators(service)))
        until(lambda: open_connections(operators(service)) >= 100)
        until(lambda: open_connections(operators(service)) == 0, InternalProtocol.HEAD_TIMEOUT + 5, every=0.1)
    assert metric_value(service, "orgdata_internal_connections_cut_total", 'why="head"') >= 100
    assert metric_value(service, "orgdata_connections_cut_total") == 0


def test_unread_graphql_responses_are_bounded(service: Serving, rows: Rows, key: str, token: str) -> None:
    """54 calls with answers of 8 MB are not read: only those begin that fit into 32 MB. All 54 took 370 MB."""
    large, small = rows.organization(), rows.organization()
    other = graphql_token(rows, label="quiet")
    client_id = rows.client(large)
    with rows.transaction(large):
        for number in range(100):
            rows.project(large, client_id=client_id, name=f"Project {number}", description="x" * 16_000)
    query = " ".join(f"a{n}: projects(page: 1, limit: 100) {{ results {{ id description }} }}" for n in range(5))
    unread_answer = graphql(token, large, f"{{ {query} }}")
    quiet_answer = graphql(other, small, "{ organization { name } }")

    async def unread() -> Counter[bytes]:
        connections = [await connect_with_small_buffer(operators(service)) for _ in range(UNREAD)]
        memory = memory_mb(service.process.pid)
        for connection in connections:
            await asyncio.get_running_loop().sock_sendall(connection, unread_answer)
        others = await response_times(service.address, get(SMALL, key), 12.0)
        assert sorted(others)[int(len(others) * 0.99)] < 0.25
        assert max(await response_times(operators(service), quiet_answer, 1.0, clients=1)) < 2
        assert memory_mb(service.process.pid) - memory < 64
        heads = Counter(connection.recv(12, socket.MSG_PEEK)[9:12] for connection in connections)
        ended = InternalProtocol.READ_TIMEOUT + 5
        await asyncio.to_thread(until, lambda: open_connections(operators(service)) == 0, ended, 0.1)
        for connection in connections:
            connection.close()
        return heads

    # The first answers, read: what they take stays with the process.
    assert asyncio.run(statuses(operators(service), [unread_answer] * 3, clients=3)) == {200: 3}
    assert asyncio.run(unread()) == {b"200": 4, b"503": UNREAD - 4}
    assert metric_value(service, "orgdata_internal_connections_cut_total", 'why="reader"') == 4
    assert asyncio.run(statuses(operators(service), [unread_answer])) == {200: 1}


def test_graphql_call_is_answered_at_shutdown(owner_url: str, folder: Path, organization: UUID, token: str) -> None:
    waited = "SELECT extract(epoch FROM now() - min(waitstart)) FROM pg_locks WHERE NOT granted"
    with (
        serving(folder, database_url=owner_url, statement_timeout="9", deadline="9.5", drain="0") as service,
        psycopg.connect(owner_url) as lock,
        psycopg.connect(owner_url, autocommit=True) as other,
        socket.create_connection(operators(service), TIMEOUT) as client,
    ):
        lock.execute("LOCK TABLE clients")
        client.sendall(graphql(token, organization, "{ clients(limit: 1) { results { id } } }"))
        until(lambda: other.execute(waited).fetchone() != (None,))
        service.process.send_signal(signal.SIGTERM)
        until(lambda: other.execute(f"{waited} HAVING now() - min(waitstart) > '6 s'").fetchone() is not None, TIMEOUT)
        lock.rollback()
        assert client.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert service.process.wait(TIMEOUT) == 0


def graphql(token: str, organization: UUID, query: str) -> bytes:
    """A call of /graphql as bytes."""
    body = json.dumps({"query": query})
    fields = [f"X-Organization-Id: {organization}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    return get("/graphql", token, *fields).replace(b"GET", b"POST", 1) + body.encode()
