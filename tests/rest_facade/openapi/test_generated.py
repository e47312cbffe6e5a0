"""Requests generated from the OpenAPI document (schemathesis), valid and invalid: every response matches it.

Rules that OpenAPI cannot express, most of them about several parameters, are applied to the valid requests afterwards.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any

import hypothesis
import pytest
import schemathesis
from requests import Session
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase

from db.tables.reference import zone_names
from resolvers.period import MAX_RANGE_DAYS
from rest_facade.openapi.document import openapi
from rest_facade.v1 import ENDPOINTS
from tests.factories.rows import Rows
from tests.faults.service import serving
from tests.property_tests import examples
from tests.world import World, build

pytestmark = pytest.mark.process

EXAMPLES = 6
"""Random requests of an operation, besides one for every limit of every parameter."""

SHARE = 5
"""One in so many of the requests at limits of parameters is sent: operations share most parameters."""

ZONES = sorted(zone_names())
LOOKBACK = 179

SCHEMA = schemathesis.openapi.from_dict(openapi(ENDPOINTS, base_url="http://testserver"))

_numbers = count(1)


def make_valid(case: Any, world: World) -> None:
    """Apply the rules about several parameters to a generated request."""
    query = case.query
    if {"start_date", "end_date"} & set(query):
        bounds = [date.fromisoformat(query.get(name) or "2026-01-01") for name in ("start_date", "end_date")]
        start = min(bounds)
        length = max(bounds).toordinal() % MAX_RANGE_DAYS
        query["start_date"] = start.isoformat()
        query["end_date"] = date.fromordinal(min(start.toordinal() + length, date.max.toordinal())).isoformat()
    if "date" in query:
        days = date.fromisoformat(query["date"]).toordinal() % LOOKBACK
        query["date"] = (datetime.now(UTC).date() - timedelta(days=days)).isoformat()
    for name in [name for name in query if name.endswith("updated_since")]:
        # A pattern can't say how many days a month has, nor which years the calendar.
        query[name] = f"2026-{query[name][5:8]}{min(int(query[name][8:10]), 28):02}{query[name][10:]}"
    if "timezone" in query:
        query["timezone"] = ZONES[len(query["timezone"]) % len(ZONES)]
    if "user_id" in query:
        query.pop("team_id", None)
    else:
        query.pop("detail", None)
    # Only the service can issue a cursor, and a token that names its page.
    query.pop("cursor", None)
    if "page" not in query:
        query.pop("after", None)
    for name in case.path_parameters:
        if int(case.path_parameters[name][0], 16) % 2:
            case.path_parameters[name] = str(world.ids.get(name, case.path_parameters[name]))


@dataclass(frozen=True)
class Served:
    """The service over a world, and a connection to it."""

    address: str
    world: World
    session: Session


@pytest.fixture(scope="module")
def served(owner_url: str, rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    world = build(rows, "A")
    rows.quota(world.organization_id, 1_000_000)
    folder = tmp_path_factory.mktemp("served")
    statuses: Counter[int] = Counter()
    with serving(folder, database_url=owner_url, trusted_proxies="127.0.0.0/8") as service, Session() as session:
        session.hooks["response"].append(lambda response, **_: statuses.update([response.status_code]))
        yield Served(service.public, world, session)
    # Refusals by quota or throttle would say nothing about the responses that the document describes.
    assert statuses[429] * 10 <= statuses.total(), statuses


@SCHEMA.parametrize()
@hypothesis.settings(max_examples=examples(EXAMPLES), deadline=None)
def test_every_response_matches_the_document(case: Any, served: Served) -> None:
    number = next(_numbers)
    lists = [list(map(str, value)) for value in case.query.values() if isinstance(value, list)]
    # Equal values are one: a list of them may be longer than the document says.
    has_equal = any(len(set(each)) < len(each) for each in lists)
    if has_equal or (case.meta.phase.name is TestPhase.COVERAGE and number % SHARE):
        return
    # Some requests have invalid keys. Each comes from its own address, so that the IP throttle stays out of it.
    headers = {"X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"}
    header = case.meta.components.get(ParameterLocation.HEADER)
    if header is None or header.mode.is_positive:
        headers["X-SERVICE-API-KEY"] = served.world.key
    if case.meta.generation.mode.is_positive:
        make_valid(case, served.world)
    case.call_and_validate(base_url=served.address, session=served.session, headers=headers)
