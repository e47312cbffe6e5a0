"""The organizations of an internal token: which, in what order, and who may ask."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from db.admin.engine import connect
from db.admin.key_format import parse_key
from db.admin.keys import Grant, revoke_key
from db.figures.organization_list import list_organizations_of
from db.reading.database import Database
from db.values.purpose import Purpose
from tests.db.reading.recording import opened
from tests.db.writing import session
from tests.factories.rows import Rows

CALL = "SELECT count(*) AS number FROM organizations_of_token(%(token)s, NULL, NULL, 10)"


@pytest.fixture
async def database(owner_url: str) -> AsyncIterator[Database]:
    async with opened(owner_url) as database:
        yield database


@pytest.fixture
def tag() -> str:
    """A part of names that no other test uses: all tests share a database."""
    return uuid4().hex


def public_id(key: str) -> str:
    parsed = parse_key(key)
    assert parsed is not None
    return parsed.public_id


def internal_token(rows: Rows, *organizations: UUID, days: float = 1) -> str:
    """The public id of a token for these organizations, or for all."""
    expires_at = datetime.now(UTC) + timedelta(days=days)
    return public_id(rows.key(Grant(Purpose.internal, organization_ids=organizations or None, expires_at=expires_at)))


async def names(database: Database, token: str, search: str | None) -> list[str]:
    page = await list_organizations_of(database, token, search=search, after=None, size=20)
    assert page.total == len(page.organizations)
    return [each.name for each in page.organizations]


async def test_unbound_token_sees_all_by_name(database: Database, rows: Rows, tag: str) -> None:
    for name in ("beta", "Alpha", "gamma"):
        rows.organization(name=f"{name} {tag}")
    rows.organization(name=f"Gone {tag}", deleted_at=datetime.now(UTC))
    assert await names(database, internal_token(rows), tag) == [f"{name} {tag}" for name in ("Alpha", "beta", "gamma")]


async def test_bound_token_sees_only_its_own(database: Database, rows: Rows, tag: str) -> None:
    alpha, _, gamma = [rows.organization(name=f"{name} {tag}") for name in ("alpha", "beta", "gamma")]
    token = internal_token(rows, alpha, gamma)
    assert await names(database, token, None) == [f"alpha {tag}", f"gamma {tag}"]
    assert await names(database, token, "beta") == []


async def test_pages_follow_each_other(database: Database, rows: Rows) -> None:
    same = sorted(rows.organization(name="Same") for _ in range(3))
    ids = [rows.organization(name="Abc"), *same, rows.organization(name="Xyz")]
    token = internal_token(rows, *ids)
    found: list[UUID] = []
    for has_next in (True, True, False):
        page = await list_organizations_of(database, token, search=None, after=found[-1] if found else None, size=2)
        assert (page.total, page.has_next) == (5, has_next)
        found += [each.organization_id for each in page.organizations]
    assert found == ids


async def test_position_outside_the_token_shows_nothing(database: Database, rows: Rows) -> None:
    alpha, beta = rows.organization(name="alpha"), rows.organization(name="beta")
    page = await list_organizations_of(database, internal_token(rows, beta), search=None, after=alpha, size=2)
    assert page == ([], 0, False)


async def test_search_takes_part_of_name_or_id(database: Database, rows: Rows) -> None:
    acme, initech = rows.organization(name="Acme 100%"), rows.organization(name="Initech")
    token = internal_token(rows, acme, initech)
    for search in ("cme", "ACME", "100%", "%", str(acme), str(acme).upper()):
        assert await names(database, token, search) == ["Acme 100%"]
    for search in ("_", "acme initech", str(acme)[:-1]):
        assert await names(database, token, search) == []


async def test_keys_that_are_no_valid_token_see_nothing(database: Database, rows: Rows, owner_url: str) -> None:
    organization = rows.organization()
    revoked, expired = internal_token(rows), internal_token(rows, days=-1)
    with connect(owner_url).begin() as connection:
        revoke_key(connection, revoked)
    for token in (revoked, expired, public_id(rows.partner_key(organization)), "unknown1"):
        assert await names(database, token, None) == []


def test_only_the_service_may_call_the_function(owner_url: str, rows: Rows) -> None:
    token = internal_token(rows, rows.organization())
    with session(owner_url, role="orgdata_service") as service:
        assert service.one(CALL, token=token).number == 1
    with session(owner_url, role="orgdata_writer") as writer, pytest.raises(InsufficientPrivilege):
        writer.run(CALL, token=token)


def test_function_has_a_search_path_of_its_own(owner_url: str) -> None:
    with psycopg.connect(owner_url) as connection:
        query = "SELECT prosecdef, proconfig FROM pg_proc WHERE proname = 'organizations_of_token'"
        (found,) = connection.execute(query).fetchall()
    assert found == (True, ["search_path=pg_catalog, pg_temp"])
