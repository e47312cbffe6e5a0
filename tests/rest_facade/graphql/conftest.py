"""Fixtures: a client of /graphql with a token, its organization, and the log."""

import io
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from rest_facade.composition import Service
from rest_facade.graphql.app import GraphQLApp
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
def log_lines(written: io.StringIO) -> LogLines:
    return lambda: [json.loads(line) for line in written.getvalue().splitlines()]
