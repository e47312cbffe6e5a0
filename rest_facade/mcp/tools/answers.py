"""Answers of MCP tools, made small enough for a model: chosen keys, levels of detail, and a cut at a row.

A REST response is a page of up to 1.4 MB; a model reads some tens of kilobytes.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

import orjson

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.tools.tool import Paging, Tool, ToolKey, flattened

ARRAY_KEY = "results"
"""The key of the rows. An array is returned under it, since structured content of MCP must be an object."""

DAYS_KEY = "days"
"""The key of a report's rows that has a row for each day."""

MAX_ANSWER = 100_000
"""Bytes of the rows of an answer at most. A larger answer is cut at a row."""


class Detail(StrEnum):
    """How much of a report is shown."""

    totals = "totals"
    days = "days"
    entries = "entries"


Selection = Mapping[str, Any]
"""The keys to show; the value of each is the selection inside it, or None for all of it."""


def selection(tool: Tool, arguments: Mapping[str, Any]) -> Selection | None:
    """The keys that `fields` and `detail` choose; None for all. Raises Refused (400) for an unknown key."""
    fields, detail = arguments.get("fields"), arguments.get("detail")
    if fields:
        return _selected(tool, fields)
    if "detail" not in tool.schema["properties"] or "enum" not in tool.schema["properties"]["detail"]:
        return None
    detail = Detail.totals if detail is None else detail
    if detail == Detail.totals:
        return {key.name: None for key in tool.keys if key.name != DAYS_KEY}
    if detail == Detail.days:
        return {key.name: _scalars(key) if key.name == DAYS_KEY else None for key in tool.keys}
    return None


def _scalars(key: ToolKey) -> Selection:
    return {inner.name: None for inner in key.keys if not (inner.is_list and inner.keys)}


def _selected(tool: Tool, fields: Any) -> Selection:
    known = dict(flattened(tool.keys))
    chosen: dict[str, Any] = {}
    for name in _names(fields):
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


def _names(fields: Any) -> Sequence[str]:
    """The names of a comma-separated text, or of a list, which models send as well."""
    names = fields.split(",") if isinstance(fields, str) else fields
    return [str(name).strip() for name in names] if isinstance(names, list) else [str(names)]


def shown(value: Any, chosen: Selection | None) -> Any:
    """A value with the chosen keys only."""
    if chosen is None or value is None:
        return value
    if isinstance(value, list):
        return [shown(item, chosen) for item in value]
    return {name: shown(value[name], inside) for name, inside in chosen.items() if name in value}


def answer(tool: Tool, body: bytes, arguments: Mapping[str, Any], chosen: Selection | None) -> dict[str, Any]:
    """The structured content of a successful response."""
    data = orjson.loads(body)
    if tool.paging is Paging.object:
        content: dict[str, Any] = shown(data, chosen)
        cut = cut_longest_list(content)
        return content if cut is None else {**content, "cut": cut}
    content = data if isinstance(data, dict) else {ARRAY_KEY: data}
    content[ARRAY_KEY] = shown(content[ARRAY_KEY], chosen)
    return _cut_rows(tool, content, arguments)


def _cut_rows(tool: Tool, content: dict[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """An answer of several rows, cut at a row if it is too large, with what to ask for next."""
    rows = content[ARRAY_KEY]
    fitting = _fitting(rows)
    if fitting == len(rows):
        return content
    cut: dict[str, Any] = {"results_of_this_page": len(rows)}
    if fitting == 0:
        fitting = 1
        cut["inside"] = cut_longest_list(rows[0])
    if tool.paging is Paging.page:
        # Pages of a divisor of the limit begin where pages of the limit begin, so that the rest is a page, too.
        limit = int(arguments.get("limit") or tool.schema["properties"]["limit"]["default"])
        page = int(arguments.get("page") or 1)
        smaller = max(number for number in range(1, fitting + 1) if limit % number == 0)
        fitting = fitting // smaller * smaller
        cut["next_arguments"] = {"limit": smaller, "page": (page - 1) * limit // smaller + fitting // smaller + 1}
        content["next"] = None
    elif tool.paging is Paging.cursor:
        cut["advice"] = f"Call again with limit={fitting}: the cursor of that page continues after these results."
        content["pagination"] = {**content["pagination"], "next_cursor": None}
    else:
        cut["advice"] = "Name the keys that you need in `fields`, or narrow the arguments."
    content[ARRAY_KEY] = rows[:fitting]
    return {**content, "cut": {"results_shown": fitting, **cut}}


def cut_longest_list(row: dict[str, Any]) -> dict[str, Any] | None:
    """Cut the longest list of an object that is too large alone, at one of its rows; None if it is not."""
    if len(orjson.dumps(row)) <= MAX_ANSWER:
        return None
    lists = {name: value for name, value in row.items() if isinstance(value, list)}
    if not lists:
        return {"advice": "Name the keys that you need in `fields`."}
    name = max(lists, key=lambda name: len(orjson.dumps(lists[name])))
    items = lists[name]
    row[name] = items[: max(1, _fitting(items))]
    return {
        "key": name,
        "shown": len(row[name]),
        "of": len(items),
        "advice": "Name the keys that you need in `fields`, choose less `detail`, or ask for fewer days.",
    }


def _fitting(rows: Sequence[Any]) -> int:
    """How many of the first rows fit into an answer."""
    total = 0
    for number, row in enumerate(rows):
        total += len(orjson.dumps(row)) + 1
        if total > MAX_ANSWER:
            return number
    return len(rows)


def summary(tool_name: str, content: Mapping[str, Any]) -> str:
    """One sentence about an answer, for a person who reads the text beside the structured content."""
    rows = content.get(ARRAY_KEY)
    if not isinstance(rows, list):
        return f"{tool_name}: one object, see the structured content."
    total = f" of {content['count']}" if "count" in content else ""
    more = ""
    if "cut" in content:
        more = " The answer is cut; `cut` says how to go on."
    elif content.get("next") or content.get("pagination", {}).get("has_more"):
        more = " There are more pages."
    return f"{tool_name}: {len(rows)}{total} results, see the structured content.{more}"
