"""Timestamps, ids, columns and names of the rows of every demo table.

Covers `db/sample/demo/area.py` and `db/sample/demo/random_source.py`.
"""

from datetime import timedelta

import pytest

from db.sample.demo.build import DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID
from db.sample.demo.people.build import PeopleRows
from db.sample.demo.work.build import WorkRows
from db.tables.columns import metadata
from tests.db.sample.demo.demo_rows import TABLES, DemoRows

ENTITIES = [name for name in TABLES if name in {*PeopleRows.__annotations__, *WorkRows.__annotations__}]
"""The tables of people and work. Their rows do not change on the last day; other rows do."""


@pytest.mark.parametrize("table", [name for name in ENTITIES if name != "organizations"])
def test_some_rows_share_their_created_at(studio: DemoRows, table: str) -> None:
    created = [row["created_at"] for row in studio.tables[table]]
    assert 0.5 < len(set(created)) / len(created) < 1


@pytest.mark.parametrize("table", [name for name in ENTITIES if name not in ("organizations", "teams")])
def test_some_timestamps_are_whole_seconds(studio: DemoRows, table: str) -> None:
    rows = studio.tables[table]
    assert {row["updated_at"].microsecond == 0 for row in rows} == {True, False}
    assert any(row["created_at"] == row["updated_at"] for row in rows)
    assert any(row["created_at"] < row["updated_at"] for row in rows)


def test_row_timestamps_are_in_order_and_past(demo: DemoRows) -> None:
    start = demo.end - timedelta(days=730)
    for name, rows in demo.tables.items():
        end = demo.end if name in ENTITIES else demo.now
        for row in rows:
            assert start <= row["created_at"] <= row["updated_at"] <= end
            if row["deleted_at"] is not None:
                assert row["created_at"] < row["deleted_at"] == row["updated_at"]


def test_events_are_whole_seconds_before_updated_at(demo: DemoRows) -> None:
    events = ("first_joined_at", "joined_at", "removed_at", "archived_at", "completed_at", "assigned_at")
    for name, rows in demo.tables.items():
        for row in rows:
            for event in events:
                if row.get(event) is not None and (name, event) != ("team_members", "joined_at"):
                    assert row[event].microsecond == 0
                    assert row[event] <= row["updated_at"]


def test_ids_are_uuid7_of_created_at(demo: DemoRows) -> None:
    for name, rows in demo.tables.items():
        key = "user_id" if name == "members" else "id"
        if key in metadata.tables[name].columns:
            assert len({row[key] for row in rows}) == len(rows)
            for row in rows:
                assert (row[key].version, row[key].variant) == (7, "specified in RFC 4122")
                assert row[key].int >> 80 == int(row["created_at"].timestamp() * 1000)
    for organization_id in (DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID):
        assert (organization_id.version, organization_id.variant) == (7, "specified in RFC 4122")


def test_rows_have_every_column(demo: DemoRows) -> None:
    for name, rows in demo.tables.items():
        # What triggers remember is none of the rows' own.
        own = [column.name for column in metadata.tables[name].columns if "remembered" not in column.info]
        assert all(row.keys() == set(own) - {"organization_id"} for row in rows)


def test_names_are_unique_and_domains_reserved(demo: DemoRows) -> None:
    named = [row for row in demo.people.members if row["email"] is not None]
    assert len({row["email"] for row in named}) == len({row["full_name"] for row in named}) == len(named)
    assert all(row["email"].isascii() and row["email"].endswith("@example.com") for row in named)
    assert len({row["membership_id"] for row in demo.people.members}) == len(demo.people.members)
    for rows in (demo.people.teams, demo.work.clients, demo.work.projects):
        label = "code" if rows is demo.work.projects else "name"
        assert len({row[label] for row in rows}) == len(rows)
    addresses = [address for row in demo.work.clients for address in [row["email"], *row["invoice_emails"]]]
    assert all(address is None or address.endswith("@example.org") for address in addresses)
