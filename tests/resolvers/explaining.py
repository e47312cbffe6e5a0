"""A database that explains each statement before it runs it, for tests of plans."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import psycopg
from psycopg.conninfo import conninfo_to_dict

from db.embedded.server import Server
from db.reading.database import BoundStatement, Database


class Explaining(Database):
    """Keeps the plan of every statement, in `plans`."""

    def __init__(self, url: str) -> None:
        super().__init__(url, size=1)
        self.plans: list[str] = []

    async def read(
        self, organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False
    ) -> list[list[Any]]:
        explained: Any = [
            (SimpleNamespace(sql=f"EXPLAIN {statement.sql}", constants=statement.constants), values)
            for statement, values in statements
        ]
        plans = await super().read(organization_id, explained)
        self.plans += ["\n".join(line[0] for line in plan) for plan in plans]
        return await super().read(organization_id, statements, is_heavy=is_heavy)


@asynccontextmanager
async def filled(url: str, server: Server, commands: str) -> AsyncIterator[Explaining]:
    """The database at `url`, after a superuser ran `commands`, which are separated by empty lines."""
    name = str(conninfo_to_dict(url)["dbname"])
    with psycopg.connect(server.url("postgres", name), autocommit=True) as connection:
        for command in commands.split(";\n\n"):
            connection.execute(command.encode())
    database = Explaining(url)
    await database.open()
    yield database
    await database.close()
