"""Timestamps and names of the rows of every demo table."""

from datetime import timedelta

from tests.db.sample.demo.demo_rows import DemoRows


def test_row_timestamps_are_in_order_and_past(demo: DemoRows) -> None:
    start = demo.end - timedelta(days=737)
    for name, rows in demo.tables.items():
        for row in rows:
            assert start <= row["created_at"] <= row["updated_at"] <= demo.now, name
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


def test_names_are_unique_and_domains_reserved(demo: DemoRows) -> None:
    named = [row for row in demo.rows.members if row["email"] is not None]
    assert len({row["email"] for row in named}) == len({row["full_name"] for row in named}) == len(named)
    assert all(row["email"].isascii() and row["email"].endswith("@example.com") for row in named)
    assert len({row["membership_id"] for row in demo.rows.members}) == len(demo.rows.members)
    for rows in (demo.rows.teams, demo.rows.clients, demo.rows.projects):
        label = "code" if rows is demo.rows.projects else "name"
        assert len({row[label] for row in rows}) == len(rows)
    addresses = [address for row in demo.rows.clients for address in [row["email"], *row["invoice_emails"]]]
    assert all(address is None or address.endswith("@example.org") for address in addresses)
