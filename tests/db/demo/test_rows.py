"""What holds for the rows of every table of the demo, or of people and work."""

from datetime import timedelta

import pytest

from db.demo.build import DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID
from db.demo.people.build import People
from db.demo.work.build import Work
from db.tables.columns import metadata
from tests.db.demo.made import TABLES, Made

ENTITIES = [name for name in TABLES if name in {*People.__annotations__, *Work.__annotations__}]
"""Tables whose rows people write; those of time are written as it passes."""


@pytest.mark.parametrize("table", [name for name in ENTITIES if name != "organizations"])
def test_some_rows_were_created_at_the_same_moment_but_not_too_many(studio: Made, table: str) -> None:
    created = [row["created_at"] for row in studio.tables[table]]
    assert 0.5 < len(set(created)) / len(created) < 1


@pytest.mark.parametrize("table", [name for name in ENTITIES if name not in ("organizations", "teams")])
def test_some_moments_have_no_fraction_of_a_second(studio: Made, table: str) -> None:
    rows = studio.tables[table]
    assert {row["updated_at"].microsecond == 0 for row in rows} == {True, False}
    assert any(row["created_at"] == row["updated_at"] for row in rows)
    assert any(row["created_at"] < row["updated_at"] for row in rows)


def test_no_row_is_changed_before_it_is_created_or_after_now(made: Made) -> None:
    start = made.end - timedelta(days=730)
    for name, rows in made.tables.items():
        end = made.end if name in ENTITIES else made.now
        for row in rows:
            assert start <= row["created_at"] <= row["updated_at"] <= end
            if row["deleted_at"] is not None:
                assert row["created_at"] < row["deleted_at"] == row["updated_at"]


def test_events_are_whole_seconds_and_known_when_the_row_was_last_changed(made: Made) -> None:
    events = ("first_joined_at", "joined_at", "removed_at", "archived_at", "completed_at", "assigned_at")
    for name, rows in made.tables.items():
        for row in rows:
            for event in events:
                if row.get(event) is not None and (name, event) != ("team_members", "joined_at"):
                    assert row[event].microsecond == 0
                    assert row[event] <= row["updated_at"]


def test_ids_are_of_version_7_and_of_the_time_of_creation(made: Made) -> None:
    for name, rows in made.tables.items():
        key = "user_id" if name == "members" else "id"
        if key in metadata.tables[name].columns:
            assert len({row[key] for row in rows}) == len(rows)
            for row in rows:
                assert (row[key].version, row[key].variant) == (7, "specified in RFC 4122")
                assert row[key].int >> 80 == int(row["created_at"].timestamp() * 1000)
    for organization_id in (DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID):
        assert (organization_id.version, organization_id.variant) == (7, "specified in RFC 4122")


def test_every_column_is_given(made: Made) -> None:
    for name, rows in made.tables.items():
        columns = {column.name for column in metadata.tables[name].columns} - {"organization_id"}
        assert all(row.keys() == columns for row in rows)


def test_names_and_addresses_are_unique_and_reserved_for_examples(made: Made) -> None:
    named = [row for row in made.people.members if row["email"] is not None]
    assert len({row["email"] for row in named}) == len({row["full_name"] for row in named}) == len(named)
    assert all(row["email"].isascii() and row["email"].endswith("@example.com") for row in named)
    assert len({row["membership_id"] for row in made.people.members}) == len(made.people.members)
    for rows in (made.people.teams, made.work.clients, made.work.projects):
        label = "code" if rows is made.work.projects else "name"
        assert len({row[label] for row in rows}) == len(rows)
    addresses = [address for row in made.work.clients for address in [row["email"], *row["invoice_emails"]]]
    assert all(address is None or address.endswith("@example.org") for address in addresses)
