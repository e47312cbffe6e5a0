"""Plans for tests: of each statement that a database runs, and of one statement that is prepared."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import psycopg

from db.figures.statement_plans import statement_plan
from db.reading.database import Database
from db.reading.transaction import BoundStatement
from db.sample.embedded.server import Server
from tests.helpers.databases import superuser_of


class Explaining(Database):
    """Keeps every statement in `statements`, and its plan in `plans`."""

    def __init__(self, url: str) -> None:
        super().__init__(url, size=1)
        self._url = url
        self._planner: psycopg.Connection | None = None
        self.statements: list[BoundStatement] = []
        self.plans: list[str] = []

    async def close(self) -> None:
        if self._planner is not None:
            self._planner.close()
        await super().close()

    async def read_rows(
        self, organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False
    ) -> list[list[Any]]:
        explained: Any = [
            (SimpleNamespace(sql=f"EXPLAIN {statement.sql}", constants=statement.constants), values)
            for statement, values in statements
        ]
        self.statements += statements
        plans = await super().read_rows(organization_id, explained)
        self.plans += ["\n".join(line[0] for line in plan) for plan in plans]
        return await super().read_rows(organization_id, statements, is_heavy=is_heavy)

    def analyzed(self, organization_id: UUID, bound: BoundStatement, *, is_generic: bool) -> dict[str, Any]:
        """The plan of a prepared statement, with the actual rows of each node.

        PostgreSQL plans the first runs of a prepared statement for their values, and later ones once for all values
        (`is_generic`) if that costs no more by its estimates.
        """
        # One connection plans all: a new one reads the catalogue anew.
        self._planner = self._planner or psycopg.connect(self._url)
        options = "(ANALYZE, TIMING OFF, FORMAT JSON)"
        (found,) = statement_plan(self._planner, organization_id, bound, options, is_generic=is_generic)
        plan: dict[str, Any] = found[0]["Plan"]
        return plan


def nodes(plan: dict[str, Any], *, subplans: bool = True) -> list[dict[str, Any]]:
    """All nodes; without `subplans` only the nodes that the rows pass through."""
    children = [node for node in plan.get("Plans", []) if subplans or node["Parent Relationship"] != "SubPlan"]
    return [plan, *(node for child in children for node in nodes(child, subplans=subplans))]


@asynccontextmanager
async def filled(url: str, server: Server, commands: str) -> AsyncIterator[Explaining]:
    """The database at `url`, after a superuser ran `commands`, which are separated by empty lines."""
    with superuser_of(server, url) as connection:
        for command in commands.split(";\n\n"):
            connection.execute(command.encode())
    database = Explaining(url)
    await database.open()
    yield database
    await database.close()
