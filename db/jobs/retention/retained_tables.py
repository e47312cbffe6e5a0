"""What the retention of an organization covers: the tables of activity whose old rows are dropped, by kind of data.

Activity slots are not among them: they belong to timesheets, whose time reports divide by them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Table

from db.tables.activity import app_usages, screenshots, url_usages


class RetainedTable(NamedTuple):
    """A table whose rows fall out when `time` is older than the days of `kind` in `data_retention_days`.

    The rows of a person are read in the order of `time`; where only partial indexes have that order, `parts` are their
    conditions.
    """

    kind: str
    table: Table
    time: str
    parts: Sequence[str] = ("true",)


RETAINED_TABLES = (
    RetainedTable("screenshots", screenshots, "captured_at", parts=("deleted_at IS NULL", "deleted_at IS NOT NULL")),
    RetainedTable("app_usage", app_usages, "slot_at"),
    RetainedTable("url_usage", url_usages, "slot_at"),
)
