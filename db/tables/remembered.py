"""Remembered columns: where a row was before it moved, and when what reports show of it last changed.

Triggers of the row itself set them (`db.admin.triggers`), also where tables are distributed. Reports need them for
`updated_since`: a record that moved to another day or person changed the row of a report in which it is not found any
more. A change of these columns alone leaves `updated_at`, and no file gives them.

`earlier_places` makes the columns of a record with a person and a start, `index_earlier_places` their indexes,
`report_changed_at` the column of a row whose name reports show.
"""

from sqlalchemy import Column, DateTime, Index, Table, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP

FROM, UNTIL, USER_IDS = "earlier_from", "earlier_until", "earlier_user_ids"
"""The columns of `earlier_places`."""

REPORT_CHANGED_AT = "report_changed_at"

JOINED_AT, REMOVED_AT = "earlier_joined_at", "earlier_removed_at"
"""The columns of `earlier_memberships`."""


def _remembered(name: str, type_: object, comment: str, **info: object) -> Column[object]:
    return Column(name, type_, comment=comment, info={"derived": True, "remembered": True, "unlisted": True, **info})  # type: ignore[arg-type]  # `object` is any type of column


def earlier_places(*starts: str) -> list[Column[object]]:
    """The hull of the earlier starts of a record, and its earlier people; null if it never moved.

    `starts` are the columns of its start; one of them has to be not null.
    """
    moment = TIMESTAMP(timezone=True, precision=0)
    return [
        _remembered(
            FROM, moment, "Earliest start before the row moved; null: it never did. A trigger sets it.", starts=starts
        ),
        _remembered(UNTIL, moment, "Latest start before the row moved; null: it never did. A trigger sets it."),
        _remembered(USER_IDS, ARRAY(Uuid), "Whose it was before; null: of no other person. A trigger sets it."),
    ]


def index_earlier_places(table: Table) -> None:
    """Indexes that find the changes of moved rows: those of a person, and those that changed the person."""
    own, moved, changed = table.c.organization_id, text(f"{FROM} IS NOT NULL"), text(f"{USER_IDS} IS NOT NULL")
    places = [FROM, UNTIL]
    Index(None, own, table.c.user_id, table.c.updated_at, postgresql_where=moved, postgresql_include=places)
    Index(None, own, table.c.updated_at, postgresql_where=changed)


def earlier_memberships() -> list[Column[object]]:
    """The hull of the earlier memberships of a person; null if no day was ever lost."""
    moment = TIMESTAMP(timezone=True, precision=0)
    return [
        _remembered(
            JOINED_AT,
            moment,
            "Earliest first_joined_at before the membership changed; null: it never did. A trigger sets it.",
        ),
        _remembered(
            REMOVED_AT,
            moment,
            "Latest removed_at before the membership changed; null: it had no end. A trigger sets it.",
        ),
    ]


def report_changed_at(*columns: str) -> Column[object]:
    """The time at which a value in `columns`, those that reports show, last changed; null if none did."""
    comment = f"When {' or '.join(columns)} last changed, which reports show; null: never. A trigger sets it."
    return _remembered(REPORT_CHANGED_AT, DateTime(timezone=True), comment, of=columns)


def index_report_changes(table: Table) -> None:
    """Index that finds the rows of which reports show something else since a time: in the usual case none."""
    changed = text(f"{REPORT_CHANGED_AT} IS NOT NULL")
    Index(None, table.c.organization_id, table.c[REPORT_CHANGED_AT], postgresql_where=changed)
