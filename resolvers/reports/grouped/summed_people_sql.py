"""SQL of the people whose time is summed by group: their ids, their teams, and the number of their timesheets."""

from functools import lru_cache
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Uuid, and_, func, select
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.columns import bind, in_organization
from db.tables.people import members, team_members
from db.tables.timesheets import timesheets
from resolvers.lists.filters import person
from resolvers.lists.list_sql import Link
from resolvers.records.interval_sql import live_rows_of_users, starts_in_range
from resolvers.relations.live import is_live
from resolvers.relations.relation import any_key
from resolvers.reports.grouped.time_conditions import conditions_on
from resolvers.reports.grouped.variants import SummedPeople, TimeGroup
from resolvers.reports.time_totals_sql import MAX_TIME_STATEMENTS

MAX_TIMESHEETS = 200_000
"""The timesheets of a range of more than MAX_RANGE_DAYS: so many are cut and summed within a statement's time."""

PEOPLE = {filter.name: filter for filter in person(members.c.user_id, "Only this person.")}
"""The filters by person. With a team, groups by team are those of this team only."""


@lru_cache(MAX_TIME_STATEMENTS)
def timesheet_count(people: SummedPeople) -> Statement:
    """How many timesheets of the people start in the range. It stops above MAX_TIMESHEETS."""
    own = and_(live_rows_of_users(timesheets, user_ids(people)), starts_in_range(timesheets))
    counted = select(timesheets.c.id).where(own).limit(MAX_TIMESHEETS + 1).subquery("counted")
    return Statement(select(func.count().label("number")).select_from(counted))


def user_ids(people: SummedPeople) -> ColumnElement[Any]:
    """An array of the people whose time is summed: those that are not deleted, as in time activity."""
    conditions = [PEOPLE[name].where for name in sorted(people.filters)]
    conditions += conditions_on(people.where, members)
    if people.parent is TimeGroup.member:
        conditions.append(members.c.user_id == any_key())
    if people.parent is TimeGroup.team:
        conditions.append(Link(team_members.c.user_id, team_members.c.team_id, members.c.user_id).condition(any_key()))
    found = select(members.c.user_id).where(in_organization(members), members.c.deleted_at.is_(None), *conditions)
    return func.array(found.scalar_subquery(), type_=ARRAY(Uuid()))


def current_teams(people: SummedPeople) -> FromClause:
    """The current teams of each person; with the filter by team, this team only; below teams, only these."""
    one = [team_members.c.team_id == bind("team_id", Uuid())] if "team_id" in people.filters else []
    one += [team_members.c.team_id == any_key()] if people.parent is TimeGroup.team else []
    return (
        select(team_members.c.user_id, team_members.c.team_id)
        .where(in_organization(team_members), is_live(team_members), *one)
        .subquery("current_teams")
    )
