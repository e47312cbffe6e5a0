"""What distributed tables need, found without a server of them: keys with the organization, and joins within it."""

import re
from collections.abc import Iterator

import pytest

from db.jobs.doctor.checks import ORGANIZATION_CHECKS
from db.reading.hosts.distribution import distributed_tables, keys_to_distributed, reference_tables
from db.reading.key_statements import ACTIVE_ORGANIZATION, QUOTA_OVERRIDES
from rest_facade.composition import Service
from rest_facade.v1 import ENDPOINTS
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.helpers.endpoint_calls import url_of
from tests.helpers.round_trips import recorded_round_trips
from tests.world import World, build

TENANT = {table.name for table in distributed_tables()}
OWN = "organization_id"


def test_reference_tables_lose_only_the_organization_of_keys() -> None:
    lost = {table.name: [str(key.name) for key in keys_to_distributed(table)] for table in reference_tables()}
    assert {name: keys for name, keys in lost.items() if keys} == {"api_keys": ["api_keys_organization_id_fkey"]}


def unjoined(sql: str) -> Iterator[str]:
    """The tenant tables of a statement, by alias, that no condition on the organization ties to the others."""
    for match in re.finditer(r"(?:\bFROM|\bJOIN|,)\s+(?:LATERAL\s+)?(?:public\.)?(\w+)(?:\s+(?:AS\s+)?(\w+))?", sql):
        table, alias = match[1], match[2]
        if table not in TENANT:
            continue
        names = {table, *([alias] if alias else [])}
        if not any(re.search(rf"\b{name}\.{OWN}\s*=|=\s*{name}\.{OWN}\b", sql) for name in names) and not re.search(
            rf"(?<![.\w]){OWN} = :{OWN}", sql
        ):
            yield f"{table} in {sql}"


def test_unjoined_table_is_found() -> None:
    own = "a.organization_id = %(organization_id)s"
    assert not list(unjoined(f"SELECT 1 FROM members AS a WHERE {own}"))
    joined = f"members AS a JOIN teams b ON b.organization_id = a.organization_id AND {own}"
    assert not list(unjoined(f"SELECT 1 FROM {joined}"))
    assert len(list(unjoined(f"SELECT 1 FROM members AS a, teams AS b WHERE {own} AND b.id = a.user_id"))) == 1
    assert len(list(unjoined("SELECT 1 FROM members"))) == 1


async def test_every_statement_joins_on_the_organization(
    service: Service, rows: Rows, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    world: World = build(rows, "A")
    for endpoint in ENDPOINTS:
        rows.quota(world.organization_id, 1000, endpoint.group)
    round_trips = recorded_round_trips(service.database, monkeypatch)
    async with client(world.key) as http:
        for endpoint in ENDPOINTS:
            assert (await http.get(url_of(endpoint, world))).status_code == 200
    sent = {statement.sql for trip in round_trips for statement, _ in trip}
    assert len(sent) > len(ENDPOINTS)
    assert [problem for sql in sorted(sent) for problem in unjoined(sql)] == []


def test_statements_of_a_key_join_on_the_organization() -> None:
    for statement in (ACTIVE_ORGANIZATION, QUOTA_OVERRIDES):
        assert "api_keys" not in statement.sql
        assert not list(unjoined(statement.sql))


def test_every_check_of_doctor_joins_on_the_organization() -> None:
    for check in ORGANIZATION_CHECKS:
        assert list(unjoined(check.statement)) == [], check.name
