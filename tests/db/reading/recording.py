"""A database that records its transactions, and statements to read with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from sqlalchemy import Float, Integer, Text, cast, func, select

from db.reading.connection import Row
from db.reading.database import Database
from db.reading.hosts.host import Host
from db.reading.hosts.monitor import MonitoredHosts
from db.reading.statement import Statement
from db.reading.transaction import Transaction
from db.tables.columns import bind, in_organization
from db.tables.people import teams

NUMBER = Statement(select(bind("number", Integer()).label("number")))
INVERSE = Statement(select((100 / bind("number", Integer())).label("inverse")))
SLEEP = Statement(select(cast(func.pg_sleep(bind("seconds", Float())), Text)))
TRANSACTION = Statement(select(func.now().label("started"), func.pg_backend_pid().label("pid")))
TEAMS = Statement(select(teams.c.name, teams.c.created_at).where(in_organization(teams)))
UNKNOWN_ORGANIZATION = uuid4()


class RecordingDatabase(Database):
    """Records the number of statements of each transaction that begins."""

    def __init__(self, source: str | MonitoredHosts, **options: Any) -> None:
        super().__init__(source, **options)
        self.transactions: list[int] = []

    async def _transaction(self, transaction: Transaction, failed: set[Host]) -> list[list[Row]]:
        self.transactions.append(len(transaction.statements))
        return await super()._transaction(transaction, failed)


@asynccontextmanager
async def opened(source: str | MonitoredHosts, **options: Any) -> AsyncIterator[RecordingDatabase]:
    database = RecordingDatabase(source, **options)
    await database.open()
    try:
        yield database
    finally:
        await database.close()
