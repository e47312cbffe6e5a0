"""Last month's pay by the hour, by the steps of the page on payroll; `payroll.py 2026-09` pays that month."""

import os
import sys
from collections import defaultdict
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from zoneinfo import ZoneInfo

from orgdata import Refused, call, connect, rows
from orgdata_client.api.leaves import list_leave_applications, list_leave_policies
from orgdata_client.api.money import list_member_payment_settings
from orgdata_client.api.people import retrieve_organization
from orgdata_client.api.timesheets import list_time_activity_report
from orgdata_client.models import LeaveStatus

DAY, ONE = timedelta(days=1), Decimal(1)
KINDS = ["work", "breaks", "overtime", "leave"]
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

client = connect(os.environ["ORGDATA_URL"], os.environ["ORGDATA_KEY"])
organization = call(retrieve_organization, client).parsed
this_month = datetime.now(ZoneInfo(organization.timezone)).date().replace(day=1)
first = date.fromisoformat(f"{sys.argv[1]}-01") if sys.argv[1:] else (this_month - DAY).replace(day=1)
last = (first + 31 * DAY).replace(day=1) - DAY


def week_end(day: date) -> date:
    """The last day of the week of a day: overtime is paid in the month in which its week ends."""
    return day + DAY * ((WEEKDAYS.index(organization.week_start_day) - 1 - day.weekday()) % 7)


def terms_on(day: date, settings: list[Any] | None) -> tuple[Any, str]:
    """The settings that pay the hours of a day, or None and the reason."""
    valid = [each for each in settings or [] if each.effective_from <= day <= (each.effective_to or day)]
    if len(valid) > 1:
        return None, "with two payment settings"
    hourly = [each for each in valid if each.pay_type == "hourly"]
    if hourly and hourly[0].pay_rate is not None:
        return hourly[0], ""
    reason = "without pay_rate" if hourly else "salary" if valid else "without payment settings"
    return None, reason if settings is not None else "left or suspended, see payables"


def overtime(days: list[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """The overtime of the days of a week: above the threshold of each or above that of the week, what is more."""
    by_day, by_week, total = list[tuple[Any, int]](), list[tuple[Any, int]](), 0
    for terms, seconds in days:
        total += seconds
        daily, weekly = terms.overtime_daily_threshold_seconds, terms.overtime_weekly_threshold_seconds
        if terms.overtime_enabled and daily is not None:
            by_day.append((terms, max(0, seconds - daily)))
        if terms.overtime_enabled and weekly is not None:
            by_week.append((terms, max(0, min(seconds, total - weekly))))
    return max(by_day, by_week, key=lambda parts: sum(seconds for _, seconds in parts))


# Two applications may have parts of one day, such as half days.
leave: dict[Any, dict[date, int]] = defaultdict(lambda: defaultdict(int))
whole_days: dict[Any, dict[date, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
lengths = {policy.id: policy.day_length_seconds for policy in rows(list_leave_policies, client)}
approved = {"status": [LeaveStatus.APPROVED], "start_date": first, "end_date": last}
for application in rows(list_leave_applications, client, **approved):
    # Leave without days counts on its first one.
    days: list[tuple[date, Any]] = [(each.date, each) for each in application.days]
    for on, taken in (days or [(application.start_date, application)]) if application.is_paid else []:
        if first <= on <= last:
            leave[application.user.user_id][on] += taken.duration_seconds
            length = lengths.get(application.leave_policy_id, 28_800)
            whole_days[application.user.user_id][on] += Decimal(taken.duration_seconds) / length

# A week at a time: a person may have more timesheets in a month than a report reads.
people: dict[Any, list[Any]] = defaultdict(list)
for end in sorted({week_end(first + number * DAY) for number in range((last - first).days + 1)}):
    for row in rows(list_time_activity_report, client, start_date=end - 6 * DAY, end_date=min(last, end)):
        people[row.user.user_id].append(row)

print(f"{first} to {last}: hours and pay; * is not final")
for user_id, reports in people.items():
    settings: list[Any] | None = None
    try:
        settings = list(call(list_member_payment_settings, client, user_id).parsed)
    except Refused as refused:  # 404: the person left, or is suspended
        if refused.status != 404:
            raise
    parts: list[tuple[str, int, Any, Decimal]] = []  # kind (or why it is not paid), seconds, settings, factor
    weeks: dict[date, list[tuple[Any, int]]] = defaultdict(list)
    for day in [day for report in reports for day in report.days]:
        terms, reason = terms_on(day.date, settings)
        work = day.locked_seconds if terms and terms.requires_approval else day.tracked_seconds
        if terms:
            weeks[week_end(day.date)].append((terms, work + day.paid_break_seconds))
        if day.date >= first:
            parts += [(reason or "work", work, terms, ONE), (reason or "breaks", day.paid_break_seconds, terms, ONE)]
            parts.append(("not approved", day.tracked_seconds - work, None, ONE))
    for terms, over in [each for end, days in weeks.items() if end <= last for each in overtime(days)]:
        parts.append(("overtime", over, terms, Decimal(terms.overtime_multiplier or 1) - 1))
        parts.append(("overtime without multiplier", 0 if terms.overtime_multiplier else over, None, ONE))
    for taken, duration in leave[user_id].items():
        terms, reason = terms_on(taken, settings)
        parts.append((reason or "leave", duration, terms, ONE))
    hours, pay = dict.fromkeys(KINDS, 0), defaultdict[tuple[str, int], Decimal](Decimal)
    for kind, seconds, terms, factor in parts:
        hours[kind] = hours.get(kind, 0) + seconds
        if terms:
            pay[terms.currency, terms.currency_digits] += seconds * factor * Decimal(terms.pay_rate)
    shown = "  ".join(f"{kind} {hours[kind] / 3600:.2f}" for kind in KINDS)
    rounded = {key: (each / 3600).quantize(ONE.scaleb(-key[1]), ROUND_HALF_UP) for key, each in pay.items()}
    unpaid = [f"{hours[kind] / 3600:.2f} h {kind}" for kind in hours if hours[kind] and kind not in (*KINDS, "salary")]
    if pay or unpaid:
        amounts = " + ".join(f"{each} {currency}" for (currency, _), each in rounded.items()) or "nothing"
        note = f"  (not paid: {', '.join(unpaid)})" if unpaid else ""
        taken_days = {day: round(days, 2) for day, days in whole_days[user_id].items()}
        twice = [f"  (ask: {days} days of leave on {day})" for day, days in taken_days.items() if days > 1]
        mark = "" if all(report.is_final for report in reports) else " *"
        print(f"{reports[-1].user.full_name}{mark}: {shown}  pay {amounts}{note}{''.join(twice)}")
