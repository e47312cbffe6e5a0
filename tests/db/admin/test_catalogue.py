"""The catalogue of a database has every object with its definition: what changes one is named as a difference."""

import pytest
from sqlalchemy import Engine

from db.admin.catalogue import CatalogueObject, catalogue_of, differences

CHANGES = {
    "DROP TABLE erasures CASCADE": "The table erasures is missing",
    "CREATE TABLE badges (id int)": "The table badges is not expected",
    "ALTER TABLE teams RESET (autovacuum_enabled), NO FORCE ROW LEVEL SECURITY": "The table teams is",
    "ALTER TABLE timesheets RESET (autovacuum_vacuum_scale_factor)": "The table timesheets is",
    "COMMENT ON TABLE teams IS 'Other words.'": "The table teams is",
    "ALTER TABLE erasures DROP COLUMN object_count": "The column erasures.object_count is missing",
    "ALTER TABLE erasures ALTER COLUMN object_count TYPE bigint": "The column erasures.object_count is",
    "ALTER TABLE timesheets ALTER COLUMN note SET NOT NULL": "The column timesheets.note is",
    "ALTER TABLE timesheets ALTER COLUMN tags DROP DEFAULT": "The column timesheets.tags is",
    "COMMENT ON COLUMN teams.name IS 'Other words.'": "The column teams.name is",
    "ALTER TABLE timesheets DROP CONSTRAINT timesheets_tags_without_null_check": (
        "The constraint timesheets.timesheets_tags_without_null_check is missing"
    ),
    "DROP INDEX timesheets_organization_id_updated_at_idx": (
        "The index timesheets_organization_id_updated_at_idx is missing"
    ),
    "ALTER TABLE teams DISABLE TRIGGER set_updated_at": "The trigger teams.set_updated_at is",
    "DROP TRIGGER set_updated_at ON teams": "The trigger teams.set_updated_at is missing",
    "CREATE OR REPLACE FUNCTION set_updated_at() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'": (
        "The function set_updated_at() is"
    ),
    "ALTER POLICY tenant ON teams USING (true)": "The policy teams.tenant is",
    "GRANT DELETE ON teams TO orgdata_service": "The rights on a table teams is",
    "GRANT UPDATE (code) ON currencies TO orgdata_writer": "The rights on a column currencies.code is not expected",
    "GRANT EXECUTE ON FUNCTION organizations_of_token TO PUBLIC": "The rights on a function organizations_of_token",
    "REVOKE USAGE ON SCHEMA public FROM orgdata_service": "The rights on the schema public is",
    "CREATE STATISTICS days ON user_id, started_at FROM timesheets": "The statistics days is not expected",
}


@pytest.mark.parametrize("change", CHANGES)
def test_change_is_named_as_a_difference(change: str, owner_engine: Engine) -> None:
    with owner_engine.connect() as connection:
        before = catalogue_of(connection)
        connection.exec_driver_sql(change)
        assert any(sentence.startswith(CHANGES[change]) for sentence in differences(before, catalogue_of(connection)))


def test_difference_names_both_definitions() -> None:
    first, second, third = (CatalogueObject("index", name) for name in ("first", "second", "third"))
    assert list(differences({first: "one", second: "two"}, {second: "other", third: "three"})) == [
        "The index first is missing: one",
        "The index second is other instead of two",
        "The index third is not expected: three",
    ]
