"""The leave area: types, policies, periods, assignments, balances and applications."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

from db.sample.demo.area import Area, Row
from db.sample.demo.leaves.absences import FULL_WEEK, absences
from db.sample.demo.leaves.applications import (
    LAST_MONTH_OF_CARRIED,
    Amounts,
    Applicant,
    LeaveCatalog,
    leave_application_rows,
)
from db.sample.demo.leaves.policies import (
    CONTRACTORS,
    LEAVE_POLICIES,
    LIEU,
    SICK,
    UNPAID,
    VACATION,
    leave_period_rows,
    leave_policy_rows,
    leave_type_rows,
)
from db.sample.demo.people.build import PeopleRows
from db.sample.demo.random_source import RandomSource
from db.sample.demo.scenarios.scenario import Scenario
from db.sample.demo.timesheets.build import TimesheetRows
from db.sample.demo.timesheets.work_patterns import DETAILED_MEMBERS
from db.tables.people import EmploymentType, MemberStatus

CARRIED = Decimal(5)
"""Vacation days that can be carried over to the end of March of the next year."""
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class LeaveRows(Area):
    leave_types: list[Row]
    leave_policies: list[Row]
    leave_periods: list[Row]
    leave_assignments: list[Row]
    leave_balances: list[Row]
    leave_applications: list[Row]
    leave_application_days: list[Row]


def build_leaves(scenario: Scenario, people: PeopleRows, timesheets: TimesheetRows, now: datetime) -> LeaveRows:
    """The leave of an organization with that feature. Only the first DETAILED_MEMBERS have applications."""
    if not scenario.features["leave"]:
        return LeaveRows([], [], [], [], [], [], [])
    random = RandomSource(f"{scenario.name}: leave", now.date())
    types = leave_type_rows(random)
    catalog = LeaveCatalog(
        types, leave_policy_rows(random, types), leave_period_rows(random, now.date()), scenario.timezone
    )
    rows = LeaveRows(types, list(catalog.policies), list(catalog.periods.values()), [], [], [], [])
    days_worked = _days_worked(timesheets, ZoneInfo(scenario.timezone))
    owner = people.members[0]["user_id"]
    for index, member in enumerate(people.members):
        if member["first_joined_at"] is None or member["employment_type"] == EmploymentType.other:
            continue
        assignments = list(_assignments(random, catalog, member, owner, now))
        rows.leave_assignments.extend(assignments)
        granted = _granted(catalog, member, assignments, now.date())
        applicant = Applicant(
            member, member["manager_user_id"] or owner, granted, *(Amounts(Decimal) for _ in range(3))
        )
        if index < DETAILED_MEMBERS:
            _apply(random, catalog, applicant, days_worked.get(member["user_id"], []), rows, now)
        rows.leave_balances.extend(_balances(random, catalog, applicant, now))
    return rows


def _days_worked(timesheets: TimesheetRows, zone: ZoneInfo) -> dict[UUID, list[date]]:
    """The days on which each user tracked time, in the organization's time zone."""
    result: dict[UUID, set[date]] = defaultdict(set)
    for row in timesheets.timesheets:
        for moment in (row["started_at"], row["tracked_until"]):
            result[row["user_id"]].add(moment.astimezone(zone).date())
    return {user_id: sorted(days) for user_id, days in result.items()}


def _assignments(random: RandomSource, catalog: LeaveCatalog, member: Row, owner: UUID, now: datetime) -> Iterator[Row]:
    is_contractor = member["employment_type"] == EmploymentType.contractor
    for policy_index in [CONTRACTORS] if is_contractor else [VACATION, SICK, LIEU, UNPAID]:
        timestamps = random.timestamps_after(member["first_joined_at"] + timedelta(hours=2), now)
        removed = member["removed_at"]
        yield {
            "id": random.uuid7(timestamps["created_at"]),
            "user_id": member["user_id"],
            "leave_policy_id": catalog.policies[policy_index]["id"],
            "leave_period_id": None,
            "entitlement": Decimal(random.choice([28, 32])) if policy_index == VACATION and random.one_in(6) else None,
            "effective_from": member["first_joined_at"].date(),
            "effective_to": member["left_on"],
            "is_active": removed is None,
            "assigned_by_user_id": owner,
            **timestamps,
            "updated_at": max(timestamps["created_at"], removed or timestamps["created_at"]),
        }


