"""What the retention of an organization covers: the tables of activity whose old rows are dropped, by kind of data.

Activity slots are not among them: they belong to timesheets, whose time reports divide by them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Table

from db.tables.activity import app_usages, screenshots, url_usages
from db.tables.people import RETENTION_DAYS


@dataclass(frozen=True)
class RetainedTable:
    """A table whose rows fall out when `time` is older than the days of `kind` in `data_retention_days`.

    `objects` are the columns with keys of stored objects. The rows of a person are read in the order of `time`; where
    only partial indexes have that order, `parts` are their conditions. Raises ValueError for a wrong declaration.
    """

    kind: str
    table: Table
    time: str
    objects: Sequence[str] = ()
    parts: Sequence[str] = ("true",)

    def __post_init__(self) -> None:
        if self.kind not in RETENTION_DAYS:
            raise ValueError(f"{self.kind} is no kind of data_retention_days.")
        columns = {"organization_id", "user_id", self.time, *self.objects, *(["id"] if self.objects else [])}
        if missing := columns - set(self.table.columns.keys()):
            raise ValueError(f"{self.table.name} has no {', '.join(sorted(missing))}.")


RETAINED_TABLES = (
    RetainedTable(
        "screenshots",
        screenshots,
        "captured_at",
        objects=("object_key", "thumbnail_key"),
        parts=("deleted_at IS NULL", "deleted_at IS NOT NULL"),
    ),
    RetainedTable("app_usage", app_usages, "slot_at"),
    RetainedTable("url_usage", url_usages, "slot_at"),
)
