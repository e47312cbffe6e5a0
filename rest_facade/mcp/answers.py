"""Answers of MCP tools, made small enough for a model: few rows, few keys, and a bound of their size.

A REST response is a page of up to 1.4 MB; a model reads some tens of kilobytes.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from difflib import get_close_matches
from itertools import accumulate
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import orjson

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.arguments import target
from rest_facade.mcp.calls import Call
from rest_facade.mcp.tool import EndpointTool, Tool, flattened

ARRAY_KEY = "results"
"""The key of the rows. An array is returned under it, since structured content of MCP must be an object."""

MAX_ANSWER = 40_000
"""Bytes of the rows of an answer at most, unless one row alone is larger."""

WHOLE_ROW, DESCRIBED = "*", "?"
"""Values of `fields`: all keys, and the types and descriptions of the keys. The latter makes no request."""

NEXT_ARGUMENT, POSITION_PARAMETERS = "next", ("page", "after", "cursor", "limit")
"""The key and the argument of the position where a list goes on, and the parameters of /v1 that it stands for."""

ASKED_BY_KEY = {"include": ("line_items", "line_items"), "detail": ("pages", "url")}
"""Parameters without which /v1 leaves out a key: the key, and the value that brings it."""

Selection = Mapping[str, Any]
"""The keys to show; the value of each is the selection inside it, or None for all of it."""


async def read(tool: EndpointTool, arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """The answer of a tool. Without `fields` it has the main keys of its rows, as far as they have values."""
    fields = arguments.get("fields") or ",".join(tool.default_fields)
    if fields == DESCRIBED:
        return {name: f"{key.type}. {key.description}".strip() for name, key in flattened(tool.keys)}
    chosen = selection(tool, fields or WHOLE_ROW)
    given = {name: value for name, value in arguments.items() if name not in ("fields", NEXT_ARGUMENT)}
    for parameter, (key, value) in ASKED_BY_KEY.items():
        # /v1 has pages of one person only.
        is_whole = chosen is None and (parameter == "include" or "user_id" in given)
        if parameter in tool.schema["properties"] and (is_whole or key in str(fields)):
            given[parameter] = [value]
    if tool.rows is not None:
        given = {"limit": tool.rows, **given, **_position(tool, arguments.get(NEXT_ARGUMENT))}
    content = await _page(tool, given, chosen, call)
    if tool.name == "retrieveOrganization" and "timezone" in content:  # models do not know the local day
        with suppress(ZoneInfoNotFoundError):
            content["today"] = datetime.now(ZoneInfo(content["timezone"])).strftime("%A, %Y-%m-%d")
    if not arguments.get("fields") and ARRAY_KEY in content:
        rows = content[ARRAY_KEY]
        content[ARRAY_KEY] = [{name: value for name, value in row.items() if value is not None} for row in rows]
        if chosen is not None:
            content["more_fields"] = [key.name for key in tool.keys if key.name not in chosen]
    return content


async def _page(
    tool: EndpointTool, arguments: Mapping[str, Any], chosen: Selection | None, call: Call
) -> dict[str, Any]:
    """The answer of a request. A page that is too large is read again, with a part of its rows."""
    # Beside a page, /v1 ignores the token of another list: the agent would miss rows without a word.
    sent = {name: value for name, value in arguments.items() if name != "page" or "after" not in arguments}
    content = answer(await call.get(*target(tool, sent)), chosen)
    limit, fitting = int(arguments.get("limit", 1)), max(1, _fitting(content.get(ARRAY_KEY, ())))
    if tool.rows is None or limit == 1 or fitting >= len(content[ARRAY_KEY]):
        return cut_longest_list(content)
    # Pages of a divisor of the limit begin where pages of the limit begin.
    smaller = max(number for number in range(1, min(fitting, limit - 1) + 1) if limit % number == 0)
    page = {"page": (int(arguments["page"]) - 1) * limit // smaller + 1} if "page" in arguments else {}
    arguments = {name: value for name, value in arguments.items() if name != "after"}
    return await _page(tool, {**arguments, "limit": smaller, **page}, chosen, call)


def _position(tool: EndpointTool, following: str | None) -> dict[str, str]:
    """The parameters of `next`, which says where a page is. Raises Refused (400) for a text that is no such query."""
    if following is None:
        return {}
    with suppress(ValueError):
        position = parse_qsl(following, strict_parsing=True)
        names = {name for name, _ in position}
        needed = {"cursor"} if tool.name == "listTimesheetIdleTime" else {"limit", "page"}
        if needed <= names <= needed | {"limit", "after"} and len(names) == len(position):
            return dict(position)
    raise Refused(invalid("next must be the `next` of the previous answer, as it is.", NEXT_ARGUMENT))


def selection(tool: EndpointTool, fields: Any) -> Selection | None:
    """The keys that `fields` chooses: names separated by commas, or a list. Raises Refused (400) for an unknown one."""
    if fields == WHOLE_ROW:
        return None
    known = dict(flattened(tool.keys))
    chosen: dict[str, Any] = {}
    for name in (str(name).strip() for name in (fields.split(",") if isinstance(fields, str) else fields)):
        if name not in known:
            near = get_close_matches(name, known, n=3) or list(known)[:10]
            raise Refused(invalid(f"{name!r} is no key of a result. Near ones: {', '.join(near)}.", "fields"))
        *outer, last = name.split(".")
        inside: dict[str, Any] | None = chosen
        for part in outer:
            inside = None if inside is None else inside.setdefault(part, {})
        if inside is not None:
            inside[last] = None
    return chosen


def shown(value: Any, chosen: Selection | None) -> Any:
    """A value with the chosen keys only."""
    if chosen is None or value is None:
        return value
    if isinstance(value, list):
        return [shown(item, chosen) for item in value]
    return {name: shown(value[name], inside) for name, inside in chosen.items() if name in value}


def answer(data: Any, chosen: Selection | None) -> dict[str, Any]:
    """The answer of a response. Lists of all kinds become `results`, with the `count` of all and `next` of a page."""
    if isinstance(data, list):
        return {ARRAY_KEY: shown(data, chosen)}
    if ARRAY_KEY not in data:
        return dict(shown(data, chosen))
    cursors = data.get("pagination", {})
    following = dict(parse_qsl(urlsplit(data.get("next") or "").query)) | {"cursor": cursors.get("next_cursor")}
    position = {name: value for name, value in following.items() if name in POSITION_PARAMETERS and value}
    return {
        "count": data.get("count", cursors.get("total_users")),
        NEXT_ARGUMENT: urlencode(position) or None,
        ARRAY_KEY: shown(data[ARRAY_KEY], chosen),
    }


def cut_longest_list(content: dict[str, Any]) -> dict[str, Any]:
    """The same answer; if it is too large, its longest list is cut at a row, and `cut` says so."""
    lists = {name: value for name, value in content.items() if isinstance(value, list)}
    if not lists or len(orjson.dumps(content)) <= MAX_ANSWER:
        return content
    name = max(lists, key=lambda name: len(orjson.dumps(lists[name])))
    rows, fitting = lists[name], max(1, _fitting(lists[name]))
    advice = "Name the keys that you need in `fields`, or ask for fewer days."
    return {**content, name: rows[:fitting], "cut": {"key": name, "shown": fitting, "of": len(rows), "advice": advice}}


def result_schema(tool: Tool) -> dict[str, Any]:
    """The JSON Schema of a tool's structured content. It requires nothing, since `fields` chooses."""
    keys = tool.keys if isinstance(tool, EndpointTool) else ()
    known = {key.name: {"description": f"{key.type}. {key.description}".strip()} for key in keys}
    rows = {ARRAY_KEY: {"type": "array", "items": {"type": "object", "properties": known}}}
    return {"type": "object", "properties": {**known, **rows}}


def _fitting(rows: Sequence[Any]) -> int:
    """How many of the first rows fit into an answer."""
    return sum(size <= MAX_ANSWER for size in accumulate(len(orjson.dumps(row)) + 1 for row in rows))
