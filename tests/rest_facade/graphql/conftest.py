"""Fixtures: a client of /graphql with a token, its organization, and the log."""

import io
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
import structlog

from rest_facade.composition import Service
from rest_facade.graphql.app import GraphQLApp
from rest_facade.telemetry import logging as log
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import GraphQLClient, token

LogLines = Callable[[], list[dict[str, Any]]]
"""Returns the lines of the log so far, parsed."""


@pytest.fixture
def organization(rows: Rows) -> UUID:
    return rows.organization(name="Initech")


@pytest.fixture
def key(rows: Rows) -> str:
    return token(rows)


@pytest.fixture
def graphql_client(service: Service, organization: UUID, key: str) -> GraphQLClient:
    return GraphQLClient(service, {"X-SERVICE-API-KEY": key, "X-Organization-Id": str(organization)})


@pytest.fixture
def graphql(service: Service) -> GraphQLApp:
    return service.graphql


@pytest.fixture
def log_lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[LogLines]:
    stream = io.StringIO()
    with monkeypatch.context() as redirected:
        redirected.setattr(sys, "stderr", stream)
        log.configure()
    # A logger keeps the stream of its first line.
    monkeypatch.setattr("rest_facade.graphql.app.log", structlog.get_logger())
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    log.configure()
