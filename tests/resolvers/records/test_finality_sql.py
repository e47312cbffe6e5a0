"""Payables after random edits: `is_final` is kept, and `updated_since` returns every payable that an edit changed.

The reference looks for unfinished records itself, and compares whole rows before and after.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from rest_facade.composition import Service
from rest_facade.v1 import ENDPOINTS
from schema.execution.operation import Operation
from tests.conftest import Connect
from tests.factories.base import set_row_organization
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import data_of
from tests.resolvers.reports.edited_place import DAY, EDITS, Place, Row, is_final

(PAYABLES,) = (endpoint.compiled for endpoint in ENDPOINTS if endpoint.operation == "listMemberPayables")
OF_ALL = Operation("""
query ($since: DateTime, $is_final: Boolean) {
  members(limit: 100) {
    results {
      user_id
      payables(limit: 100, updated_since: $since, is_final: $is_final, include_deleted: true) {
        results { id is_final updated_at }
      }
    }
  }
}
""")
OF_ORGANIZATION = Operation("""
query ($since: DateTime, $is_final: Boolean) {
  payables(limit: 100, updated_since: $since, is_final: $is_final, include_deleted: true) {
    count
    results { id is_final updated_at }
  }
}
""")
CHANGED = Operation("""
query ($since: DateTime) { members(limit: 100, payroll_updated_since: $since) { results { user_id } } }
""")
TABLES = [
    *("timesheets", "idle_times", "break_times", "manual_requests", "clock_records", "organizations"),
    *(["payables"] * 2),
]
assert EDITS.keys() >= set(TABLES)

Payables = dict[str, Row]


async def read(service: Service, place: Place, **variables: Any) -> Payables:
    """The payables of all members by id, deleted ones too."""
    found: Payables = {}
    for user_id in place.ids["members"]:
        query = {"user_id": user_id, "page": 1, "limit": 100, "include_deleted": True} | variables
        page = (await data_of(service.database, place.own, PAYABLES, **query))["member"]["payables"]
        assert page["count"] == len(page["results"])
        if "updated_since" in variables:
            order = [(row["updated_at"], row["id"]) for row in page["results"]]
            assert order == sorted(order), "in the order of their changes"
        found |= {row["id"]: row for row in page["results"]}
    return found


async def read_in_graphql(service: Service, place: Place, **variables: Any) -> Payables:
    """The payables of all members, which the list of the organization has as well."""
    page = (await data_of(service.database, place.own, OF_ORGANIZATION, **variables))["payables"]
    assert page["count"] == len(page["results"])
    moments = [(row["updated_at"], row["id"]) for row in page["results"]]
    assert "since" not in variables or moments == sorted(moments), "in the order of their changes"
    members = (await data_of(service.database, place.own, OF_ALL, **variables))["members"]["results"]
    of_members = {row["id"]: row for member in members for row in member["payables"]["results"]}
    assert {row["id"]: row for row in page["results"]} == of_members
    return of_members


def moment_of(row: Row) -> datetime:
    return datetime.fromisoformat(row["updated_at"])


PERIOD_EDITS = {
    "timer runs": "UPDATE timesheets SET ended_at = NULL WHERE id = :sheet",
    "timer began the evening before": """
        INSERT INTO timesheets (organization_id, id, user_id, started_at, tracked_until)
        VALUES (:own, gen_random_uuid(), :user, '2026-03-01T20:00:00Z', '2026-03-01T20:30:00Z')
    """,
    "idle time waits": "UPDATE idle_times SET action = 'pending' WHERE id = :idle",
    "break without end": "UPDATE break_times SET ended_at = NULL WHERE id = :rest",
    "attendance opened days before": """
        INSERT INTO clock_records (organization_id, id, user_id, clock_in_at)
        VALUES (:own, gen_random_uuid(), :user, '2026-02-20T09:00:00Z')
    """,
    "manual time waits": "UPDATE manual_requests SET status = 'pending' WHERE id = :request",
    "period open again": "UPDATE payables SET is_final = false WHERE id = :payable",
}
CLOSING_EDITS = {
    "timer runs": "UPDATE timesheets SET deleted_at = now() WHERE id = :sheet",
    "timer began the evening before": """
        UPDATE timesheets SET user_id = :third WHERE ended_at IS NULL AND organization_id = :own
    """,
    "idle time waits": "UPDATE idle_times SET action = 'kept' WHERE id = :idle",
    "break without end": """
        UPDATE break_times SET started_at = started_at + interval '9 days' WHERE id = :rest
    """,
    "attendance opened days before": """
        UPDATE clock_records SET clock_in_at = '2026-03-20' WHERE organization_id = :own
    """,
    "manual time waits": "UPDATE manual_requests SET status = 'approved' WHERE id = :request",
    "period open again": "UPDATE payables SET is_final = true WHERE id = :payable",
}


@pytest.mark.parametrize("edit", PERIOD_EDITS)
async def test_edit_that_opens_a_period_moves_updated_at(
    edit: str, rows: Rows, client: Connect, service: Service
) -> None:
    # In Lima, the 2nd of March is from 05:00Z to 05:00Z.
    own = rows.organization(timezone="America/Lima")
    user, other = rows.member(own), rows.member(own)
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    at = {"started_at": start, "ended_at": start + timedelta(hours=1)}
    sheet = rows.timesheet(own, user, **at)
    period = {"period_start": start.date(), "period_end": start.date(), "is_final": True}
    idle, rest = rows.idle_time(own, sheet, user, action="kept", **at), rows.break_time(own, user, **at)
    request = rows.manual_request(own, user, status="approved", **at)
    payable, third = rows.payable(own, user, **period), rows.member(own)
    ids = {"own": own, "user": user, "third": third, "sheet": sheet, "idle": idle, "rest": rest}
    ids |= {"request": request, "payable": payable}
    # Another person, the day before the records, and a period that payroll did not close are as before.
    rows.payable(own, other, **period)
    rows.payable(own, user, **period | {name: start.date() - 20 * DAY for name in ("period_start", "period_end")})
    rows.payable(own, user, **period | {"is_final": False})

    def run(command: str) -> None:
        with rows.connection.begin():
            set_row_organization(rows.connection, own)
            assert rows.connection.execute(text(command), ids).rowcount == 1

    async def changed(since: datetime) -> dict[str, bool]:
        """The payables that changed, by the lists of those people of whom the members say so."""
        query = {"updated_since": since.isoformat()}
        async with client(rows.partner_key(own)) as http:
            people = await http.get("/v1/members/", params={f"payroll_{name}": text for name, text in query.items()})
            found: dict[str, bool] = {}
            for person in people.json()["results"]:
                response = await http.get(f"/v1/members/{person['user_id']}/payables/", params=query)
                assert response.status_code == 200, response.text
                found |= {row["id"]: row["is_final"] for row in response.json()["results"]}
        return found

    async def changed_of_all(since: datetime) -> dict[str, bool]:
        page = (await data_of(service.database, own, OF_ORGANIZATION, since=since))["payables"]
        return {row["id"]: row["is_final"] for row in page["results"]}

    for command, expected in ((PERIOD_EDITS[edit], False), (CLOSING_EDITS[edit], True)):
        since = datetime.now(UTC)
        assert await changed(since) == await changed_of_all(since) == {}
        run(command)
        assert await changed(since) == await changed_of_all(since) == {str(ids["payable"]): expected}


@settings(max_examples=examples(6), deadline=None)
@given(seed=st.integers(0, 2**32), edits=st.integers(1, 4), age=st.sampled_from([timedelta(), 3 * DAY]))
async def test_payables_follow_the_records_of_their_period(
    service: Service, rows: Rows, seed: int, edits: int, age: timedelta
) -> None:
    place = Place(rows, seed)
    before = await read(service, place)
    since = datetime.now(UTC) - age
    done = [place.edit(TABLES) for _ in range(edits)]
    new = await read(service, place)
    changed = await read(service, place, updated_since=since)
    for id_ in before.keys() | new.keys():
        if before.get(id_) != new.get(id_):
            assert moment_of(new[id_]) > since, done
    assert {id_: row for id_, row in new.items() if moment_of(row) >= since} == changed, done
    (organization,) = place.read("organizations")
    stored = {str(row.id): row for row in place.read("payables")}
    for id_, row in new.items():
        own = stored[id_]
        days = (organization.timezone, own.period_start, own.period_end)
        assert row["is_final"] == (own.is_final and is_final(place, str(own.user_id), *days)), (row, done)

    # A query that shows few columns, over all members at once, agrees.
    def short(payables: Payables) -> Payables:
        return {id_: {name: row[name] for name in ("id", "is_final", "updated_at")} for id_, row in payables.items()}

    for value in (True, False):
        final = {id_: row for id_, row in new.items() if row["is_final"] is value}
        assert await read(service, place, is_final=value) == final
        assert await read_in_graphql(service, place, is_final=value) == short(final)
    assert await read_in_graphql(service, place, since=since) == short(changed)
    people = (await data_of(service.database, place.own, CHANGED, since=since))["members"]["results"]
    assert {person["user_id"] for person in people} == {row["user_id"] for row in changed.values()}, done
