"""SQL of changes: the members of a report who have a record in the range that changed since a time.

In the usual poll few records changed, in the whole organization: `changed_members` reads these by the indexes of the
time of change. Otherwise it asks for each member, by conditions that read few rows of each. A record that moved also
changes the rows in which it was before: `db.tables.remembered` has its earlier starts and people. What a project,
client or task shows is looked up once for all members.

`is_near` and `was_near` say for which ranges a record counts: those that show it, and those that are not final while it
is open or pending.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

from sqlalchemy import (
    CTE,
    Column,
    ColumnElement,
    Select,
    Table,
    and_,
    case,
    exists,
    false,
    func,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import in_organization
from db.tables.people import members
from db.tables.remembered import FROM, UNTIL
from db.tables.timesheets import MAX_INTERVAL
from resolvers.lists.list_sql import HIGH, LOW, REQUESTED_USER, SINCE
from resolvers.records.interval_sql import rows_of, slots_in_range, starts_near_range
from resolvers.values.planner import FENCE

Condition = Callable[[FromClause], ColumnElement[bool]]
"""Makes a condition on the rows of a table, or of a subquery with its columns."""


def is_near(records: FromClause, low: ColumnElement[Any] = LOW, high: ColumnElement[Any] = HIGH) -> ColumnElement[bool]:
    """Whether a record, of a table or of a subquery with its columns, counts for a range, by default the request's.

    An interval counts if it may overlap the range, manual time also for the time before an edit, and a clock record for
    all ranges after its start: while it is open, none of them is final.
    """
    if "clock_in_at" in records.c:
        return records.c.clock_in_at < high
    near = starts_near_range(records, low, high)
    if "original_started_at" in records.c:
        original = records.c.original_started_at
        return or_(near, and_(original > low - MAX_INTERVAL, original < high))
    return near


def was_near(
    records: FromClause, low: ColumnElement[Any] = LOW, high: ColumnElement[Any] = HIGH
) -> ColumnElement[bool]:
    """Whether a record that moved counted for a range, or for earlier and later ones."""
    if FROM not in records.c:
        return false()
    begins = records.c.earlier_from < high
    return begins if "clock_in_at" in records.c else and_(begins, records.c.earlier_until > low - MAX_INTERVAL)


MOST_RENAMED = 200_000
"""The most rows of usage that are read for new names and ratings. That takes about a tenth of a second."""

FEW = 10_000
"""The most changed records of a table that are read for the whole organization: 10 ms, as for 1,000 members each."""


_OF_CHANGES = frozenset(
    ("user_id", "started_at", "original_started_at", "clock_in_at", "slot_at", "timesheet_id", FROM, UNTIL)
)
"""The columns that say which rows of reports a change concerns. Indexes have them, so that no table is read."""


class ChangedRecords(NamedTuple):
    """Records of a table that change rows of a report.

    `people_of` selects the people of changes in the range, which have the columns of the table; it may leave out those
    that the given selects have. `of_member` says whether a member has such a change.
    """

    table: Table
    people_of: Callable[[FromClause, Sequence[Select[Any]]], Select[Any]]
    of_member: ColumnElement[bool]

    @classmethod
    def frequent(cls, table: Table, near: ColumnElement[bool], in_range: Condition) -> Self:
        """Those of a table of intervals; see `has_change`."""
        return cls(table, _people_of(in_range), has_change(table, "started_at", near, in_range))

    @classmethod
    def rare(cls, table: Table, in_range: Condition) -> Self:
        """Those of a table of which a person has few."""
        return cls(table, _people_of(in_range), has_recent_change(table, in_range))


def changed_members(
    records: Sequence[ChangedRecords],
    *conditions: ColumnElement[bool],
    others: Sequence[Select[Any]] = (),
    few: int = FEW,
) -> CTE:
    """The ids of the members whose row changed at or after SINCE, each once.

    If no table has more than `few` changes, these are read, and else it asks for each member. `conditions` are further
    ones of a member, `others` are selects of further ids. A list reads the CTE for its total and for its page.
    """
    recent = [_recent(each.table, few) for each in records]
    counts = [select(func.count()).select_from(each).scalar_subquery() for each in recent]
    counted = select(and_(*(count <= few for count in counts)).label("is_few")).cte("counted_changes")
    is_few = select(counted.c.is_few).scalar_subquery()
    of_changes: list[Select[Any]] = []
    for each, changes in zip(records, recent, strict=True):
        of_changes.append(each.people_of(changes, of_changes).where(is_few))
    further = [_members(is_few, or_(*conditions))] if conditions else []
    many = _members(~is_few, or_(*(each.of_member for each in records), *conditions))
    left = [_left(each.table) for each in records if FROM in each.table.c]
    changed = union_all(*of_changes, *further, many, *left, *others).subquery("changed_people")
    return select(changed.c.user_id).distinct().cte("changed")


def _people_of(in_range: Condition) -> Callable[[FromClause, Sequence[Select[Any]]], Select[Any]]:
    return lambda changes, _: select(changes.c.user_id).where(or_(in_range(changes), was_near(changes)))


def _recent(table: Table, most: int) -> CTE:
    """The changes of a table since SINCE, but at most `most` and one more."""
    columns = (column for column in table.c if column.name in _OF_CHANGES)
    changes = select(*columns).where(in_organization(table), table.c.updated_at >= SINCE)
    return changes.order_by(table.c.updated_at).limit(most + 1).cte(f"recent_{table.name}")


def _members(*conditions: ColumnElement[bool]) -> Select[Any]:
    """The members of the request that meet the conditions. PostgreSQL tests first what is the same for all members."""
    is_requested = or_(REQUESTED_USER.is_(None), members.c.user_id == REQUESTED_USER)
    return select(members.c.user_id).where(in_organization(members), is_requested, *conditions)


def members_with(
    references: Sequence[Column[Any]], in_range: ColumnElement[bool], time: Column[Any], changed: Select[Any]
) -> Select[Any]:
    """The members with a record in the range that refers to something whose id is in `changed`.

    `references` are columns of the records, `time` is that of their time.
    """
    # ORDER BY and the fence lead PostgreSQL to an index by person and time, as in `has_change`.
    own = select(*references).where(rows_of(time.table, members.c.user_id), in_range).correlate(members)
    records = own.order_by(time.desc()).offset(FENCE).subquery("records")
    refers = or_(*(records.c[column.name].in_(changed) for column in references))
    return _members(exists(changed.correlate(None)), exists().select_from(records).where(refers))


def renamed_users(table: Table, column: str, catalog: Table) -> Select[Any]:
    """The people with usage in the range of the rows of `catalog` that changed since SINCE.

    `column` of `table`, which is usage, references the catalog. Reports show the catalog as it is now, so a new rating
    changes rows of days long ago. Changed rows of the catalog are read once for all members, and then their usage, by
    an index: at most MOST_RENAMED rows. If there are more, nearly all members have some, and all are selected.
    """
    # ORDER BY and the fence lead PostgreSQL to an index that starts with the reference and the time.
    usage = (
        select(table.c.user_id)
        .where(in_organization(table), table.c[column] == catalog.c.id, slots_in_range(table))
        .correlate(catalog)
        .order_by(table.c.slot_at)
        .offset(FENCE)
        .lateral("usage")
    )
    rows = (
        select(usage.c.user_id)
        .select_from(catalog.join(usage, true()))
        .where(in_organization(catalog), catalog.c.report_changed_at >= SINCE)
        .limit(MOST_RENAMED + 1)
        .subquery("rows")
    )
    users = select(rows.c.user_id, func.count().label("rows")).group_by(rows.c.user_id).cte(f"renamed_{catalog.name}")
    is_most = select(func.sum(users.c.rows)).scalar_subquery() > MOST_RENAMED
    people = union_all(select(users.c.user_id), _members(is_most)).subquery("people")
    return select(people.c.user_id)


def has_change(table: Table, time: str, near: ColumnElement[bool], in_range: Condition) -> ColumnElement[bool]:
    """Whether a member has a record in the range, or one that was there, that changed at or after SINCE.

    It reads the changes since then or the records of the range, whichever takes the shorter time: a member has as many
    of both a day. A prepared statement has one plan for all values, so the choice is in the SQL. ORDER BY leads
    PostgreSQL to the index of each. The fence keeps it from moving the second condition inside, where it would lead to
    the other, and from reading the records of all members at once.

    `time` is the column of the record's time, `near` a condition on it that all records of the range meet. It leaves
    out what is not the member's any more: see `changed_members`.
    """
    records = _records(table).where(near).order_by(table.c[time].desc()).subquery("records")
    is_changed: ColumnElement[bool] = (
        exists().select_from(records).where(in_range(records), records.c.updated_at >= SINCE)
    )
    if FROM in table.c:
        moved = _records(table).where(table.c.updated_at >= SINCE, table.c.earlier_from.is_not(None)).subquery("moved")
        is_changed = or_(is_changed, exists().select_from(moved).where(was_near(moved)))
    return case((func.now() - SINCE < HIGH - LOW, has_recent_change(table, in_range)), else_=is_changed)


def has_recent_change(table: Table, in_range: Condition) -> ColumnElement[bool]:
    """The same, but it always reads the changes since then: for a table of which a person has few."""
    changes = _records(table).where(table.c.updated_at >= SINCE).order_by(table.c.updated_at).subquery("changes")
    return exists().select_from(changes).where(or_(in_range(changes), was_near(changes)))


def _left(table: Table) -> Select[Any]:
    """The people whose record in the range became another person's since SINCE. Records hardly ever do."""
    return select(func.unnest(table.c.earlier_user_ids)).where(
        in_organization(table), table.c.earlier_user_ids.is_not(None), table.c.updated_at >= SINCE, was_near(table)
    )


def _records(table: Table) -> Select[Any]:
    """The records of a member."""
    return select(table).where(rows_of(table, members.c.user_id)).correlate(members).offset(FENCE)
