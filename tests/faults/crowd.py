"""Clients of many organizations that check the rows of each response: every text names its organization."""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from db.admin.engine import connect
from rest_facade.v1 import ENDPOINTS
from tests.contract import WITHOUT_TEXT
from tests.factories.rows import Rows
from tests.helpers.endpoint_calls import url_of
from tests.rest_facade.graphql.client import token
from tests.world import World, build, named

ORGANIZATIONS = 50
EXTRA_ROWS = 60
"""Additional members, clients and projects of each organization, so that lists fill a page."""

TAG = re.compile(r"\bt\d\d(?=-)", re.IGNORECASE)

LONG_LISTS = ["listMembers", "listClients", "listProjects", "listProjectMembers"]
"""Operations that are requested more often than others, with full pages."""

QUERY = "query ($limit: Int!) { organization { name } projects(limit: $limit) { results { name client { name } } } }"


@dataclass(frozen=True)
class Crowd:
    """The organizations, and a GraphQL token for all of them."""

    worlds: Sequence[World]
    token: str


def build_crowd(url: str) -> Crowd:
    """Insert the organizations into an empty database."""
    rows = Rows(connect(url))
    worlds = [build(rows, f"T{number:02}") for number in range(ORGANIZATIONS)]
    for world in worlds:
        own, tag = world.organization_id, world.tag
        with rows.transaction(own):
            for n in range(100, 100 + EXTRA_ROWS):
                rows.member(own, user_id=named("user", n), full_name=f"{tag}-{n}", email=f"{tag}-{n}@example.com")
                rows.client(own, id=named("client", n), name=f"{tag}-{n}")
                rows.project(own, id=named("project", n), client_id=named("client", n), name=f"{tag}-{n}")
                rows.project_member(own, named("project"), named("user", n), id=named("pm", 1000 + n))
    made = Crowd(worlds, token(rows, label="crowd"))
    rows.connection.close()
    return made


@dataclass
class CrowdResult:
    """Number of checked rows, rows of other organizations, operations that answered, failures by operation and
    status, and requests that the client aborted.
    """

    rows: int = 0
    foreign: list[str] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)
    failed: Counter[tuple[str, int]] = field(default_factory=Counter)
    aborted: int = 0

    def assert_isolated(self, rows: int) -> None:
        """So many rows were checked, of every operation, and none of another organization; only clients aborted."""
        assert self.foreign == []
        assert self.rows >= rows
        assert self.aborted > 50
        assert self.answered == {"graphql", *(endpoint.operation for endpoint in ENDPOINTS)}
        assert self.failed == Counter()

    def check(self, operation: str, world: World, body: Any) -> None:
        """Check that the texts of each row name the organization of the request, and no other."""
        for row in _rows(body):
            tags = {tag.upper() for tag in TAG.findall("\n".join(_texts(row)))}
            if tags != ({world.tag} if operation not in WITHOUT_TEXT else set()):
                self.foreign.append(f"{operation} for {world.tag}: {tags}")
            self.rows += 1


def _rows(body: Any) -> list[Any]:
    if isinstance(body, dict) and "data" in body:
        return [body["data"]["organization"], *body["data"]["projects"]["results"]]
    if isinstance(body, dict) and "results" in body:
        return list(body["results"])
    return body if isinstance(body, list) else [body]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


@dataclass(frozen=True)
class CrowdRequest:
    """One request as bytes, with its operation, organization and port."""

    operation: str
    world: World
    port: int
    head: bytes


def requests(chance: random.Random, crowd: Crowd, public: int, internal: int) -> Iterator[CrowdRequest]:
    """An endless sequence of requests: random organizations and operations, one in ten over GraphQL."""
    by_name = {endpoint.operation: endpoint for endpoint in ENDPOINTS}
    names = [*by_name, *LONG_LISTS * 10]
    while True:
        world = chance.choice(crowd.worlds)
        if chance.random() < 0.1:
            body = json.dumps({"query": QUERY, "variables": {"limit": 100}})
            fields = [f"X-SERVICE-API-KEY: {crowd.token}", f"X-Organization-Id: {world.organization_id}"]
            fields += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
            yield CrowdRequest("graphql", world, internal, _head("POST /graphql", fields, body))
            continue
        name = chance.choice(names)
        target = url_of(by_name[name], world, "limit=100" if name in LONG_LISTS else "")
        yield CrowdRequest(name, world, public, _head(f"GET {target}", [f"X-SERVICE-API-KEY: {world.key}"]))


def _head(line: str, fields: Sequence[str], body: str = "") -> bytes:
    return "\r\n".join([f"{line} HTTP/1.1", "Host: localhost", *fields, "", body]).encode()


async def run_clients(
    crowd: Crowd, public: int, internal: int, *, rows: int, seconds: float, clients: int = 16, leaving: float = 0.05
) -> CrowdResult:
    """Run concurrent clients until `rows` rows are checked or `seconds` have passed.

    Clients abort a share `leaving` of their requests shortly after sending them.
    """
    result = CrowdResult()
    ends = asyncio.get_running_loop().time() + seconds

    async def client(number: int) -> None:
        chance = random.Random(number)
        opened: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}
        for asked in requests(chance, crowd, public, internal):
            if result.rows >= rows or asyncio.get_running_loop().time() > ends:
                break
            if asked.port not in opened:
                opened[asked.port] = await asyncio.open_connection("127.0.0.1", asked.port)
            reader, writer = opened[asked.port]
            writer.write(asked.head)
            if chance.random() < leaving:
                await asyncio.sleep(chance.choice([0, 0.001, 0.005, 0.02]))
                writer.transport.abort()
                del opened[asked.port]
                result.aborted += 1
                continue
            try:
                status, body = await _answer(reader)
            except (ConnectionError, asyncio.IncompleteReadError):
                # The server may close an idle persistent connection; on a new one it must answer.
                writer.transport.abort()
                reader, writer = opened[asked.port] = await asyncio.open_connection("127.0.0.1", asked.port)
                writer.write(asked.head)
                status, body = await _answer(reader)
            if status == 200:
                result.answered.add(asked.operation)
                result.check(asked.operation, asked.world, json.loads(body))
            else:
                result.failed[asked.operation, status] += 1
        for _, writer in opened.values():
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async with asyncio.TaskGroup() as group:
        for number in range(clients):
            group.create_task(client(number))
    return result


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = re.search(r"content-length: (\d+)", head)
    assert length is not None, head
    return int(head[9:12]), await reader.readexactly(int(length[1]))
