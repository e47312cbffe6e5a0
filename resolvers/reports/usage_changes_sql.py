"""SQL of changes of usage reports: names and ratings of the applications, sites and pages that a member used.

Reports show the catalog as it is now, so a new rating changes rows of days long ago. The rows of the catalog that
changed are looked up once for all members (an index has only rows that ever changed); usage is read only if there are
any.
"""

from typing import Any

from sqlalchemy import ColumnElement, Table, and_, case, exists, false, func, select
from sqlalchemy.sql import any_
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.people import members
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.relations.relation import any_key
from resolvers.reports.changes_sql import SINCE, has_change


def in_range(slots: FromClause) -> ColumnElement[bool]:
    """Whether a slot is in the range of the request."""
    return and_(slots.c.slot_at >= LOW, slots.c.slot_at < HIGH)


def has_changed_usage(table: Table, *catalogs: tuple[str, Table]) -> ColumnElement[bool]:
    """Whether a member has usage in the range that changed since SINCE, deleted or not, or that shows a changed name.

    `catalogs` are the tables that the report shows, each with the column of `table` that references it.
    """
    is_changed: ColumnElement[Any] = has_change(table, "slot_at", in_range(table), in_range)
    for column, catalog in reversed(catalogs):
        changed = func.array(
            select(catalog.c.id).where(in_organization(catalog), catalog.c.report_changed_at >= SINCE).scalar_subquery()
        )
        # ORDER BY and OFFSET lead PostgreSQL to the primary key, as in `has_change`.
        usage = (
            select(table.c[column])
            .where(in_organization(table), table.c.user_id == members.c.user_id, in_range(table))
            .correlate(members)
            .order_by(table.c.slot_at.desc())
            .offset(0)
            .subquery("usage")
        )
        uses_it = exists().select_from(usage).where(usage.c[column] == any_(changed))
        is_changed = is_changed | case((func.cardinality(changed) > 0, uses_it), else_=false())
    return is_changed


def catalog_changes(table: Table, column: str, catalog: Table) -> Statement:
    """When something last changed in the rows of `catalog` that each user's usage in the range shows."""
    changed_at = catalog.c.report_changed_at
    return Statement(
        select(table.c.user_id, func.max(changed_at).label("updated_at"))
        .select_from(table.join(catalog, and_(in_organization(catalog), catalog.c.id == table.c[column])))
        .where(in_organization(table), table.c.user_id == any_key(), in_range(table), changed_at.is_not(None))
        .group_by(table.c.user_id)
    )
