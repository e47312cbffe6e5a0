"""What summary tools share: the arguments of people and ranges, and all rows of a list."""

from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.answers import ARRAY_KEY
from rest_facade.mcp.calls import Call, query_of
from rest_facade.mcp.tool import packaged_tools


def arguments_of(operation: str, *names: str) -> dict[str, Any]:
    """The schemas of arguments that the tool of an endpoint has, too."""
    schema = next(tool.schema for tool in packaged_tools() if tool.name == operation)
    return {name: schema["properties"][name] for name in names}


async def all_rows(
    call: Call, path: str, filters: Mapping[str, Any], *, limit: int, most: int
) -> AsyncIterator[dict[str, Any]]:
    """The rows of all pages of a list. Raises Refused (400) if it has more than `most`, and CallRefused."""
    query = {name: str(value) for name, value in filters.items()} | {"limit": str(limit)}
    while True:
        page = await call.get(path, query_of(query))
        if page["count"] > most:
            raise Refused(invalid(f"{page['count']} rows match; this tool reads at most {most}. Choose a team_id."))
        for row in page[ARRAY_KEY]:
            yield row
        if page["next"] is None:
            return
        query |= dict(parse_qsl(urlsplit(page["next"]).query))
