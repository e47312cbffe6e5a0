"""A connection that breaks inside an answer, on the event loop of production: the read fails at once."""

import asyncio

import psycopg
import pytest
import uvloop
from psycopg.conninfo import make_conninfo

from db.reading.connection import Connection
from tests.db.reading.hosts.conftest import socket_of
from tests.faults.proxy import Proxy

TIMEOUT = 10.0
LONG_ANSWER = ("SELECT repeat('x', 100) AS text FROM generate_series(1, %(rows)s::int)", {"rows": 200})


@pytest.mark.parametrize("abrupt", [False, True], ids=["closed", "reset"])
def test_read_fails_where_its_answer_is_cut(abrupt: bool, owner_url: str) -> None:
    async def cut_reads() -> None:
        for limit in range(100, 8000, 400):
            async with await Connection.connect(address, autocommit=True) as connection:
                assert await connection.exchange([LONG_ANSWER])
                proxy.limit = limit
                with pytest.raises(psycopg.OperationalError):
                    async with asyncio.timeout(TIMEOUT):
                        await connection.exchange([LONG_ANSWER])

    with Proxy(socket_of(owner_url)) as proxy, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        address = make_conninfo(owner_url, host="127.0.0.1", port=proxy.port, sslmode="disable")
        proxy.abrupt, proxy.once = abrupt, True
        runner.run(cut_reads())
