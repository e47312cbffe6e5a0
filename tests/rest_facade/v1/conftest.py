"""An organization with two people and work for them, requests for its lists, and the clock of the service."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import httpx2 as httpx
import pytest
from sqlalchemy import text

from tests.conftest import Connect
from tests.factories.base import THEN
from tests.factories.rows import Rows

STAMPS = {"created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:00:00Z", "deleted_at": None}
"""The moments of a row that was made by a factory, as they are shown."""

ADA = {"full_name": "Ada Byron", "email": "ada@example.com"}
BOB = {"full_name": "Bob Noyce", "email": "bob@example.com"}


class Acme(NamedTuple):
    """An organization with two people, and a project for a client with a task; in some files, a timesheet of each."""

    id: UUID
    key: str
    ada: UUID
    bob: UUID
    client: UUID
    project: UUID
    task: UUID
    hers: UUID = UUID(int=0)
    his: UUID = UUID(int=0)


@pytest.fixture
def zone() -> str:
    """The time zone of the organization."""
    return "UTC"


@pytest.fixture
def acme(rows: Rows, zone: str) -> Acme:
    own = rows.organization(timezone=zone)
    rows.quota(own, 1000)
    client = rows.client(own, name="Globex")
    project = rows.project(own, client_id=client, name="Website")
    ada, bob = rows.member(own, **ADA), rows.member(own, **BOB, created_at=THEN + timedelta(hours=1))
    return Acme(own, rows.partner_key(own), ada, bob, client, project, rows.task(own, project, name="Draft"))


@pytest.fixture
def http(acme: Any, client: Connect) -> httpx.AsyncClient:
    return client(acme.key)


async def results(http: httpx.AsyncClient, path: str, **params: Any) -> list[dict[str, Any]]:
    """All rows of a list, which has one page."""
    response = await http.get(f"/v1/{path}/", params=params)
    assert response.status_code == 200, response.text
    body = response.json()
    assert body["count"] == len(body["results"])
    return list(body["results"])


def fill(rows: Rows, own: UUID, user: UUID, count: int) -> None:
    """So many timesheets of a minute from THEN on, in one statement."""
    sheets = """
        INSERT INTO timesheets (organization_id, id, user_id, started_at, ended_at, tracked_until)
        SELECT :own, gen_random_uuid(), :user, at, at + interval '1 minute', at + interval '1 minute'
        FROM generate_series(CAST(:first AS timestamptz), :last, '1 minute') at
    """
    minutes = {"first": THEN, "last": THEN + timedelta(minutes=count - 1)}
    with rows.transaction(own):
        rows.connection.execute(text(sheets), {"own": own, "user": user, **minutes})


async def ids(http: httpx.AsyncClient, path: str, **params: Any) -> list[UUID]:
    return [UUID(item["id"]) for item in await results(http, path, **params)]


def at(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)


SetClock = Callable[[str], None]


@pytest.fixture
def is_now(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """`is_now("2026-01-07T12:00:00")` sets the clock of the service, in UTC."""
    return lambda moment: monkeypatch.setattr("resolvers.context.clock", lambda: at(moment))


def of(user_id: UUID, pay: str) -> str:
    return f"/v1/members/{user_id}/{pay}/"
