"""Keys where the service reads replicas: the primary decides, and a replica while the primary does not answer.

Covers `rest_facade/access/key_databases.py`.

An empty database stands for a replica to which nothing has arrived.
"""

from contextlib import AbstractAsyncContextManager
from uuid import UUID

from pydantic import SecretStr

from db.admin.key_format import generate_key
from db.values.purpose import Purpose
from rest_facade.composition import Service
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.rest_facade.conftest import Vary

UNREACHABLE = "host=127.0.0.1,127.0.0.1 port=1,2 user=nobody dbname=nothing"


def opened(vary: Vary, replica: str, primary: str) -> AbstractAsyncContextManager[Service]:
    return vary(url=replica, keys_database_url=SecretStr(primary), pool_wait=0.3)


def lookups(service: Service) -> list[int]:
    """The statements read from the replica and from the primary for keys: three for each lookup."""
    assert service.primary_key_database is not None
    return [each.query_stats.statements for each in (service.key_database, service.primary_key_database)]


async def test_new_key_works_at_once(
    vary: Vary, own_url: str, owner_url: str, rows: Rows, organization: UUID, key: str, client: Connect
) -> None:
    rows.quota(organization, 7)
    async with opened(vary, own_url, owner_url) as service, client(key, of=service) as http:
        for _ in range(3):
            response = await http.get("/v1/teams/")
            assert response.status_code == 200
            assert response.headers["ratelimit-limit"] == "7", "its quotas come from the same place"
        assert lookups(service) == [0, 3]


async def test_revoked_key_that_the_replica_still_has_is_401(
    vary: Vary, own_url: str, owner_url: str, key: str, client: Connect
) -> None:
    # An empty database stands for a primary where the key is no longer valid.
    async with opened(vary, owner_url, own_url) as service, client(key, of=service) as http:
        assert_error(await http.get("/v1/teams/"), 401, "INVALID_API_KEY")
        assert lookups(service) == [0, 3]


async def test_key_is_read_from_replica_without_primary(vary: Vary, owner_url: str, key: str, client: Connect) -> None:
    async with opened(vary, owner_url, UNREACHABLE) as service, client(key, of=service) as http:
        assert (await http.get("/v1/teams/")).status_code == 200
        assert lookups(service) == [3, 0]


async def test_key_that_neither_has_is_401_and_kept(vary: Vary, own_url: str, owner_url: str, client: Connect) -> None:
    key, _ = generate_key(Purpose.partner)
    async with opened(vary, own_url, owner_url) as service, client(key, of=service) as http:
        for _ in range(10):
            assert_error(await http.get("/v1/teams/"), 401, "INVALID_API_KEY")
        assert_error(await http.get("/v1/teams/"), 429, "AUTH_FAILURE_THROTTLE")
        assert lookups(service) == [0, 3]


async def test_unknown_key_without_primary_is_500(vary: Vary, own_url: str, client: Connect) -> None:
    key, _ = generate_key(Purpose.partner)
    async with opened(vary, own_url, UNREACHABLE) as service, client(key, of=service) as http:
        assert_error(await http.get("/v1/teams/"), 500, "INTERNAL_ERROR", "An unexpected error occurred.")
