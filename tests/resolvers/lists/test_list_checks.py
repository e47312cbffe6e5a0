"""Every declared list passes the checks of `list_checks.py`, and a wrong one is refused with a sentence.

Covers `resolvers/lists/filters.py`.
"""

import pkgutil
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from graphql import GraphQLObjectType
from sqlalchemy import Column, ColumnElement, Date, DateTime, Index, MetaData, Table, Text, Uuid, func, select

import resolvers
from db.tables.activity import app_usages, apps
from db.tables.columns import DELETED, bind, index_orders
from db.tables.people import teams
from resolvers.lists.filters import exactly
from resolvers.lists.list_sql import HIGH, TODAY, DateRange, Filter, LastChange, ListParent, ListVariant
from resolvers.lists.listing import Listing
from resolvers.lists.orders import Orders
from resolvers.lists.page_query import page_query
from resolvers.relations.arguments import Argument
from resolvers.reports.usage_report import UsageNames, UsageReport
from resolvers.selected import RowSource
from resolvers.steps.page import ListPage
from schema.execution.declared_steps import declared_step
from schema.schema import GRAPHQL_SCHEMA
from tests.resolvers.lists.list_checks import check_listing, check_report, value_names

TEAM = list(teams.c)
CREATED = teams.c.created_at
TYPO: ColumnElement[bool] = teams.c.name == bind("expires_befor", Text())


def filtered(where: ColumnElement[bool], otherwise: ColumnElement[bool] | None = None) -> Filter:
    return Filter(name="expires_before", type=str, where=where, otherwise=otherwise, description="Before this.")


OTHER_CHANGE = select(func.greatest(CREATED, bind("since", CREATED.type)).label("updated_at")).lateral()

IN_RANGE = DateRange(where=CREATED < HIGH)

WRONG: dict[str, dict[str, Any]] = {
    # The conditions bind names that no request sends.
    "has the filter expires_before with expires_befor, which": {"filters": [filtered(TYPO)]},
    "has the filter expires_before with high, which": {"filters": [filtered(CREATED < HIGH)], "date_range": IN_RANGE},
    "has, without the filter expires_before, a condition with x, which": {
        "filters": [filtered(teams.c.name == bind("expires_before", Text()), teams.c.name == bind("x", Text()))]
    },
    "has a range with hihg, which": {"date_range": DateRange(where=bind("hihg", Date()) > CREATED)},
    "has the filter expires_before, for requests with expires_before, with expires_befor, which": {
        "filters": [replace(filtered(CREATED < TODAY), where_with={"expires_before": TYPO})]
    },
    "has changes with since, which": {"last_change": LastChange(CREATED, OTHER_CHANGE, OTHER_CHANGE)},
    "selects columns with detail, which": {
        "columns": [*TEAM, bind("detail", Text()).label("detail")],
        "content": [Argument(name="detail", type=str, description="More.")],
    },
    # A column or a filter that is not there.
    r"list of teams reads from its table creatd_at, .* id,": {"order": ("creatd_at", "id")},
    r"needs among its columns created_at, which": {"columns": [each for each in TEAM if each is not CREATED]},
    r"columns date, which is not there; created_at": {"date_range": replace(IN_RANGE, day_of="created_at")},
    r"has a range for requests with state, which is not there; ": {
        "date_range": replace(IN_RANGE, where_with={"state": CREATED < HIGH})
    },
}


