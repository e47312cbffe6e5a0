"""Payables after random edits: `is_final` is kept, and `updated_since` returns every payable that an edit changed.

The reference looks for unfinished records itself, and compares whole rows before and after.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rest_facade.composition import Service
from rest_facade.v1 import ENDPOINTS
from schema.execution.operation import Operation
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
TABLES = "timesheets idle_times break_times manual_requests clock_records organizations payables payables".split()
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
