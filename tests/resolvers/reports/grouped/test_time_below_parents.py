"""Time by group below members, teams, clients, projects and tasks: as that of the organization, filtered by the parent.

Covers `resolvers/reports/grouped/time_groups.py` and `resolvers/reports/grouped/time_groups_sql.py`.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolvers.reports.grouped.time_conditions import TIME_ORDERS
from resolvers.reports.grouped.variants import SumKind, TimeGroup
from rest_facade.composition import Service
from schema.execution.operation import Operation
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import data_of, refusals
from tests.resolvers.reports.grouped.asking import ARGUMENTS, MONDAY, WEEK, time_totals
from tests.resolvers.reports.records import Place, new_place, write
from tests.resolvers.reports.reference import SECONDS
from tests.resolvers.reports.time_activity_cases import Case, cases

FIRST_TEAM, SECOND_TEAM = UUID(int=1), UUID(int=2)

PARENTS = ("member", "team", "client", "project", "task")

MONEY = "billable_amounts { currency amount } margins { currency margin }"
KEYS = " ".join(group.column for group in TimeGroup)
PAGE = f"count results {{ {KEYS} {' '.join(SECONDS)} timesheets_count activity_percent over_estimate_seconds {MONEY} }}"

OF_ONE = time_totals(PAGE)
GIVEN = ("start_date", "end_date", "timezone", "group_by", "page", "limit", "order_by", "where", "having")
DEFINED, CALL = (", ".join(text.format(name, ARGUMENTS[name]) for name in GIVEN) for text in ("${0}: {1}", "{0}: ${0}"))
BELOW = {
    each: Operation(
        f"query({DEFINED}, $ids: [UUID!]!) {{ {each}s_by_id(ids: $ids) {{ time_totals({CALL}) {{ {PAGE} }} }} }}"
    )
    for each in PARENTS
}
"""The time of parents by group."""


@pytest.fixture(scope="module")
def place(rows: Rows) -> Place:
    """Two people: the first is in both teams, the second was in one of them."""
    made = new_place(rows)
    own, (ada, ben) = made.organization_id, made.people
    for id_ in (FIRST_TEAM, SECOND_TEAM):
        rows.team(own, id=id_)
        rows.team_member(own, id_, ada)
    rows.team_member(own, SECOND_TEAM, ben, deleted_at=THEN)
    rows.payment_setting(own, ada, pay_rate=7, bill_rate=11, currency="EUR", effective_from=date(2000, 1, 1))
    return made


def parents_of(place: Place) -> Mapping[str, Sequence[UUID]]:
    teams = [FIRST_TEAM, SECOND_TEAM]
    return dict(zip(PARENTS, (place.people, teams, place.clients, place.projects, place.tasks), strict=True))


ORDERS = [str(each) for each in TIME_ORDERS if not each.startswith((*SumKind.estimates.value, *SumKind.expected.value))]
"""Those that every group has."""

CONDITIONS: list[Mapping[str, Any]] = [
    {},
    {"where": {"project": {"name": {"_neq": "Beta"}}}},
    {"where": {"is_billable": {"_eq": True}}, "having": {"timesheets_count": {"_gt": 0}}},
    {"having": {"tracked_seconds": {"_lt": 7200}}},
]


@settings(max_examples=examples(8), deadline=None)
@given(
    case=cases(),
    parent=st.sampled_from(PARENTS),
    groups=st.lists(st.sampled_from([group.name for group in TimeGroup]), unique=True, max_size=2),
    order=st.sampled_from(ORDERS),
    page=st.sampled_from([{}, {"limit": 2}, {"limit": 1, "page": 2}, {"page": 9}]),
    conditions=st.sampled_from(CONDITIONS),
)
async def test_time_below_parents_is_that_of_the_organization_of_each(
    service: Service,
    rows: Rows,
    place: Place,
    case: Case,
    parent: str,
    groups: list[str],
    order: str,
    page: Mapping[str, int],
    conditions: Mapping[str, Any],
) -> None:
    zone, days, persons, _ = case
    write(rows, place, persons)
    ids, answer = parents_of(place)[parent], partial(data_of, service.database, place.organization_id)
    asked = {"start_date": days[0], "end_date": days[-1], "timezone": zone, "group_by": groups, "order_by": order}
    asked |= {**page, **conditions}
    (found,) = (await answer(BELOW[parent], **asked, ids=ids)).values()
    key = "user_id" if parent == "member" else f"{parent}_id"
    assert found == [await answer(OF_ONE, **asked, **{key: id_}) for id_ in ids]


async def test_one_statement_sums_the_time_of_all_parents(service: Service, rows: Rows, round_trips: list[Any]) -> None:
    own = rows.organization()
    projects = [rows.project(own) for _ in range(3)]
    for number, project in enumerate(projects, start=1):
        end = MONDAY + timedelta(hours=number)
        rows.timesheet(own, rows.member(own), project_id=project, started_at=MONDAY, ended_at=end, tracked_until=end)
        rows.task(own, project)
    document = """query($start_date: Date!, $end_date: Date!, $timezone: Timezone!) {
      projects(limit: 2) { next results { ...time } }
      tasks(order_by: created_at_desc) { results { project { ...time } } }
    }
    fragment time on Project {
      id time_totals(start_date: $start_date, end_date: $end_date, timezone: $timezone) { results { tracked_seconds } }
    }"""
    data = await data_of(service.database, own, document, **WEEK)
    hours = {str(id_): [{"tracked_seconds": number * 3600}] for number, id_ in enumerate(projects, start=1)}
    shown = [row["project"] for row in data["tasks"]["results"]]
    assert {row["id"]: row["time_totals"]["results"] for row in shown} == hours
    first = {row["id"]: row["time_totals"]["results"] for row in data["projects"]["results"]}
    assert len(first) == 2
    assert first.items() <= hours.items()
    sums = [bound for trip in round_trips for bound in trip if "group_count" in bound[0].sql]
    assert len(sums) <= 2, "one for each depth of the document"


async def test_arguments_below_parents_are_refused_as_at_the_root(service: Service, rows: Rows) -> None:
    own = rows.organization()
    rows.member(own)
    document = '{ members { results { time_totals(start_date: "2026-03-08", end_date: "2026-03-02") { count } } } }'
    assert await refusals(service.database, own, document) == ["end_date must be on or after start_date."]
