"""Last month's pay by the hour, by the steps of the page on payroll. It takes ORGDATA_URL and ORGDATA_KEY."""

import os
from collections import defaultdict
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from orgdata import Refused, call, connect, rows
from orgdata_client.api.leaves import list_leave_applications
from orgdata_client.api.money import list_member_payment_settings
from orgdata_client.api.people import retrieve_organization
from orgdata_client.api.timesheets import list_time_activity_report
from orgdata_client.models import LeaveStatus

DAY = timedelta(days=1)
DIGITS = {"JPY": 0, "KRW": 0, "CLP": 0, "KWD": 3, "BHD": 3}
"""Of amounts in currencies that do not have two."""

WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

client = connect(os.environ["ORGDATA_URL"], os.environ["ORGDATA_KEY"])
organization = call(retrieve_organization, client).parsed
last = datetime.now(ZoneInfo(organization.timezone)).date().replace(day=1) - DAY
first = last.replace(day=1)


def week_end(day: date) -> date:
    """The last day of the week of a day: overtime is paid in the month in which its week ends."""
    return day + DAY * ((WEEKDAYS.index(organization.week_start_day) - 1 - day.weekday()) % 7)


def terms_of(user_id: UUID) -> list[Any]:
    """The payment settings of a person; none of those who left."""
    try:
        return list(call(list_member_payment_settings, client, user_id).parsed)
    except Refused as refused:
        if refused.status == 404:
            return []
        raise


def on(terms: list[Any], day: date) -> Any:
    """The setting that is in effect on a day, if it pays by the hour."""
    valid = (each for each in terms if each.effective_from <= day <= (each.effective_to or day))
    return next((each for each in valid if each.pay_type == "hourly"), None)


leave: dict[UUID, dict[date, int]] = defaultdict(dict)
for application in rows(
    list_leave_applications, client, status=[LeaveStatus.APPROVED], start_date=first, end_date=last
):
    for day in application.days if application.is_paid else []:
        leave[application.user.user_id][day.date] = day.duration_seconds

# A week at a time: a person may have more timesheets in a month than a report reads.
people: dict[UUID, list[Any]] = defaultdict(list)
start = week_end(first) - 6 * DAY
while start <= last:
    for row in rows(list_time_activity_report, client, start_date=start, end_date=min(last, start + 6 * DAY)):
        people[row.user.user_id].append(row)
    start += 7 * DAY

print(f"{first} to {last}: hours and pay; * is not final")
for user_id, reports in people.items():
    terms, seconds, pay = terms_of(user_id), defaultdict[str, int](int), defaultdict[str, Decimal](Decimal)
    weeks: dict[date, list[int]] = defaultdict(lambda: [0, 0])
    for day in [day for report in reports for day in report.days]:
        if (setting := on(terms, day.date)) is None:
            continue
        work = day.locked_seconds if setting.requires_approval else day.tracked_seconds
        payable = work + day.paid_break_seconds
        weeks[week_end(day.date)][0] += payable
        weeks[week_end(day.date)][1] += max(0, payable - (setting.overtime_daily_threshold_seconds or payable))
        if day.date >= first:
            seconds["work"] += work
            seconds["breaks"] += day.paid_break_seconds
            pay[setting.currency] += payable * Decimal(setting.pay_rate)
    for end, (payable, daily) in weeks.items():
        setting = on(terms, end)
        if setting is not None and setting.overtime_enabled and end <= last:
            over = max(daily, payable - (setting.overtime_weekly_threshold_seconds or payable))
            seconds["overtime"] += over
            pay[setting.currency] += over * Decimal(setting.pay_rate) * (Decimal(setting.overtime_multiplier) - 1)
    for taken, duration in leave[user_id].items():
        if first <= taken <= last and (setting := on(terms, taken)) is not None:
            seconds["leave"] += duration
            pay[setting.currency] += duration * Decimal(setting.pay_rate)
    hours = "  ".join(f"{name} {seconds[name] / 3600:.2f}" for name in ("work", "breaks", "overtime", "leave"))
    amounts = [
        f"{(each / 3600).quantize(Decimal(1).scaleb(-DIGITS.get(name, 2)), ROUND_HALF_UP)} {name}"
        for name, each in pay.items()
    ]
    if amounts:
        mark = "" if all(report.is_final for report in reports) else " *"
        print(f"{reports[-1].user.full_name}{mark}: {hours}  pay {' + '.join(amounts)}")
