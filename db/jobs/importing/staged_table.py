"""Staged table: a table of which an import has rows, and the temporary tables that these are in."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from db.jobs.importing.import_table import ImportTable
from db.jobs.importing.rows import SourceQuery
from db.jobs.importing.statements import ORGANIZATION, quoted


@dataclass
class StagedTable:
    """A table of which the import has rows, or at least a file. Its rows are in `staging`, in the order of `row`."""

    spec: ImportTable
    given: dict[str, None] = field(default_factory=dict)
    """The columns that any of its files has, in their order."""
    common_shape: int = ~0
    """The columns that each of its rows has, as one number (`ImportTable.shape`)."""
    count: int = 0
    replace: bool = False
    """Whether all stored rows are deleted that the files do not have."""
    query: SourceQuery | None = None
    """What its rows come from, if they are no texts: their values have the types of their columns already."""

    @property
    def staging(self) -> str:
        """The temporary table of its texts: `row`, `file`, `line`, `shape`, and a column for each accepted name."""
        return f"import_texts_{self.spec.name}"

    @property
    def refused(self) -> str:
        """SQL: whether a row `t` of it was refused."""
        return f"EXISTS (SELECT FROM import_problems p WHERE p.of_table = {quoted(self.spec.name)} AND p.row = t.row)"

    @property
    def rows(self) -> str:
        """The temporary table of its typed rows, as they will be: `row`, `is_stored`, and the columns of the table."""
        return f"import_rows_{self.spec.name}"

    @property
    def stale(self) -> str:
        """The temporary table of the ids of stored rows that a query deletes."""
        return f"import_stale_{self.spec.name}"

    @property
    def columns(self) -> list[str]:
        """The columns of its typed rows: all but those that only the database sets."""
        return [column for column in self.spec.columns if column != "created_at" or column in self.given]

    @property
    def given_columns(self) -> Collection[str]:
        """The columns of the table that the files have, by themselves or by a name that stands for an id."""
        by_name = {name: column for column, reference in self.spec.references.items() for name in reference.names}
        columns = dict.fromkeys(by_name.get(name, name) for name in self.given)
        return [column for column in columns if column in self.spec.columns]

    def given_names(self, column: str) -> Sequence[str]:
        """The columns of the files that have the column: itself, and names that stand for the id."""
        reference = self.spec.references.get(column)
        return [name for name in (column, *(reference.names if reference else ())) if name in self.given]

    def without(self, column: str) -> str:
        """SQL: whether the file of a row `k` has not the column, which another file has; empty if all have it."""
        bits = self.spec.shape(self.given_names(column))
        return "" if bits & self.common_shape else f"k.shape & {bits} = 0"

    @property
    def deletes(self) -> bool:
        """Whether stored rows may be deleted that the files do not have."""
        return self.replace or self.query is not None

    @property
    def others(self) -> str:
        """SQL: whether `s` is a stored row that is not deleted, and that the files do not have."""
        staged = f"SELECT FROM {self.rows} r WHERE {self.spec.same_key('s', 'r')}"
        return f"s.organization_id = {ORGANIZATION} AND s.deleted_at IS NULL AND NOT EXISTS ({staged})"

    @property
    def missing(self) -> str:
        """SQL: whether `s` is one of the others that are deleted."""
        is_deleted = str(self.replace).lower() if self.query is None else f"s.id IN (SELECT id FROM {self.stale})"
        return f"{self.others} AND {is_deleted}"

    @property
    def kept(self) -> str:
        """SQL: whether `s` is one of the others that stay."""
        return f"{self.others} AND NOT ({self.missing})"
