"""`orgdata serve`: start, readiness and graceful shutdown of one process.

Covers `rest_facade/server/process.py`; `tests/faults/test_workers.py` has the tests with several workers.
"""

import json
import socket
import time
from pathlib import Path
from signal import SIGTERM, Signals
from uuid import uuid4

import httpx2 as httpx
import psycopg
import pytest
from psycopg import sql

from db.admin.key_format import generate_key
from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server
from db.values.purpose import Purpose
from tests.errors import assert_error
from tests.faults.service import HANGUP, serving
from tests.helpers.waiting import until
from tests.rest_facade.commands.conftest import TIMEOUT, Run, assert_refused
from tests.rest_facade.graphql.locks import waiting
from tests.rest_facade.raw_client import Connection, request


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "ORGDATA_DATABASE_URL"),
        ({"DATABASE_URL": ""}, "ORGDATA_DATABASE_URL"),
        ({"DATABASE_URL": "postgresql://localhost/name"}, "ORGDATA_SIGNING_KEYS"),
        ({"DATABASE_URL": "postgresql://localhost/name", "SIGNING_KEYS": " , "}, "ORGDATA_SIGNING_KEYS"),
    ],
)
def test_serve_requires_database_and_signing_keys(settings: dict[str, str], name: str, orgdata: Run) -> None:
    result = orgdata("serve", **settings)
    assert result.code == 1
    assert result.err.startswith(f"orgdata: {name} is not set. ")
    assert result.err.count("\n") == 1


def test_several_workers_with_memory_store_are_refused(operate: Run) -> None:
    assert_refused(
        operate("serve", "--workers", "2"),
        "2 workers would each count requests for themselves, and so allow 2 times the quota: "
        "the store `memory` serves one worker. Set ORGDATA_QUOTA_STORE to a Redis or Valkey for several.",
    )


def test_both_listeners_on_one_port_are_refused(operate: Run) -> None:
    assert_refused(
        operate("serve", "--port", "18000", "--internal-port", "18000"),
        "Both listeners have the port 18000: choose another: --port, --internal-port.",
    )


@pytest.mark.parametrize("number", [SIGTERM, HANGUP])
def test_signal_finishes_open_requests(number: Signals, operate: Run, folder: Path, own: str, owner_url: str) -> None:
    key = operate("keys", "create", "--purpose", "partner", "--organization", own).out.strip()
    with serving(folder, database_url=owner_url, drain="0") as service:
        process, public, internal = service.process, service.public, service.internal
        members = httpx.get(f"{public}/v1/members/", headers={"X-SERVICE-API-KEY": key})
        assert members.json() == {"count": 0, "next": None, "previous": None, "results": []}
        assert httpx.get(f"{internal}/live").status_code == 200
        ready = {"status": "ready", "database": "reachable", "quota_store": "reachable"}
        assert httpx.get(f"{internal}/ready").json() == ready

        peer = httpx.URL(public)
        with psycopg.connect(owner_url) as lock, Connection((peer.host, peer.port or 0)) as connection:
            lock.execute("LOCK TABLE clients")
            connection.send(request("/v1/clients/", key=key))
            until(lambda: waiting(owner_url), TIMEOUT)
            process.send_signal(number)
            until(service.refuses, TIMEOUT)
            assert httpx.get(f"{internal}/ready").json()["status"] == "stopping"
            assert "orgdata_requests_total" in httpx.get(f"{internal}/metrics").text
            lock.rollback()
            assert connection.read().status_code == 200
            assert connection.rest() == b""
        assert process.wait(TIMEOUT) == 0
        assert process.stdout
        assert process.stdout.read() == ""
    lines = [json.loads(line) for line in service.log_text().splitlines()]
    assert [(line["event"], line["operation"], line["status"]) for line in lines if line["operation"]] == [
        ("request", "listMembers", 200),
        ("request", "listClients", 200),
    ]
    assert {line["status"] for line in lines if not line["operation"]} <= {404}


def test_ready_once_the_database_appears(folder: Path, server: Server, template: str) -> None:
    name = f"late_{uuid4().hex}"
    key, _ = generate_key(Purpose.partner)
    with serving(folder, database_url=server.url(OWNER, name), pool_wait="0.1", drain="0") as service:
        process, public, internal = service.process, service.public, service.internal

        def ask(given: str) -> httpx.Response:
            return httpx.get(f"{public}/v1/members/", headers={"X-SERVICE-API-KEY": given})

        assert httpx.get(f"{internal}/live").json() == {"status": "live"}
        ready = httpx.get(f"{internal}/ready")
        assert (ready.status_code, ready.json()["status"]) == (503, "unready")
        assert f'database "{name}" does not exist' in ready.json()["database"]
        assert_error(ask(key), 500, "INTERNAL_ERROR", "An unexpected error occurred.")
        assert_error(ask("malformed"), 401, "INVALID_API_KEY", "Invalid API key.")

        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            names = map(sql.Identifier, (name, template, OWNER))
            connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}").format(*names))
        until(lambda: httpx.get(f"{internal}/ready").status_code == 200, TIMEOUT)
        assert_error(ask(key), 401, "INVALID_API_KEY", "Invalid API key.")
        process.send_signal(SIGTERM)
        assert process.wait(TIMEOUT) == 0
    log = service.log_text()
    assert f'database "{name}" does not exist' in json.loads(log.splitlines()[0])["event"]
    changes = [each for line in log.splitlines() if (each := json.loads(line))["event"] in ("not ready", "ready")]
    assert [(each["event"], each.get("database")) for each in changes] == [
        ("not ready", ready.json()["database"]),
        ("ready", None),
    ]
    assert key[-38:] not in log


def test_idle_connection_is_kept_as_long_as_set(folder: Path, server: Server) -> None:
    with (
        serving(folder, database_url=server.url("postgres"), keep_alive="1") as service,
        socket.create_connection(service.address, TIMEOUT) as connection,
    ):
        connection.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 404 ")
        answered = time.monotonic()
        assert connection.recv(1) == b""
        assert 0.9 < time.monotonic() - answered < 4