@pytest.mark.parametrize("message", WRONG)
def test_unbound_value_or_missing_column_is_refused(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_listing(Listing(teams, **{"columns": TEAM, **WRONG[message]}))


NOTES = Table(
    "notes",
    MetaData(),
    *(Column(name, Uuid, primary_key=name == "id", nullable=False) for name in ("organization_id", "id", "user_id")),
    Column("text", Text),
    Column("due_date", Date),
    *(Column(name, DateTime, nullable=False) for name in ("created_at", "updated_at", "deleted_at")),
)
index_orders(NOTES, "due_date")
Index("notes_removed_idx", NOTES.c.organization_id, NOTES.c.created_at, NOTES.c.id, postgresql_where=DELETED)
IS_LARGE, IS_SMALL = {"is_small": False}, {"is_small": True}
REQUIRED = DateRange(where=NOTES.c.created_at < HIGH, is_required=True)

REFUSED_ORDERS: dict[str, dict[str, Any]] = {
    # Its index has other rows.
    "cannot be sorted by created_at, because no index of its live rows is (organization_id, created_at, id): declare "
    "one by index_orders() beside the table, give the list a range, or say is_small of the table.": {},
    "The order of notes must end in a key of it, not in user_id.": {"order": ("created_at", "user_id")},
}


@pytest.mark.parametrize("message", REFUSED_ORDERS)
def test_order_that_no_index_supports_is_refused(message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NOTES, "info", IS_LARGE)
    notes = Listing(NOTES, list(NOTES.c), orders=Orders("notes.Note"), **REFUSED_ORDERS[message])
    with pytest.raises(ValueError, match=re.escape(message)):
        check_listing(notes, None)


@pytest.mark.parametrize(
    ("info", "declared", "compared", "sorted_by"),
    [
        (IS_LARGE, {}, {"id", "created_at", "due_date"}, {"created_at", "due_date"}),
        (IS_SMALL, {}, ALL_NOTES := {*NOTES.c.keys()}, ALL_NOTES - {"organization_id", "id", "user_id"}),
        (IS_LARGE, {"date_range": REQUIRED}, ALL_NOTES, ALL_NOTES - {"organization_id", "id", "user_id"}),
    ],
    ids=["large table", "small table", "required range"],
)
def test_columns_without_an_index_are_compared_among_few_rows_only(
    info: Any, declared: Any, compared: set[str], sorted_by: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NOTES, "info", info)
    notes = Listing(NOTES, list(NOTES.c), orders=Orders("notes.Note"), **declared)
    assert notes.orders is not None
    assert ({*notes.compared} - {"organization_id"}, {*notes.orders.columns}) == (
        compared - {"organization_id"},
        sorted_by,
    )


def test_orders_below_a_parent_without_an_index_are_refused() -> None:
    notes = Listing(NOTES, list(NOTES.c), orders=Orders("notes.Note"))
    message = "cannot be sorted below a parent, because no index starts with organization_id, user_id: declare one"
    with pytest.raises(ValueError, match=message):
        check_listing(notes, NOTES.c.user_id)
    Index("notes_by_person_idx", NOTES.c.organization_id, NOTES.c.user_id)
    check_listing(notes, NOTES.c.user_id)


def test_where_that_no_index_serves_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NOTES, "info", IS_LARGE)
    notes = Listing(NOTES, list(NOTES.c), orders=Orders("notes.Note"))
    notes.compared = {"text": NOTES.c.text}
    with pytest.raises(ValueError, match="list of notes has no index for `where` on text: declare one"):
        check_listing(notes)


def test_unbound_name_in_a_filter_of_usage_is_refused() -> None:
    names = UsageNames("apps", "app_name", "sessions_count", "first_used_at", "last_used_at")
    wrong = Filter(name="app_name", type=str, where=apps.c.name == bind("app", Text()), description="This one.")
    refused = r"report over app_usages has the filter app_name with app, .* app_name, dates, highs"
    with pytest.raises(ValueError, match=refused):
        check_report(UsageReport(app_usages, apps, "app_id", names=names, name_filter=wrong))
    right = exactly(apps.c.name, "This one.", name="app_name")
    check_report(UsageReport(app_usages, apps, "app_id", names=names, name_filter=right))


def _declared() -> tuple[list[Listing], list[UsageReport]]:
    """The lists and reports that modules of `resolvers` declare."""
    modules = [import_module(found.name) for found in pkgutil.walk_packages(resolvers.__path__, "resolvers.")]
    values = {id(value): value for module in modules for value in vars(module).values()}.values()
    reports = [value for value in values if isinstance(value, UsageReport)]
    lists = [value for value in values if isinstance(value, Listing)]
    return lists + [report.members for report in reports], reports


def _shown() -> Mapping[RowSource | None, list[ListParent | None]]:
    """What fields of the schema list the rows of, for each list."""
    parents = defaultdict[RowSource | None, list[ListParent | None]](list)
    for type_ in GRAPHQL_SCHEMA.type_map.values():
        for field in type_.fields.values() if isinstance(type_, GraphQLObjectType) else ():
            if isinstance(step := declared_step(field), ListPage):
                parents[step.rows].append(step.parent)
    return parents


def test_every_declared_list_passes_the_checks() -> None:
    (lists, reports), parents = _declared(), _shown()
    assert sum(len(parents[each]) for each in lists if each.orders is not None) > 40
    for each in lists:
        check_listing(each, *parents[each])
    assert len(reports) == 2
    for report in reports:
        check_report(report)


def test_names_in_expressions_are_those_of_the_statement() -> None:
    lists, _ = _declared()
    assert len(lists) > 20
    for each in lists:
        variant = ListVariant(given=frozenset([*each.filters_by_name, "start_date"]))
        statement = page_query(each, variant).statement
        conditions = [filter.where for filter in each.filters]
        conditions += [each.date_range.where] if each.date_range is not None else []
        names = frozenset[str]().union(*map(value_names, [*each.columns, *conditions]))
        assert statement.parameter_names - statement.constants.keys() == names | {"organization_id", "limit", "offset"}
