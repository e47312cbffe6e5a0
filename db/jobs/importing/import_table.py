"""What an import accepts for a table: its columns, and names that stand for ids."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import Column, Index, Table, Text, UniqueConstraint

from db.tables.areas import metadata

EXTERNAL_ID = "external_id"

SHAPE_BITS = 63
"""Columns that `ImportTable.shape` tells apart: those of a bigint."""


@dataclass(frozen=True)
class Reference:
    """A column that holds the id of a row of `target`. `names`: the columns of a file that may stand for it."""

    column: str
    target: "ImportTable"
    names: Mapping[str, str]
    """What of the target each of them names: `external_id`, or its name column."""


@dataclass(frozen=True)
class UniqueKey:
    """Columns that no two rows share, or no two rows that are not deleted."""

    columns: tuple[str, ...]
    is_of_live_rows: bool


@dataclass(frozen=True)
class ImportTable:
    table: Table

    def __post_init__(self) -> None:
        self.natural_key  # noqa: B018 - the table has to declare it

    @property
    def name(self) -> str:
        return str(self.table.name)

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The columns of the primary key after `organization_id`."""
        return tuple(column.name for column in self.table.primary_key if column.name != "organization_id")

    def same_key(self, one: str, other: str) -> str:
        return " AND ".join(f"{one}.{column} = {other}.{column}" for column in self.key)

    @property
    def id(self) -> str | None:
        """The column of the id; None where several columns are the key."""
        return self.key[0] if len(self.key) == 1 else None

    @cached_property
    def names_of_rows(self) -> frozenset[str]:
        """The columns of a file that name a row, this one or another."""
        names = {name for reference in self.references.values() for name in reference.names}
        return frozenset({*names, *self.own_names})

    @property
    def own_names(self) -> Sequence[str]:
        """The names of a row besides its id, in the order in which they count."""
        return [EXTERNAL_ID, *(self.natural_key if len(self.natural_key) == 1 else ())]

    def is_looked_up(self, name: str) -> bool:
        """Whether rows are looked up by the name. External ids that the table does not store are turned into ids."""
        return name in self.table.columns

    @cached_property
    def columns(self) -> Mapping[str, Column[object]]:
        """The columns that a file may have. The organization is given by the caller, the rest by the database."""
        own = {"organization_id", *self.read_over}
        return {name: column for name, column in self.table.columns.items() if name not in own}

    @cached_property
    def read_over(self) -> frozenset[str]:
        """The columns that triggers set. A file may have them, so that an exported one can be imported."""
        remembered = (name for name, column in self.table.columns.items() if "remembered" in column.info)
        return frozenset({"updated_at", *remembered})

    @cached_property
    def references(self) -> Mapping[str, Reference]:
        """The references to other rows of the organization, by column."""
        references = {}
        for constraint in self.table.foreign_key_constraints:
            column, target = constraint.column_keys[-1], ImportTable(constraint.referred_table)
            if len(constraint.column_keys) > 1:
                names = {f"{column.removesuffix('_id')}_{name}": name for name in target.own_names}
                references[column] = Reference(column, target, names)
        return dict(sorted(references.items()))

    @cached_property
    def lists(self) -> Mapping[str, Column[object]]:
        """The columns whose values must be in a table that all organizations share, and its column."""
        return {
            constraint.column_keys[0]: constraint.elements[0].column
            for constraint in self.table.foreign_key_constraints
            if len(constraint.column_keys) == 1 and constraint.column_keys[0] != "organization_id"
        }

    @cached_property
    def names(self) -> frozenset[str]:
        """All columns that a file may have: those of the table, and names that stand for ids."""
        names = self.names_of_rows if self.id else self.names_of_rows - {EXTERNAL_ID}
        return names | self.columns.keys()

    @cached_property
    def _bits(self) -> Mapping[str, int]:
        if len(self.names) > SHAPE_BITS:
            raise ValueError(
                f"A file of {self.name} may have {len(self.names)} columns, and a bigint {SHAPE_BITS} bits."
            )
        return {name: 1 << number for number, name in enumerate(sorted(self.names))}

    def shape(self, columns: Iterable[str]) -> int:
        """Which of its columns a row has, as one number: any number of rows may differ in that."""
        return sum(self._bits.get(column, 0) for column in columns)

    @cached_property
    def unique_keys(self) -> list[UniqueKey]:
        keys = []
        for item in (*self.table.constraints, *self.table.indexes):
            if isinstance(item, UniqueConstraint) or (isinstance(item, Index) and item.unique):
                columns = tuple(column.name for column in item.columns if column.name != "organization_id")
                condition = item.dialect_options["postgresql"]["where"] if isinstance(item, Index) else None
                keys.append(UniqueKey(columns, is_of_live_rows=condition is not None))
        return sorted(keys, key=lambda key: key.columns)

    @property
    def immovable(self) -> list[str]:
        """The columns that no UPDATE may change, other than those of the key."""
        return [
            name for name, column in self.columns.items() if column.info.get("immovable") and not column.primary_key
        ]

    @cached_property
    def natural_key(self) -> tuple[str, ...]:
        """The columns that tell a row without id and external id; a single one is its name.

        Rows that are not deleted differ in them. A unique key need not be declared; a single id is no name.
        """
        keys = [key.columns for key in self.unique_keys]
        keys = [key for key in keys if len(key) > 1 or isinstance(self.table.c[key[0]].type, Text)]
        declared: tuple[str, ...] = self.table.info.get("natural_key", ())
        if len(keys) > 1 and not declared:
            raise ValueError(f"{self.name} has several unique keys: say which one is its natural_key.")
        return declared or next(iter(keys), ())

    @property
    def is_leaf(self) -> bool:
        references = (reference for table in IMPORT_TABLES.values() for reference in table.references.values())
        return all(reference.target.name != self.name for reference in references)


IMPORT_TABLES: Mapping[str, ImportTable] = {
    table.name: ImportTable(table)
    for table in metadata.sorted_tables
    if "deleted_at" in table.columns and table.name != "organizations"
}
"""Every table of an organization, after those that it references."""
