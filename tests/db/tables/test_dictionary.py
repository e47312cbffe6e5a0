"""Data dictionary: every table and column has a comment, also in the database.

Covers `db/admin/comments.py`.
"""

import pytest
from sqlalchemy import Column, Engine, Text, inspect, text

from db.admin.comments import ensure_comments
from db.admin.engine import connect
from db.tables.areas import metadata
from db.tables.columns import tenant_table


def test_comments_are_sentences() -> None:
    comments = {table.name: table.comment for table in metadata.sorted_tables}
    comments |= {str(column): column.comment for table in metadata.sorted_tables for column in table.columns}
    assert [name for name, comment in comments.items() if not comment] == [], "has no comment: give it one"
    assert [name for name, each in comments.items() if not (str(each).endswith(".") and "|" not in str(each))] == []


def test_database_has_the_comments(owner_url: str) -> None:
    shared = inspect(connect(owner_url))
    for table in metadata.sorted_tables:
        assert shared.get_table_comment(table.name)["text"] == table.comment
        stored = {column["name"]: column["comment"] for column in shared.get_columns(table.name)}
        assert stored == {column.name: column.comment for column in table.columns}, table.name


def test_comments_are_corrected(owner_engine: Engine) -> None:
    with owner_engine.begin() as connection:
        connection.execute(text("COMMENT ON TABLE teams IS 'Other'"))
        connection.execute(text("COMMENT ON COLUMN teams.name IS NULL"))
        ensure_comments(connection)
        inspector = inspect(connection)
        assert inspector.get_table_comment("teams")["text"] == metadata.tables["teams"].comment
        (name,) = (column for column in inspector.get_columns("teams") if column["name"] == "name")
        assert name["comment"] == metadata.tables["teams"].c.name.comment


def test_table_without_migration_is_left_out(owner_engine: Engine) -> None:
    table = tenant_table("remarks", "A remark.", Column("body", Text, comment="A text."))
    try:
        with owner_engine.begin() as connection:
            ensure_comments(connection)
    finally:
        metadata.remove(table)


def test_right_comments_lock_no_table(owner_engine: Engine) -> None:
    locks = "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'ShareUpdateExclusiveLock'"
    with owner_engine.begin() as connection:
        ensure_comments(connection)
        assert connection.scalar(text(locks)) == 0


def test_column_without_comment_is_refused() -> None:
    with pytest.raises(ValueError, match=r"remarks\.body has no comment"):
        tenant_table("remarks", "A remark.", Column("body", Text))
    metadata.remove(metadata.tables["remarks"])
