"""Noisy neighbours: what one client does makes no request of another fail, and shows no row of another."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from itertools import combinations, islice
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pytest

from db.admin.key_format import generate_key
from db.values.purpose import Purpose
from tests.factories.rows import Rows
from tests.faults.clients import memory_mb, read_response
from tests.faults.crowd import build_crowd, run_clients
from tests.faults.much_time import add_time
from tests.faults.service import Serving, serving
from tests.faults.store import Store
from tests.rest_facade.graphql.client import token

pytestmark = pytest.mark.fault

REPORT = "/v1/time_activity_reports/?start_date=2026-01-05&end_date=2026-02-04&limit=20"


class Tenants(NamedTuple):
    """A noisy organization with much time, its neighbour with one client, and two tokens for GraphQL."""

    noisy: UUID
    noisy_key: str
    neighbour_key: str
    client_id: UUID
    token: str
    quiet_token: str


@pytest.fixture(scope="module")
def tenants(rows: Rows) -> Tenants:
    noisy, neighbour = rows.organization(), rows.organization()
    for organization_id in (noisy, neighbour):
        rows.quota(organization_id, 1_000_000)
    client_id = rows.client(neighbour)
    for number in range(100):
        rows.client(noisy, name=f"Client {number} " + "x" * 200)
    add_time(rows, noisy)
    tokens = [token(rows, label=team) for team in ("noisy", "quiet")]
    return Tenants(noisy, rows.partner_key(noisy), rows.partner_key(neighbour), client_id, *tokens)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connect(address: str, local: str = "127.0.0.1") -> AsyncIterator[Connection]:
    host, _, port = address.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(local, 0))
    with closing(writer):
        yield reader, writer


async def get(connection: Connection, path: str, key: str) -> int:
    reader, writer = connection
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nX-SERVICE-API-KEY: {key}\r\n\r\n".encode())
    return (await read_response(reader))[0]


async def post(connection: Connection, query: str, tenants: Tenants) -> tuple[int, bytes]:
    reader, writer = connection
    body = json.dumps({"query": query}).encode()
    fields = {
        "Host": "x",
        "X-SERVICE-API-KEY": tenants.token,
        "X-Organization-Id": str(tenants.noisy),
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(f"POST /graphql HTTP/1.1\r\n{head}\r\n".encode() + body)
    return await read_response(reader)


@asynccontextmanager
async def neighbour(service: Serving, tenants: Tenants) -> AsyncIterator[Counter[int]]:
    """Statuses of a neighbour who asks for one client again and again, from another address."""
    statuses: Counter[int] = Counter()

    async def ask() -> None:
        async with connect(service.public, "127.0.0.9") as connection:
            while True:
                statuses[await get(connection, f"/v1/clients/{tenants.client_id}/", tenants.neighbour_key)] += 1

    task = asyncio.create_task(ask())
    yield statuses
    assert not task.done(), "the neighbour's connection must not end"
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_reports_of_one_tenant_do_not_fail_others(service: Serving, tenants: Tenants) -> None:
    async def report() -> int:
        async with connect(service.public) as connection:
            return await get(connection, REPORT, tenants.noisy_key)

    async with neighbour(service, tenants) as statuses:
        reports = Counter(await asyncio.gather(*(report() for _ in range(20))))
    assert reports == {200: 20}
    assert set(statuses) == {200}
    # The neighbour, who waits for each answer, is served more often than the reports: it is not behind all of them.
    assert statuses[200] > 20


async def test_forged_keys_at_once_do_not_fail_others(service: Serving, tenants: Tenants) -> None:
    forged = [generate_key(Purpose.partner)[0] for _ in range(2_000)]
    connections: list[Connection] = []
    for _ in range(0, len(forged), 200):
        opened = (asyncio.open_connection(*service.address, local_addr=("127.0.0.7", 0)) for _ in range(200))
        connections += await asyncio.gather(*opened)
    async with neighbour(service, tenants) as statuses:
        pairs = zip(connections, forged, strict=True)
        answers = Counter(await asyncio.gather(*(get(each, "/v1/members/", key) for each, key in pairs)))
    for _, writer in connections:
        writer.close()
    assert answers == {401: 10, 429: 1_990}
    assert set(statuses) == {200}


EXPENSIVE = {
    "errors": '{clients(limit:100){results{projects(limit:10,after:"1,x"){count}}}}',
    "reports": "{"
    + "".join(
        f'r{n}:time_activity_reports(limit:100,start_date:"2026-01-05",end_date:"2026-02-04")'
        "{results{user{user_id}days{date tracked_seconds entries{project_id tracked_seconds}}}}"
        for n in range(5)
    )
    + "}",
    "texts": "{" + "".join(f"a{n}:clients(limit:100){{results{{name b{n}:name}}}}" for n in range(5)) + "}",
    "merged": "{clients(limit:1){results{" + "id name " * 480 + "}}}",
    "fragments": "{clients(limit:1){results{"
    + " ".join(f"...F{n}" for n in range(30))
    + "}}}"
    + "".join(f" fragment F{n} on Client{{id projects(limit:1){{results{{id name}}}}}}" for n in range(30)),
    "introspection": "{__schema{types{name fields{name args{name type{name}}type{name ofType{name ofType{name}}}}}}}",
}


@pytest.mark.parametrize("query", EXPENSIVE.values(), ids=EXPENSIVE.keys())
async def test_documents_do_not_fail_rest(query: str, service: Serving, tenants: Tenants) -> None:
    async with connect(service.internal) as connection, neighbour(service, tenants) as statuses:
        while statuses[200] < 10:
            await asyncio.sleep(0)
        status, body = await post(connection, query, tenants)
    assert status == 200, body[:200]
    assert len(body) < 17 * 2**20
    assert set(statuses) == {200}


async def test_sums_of_one_token_do_not_delay_another(service: Serving, tenants: Tenants) -> None:
    """Twelve calls of five sums at once made another token wait for 5 s, and refused a third of its calls."""
    days = 'start_date: "2026-01-05", end_date: "2026-02-04", group_by: [day, member, project]'
    sums = "{" + " ".join(f"a{n}: time_totals({days}, page: {n + 1}) {{ count }}" for n in range(5)) + "}"
    quiet: list[tuple[int, float]] = []

    async def call(token: str, query: str) -> tuple[int, bytes]:
        async with connect(service.internal) as connection:
            return await post(connection, query, tenants._replace(token=token))

    async def ask() -> None:
        while True:
            began = time.monotonic()
            status, _ = await call(tenants.quiet_token, "{ organization { name } }")
            quiet.append((status, time.monotonic() - began))

    asking = asyncio.create_task(ask())
    async with neighbour(service, tenants) as statuses:
        answers = await asyncio.gather(*(call(tenants.token, sums) for _ in range(12)))
    asking.cancel()
    assert {status for status, _ in answers} <= {200, 503}
    assert all(b"errors" not in body for status, body in answers if status == 200)
    assert {status for status, _ in quiet} == {200} == set(statuses)
    assert len(quiet) > 12
    assert max(seconds for _, seconds in quiet) < 2


FIELDS = (
    "id name code description is_active status client_id client_name is_billable billing_type bill_rate fixed_amount"
    " currency tracked_seconds_total start_date due_date completed_at archived_at color external_id"
).split()


async def test_different_selections_leave_no_memory(service: Serving, tenants: Tenants) -> None:
    """10,000 selections, each a statement of its own: what a process remembers of them is bounded."""
    selections = combinations(FIELDS, 6)
    memory: list[float] = []
    async with connect(service.internal) as connection:
        for number in range(2_000):
            roots = [
                f"r{at}: projects(limit: 1) {{ results {{ {' '.join(fields)} }} }}"
                for at, fields in enumerate(islice(selections, 5))
            ]
            status, body = await post(connection, "{" + " ".join(roots) + "}", tenants)
            assert status == 200, body[:200]
            if number % 500 == 499:
                memory.append(memory_mb(service.process.pid))
    # The caches are full after the first quarter; the rest adds next to nothing.
    assert memory[3] - memory[0] < 10, memory


async def test_no_row_of_another_organization_under_load(own_url: str, folder: Path, store: Store) -> None:
    made = build_crowd(own_url)
    with serving(
        folder,
        "--workers=2",
        database_url=own_url,
        quota_store=store.url,
        quota_limit="1000000",
        graphql_quota="1000000",
        pool_size="4",
    ) as service:
        ports = [int(address.rpartition(":")[2]) for address in (service.public, service.internal)]
        result = await run_clients(made, *ports, rows=100_000, seconds=120)
    result.assert_isolated(rows=100_000)
