"""Covers `bench/peers/` and `bench/page_requests.py`: every peer in Python answers the JSON of the service."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

import httpx2 as httpx
import pytest
from starlette.types import ASGIApp

from bench import page_requests
from bench.data import CLIENTS, BenchDatabase, organization_id, rows
from bench.page_requests import PageRequest, normalized
from bench.peers import floor, plain
from bench.peers.ours import PAGE
from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server
from rest_facade.composition import build_service
from rest_facade.rest.endpoint import Router
from rest_facade.settings import Settings

PROJECTS = 150

Peers = dict[str, tuple[ASGIApp, Any]]
"""Applications, and the functions that make a request for a page, by name."""


@pytest.fixture
def data(own_url: str, server: Server) -> BenchDatabase:
    data = BenchDatabase(own_url, own_url.replace(f"//{OWNER}@", "//postgres@", 1), server, [])
    data.run(rows(1, 2, projects=PROJECTS))
    # Both are rows that a peer may forget: a project without a client, and one that is deleted.
    data.run("UPDATE projects SET client_id = NULL WHERE name = 'Project 1.3'")
    data.run("UPDATE projects SET deleted_at = updated_at WHERE name = 'Project 1.7'")
    return data


@pytest.fixture
async def peers(data: BenchDatabase, settings: Settings, anyio_backend: str) -> AsyncIterator[Peers]:
    async with AsyncExitStack() as stack:
        service = build_service(settings, url=data.owner_url, base_url="http://test")
        service.public.endpoints = Router([PAGE])
        await stack.enter_async_context(service.running())
        hand_written = floor.App(data.url)
        await hand_written.pool.open()
        stack.push_async_callback(hand_written.pool.close)
        engine = plain.connect(data.url)
        stack.push_async_callback(engine.dispose)
        yield {
            "ours": (service.public, page_requests.ours),
            "floor": (hand_written, page_requests.floor),
            "floor, JSON": (hand_written, page_requests.floor_json),
            "plain": (plain.application(engine), page_requests.plain),
        }


async def ask(app: ASGIApp, request: bytes) -> Any:
    head, _, body = request.partition(b"\r\n\r\n")
    first, *fields = head.decode().split("\r\n")
    method, path, _ = first.split(" ")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        headers = dict(field.split(": ", 1) for field in fields)
        answer = await client.request(method, path, content=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_peers_answer_the_same_page(peers: Peers, data: BenchDatabase) -> None:
    organization = data.organization(1)
    for page, count in ((1, 100), (2, PROJECTS - 1 - 100)):
        request = PageRequest(str(organization.id), organization.key, page)
        answers = {name: normalized(await ask(app, make(request))) for name, (app, make) in peers.items()}
        assert answers["ours"][0] == PROJECTS - 1
        assert len(answers["ours"][1]) == count
        assert {name for name, answer in answers.items() if answer != answers["ours"]} == set()


async def test_page_has_all_columns_and_client(peers: Peers, data: BenchDatabase) -> None:
    organization = data.organization(1)
    app, make = peers["ours"]
    _, projects = normalized(await ask(app, make(PageRequest(str(organization.id), organization.key, 1))))
    assert list(projects[0]) == [*page_requests.SELECTION, "client"]
    assert projects[0]["client"] == {"id": str(client(1, 8)), "name": "Client 1.8"}
    assert projects[2]["client"] is None


@pytest.mark.parametrize("name", ["floor", "floor, JSON"])
async def test_floor_counts_past_the_last_page(peers: Peers, data: BenchDatabase, name: str) -> None:
    app, make = peers[name]
    assert await ask(app, make(PageRequest(str(organization_id(1)), "", 9))) == {"count": PROJECTS - 1, "results": []}


def client(organization: int, number: int) -> UUID:
    assert number <= CLIENTS
    return UUID(f"0190{organization:04x}-0001-7000-8000-{number:012x}")
