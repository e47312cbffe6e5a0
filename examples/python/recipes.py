"""Questions that customers ask, with `requests` alone: python recipes.py 2026-02-02 2026-02-15."""

import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import requests

UNPAID = "sent,viewed,partially_paid"

session = requests.Session()
session.headers["X-SERVICE-API-KEY"] = os.environ["ORGDATA_KEY"]


def get(url: str, **query: Any) -> Any:
    """The body of a response. It waits as long as the service asks for (429 and 503)."""
    while (response := session.get(url, params=query)).status_code in (429, 503):
        time.sleep(float(response.headers.get("Retry-After", 5)))
    response.raise_for_status()
    return response.json()


def rows(path: str, **query: Any) -> Iterator[Any]:
    """All rows of a list: `next` is the whole address of the next page."""
    page = get(os.environ["ORGDATA_URL"] + path, **query)
    yield from page["results"]
    while page["next"]:
        page = get(page["next"])
        yield from page["results"]


first, last = map(date.fromisoformat, sys.argv[1:3])
report = list(rows("/v1/time_activity_reports/", start_date=first, end_date=last))
members = {member["user_id"]: member for member in rows("/v1/members/", status="active")}
away: dict[str, int] = defaultdict(int)
for application in rows("/v1/leave_applications/", start_date=first, end_date=last, status="approved"):
    # Leave without days counts on its first one.
    for day in application["days"] or [{**application, "date": application["start_date"]}]:
        away[application["user"]["user_id"]] += day["duration_seconds"] if str(first) <= day["date"] <= str(last) else 0

print("Hours by week and project")
weeks: dict[tuple[date, str, str], int] = defaultdict(int)
for day in [day for row in report for day in row["days"]]:
    monday = date.fromisoformat(day["date"]) - timedelta(days=date.fromisoformat(day["date"]).weekday())
    for entry in day["entries"]:
        # Two projects may have one name.
        project = f"{entry['project_name']} of {entry['client_name'] or 'no client'}"
        id_ = entry["project_id"] or ""
        weeks[monday, project if id_ else "no project", id_] += entry["tracked_seconds"]
for (monday, project, _), seconds in sorted(weeks.items()):
    print(f"  {monday} {project}: {seconds / 3600:.2f}")

print("Utilization: billable time, and time missing of what is expected without leave")
for row in report:
    member = members.get(row["user"]["user_id"], {})
    began = max(first, date.fromisoformat(member.get("hired_on") or str(first)))
    ended = min(last, date.fromisoformat(member.get("left_on") or str(last)))
    expected = member.get("expected_weekly_seconds")
    share = f"{100 * row['billable_seconds'] / row['tracked_seconds']:.0f} %" if row["tracked_seconds"] else "no time"
    wanted = (expected or 0) * ((ended - began).days + 1) / 7
    missing = max(0.0, wanted - away[row["user"]["user_id"]] - row["tracked_seconds"]) / 3600
    print(f"  {row['user']['full_name']}: {share}" + ("" if expected is None else f", missing {missing:.2f} h"))

print("Unpaid invoices")
owed: dict[tuple[str, bool], Decimal] = defaultdict(Decimal)
for invoice in rows("/v1/invoices/", status=UNPAID):
    owed[invoice["currency"], invoice["is_overdue"]] += Decimal(invoice["amount_due"])
for (currency, is_overdue), amount in sorted(owed.items()):
    print(f"  {'overdue' if is_overdue else 'open'}: {amount} {currency}")

print("Working now")
for member in rows("/v1/members/", has_running_timer="true"):
    print(f"  {member['full_name']}")
