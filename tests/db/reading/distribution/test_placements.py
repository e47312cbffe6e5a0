"""Placements of tables: which tables are distributed, which are copied to each node, and what is wrong."""

from db.reading.distribution.placements import Placement, distributed_tables, reference_tables, wrong_tables


def placed(**others: Placement) -> list[Placement]:
    """All tables as they should be, except for those given."""
    right = {table.name: Placement(table.name, "distributed", 6) for table in distributed_tables()}
    right |= {table.name: Placement(table.name, "reference", 5) for table in reference_tables()}
    return list((right | others).values())


def test_tenant_tables_are_distributed_organizations_first() -> None:
    names = [table.name for table in distributed_tables()]
    assert names[0] == "organizations"
    assert {"members", "timesheets", "quota_overrides"} <= set(names)
    assert len(names) == len(set(names))


def test_referenced_tables_come_before_those_that_reference_them() -> None:
    names = [table.name for table in distributed_tables()]
    for table in distributed_tables():
        for key in table.foreign_keys:
            if key.column.table.name in names:
                assert names.index(key.column.table.name) <= names.index(table.name)


def test_keys_and_lists_are_reference_tables() -> None:
    lists = {"countries", "currencies", "time_zones"}
    assert {table.name for table in reference_tables()} == {"api_keys", "trusted_documents", *lists}


def test_complete_placement_has_no_wrong_table() -> None:
    assert wrong_tables(placed()) == []


def test_plain_tables_are_all_wrong() -> None:
    assert len(wrong_tables([])) == len(distributed_tables()) + len(reference_tables())


def test_wrong_kind_or_colocation_is_named() -> None:
    found = placed(
        api_keys=Placement("api_keys", None, 0),
        teams=Placement("teams", "distributed", 7),
        members=Placement("members", "reference", 6),
    )
    assert wrong_tables(found) == ["api_keys", "members", "teams"]


def test_unknown_tables_do_not_matter() -> None:
    assert wrong_tables([*placed(), Placement("theirs", None, 0)]) == []
