"""`listAbsences`: who is absent on which day, from approved leave."""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from rest_facade.mcp.answers import cut_longest_list
from rest_facade.mcp.calls import Call
from rest_facade.mcp.summaries.pages import all_rows, arguments_of
from rest_facade.mcp.tool import SummaryTool

APPLICATIONS = "/v1/leave_applications/"
ABSENCE_PAGE_ROWS = 100
"""The largest page of the list (spec, Limits)."""

MAX_APPLICATIONS = 2_000
"""Applications that are read at most."""

ABSENCES_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": arguments_of("listLeaveApplications", "start_date", "end_date", "user_id", "team_id"),
    "required": ["start_date", "end_date"],
}

SHOWN_FIELDS = ("leave_type_name", "is_paid", "unit")
"""Keys of an application that are shown with each of its days."""


async def _run(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
    start, end = arguments["start_date"], arguments["end_date"]
    filters = {**arguments, "status": "approved"}
    people_by_date: dict[str, list[dict[str, Any]]] = defaultdict(list)
    without_days: list[dict[str, Any]] = []
    async for application in all_rows(call, APPLICATIONS, filters, limit=ABSENCE_PAGE_ROWS, most=MAX_APPLICATIONS):
        if not application["days"]:
            whole = {name: application[name] for name in (*SHOWN_FIELDS, "start_date", "end_date", "amount")}
            without_days.append({**application["user"], **whole})
        for day in application["days"]:
            # Days without an amount are no absence, such as a weekend, unless they are holidays.
            if start <= day["date"] <= end and (Decimal(day["amount"]) or day["is_holiday"]):
                shown = {name: application[name] for name in SHOWN_FIELDS}
                shown |= {name: day[name] for name in ("amount", "duration_seconds", "is_holiday")}
                people_by_date[day["date"]].append({**application["user"], **shown})
    days: list[dict[str, Any]] = [
        {"date": date, "people": sorted(people, key=lambda person: (person["full_name"], person["user_id"]))}
        for date, people in sorted(people_by_date.items())
    ]
    absent = {person["user_id"] for day in days for person in day["people"] if not person["is_holiday"]}
    unknown = {"absent_on_unknown_days": without_days} if without_days else {}
    range_ = {"start_date": start, "end_date": end, "people_absent": len(absent)}
    return cut_longest_list({**range_, "days": days, **unknown})


LIST_ABSENCES = SummaryTool(
    "listAbsences",
    "Who is absent on which day, from approved leave. Half a day is 0.50. `people_absent` does not count holidays. "
    "A team is who is in it now.",
    "leave:read",
    ABSENCES_SCHEMA,
    _run,
)
