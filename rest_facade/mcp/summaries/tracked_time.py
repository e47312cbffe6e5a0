"""`sumTrackedTime`: tracked time by person, project, client or day, sorted, with the share of each.

It sums the rows of time activity, so its sums are exact by the same day rules. The GraphQL field `time_totals` has the
same sums, but a service elsewhere offers `/v1` only: with it, this tool would need a second way for each answer.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.calls import Call
from rest_facade.mcp.summaries.pages import all_rows, arguments_of
from rest_facade.mcp.tool import SummaryTool

TIME_ACTIVITY_PATH = "/v1/time_activity_reports/"
TIME_PAGE_ROWS, SUMMARY_DAYS = 20, 31
"""The largest page of the report, and its longest range (spec, Limits)."""

MAX_PEOPLE = 1_000
"""People whose rows are read at most."""

MAX_READ_PAGES = 100
"""Pages that one call reads at most: each counts for the quota of the key."""

LONGEST_DAYS = 366
"""Days that are summed at most."""

SHOWN_GROUPS, MOST_GROUPS = 50, 300

SUMS = ("tracked_seconds", "billable_seconds", "manual_seconds")

GROUP_KEYS: Mapping[str, Sequence[str]] = {
    "person": ("user_id", "full_name"),
    "project": ("project_id", "project_name", "client_name"),
    "client": ("client_id", "client_name"),
    "day": ("date",),
}

TRACKED_TIME_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "group_by": {"type": "string", "enum": list(GROUP_KEYS), "description": "What a group is: person."},
        **arguments_of(
            "listTimeActivityReport",
            *("start_date", "end_date", "user_id", "team_id", "timezone", "project_id", "client_id", "task_id"),
        ),
        "top": {"type": "integer", "minimum": 1, "maximum": MOST_GROUPS, "description": f"Groups: {SHOWN_GROUPS}."},
    },
    "required": ["start_date", "end_date"],
}


async def _run(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    group_by = arguments.get("group_by", "person")
    # Days are read as a series, in which one that is left out is a day without time.
    top = arguments.get("top", MOST_GROUPS if group_by == "day" else SHOWN_GROUPS)
    filters = {name: value for name, value in arguments.items() if name not in ("group_by", "top")}
    keys = GROUP_KEYS[group_by]
    sums: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    users: dict[str, Mapping[str, Any]] = {}
    people: set[str] = set()
    is_final, zone = True, arguments.get("timezone")
    ranges = list(_ranges(arguments))
    most = min(MAX_PEOPLE, MAX_READ_PAGES // len(ranges) * TIME_PAGE_ROWS)
    for days in ranges:
        rows = all_rows(call, TIME_ACTIVITY_PATH, {**filters, **days}, limit=TIME_PAGE_ROWS, most=most)
        async for row in rows:
            is_final &= row["is_final"]
            zone = row["timezone"]
            users[row["user"]["user_id"]] = row["user"]
            if row["tracked_seconds"]:
                people.add(row["user"]["user_id"])
            for part in _parts(row, group_by):
                sums[tuple(part[key] for key in keys)].update({name: part[name] for name in SUMS})
    total = _added(sums.values())
    groups = [
        {**dict(zip(keys, group, strict=True)), **_with_share(each, total)}
        for group, each in sums.items()
        if each["tracked_seconds"]
    ]
    # Groups without a name, such as time without a project, come last among equals.
    groups.sort(
        key=lambda each: (-each["tracked_seconds"], *((each[key] is None, each[key] or "") for key in reversed(keys)))
    )
    # The fewest hours of a team are those of people without any, who are in no group.
    namesakes = Counter(user["full_name"] for user in users.values())
    without = sorted(
        user["full_name"] if namesakes[user["full_name"]] == 1 else f"{user['full_name']}, {user['email']}"
        for user_id, user in users.items()
        if user_id not in people
    )
    return {
        "start_date": arguments["start_date"],
        "end_date": arguments["end_date"],
        "timezone": zone,
        "group_by": group_by,
        "tracked_hours": _hours(total),
        **total,
        "people_with_time": len(people),
        "people_without_time": len(without),
        **({"names_without_time": without[:MOST_GROUPS]} if group_by == "person" else {}),
        "is_final": is_final,
        "groups": sorted(groups[:top], key=lambda each: str(each.get("date", ""))),
        "others": {"groups": len(groups[top:]), **_with_share(_added(groups[top:]), total)},
    }


def _ranges(arguments: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Ranges that the report takes, which make up the range of the arguments. The API refuses what is no range."""
    try:
        first, last = (date.fromisoformat(arguments[name]) for name in ("start_date", "end_date"))
    except ValueError:
        yield {}
        return
    days = (last - first).days + 1
    if days > LONGEST_DAYS:
        raise Refused(invalid(f"The range must have at most {LONGEST_DAYS} days.", "end_date"))
    for passed in range(0, max(days, 1), SUMMARY_DAYS):
        start = first + timedelta(days=passed)
        end = min(date.max.toordinal(), start.toordinal() + SUMMARY_DAYS - 1, last.toordinal())
        yield {"start_date": str(start), "end_date": str(date.fromordinal(end))}


def _parts(row: Mapping[str, Any], group_by: str) -> Sequence[Mapping[str, Any]]:
    """The parts of a person's row, each of one group."""
    if group_by == "person":
        return [{**row, **row["user"]}]
    return [part for day in row["days"] for part in ([day] if group_by == "day" else day["entries"])]


def _added(parts: Collection[Mapping[str, Any]]) -> dict[str, int]:
    return {name: sum(part[name] for part in parts) for name in SUMS}


def _with_share(sums: Mapping[str, int], total: Mapping[str, int]) -> dict[str, Any]:
    """Sums, the hours, and the percentage of all tracked time to one decimal; null if there is none."""
    tracked = total["tracked_seconds"]
    share = round(100 * sums["tracked_seconds"] / tracked, 1) if tracked else None
    return {"tracked_hours": _hours(sums), **sums, "share_percent": share}


def _hours(sums: Mapping[str, int]) -> float:
    """Hours to two decimals: models divide badly."""
    return round(sums["tracked_seconds"] / 3600, 2)


SUM_TRACKED_TIME = SummaryTool(
    "sumTrackedTime",
    f"Tracked time of up to {LONGEST_DAYS} days by person, project, client or day: the `top` largest with the share of "
    "each; the rest is `others`. By person, `names_without_time` has those with none. A team is who is in it now.",
    "time:read",
    TRACKED_TIME_SCHEMA,
    _run,
)
