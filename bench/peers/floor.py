"""The floor: hand-written code for one page, with two statements on a psycopg pool, tuples, orjson and bare ASGI.

`GET /?organization=...&limit=...&offset=...`, without keys, quotas, validation or row-level security.
"""

from typing import Any
from urllib.parse import parse_qsl

import orjson
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool
from starlette.types import Receive, Scope, Send

from bench.peers.serve import arguments, serve

COUNT = "SELECT count(*) FROM projects WHERE organization_id = %s AND deleted_at IS NULL"

PAGE = """
SELECT p.id, p.name, p.code, p.description, p.status, p.is_billable, p.currency, p.start_date, p.created_at,
       p.updated_at, c.id, c.name
FROM projects p LEFT JOIN clients c ON c.organization_id = p.organization_id AND c.id = p.client_id
WHERE p.organization_id = %s AND p.deleted_at IS NULL
ORDER BY p.created_at, p.id LIMIT %s OFFSET %s
"""


def project(row: tuple[Any, ...]) -> dict[str, Any]:
    return {
        "id": row[0],
        "name": row[1],
        "code": row[2],
        "description": row[3],
        "status": row[4],
        "is_billable": row[5],
        "currency": row[6],
        "start_date": row[7],
        "created_at": row[8],
        "updated_at": row[9],
        "client": {"id": row[10], "name": row[11]},
    }


class App:
    """An ASGI application with a connection pool, opened at start-up."""

    def __init__(self, url: str) -> None:
        self.pool: AsyncConnectionPool[AsyncConnection[tuple[Any, ...]]] = AsyncConnectionPool(
            url, min_size=8, max_size=8, open=False, kwargs={"autocommit": True, "prepare_threshold": 0}
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.live(receive, send)
            return
        parameters = dict(parse_qsl(scope["query_string"].decode()))
        organization = parameters["organization"]
        async with self.pool.connection() as connection:
            counted = await (await connection.execute(COUNT, (organization,))).fetchone()
            page = await connection.execute(PAGE, (organization, int(parameters["limit"]), int(parameters["offset"])))
            rows = await page.fetchall()
        assert counted is not None
        body = orjson.dumps({"count": counted[0], "results": [project(row) for row in rows]})
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def live(self, receive: Receive, send: Send) -> None:
        await receive()
        await self.pool.open(wait=True)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.pool.close()
        await send({"type": "lifespan.shutdown.complete"})


if __name__ == "__main__":
    url, port = arguments()
    serve(App(url), port)
