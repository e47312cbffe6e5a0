"""Reference tables: names that the pinned lists lack are refused; `orgdata migrate` adds what they gain."""

from uuid import UUID

import pytest

from db.tables import reference
from db.tables.columns import metadata
from db.tables.reference import PINNED_LISTS, country_codes, currency_codes, time_zones, zone_names
from tests.db.writing import session
from tests.helpers.databases import migrate_at


@pytest.mark.parametrize(
    ("column", "value", "table"),
    [("timezone", "europe/berlin", "time_zones"), ("currency", "EUR\n", "currencies"), ("country", "UK", "countries")],
)
def test_unknown_name_is_refused(owner_url: str, own: UUID, column: str, value: str, table: str) -> None:
    update = f"UPDATE organizations SET {column} = %(value)s WHERE organization_id = %(o)s"
    with session(owner_url, own) as writer:
        assert writer.error(update, value=value) == (
            f'insert or update on table "organizations" violates foreign key constraint "organizations_{column}_fkey"'
            f'\nDETAIL:  Key is not present in table "{table}".'
        )


def test_every_such_column_refers_to_its_list() -> None:
    lists = {"timezone": "time_zones", "currency": "currencies", "country": "countries"}
    for table in metadata.tables.values():
        for column in table.columns:
            if column.name in lists:
                assert lists[column.name] in {key.column.table.name for key in column.foreign_keys}, column


def test_zones_links_and_withdrawn_currencies_are_known(owner_url: str, own: UUID) -> None:
    with session(owner_url, own) as writer:
        for zone in ("UTC", "Europe/Berlin", "US/Pacific", "Asia/Calcutta"):
            writer.run("UPDATE organizations SET timezone = %(zone)s WHERE organization_id = %(o)s", zone=zone)
        for currency in ("EUR", "JPY", "KWD", "HRK", "BGN"):
            writer.run("UPDATE organizations SET currency = %(c)s WHERE organization_id = %(o)s", c=currency)
        writer.run("UPDATE organizations SET country = 'GB' WHERE organization_id = %(o)s")


def test_pinned_lists_are_complete() -> None:
    assert len(zone_names()) > 590
    assert len(currency_codes()) == 178 + 14
    assert len(country_codes()) == 249
    assert reference.MINOR_UNIT_DIGITS.keys() <= currency_codes()


def test_every_role_reads_the_reference_tables(owner_url: str) -> None:
    for role in ("orgdata_service", "orgdata_writer"):
        with session(owner_url, role=role) as reader:
            assert reader.one("SELECT count(*) FROM currencies").count == len(currency_codes())
            assert "permission denied for table currencies" in reader.error("DELETE FROM currencies")


def test_migrate_adds_new_names_and_keeps_old_ones(own_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = frozenset({"Europe/Berlin", "Mars/Olympus"})
    monkeypatch.setattr("db.admin.migrate.PINNED_LISTS", {**PINNED_LISTS, time_zones: lambda: newer})
    migrate_at(own_url)
    with session(own_url) as reader:
        names = {row.name for row in reader.run("SELECT name FROM time_zones")}
    assert names == zone_names() | {"Mars/Olympus"}
