"""Summary tool: an MCP tool that reads all pages of an operation and answers a question about them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.rest_calls import Call
from rest_facade.mcp.tools.answers import ARRAY_KEY

SummaryFunction = Callable[[Mapping[str, Any], Call], Awaitable[dict[str, Any]]]
"""Makes the answer from the arguments. Raises Refused, and ErrorAnswer for a request that was refused."""


@dataclass(frozen=True)
class SummaryTool:
    """A tool of several requests. `scope` is what a key needs for it; None for none."""

    name: str
    title: str
    description: str
    scope: str | None
    schema: Mapping[str, Any] = field(repr=False)
    run: SummaryFunction = field(repr=False)


PEOPLE_AND_RANGE: Mapping[str, Any] = {
    "start_date": {"type": "string"},
    "end_date": {"type": "string"},
    "user_id": {"type": "string"},
    "team_id": {"type": "string"},
}
"""Arguments of both summaries; the instructions explain them."""


async def all_rows(
    call: Call, path: str, filters: Mapping[str, Any], *, limit: int, most: int
) -> AsyncIterator[dict[str, Any]]:
    """The rows of all pages of a list. Raises Refused (400) if it has more than `most`, and ErrorAnswer."""
    query = {name: str(value) for name, value in filters.items()} | {"limit": str(limit)}
    while True:
        page = (await call.get(path, urlencode(query))).data()
        if page["count"] > most:
            raise Refused(invalid(f"{page['count']} rows match; this tool reads at most {most}. Choose a team_id."))
        for row in page[ARRAY_KEY]:
            yield row
        if page["next"] is None:
            return
        query |= dict(parse_qsl(urlsplit(page["next"]).query))


def argument(schema: Mapping[str, Any], arguments: Mapping[str, Any], name: str) -> Any:
    """An argument, or its default. Raises Refused (400) unless it is one of the values or numbers of the schema."""
    rule = schema["properties"][name]
    value = arguments.get(name, rule.get("default"))
    if "enum" in rule and value not in rule["enum"]:
        raise Refused(invalid(f"{name} must be one of {', '.join(rule['enum'])}.", name))
    if rule.get("type") == "integer" and not (type(value) is int and rule["minimum"] <= value <= rule["maximum"]):
        raise Refused(invalid(f"{name} must be an integer from {rule['minimum']} to {rule['maximum']}.", name))
    return value
