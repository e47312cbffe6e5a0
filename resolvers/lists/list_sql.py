"""The parts of a list from which its statements are made: the values that they bind, filters, ranges, parents."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, Protocol

from sqlalchemy import BigInteger, Column, ColumnElement, Date, DateTime, Select, Uuid, and_, exists, literal
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import bind, in_organization
from resolvers.lists.where import WhereShape
from resolvers.period import MAX_NARROWED_DAYS, Period
from resolvers.relations.arguments import Argument
from resolvers.relations.live import is_live
from resolvers.selected import ALL, Selected

LIMIT = bind("limit", BigInteger())
OFFSET = bind("offset", BigInteger())

# The ends of a range: instants, half-open, for local days; calendar days, both inclusive, for dates.
LOW, HIGH = bind("low", DateTime(timezone=True)), bind("high", DateTime(timezone=True))
FIRST, LAST = bind("low", Date()), bind("high", Date())

# The start and the end of each local day of a range.
DAY_LOWS, DAY_HIGHS = bind("lows", ARRAY(DateTime(timezone=True))), bind("highs", ARRAY(DateTime(timezone=True)))

# The days, of which each may be empty: one that the zone skipped.
DATES = bind("dates", ARRAY(Date()))

# When the zone of a range changed last, if it is the organization's and the request names none; else null.
ZONE_CHANGED_AT = bind("zone_changed_at", DateTime(timezone=True))

SINCE = bind("updated_since", DateTime(timezone=True))

# The person that the filter `user_id` names; null without it. Conditions that would look at all members name it.
REQUESTED_USER = bind("requested_user_id", Uuid())

# Today in the organization's zone. `Listing` binds it for the statements that name it.
TODAY = bind("today", Date())

# The time of the request.
NOW = bind("now", DateTime(timezone=True))


class LastChange(NamedTuple):
    """When a row of a list last changed, where rows of other tables change it, too: the value of `updated_at`.

    `since` has the value as its column `updated_at`, in one row for each row of the list. It is joined in requests with
    `updated_since`, whose time it names as SINCE. A value before that time may be any time before.

    `since_of_all` is the same for lists of all people, where it takes less time; it may lack rows without a change. It
    reads every change of the organization since then, so that the time may be at most MAX_POLL_AGE ago.
    """

    at: ColumnElement[datetime]
    since: FromClause
    since_of_all: FromClause


MAX_POLL_AGE = timedelta(days=31)
"""How long ago the changes of a whole organization may be that a list looks for among other tables."""


PageColumn = Callable[[FromClause], ColumnElement[Any]]
"""Makes a column from the subquery of a page, which has the columns of the list."""


@dataclass(frozen=True, eq=False)
class Link:
    """Rows of another table that connect the rows of a list with parents: `row` is the id of a row, `parent` the key.

    `column` is the id in the list. Only live rows connect, and only those for which `where` is true.
    """

    row: Column[Any]
    parent: Column[Any]
    column: Column[Any]
    where: ColumnElement[bool] | None = None

    def condition(self, key: ColumnElement[Any]) -> ColumnElement[bool]:
        """Whether the row of the list, which has the id in `column`, is connected with the parent of this key."""
        table = self.row.table
        found = exists().where(in_organization(table), self.row == self.column, self.parent == key, is_live(table))
        # The key is of the parent around the page. Without this, SQLAlchemy would look for it among all parents here.
        found = found.correlate_except(table)
        return found if self.where is None else found.where(self.where)


ListParent = ColumnElement[Any] | Link
"""What connects the rows of a list with their parents: the column with the key of the parent, or a link."""


PageContent = Literal["rows", "count"]
"""What a page has: its rows, or their count alone."""


class GroupedRows(Protocol):
    """Makes a page of groups of the rows of a list."""

    def page(
        self,
        source: FromClause,
        where: ColumnElement[bool],
        asked: "GroupsVariant",
        variant: "ListVariant",
        parents: FromClause | None,
    ) -> Select[Any]:
        """One page of the groups of rows under a condition, below a row of `parents` if there are any."""


class GroupsVariant(NamedTuple):
    """What the SQL of groups depends on, beside what finds rows; `compared` are the sums in `having`."""

    of: GroupedRows
    columns: tuple[str, ...]
    having: WhereShape | None = None
    compared: frozenset[str] = frozenset()
    order: str | None = None


class ListVariant(NamedTuple):
    """The differences between two queries of one list. All else is a value that is bound.

    `given` are the arguments with a value that change the query, by name. `groups`: the page has these, and no rows.
    """

    parent: ListParent | None = None
    selected: Selected = ALL
    content: PageContent = "rows"
    given: frozenset[str] = frozenset()
    order_by: str | None = None
    where: WhereShape | None = None
    groups: GroupsVariant | None = None


@dataclass(frozen=True, kw_only=True)
class Filter(Argument):
    """An argument of a list that adds a condition.

    The condition `where` names its value as `bind(name, ...)`. `otherwise` is the condition without the argument; like
    deletion, it hides no rows from a request that includes deleted rows. `where_with` has the condition that replaces
    `where` in requests with the filter of that name, too. `page_columns` are columns of a page that is filtered so.
    `compared` is what it compares, if that is no column: the list has comparisons with it, too.
    """

    where: ColumnElement[bool]
    compared: ColumnElement[Any] | None = field(default=None, hash=False, compare=False)
    otherwise: ColumnElement[bool] | None = None
    where_with: Mapping[str, ColumnElement[bool]] = field(default_factory=dict, hash=False)
    page_columns: Mapping[str, PageColumn] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True)
class DateRange:
    """A filter of a list by `start_date` and `end_date`, of at most `max_days`.

    `where` compares instants with LOW and HIGH if `is_local`, else dates with FIRST and LAST. `where_with` is that of
    `Filter`. A request without dates has the last `default_days`. The local day of the column `day_of` becomes the
    `date` of each row. `has_moved`: rows that were in the range before, whose changes `updated_since` returns, too.
    """

    where: ColumnElement[bool]
    where_with: Mapping[str, ColumnElement[bool]] = field(default_factory=dict)
    is_local: bool = True
    is_required: bool = False
    default_days: int | None = None
    has_moved: ColumnElement[bool] | None = None
    day_of: str | None = None
    max_days: int = MAX_NARROWED_DAYS


def was_near_in_another_zone(start: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a row may have started in the range before the organization changed its zone, which was after SINCE."""
    # No zone is further from another.
    shift = literal(timedelta(days=2))
    return and_(ZONE_CHANGED_AT >= SINCE, start >= LOW - shift, start < HIGH + shift)


def day_values(period: Period) -> dict[str, Any]:
    """The values of LOW and HIGH, and of the days between them."""
    return {
        LOW.key: period.bounds[0],
        HIGH.key: period.bounds[-1],
        DATES.key: [day.date for day in period.days],
        DAY_LOWS.key: [day.low for day in period.days],
        DAY_HIGHS.key: [day.high for day in period.days],
    }
