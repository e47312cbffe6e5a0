"""SQL of changes of usage reports: names and ratings of the applications, sites and pages that a member used.

Reports show the catalog as it is now, so a new rating changes rows of days long ago. The rows of the catalog that
changed are looked up once for all members (an index has only rows that ever changed), and then their usage, by an index
that starts with them: never that of everything else.
"""

from typing import Any

from sqlalchemy import ColumnElement, Select, Table, and_, exists, func, select, true, union_all
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.people import members
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.reports.changes_sql import SINCE, changed_members_if, has_change
from resolvers.reports.interval_sql import rows_of

MOST_RENAMED = 200_000
"""The most rows of usage that are read for new names and ratings. That takes about a tenth of a second."""


def in_range(slots: FromClause) -> ColumnElement[bool]:
    """Whether a slot is in the range of the request."""
    return and_(slots.c.slot_at >= LOW, slots.c.slot_at < HIGH)


def has_changed_usage(table: Table) -> ColumnElement[bool]:
    """Whether a member has usage in the range that changed since SINCE, deleted or not."""
    return has_change(table, "slot_at", in_range(table), in_range)


def renamed_users(table: Table, column: str, catalog: Table, most: int = MOST_RENAMED) -> Select[Any]:
    """The people with usage in the range of the rows of `catalog` that changed since SINCE.

    `column` of `table` references the catalog. Reads at most `most` rows of usage; if there are more, nearly all
    members have some, and all are selected.
    """
    # ORDER BY and OFFSET lead PostgreSQL to an index that starts with the reference and the time.
    usage = (
        select(table.c.user_id)
        .where(in_organization(table), table.c[column] == catalog.c.id, in_range(table))
        .correlate(catalog)
        .order_by(table.c.slot_at)
        .offset(0)
        .lateral("usage")
    )
    rows = (
        select(usage.c.user_id)
        .select_from(catalog.join(usage, true()))
        .where(in_organization(catalog), catalog.c.report_changed_at >= SINCE)
        .limit(most + 1)
        .subquery("rows")
    )
    users = select(rows.c.user_id, func.count().label("rows")).group_by(rows.c.user_id).cte(f"renamed_{catalog.name}")
    is_most = select(func.sum(users.c.rows)).scalar_subquery() > most
    people = union_all(select(users.c.user_id), changed_members_if(is_most)).subquery("people")
    return select(people.c.user_id)


def shows_renamed(table: Table, column: str, catalog: Table) -> Select[Any]:
    """The same for a request about one person, which reads that person's usage and needs no index of its own."""
    changed = select(catalog.c.id).where(in_organization(catalog), catalog.c.report_changed_at >= SINCE)
    # ORDER BY and OFFSET lead PostgreSQL to the primary key, as in `has_change`.
    usage = (
        select(table.c[column])
        .where(rows_of(table, members.c.user_id), in_range(table))
        .correlate(members)
        .order_by(table.c.slot_at.desc())
        .offset(0)
        .subquery("usage")
    )
    uses_it = exists().select_from(usage).where(usage.c[column].in_(changed))
    return changed_members_if(exists(changed.correlate(None)), uses_it)


def catalog_changes(table: Table, column: str, catalog: Table) -> Statement:
    """When something last changed in the rows of `catalog` that each user's usage in the range shows."""
    changed_at = catalog.c.report_changed_at
    return Statement(
        select(table.c.user_id, func.max(changed_at).label("updated_at"))
        .select_from(table.join(catalog, and_(in_organization(catalog), catalog.c.id == table.c[column])))
        .where(rows_of(table), in_range(table), changed_at.is_not(None))
        .group_by(table.c.user_id)
    )