def _granted(catalog: LeaveCatalog, member: Row, assignments: list[Row], today: date) -> dict[tuple[int, int], Decimal]:
    """The entitlements by policy and year, for policies with a limit; in proportion for the year of joining."""
    assignment_by_policy = {row["leave_policy_id"]: row for row in assignments}
    joined, removed = member["first_joined_at"].date(), member["left_on"]
    result = {}
    for number, policy in enumerate(catalog.policies):
        if policy["id"] not in assignment_by_policy or policy["entitlement"] is None:
            continue
        year_of_work = assignment_by_policy[policy["id"]]["entitlement"] or policy["entitlement"]
        for year in catalog.periods:
            if joined.year > year or (removed is not None and removed.year < year):
                continue
            first = joined.month if joined.year == year else 1
            last = 12
            if number == CONTRACTORS:
                # Contractors accrue month by month.
                last = 12 if year < today.year else today.month if year == today.year else 0
            months = max(0, last - first + 1)
            result[number, year] = (year_of_work * months / 6).quantize(Decimal(1)) / 2
    return result


def _apply(
    random: RandomSource,
    catalog: LeaveCatalog,
    applicant: Applicant,
    days_worked: list[date],
    rows: LeaveRows,
    now: datetime,
) -> None:
    member, today = applicant.member, now.date()
    until = member["left_on"] or today
    since = max(member["first_joined_at"].date(), date(min(catalog.periods), 1, 1))
    days_off: set[date] = set()
    vacation = CONTRACTORS if member["employment_type"] == EmploymentType.contractor else VACATION
    requested = absences(
        random,
        since,
        until,
        days_worked,
        today,
        is_active=member["status"] == MemberStatus.active,
        is_full_week=member["weekly_limit_seconds"] in FULL_WEEK,
    )
    for absence in requested:
        policy_index = vacation if absence.policy_index == VACATION else absence.policy_index
        if days_off.isdisjoint(absence.days) and not (vacation == CONTRACTORS and policy_index != vacation):
            result = leave_application_rows(
                random, catalog, applicant, absence._replace(policy_index=policy_index), now
            )
            if result is not None:
                days_off.update(absence.days)
                rows.leave_applications.append(result[0])
                rows.leave_application_days.extend(result[1])


def _balances(random: RandomSource, catalog: LeaveCatalog, applicant: Applicant, now: datetime) -> Iterator[Row]:
    """The balances of policies with a limit: for last year and this one, and for next year where some is used."""
    today, member = now.date(), applicant.member
    for policy_index in (VACATION, CONTRACTORS, LIEU):
        carried_over = Decimal()
        for year, period in catalog.periods.items():
            used, pending = Decimal(applicant.used[policy_index, year]), Decimal(applicant.pending[policy_index, year])
            granted = applicant.granted.get((policy_index, year))
            if policy_index == LIEU and used + pending:
                # Time off in lieu comes from overtime: a few hours more than were taken.
                granted = used + pending + random.randint(0, 12)
            if granted is None or (year > today.year and not used + pending):
                continue
            max_carried = CARRIED if LEAVE_POLICIES[policy_index].carry_over_max else Decimal()
            expired = Decimal()
            if year < today.year:
                expired = max(Decimal(), granted + carried_over - used - max_carried)
            elif year == today.year and today.month > LAST_MONTH_OF_CARRIED:
                expired = max(Decimal(), carried_over - applicant.used_early[policy_index, year])
            created_from = max(
                datetime.combine(period["start_date"], time(), UTC), member["first_joined_at"] + 3 * HOUR
            )
            timestamps = random.timestamps_after(min(created_from, now - HOUR), now)
            yield {
                "id": random.uuid7(timestamps["created_at"]),
                "user_id": member["user_id"],
                "leave_policy_id": catalog.policies[policy_index]["id"],
                "leave_period_id": period["id"],
                "entitled": granted,
                "accrued": granted,
                "carried_over": carried_over,
                "adjusted": Decimal(),
                "used": used,
                "pending": pending,
                "expired": expired,
                "as_of": min(today, period["end_date"]),
                **timestamps,
            }
            carried_over = granted + carried_over - used - expired if year < today.year else Decimal()
