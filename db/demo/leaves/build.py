"""The area of leave: its rules, who they hold for, how much is left of it, and what was asked for."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

from db.demo.area import Area, Row
from db.demo.chance import Chance
from db.demo.leaves.absences import FULL_WEEK, absences
from db.demo.leaves.applications import LAST_MONTH_OF_CARRIED, Applicant, Rules, Spent, application_of
from db.demo.leaves.rules import (
    CONTRACTORS,
    LIEU,
    RULES,
    SICK,
    UNPAID,
    VACATION,
    periods_of,
    policies_of,
    types_of,
)
from db.demo.outline import Outline
from db.demo.people.build import People
from db.demo.timesheets.build import Timesheets
from db.demo.timesheets.work_patterns import FIRST
from db.tables.people import EmploymentType, MemberStatus

CARRIED = Decimal(5)
"""Days of vacation that outlive their year, until the end of March of the next one."""
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Leaves(Area):
    leave_types: list[Row]
    leave_policies: list[Row]
    leave_periods: list[Row]
    leave_assignments: list[Row]
    leave_balances: list[Row]
    leave_applications: list[Row]
    leave_application_days: list[Row]


def leaves(outline: Outline, crew: People, tracked: Timesheets, now: datetime) -> Leaves:
    """The leave of an organization that keeps account of it; the first members have applications."""
    if not outline.features["leave"]:
        return Leaves([], [], [], [], [], [], [])
    chance = Chance(f"{outline.name}: leave", now.date())
    types = types_of(chance)
    rules = Rules(types, policies_of(chance, types), periods_of(chance, now.date()), outline.timezone)
    made = Leaves(types, list(rules.policies), list(rules.periods.values()), [], [], [], [])
    worked = _worked(tracked, ZoneInfo(outline.timezone))
    owner = crew.members[0]["user_id"]
    for index, person in enumerate(crew.members):
        if person["first_joined_at"] is None or person["employment_type"] == EmploymentType.other:
            continue
        assignments = list(_assignments(chance, rules, person, owner, now))
        made.leave_assignments.extend(assignments)
        granted = _granted(rules, person, assignments, now.date())
        applicant = Applicant(person, person["manager_user_id"] or owner, granted, *(Spent(Decimal) for _ in range(3)))
        if index < FIRST:
            _apply(chance, rules, applicant, worked.get(person["user_id"], []), made, now)
        made.leave_balances.extend(_balances(chance, rules, applicant, now))
    return made


def _worked(tracked: Timesheets, zone: ZoneInfo) -> dict[UUID, list[date]]:
    """The days on which each person was at work at any time, in the zone of the organization."""
    found: dict[UUID, set[date]] = defaultdict(set)
    for row in tracked.timesheets:
        for moment in (row["started_at"], row["tracked_until"]):
            found[row["user_id"]].add(moment.astimezone(zone).date())
    return {user_id: sorted(days) for user_id, days in found.items()}


def _assignments(chance: Chance, rules: Rules, person: Row, owner: UUID, now: datetime) -> Iterator[Row]:
    is_contractor = person["employment_type"] == EmploymentType.contractor
    for rule in [CONTRACTORS] if is_contractor else [VACATION, SICK, LIEU, UNPAID]:
        stamps = chance.written(person["first_joined_at"] + timedelta(hours=2), now)
        left = person["removed_at"]
        yield {
            "id": chance.id(stamps["created_at"]),
            "user_id": person["user_id"],
            "leave_policy_id": rules.policies[rule]["id"],
            "leave_period_id": None,
            "entitlement": Decimal(chance.random.choice([28, 32])) if rule == VACATION and chance.one_in(6) else None,
            "effective_from": person["first_joined_at"].date(),
            "effective_to": person["left_on"],
            "is_active": left is None,
            "assigned_by_user_id": owner,
            **stamps,
            "updated_at": max(stamps["created_at"], left or stamps["created_at"]),
        }


def _granted(rules: Rules, person: Row, assignments: list[Row], today: date) -> dict[tuple[int, int], Decimal]:
    """What a person may take, by rule and year, where there is a limit: in part for the year in which they joined."""
    own = {row["leave_policy_id"]: row for row in assignments}
    joined, left = person["first_joined_at"].date(), person["left_on"]
    found = {}
    for number, policy in enumerate(rules.policies):
        if policy["id"] not in own or policy["entitlement"] is None:
            continue
        year_of_work = own[policy["id"]]["entitlement"] or policy["entitlement"]
        for year in rules.periods:
            if joined.year > year or (left is not None and left.year < year):
                continue
            first = joined.month if joined.year == year else 1
            last = 12
            if number == CONTRACTORS:
                # Month by month, as it passes.
                last = 12 if year < today.year else today.month if year == today.year else 0
            months = max(0, last - first + 1)
            found[number, year] = (year_of_work * months / 6).quantize(Decimal(1)) / 2
    return found


def _apply(chance: Chance, rules: Rules, applicant: Applicant, worked: list[date], made: Leaves, now: datetime) -> None:
    person, today = applicant.person, now.date()
    until = person["left_on"] or today
    since = max(person["first_joined_at"].date(), date(min(rules.periods), 1, 1))
    taken: set[date] = set()
    vacation = CONTRACTORS if person["employment_type"] == EmploymentType.contractor else VACATION
    wishes = absences(
        chance,
        since,
        until,
        worked,
        today,
        is_active=person["status"] == MemberStatus.active,
        is_full_week=person["weekly_limit_seconds"] in FULL_WEEK,
    )
    for wish in wishes:
        rule = vacation if wish.rule == VACATION else wish.rule
        if taken.isdisjoint(wish.days) and not (vacation == CONTRACTORS and rule != vacation):
            found = application_of(chance, rules, applicant, wish._replace(rule=rule), now)
            if found is not None:
                taken.update(wish.days)
                made.leave_applications.append(found[0])
                made.leave_application_days.extend(found[1])


def _balances(chance: Chance, rules: Rules, applicant: Applicant, now: datetime) -> Iterator[Row]:
    """What is left of each limited kind in the last year and in this one, and in the next where some is spent."""
    today, person = now.date(), applicant.person
    for rule in (VACATION, CONTRACTORS, LIEU):
        carried_over = Decimal()
        for year, period in rules.periods.items():
            spent, waiting = Decimal(applicant.used[rule, year]), Decimal(applicant.pending[rule, year])
            granted = applicant.granted.get((rule, year))
            if rule == LIEU and spent + waiting:
                # Hours that were worked beyond those of a week: some more than were taken.
                granted = spent + waiting + chance.random.randint(0, 12)
            if granted is None or (year > today.year and not spent + waiting):
                continue
            kept = CARRIED if RULES[rule].carry_over_max else Decimal()
            expired = Decimal()
            if year < today.year:
                expired = max(Decimal(), granted + carried_over - spent - kept)
            elif year == today.year and today.month > LAST_MONTH_OF_CARRIED:
                expired = max(Decimal(), carried_over - applicant.used_early[rule, year])
            begun = max(datetime.combine(period["start_date"], time(), UTC), person["first_joined_at"] + 3 * HOUR)
            stamps = chance.written(min(begun, now - HOUR), now)
            yield {
                "id": chance.id(stamps["created_at"]),
                "user_id": person["user_id"],
                "leave_policy_id": rules.policies[rule]["id"],
                "leave_period_id": period["id"],
                "entitled": granted,
                "accrued": granted,
                "carried_over": carried_over,
                "adjusted": Decimal(),
                "used": spent,
                "pending": waiting,
                "expired": expired,
                "as_of": min(today, period["end_date"]),
                **stamps,
            }
            carried_over = granted + carried_over - spent - expired if year < today.year else Decimal()
