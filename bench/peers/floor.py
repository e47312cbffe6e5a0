"""The floor: hand-written code for one page, with one statement on a psycopg pool, orjson and bare ASGI.

`GET /?organization=...&limit=...&offset=...`, without keys, quotas, validation or row-level security. The statement
yields the total and the page, and joins the clients of the page after LIMIT, so that it joins no row that OFFSET skips.
`GET /json?...` returns the same page as one JSON text that the database writes.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl

import orjson
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool
from starlette.types import Receive, Scope, Send

from bench.peers.serve import arguments, serve

# The total has a row also where the page has none.
COUNTED_PAGE = """
SELECT t.count, p.id, p.name, p.code, p.description, p.status, p.is_billable, p.currency, p.start_date, p.created_at,
       p.updated_at, c.id, c.name
FROM (SELECT count(*) FROM projects WHERE organization_id = %(organization)s AND deleted_at IS NULL) t
LEFT JOIN (
  SELECT id, client_id, name, code, description, status, is_billable, currency, start_date, created_at, updated_at
  FROM projects WHERE organization_id = %(organization)s AND deleted_at IS NULL
  ORDER BY created_at, id LIMIT %(limit)s OFFSET %(offset)s) p ON true
LEFT JOIN clients c ON c.organization_id = %(organization)s AND c.id = p.client_id
ORDER BY p.created_at, p.id
"""

PAGE_AS_JSON = """
SELECT row_to_json(answer)::text
FROM (
  SELECT (SELECT count(*) FROM projects WHERE organization_id = %(organization)s AND deleted_at IS NULL) AS count,
         (SELECT coalesce(json_agg(project), '[]') FROM (
            SELECT p.id, p.name, p.code, p.description, p.status, p.is_billable, p.currency, p.start_date, p.created_at,
                   p.updated_at, client
            FROM (
              SELECT * FROM projects WHERE organization_id = %(organization)s AND deleted_at IS NULL
              ORDER BY created_at, id LIMIT %(limit)s OFFSET %(offset)s) p
            LEFT JOIN LATERAL (
              SELECT id, name FROM clients c WHERE c.organization_id = %(organization)s AND c.id = p.client_id) client
              ON true
            ORDER BY p.created_at, p.id) project) AS results) answer
"""


def page(rows: Sequence[tuple[Any, ...]]) -> bytes:
    """The JSON of the rows of COUNTED_PAGE."""
    results = [project(row) for row in rows if row[1] is not None]
    return orjson.dumps({"count": rows[0][0], "results": results})


def project(row: tuple[Any, ...]) -> dict[str, Any]:
    return {
        "id": row[1],
        "name": row[2],
        "code": row[3],
        "description": row[4],
        "status": row[5],
        "is_billable": row[6],
        "currency": row[7],
        "start_date": row[8],
        "created_at": row[9],
        "updated_at": row[10],
        "client": None if row[11] is None else {"id": row[11], "name": row[12]},
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
        as_json = scope["path"] == "/json"
        async with self.pool.connection() as connection:
            cursor = await connection.execute(PAGE_AS_JSON if as_json else COUNTED_PAGE, parameters)
            rows = await cursor.fetchall()
        body = rows[0][0].encode() if as_json else page(rows)
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
