"""Covers `db/jobs/importing/import_table.py`."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Table, UniqueConstraint

from db.jobs.importing.import_table import ImportTable
from db.tables.columns import live_key, metadata, tenant_table, text_column


@pytest.fixture
def badges() -> Iterator[Table]:
    columns = [text_column(name, f"Its {name}.") for name in ("code", "name")]
    yield tenant_table("badges", "For a test.", *columns, UniqueConstraint("organization_id", "code"))
    metadata.remove(metadata.tables["badges"])


def test_only_unique_key_names_rows(badges: Table) -> None:
    assert ImportTable(badges).own_names == ["external_id", "code"]


def test_table_with_several_unique_keys_must_declare_its_natural_key(badges: Table) -> None:
    live_key(badges, "name", "created_at")
    with pytest.raises(ValueError, match="badges has several unique keys: say which one is its natural_key"):
        ImportTable(badges)
    badges.info["natural_key"] = ("code",)
    assert ImportTable(badges).natural_key == ("code",)
