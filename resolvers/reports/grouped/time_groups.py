"""Time by group: one page of the sums of time by days, people, teams and work."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from cachetools import LRUCache

from db.reading.connection import Row
from db.reading.statement import Statement
from db.values.json_array import JsonArray
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.list_sql import LIMIT, OFFSET, day_values
from resolvers.lists.orders import check_page
from resolvers.lists.page_arguments import GRAPHQL_LIMITS, GROUP_LIMITS, GROUPING, below_parent, group_paging
from resolvers.lists.page_reader import PageOfRows
from resolvers.lists.where import WhereShape, parsed
from resolvers.people import known_team
from resolvers.period import (
    MAX_NARROWED_DAYS,
    MAX_RANGE_DAYS,
    TIMEZONE,
    check_range,
    period_of,
    range_arguments,
    zone_of,
)
from resolvers.relations.arguments import Argument
from resolvers.relations.relation import KEYS, keys_of
from resolvers.reports.grouped.compared_groups_sql import OVER_ESTIMATE, is_of_people
from resolvers.reports.grouped.summed_people_sql import MAX_TIMESHEETS, PEOPLE, timesheet_count
from resolvers.reports.grouped.summed_time_sql import IS_BILLABLE
from resolvers.reports.grouped.time_conditions import (
    MONEY,
    MONEY_CURRENCY,
    TIME_HAVING,
    TIME_ORDERS,
    TIME_WHERE,
    USUAL_ORDER,
    order_of,
    split_where,
)
from resolvers.reports.grouped.time_groups_sql import AMOUNTS, time_groups
from resolvers.reports.grouped.variants import SumKind, SummedPeople, TimeGroup, TimeGroupsVariant, kinds_of
from resolvers.reports.time_totals_sql import MAX_TIME_STATEMENTS
from resolvers.reports.tracked.timesheet_slices_sql import OF_CLIENT, OF_PROJECT, OF_TASK
from resolvers.selected import ALL, RowSource, Selected
from resolvers.steps.page import Report

SOURCE = RowSource("time groups")
"""The source of the groups: the context has the fields that a document shows."""

CONTENT = [
    Argument(name=OF_PROJECT.key, type=UUID, description="Only time on this project."),
    Argument(name=OF_CLIENT.key, type=UUID, description="Only time on projects of this client."),
    Argument(name=OF_TASK.key, type=UUID, description="Only time on this task."),
    Argument(name=IS_BILLABLE.key, type=bool, description="Only billable (true) or other (false) time; default: both."),
    Argument(
        name=OVER_ESTIMATE.key,
        type=bool,
        description="Only groups whose tracked_seconds are (true) or are not (false) above the estimate of their task. "
        "Tasks without an estimate are in neither. `group_by` must have `task`.",
    ),
]

TIME_TOTALS_ARGUMENTS = [
    *range_arguments(required=True, max_days=MAX_NARROWED_DAYS),
    TIMEZONE,
    Argument(
        name=GROUPING,
        type=list[TimeGroup],
        default=(),
        description="What time is grouped by; the groups are sorted in this order. Without any: one row of all time. "
        "Time of a person in two teams counts in each.",
    ),
    Argument(
        name="order_by",
        type=TIME_ORDERS,
        default=TIME_ORDERS(USUAL_ORDER),
        description="Order of the groups: by themselves, ascending, null last; or by a sum.",
        is_published=False,
    ),
    TIME_WHERE.argument,
    TIME_HAVING.argument,
    Argument(
        name="include_untracked",
        type=bool,
        default=False,
        description="Also groups without time, of people who were there: on days from hired_on to left_on, or to their "
        "removal. `group_by` must have no work.",
        is_published=False,
    ),
    Argument(
        name=MONEY_CURRENCY.key,
        type=str,
        description=f"Currency of {', '.join(MONEY)} in `order_by` and `having`, ISO 4217 code; default: that of the "
        "organization. They are null in groups without such time in it.",
    ),
    *PEOPLE.values(),
    *CONTENT,
    *group_paging(GRAPHQL_LIMITS.default),
]


_statements: LRUCache[TimeGroupsVariant, Statement] = LRUCache(MAX_TIME_STATEMENTS)


async def _statement(variant: TimeGroupsVariant) -> Statement:
    """The statement of a variant. It is built in a thread: the event loop would be held for 50 ms."""
    if variant not in _statements:
        _statements[variant] = await asyncio.to_thread(time_groups, variant)
    return _statements[variant]


async def _pages(
    parent: TimeGroup | None, context: Context, arguments: Mapping[str, Any], keys: Sequence[UUID | None]
) -> Mapping[UUID | None, PageOfRows]:
    """One page of groups of the organization, whose key is None, or below each parent. Raises Refusal."""
    check_page(arguments, GROUP_LIMITS.maximum)
    check_range(arguments, MAX_NARROWED_DAYS)
    zone, _ = await asyncio.gather(zone_of(context, arguments), known_team(context, arguments))
    period = period_of(zone, context.now, arguments)
    (where, asked), (having, compared_with) = (parsed(arguments.get(name), name) for name in ("where", "having"))
    variant = _variant(parent, arguments, where, having, context.selected.get(SOURCE, ALL))
    values = {
        **day_values(period),
        LIMIT.key: arguments["limit"],
        OFFSET.key: (arguments["page"] - 1) * arguments["limit"],
        MONEY_CURRENCY.key: arguments.get(MONEY_CURRENCY.key),
        KEYS.key: keys,
        **asked,
        **compared_with,
        **{name: arguments.get(name) for name in (*PEOPLE, *(argument.name for argument in CONTENT))},
    }
    days = len(period.days)
    if days > MAX_RANGE_DAYS:
        (counted,) = await context.fetch(timesheet_count(variant.people), values)
        if counted.number > MAX_TIMESHEETS:
            raise Invalid(
                f"The range of {days} days has more than {MAX_TIMESHEETS} timesheets, which one statement does "
                f"not sum in its time: ask for {MAX_RANGE_DAYS} days, or for a team or a person.",
                {"timesheet_cap": MAX_TIMESHEETS},
            )
    rows = await context.fetch(await _statement(variant), values)
    counts, results = dict.fromkeys(keys, 0), {key: list[Any]() for key in keys}
    for row in rows:
        counts[row.parent_key] = row.group_count
        # A page after the last one is one row with the count only.
        results[row.parent_key] += [] if row.number is None else [_group(row)]
    return {key: PageOfRows(counts[key], results[key], period) for key in keys}


def _variant(
    parent: TimeGroup | None,
    arguments: Mapping[str, Any],
    where: WhereShape | None,
    having: WhereShape | None,
    selected: Selected,
) -> TimeGroupsVariant:
    """The variant that arguments select. Raises Invalid for groups that have no such sums."""
    groups = tuple(dict.fromkeys(TimeGroup(group) for group in arguments[GROUPING]))
    order = order_of(arguments["order_by"])
    compared = TIME_HAVING.columns_in(having or ()).union([order[0]] if order else [])
    is_compared = arguments.get(OVER_ESTIMATE.key) is not None
    if TimeGroup.task not in groups and (is_compared or not compared.isdisjoint(SumKind.estimates.value)):
        raise Invalid("A comparison with estimates needs `task` in group_by.")
    has_untracked = bool(arguments.get("include_untracked"))
    keys = {*groups, *([] if parent is None else [parent])}
    if not is_of_people(keys) and (has_untracked or not compared.isdisjoint(SumKind.expected.value)):
        raise Invalid("Untracked groups, and comparisons with what is expected, are by people and periods alone.")
    compared |= {"margin", "billable_amount"} if "margin_percent" in compared else set()
    needed = compared.union(SumKind.estimates.value if is_compared else ())
    of_people, of_time = split_where(where)
    return TimeGroupsVariant(
        groups,
        frozenset(SumKind) if selected.columns is None else kinds_of(selected.columns | needed),
        SummedPeople(frozenset(name for name in PEOPLE if arguments.get(name) is not None), of_people, parent),
        of_time,
        having,
        order,
        compared,
        is_compared,
        has_untracked,
    )


def _group(row: Row) -> dict[str, Any]:
    values: dict[str, Any] = row._asdict()
    return values | {name: JsonArray(values[name] or "[]", keys) for name, keys in AMOUNTS.items() if name in values}


def time_totals_of(parent: TimeGroup | None = None) -> Report:
    """The step of the time of the organization by group, or of that of each member, team, client, project or task."""
    key = [] if parent is None else ["user_id" if parent is TimeGroup.member else "id"]

    async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[PageOfRows]:
        if parent is None:
            return [(await _pages(parent, context, arguments, [None]))[None]] * len(roots)
        keys, read = keys_of(roots, *key), partial(_pages, parent, context, arguments)
        pages = await context.load((list_time_totals, parent, repr(arguments)), keys, read)
        return [pages[each] for each in keys]

    arguments = TIME_TOTALS_ARGUMENTS if parent is None else below_parent(TIME_TOTALS_ARGUMENTS)
    return Report(resolve, frozenset(key), arguments, rows=SOURCE)


list_time_totals = time_totals_of()
