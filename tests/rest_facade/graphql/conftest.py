"""A team that asks about one organization, and the lines that are logged of it."""

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


@pytest.fixture
def organization(rows: Rows) -> UUID:
    return rows.organization(name="Initech")


@pytest.fixture
def key(rows: Rows) -> str:
    return token(rows)


@pytest.fixture
def ask(service: Service, organization: UUID, key: str) -> GraphQLClient:
    return GraphQLClient(service, {"X-SERVICE-API-KEY": key, "X-Organization-Id": str(organization)})


@pytest.fixture
def graphql(service: Service) -> GraphQLApp:
    return service.graphql


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """What is logged."""
    stream = io.StringIO()
    with monkeypatch.context() as redirected:
        redirected.setattr(sys, "stderr", stream)
        log.configure()
    # A logger keeps the stream that it first wrote to.
    monkeypatch.setattr("rest_facade.graphql.app.log", structlog.get_logger())
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    log.configure()
