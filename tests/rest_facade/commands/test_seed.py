"""`orgdata seed`: the organizations it adds."""

import psycopg
from psycopg import sql

from tests.rest_facade.commands.conftest import Run


def test_seed_prints_ids_of_whole_organizations(operate: Run, owner_url: str) -> None:
    result = operate("seed", "--organizations", "2", "--members", "40", "--days", "1")
    assert (result.code, result.err) == (0, "")
    made = result.out.split()
    assert len(set(made)) == 2
    expected = {"organizations": 1, "members": 40, "teams": 3, "clients": 2, "projects": 40, "tasks": 800}
    with psycopg.connect(owner_url) as connection:
        for organization in made:
            connection.execute("SELECT set_config('app.organization_id', %s, true)", [organization])
            for table, number in expected.items():
                counting = sql.SQL("SELECT count(*) FROM {} WHERE organization_id = %s").format(sql.Identifier(table))
                assert connection.execute(counting, [organization]).fetchone() == (number,), table
