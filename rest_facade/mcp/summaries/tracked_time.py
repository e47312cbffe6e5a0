"""`sumTrackedTime`: tracked time by person, project, client or day, sorted, with the share of each.

It sums the rows of time activity, so its sums are exact by the same day rules. The GraphQL field `time_totals` has the
same sums, but a service elsewhere offers `/v1` only: with it, this tool would need a second way for each answer.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from rest_facade.mcp.rest_calls import Call
from rest_facade.mcp.summaries.summary_tool import PEOPLE_AND_RANGE, SummaryTool, all_rows, argument

TIME_ACTIVITY_PATH = "/v1/time_activity_reports/"
TIME_PAGE_ROWS = 20
"""The largest page of the report (spec, Limits)."""

MAX_PEOPLE = 1_000
"""People whose rows are read at most."""

SUMS = ("tracked_seconds", "billable_seconds", "manual_seconds")

TRACKED_TIME_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "group_by": {"enum": ["person", "project", "client", "day"], "default": "person"},
        **PEOPLE_AND_RANGE,
        "timezone": {"type": "string"},
        "project_id": {"type": "string", "description": "Only time on this project."},
        "client_id": {"type": "string", "description": "Only time on projects of this client."},
        "task_id": {"type": "string", "description": "Only time on this task."},
        "top": {
            "type": "integer",
            "minimum": 1,
            "maximum": 300,
            "default": 50,
            "description": "Groups to show; the rest is summed up as `others`.",
        },
    },
    "required": ["start_date", "end_date"],
}

Group = tuple[Any, Any]
"""The id of a group and its name."""


async def _run(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    group_by, top = (argument(TRACKED_TIME_SCHEMA, arguments, name) for name in ("group_by", "top"))
    filters = {name: value for name, value in arguments.items() if name not in ("group_by", "top")}
    sums: dict[Group, dict[str, int]] = defaultdict(lambda: dict.fromkeys(SUMS, 0))
    total = dict.fromkeys(SUMS, 0)
    people, is_final, zone = 0, True, arguments.get("timezone")
    async for row in all_rows(call, TIME_ACTIVITY_PATH, filters, limit=TIME_PAGE_ROWS, most=MAX_PEOPLE):
        people += row["tracked_seconds"] > 0
        is_final &= row["is_final"]
        zone = row["timezone"]
        _add(total, row)
        for group, part in _parts(row, group_by):
            _add(sums[group], part)
    groups = [
        {**_names(group_by, group), **each, "share_percent": _share(each, total)}
        for group, each in sums.items()
        if each["tracked_seconds"]
    ]
    groups.sort(key=(lambda each: each["date"]) if group_by == "day" else _largest_first)
    others = dict.fromkeys(SUMS, 0)
    for each in groups[top:]:
        _add(others, each)
    return {
        "start_date": arguments.get("start_date"),
        "end_date": arguments.get("end_date"),
        "timezone": zone,
        "group_by": group_by,
        **total,
        "people_with_time": people,
        "is_final": is_final,
        "groups": groups[:top],
        "others": {"groups": len(groups[top:]), **others, "share_percent": _share(others, total)},
    }


def _parts(row: Mapping[str, Any], group_by: str) -> Iterator[tuple[Group, Mapping[str, Any]]]:
    """The parts of a person's row, each with its group."""
    if group_by == "person":
        yield (row["user"]["user_id"], row["user"]["full_name"]), row
        return
    for day in row["days"]:
        if group_by == "day":
            yield (day["date"], None), day
            continue
        for entry in day["entries"]:
            yield (entry[f"{group_by}_id"], entry[f"{group_by}_name"]), entry


def _names(group_by: str, group: Group) -> dict[str, Any]:
    if group_by == "day":
        return {"date": group[0]}
    id_name, name = ("user_id", "full_name") if group_by == "person" else (f"{group_by}_id", f"{group_by}_name")
    return {id_name: group[0], name: group[1]}


def _add(sums: dict[str, int], part: Mapping[str, Any]) -> None:
    for name in SUMS:
        sums[name] += part[name]


def _share(part: Mapping[str, int], total: Mapping[str, int]) -> float | None:
    """The percentage of all tracked time, to one decimal; None if there is none."""
    return round(100 * part["tracked_seconds"] / total["tracked_seconds"], 1) if total["tracked_seconds"] else None


def _largest_first(group: Mapping[str, Any]) -> tuple[Any, ...]:
    """Groups without a name, such as time without a project, come last among equals."""
    id_, name = list(group.values())[:2]
    return -group["tracked_seconds"], name is None, name or "", id_ or ""


SUM_TRACKED_TIME = SummaryTool(
    "sumTrackedTime",
    "Sum tracked time",
    "Tracked time of a date range by person, project, client or day: seconds, and percent of all, the largest group "
    f"first (days by date). At most {MAX_PEOPLE} people. Costs one request; over a remote service one for each "
    f"{TIME_PAGE_ROWS} people.",
    "time:read",
    TRACKED_TIME_SCHEMA,
    _run,
)
