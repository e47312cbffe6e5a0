"""`where` on lists: its rows are those for which Python finds it true, and what is wrong with it is refused.

Covers `resolvers/lists/comparisons.py`.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rest_facade.composition import Service
from schema.execution.operation import InvalidDocument, Operation
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.resolvers.answers import data_of, field_of, refusals
from tests.resolvers.lists.summed_rows import rows_of

VALUES: Mapping[str, list[Any]] = {
    "department": ["Design", "Sales", None],
    "hired_on": ["2024-02-01", "2025-07-15", "9999-12-31", None],
    "full_name": ["Ada", "ada", "Bo"],
    "role": ["member", "manager"],
    "weekly_limit_seconds": [0, 144_000, None],
    "is_tracking_enabled": [True, False],
}
"""Values of the columns of people: each person has one of each."""

PEOPLE = [dict(zip(VALUES, each, strict=True)) for each in zip(*(([*v] * 4)[:8] for v in VALUES.values()), strict=True)]

MEMBERS = Operation(
    f"query ($where: MemberWhere) {{ members(where: $where, limit: 100) {{ count results {{ {' '.join(VALUES)} }} }} }}"
)


def comparisons(column: str) -> Mapping[str, st.SearchStrategy[Any]]:
    value = st.sampled_from([value for value in VALUES[column] if value is not None])
    kinds = {"_eq": value, "_neq": value, "_is_null": st.booleans()}
    if column != "is_tracking_enabled":
        kinds |= dict.fromkeys(("_in", "_nin"), st.lists(value, max_size=3))
        kinds |= {} if column == "role" else dict.fromkeys(("_gt", "_gte", "_lt", "_lte"), value)
    if column in ("department", "full_name"):
        kinds["_starts_with"] = st.sampled_from(["a", "DES", "b", "sales", ""])
    return kinds


KINDS = {column: comparisons(column) for column in VALUES}


@st.composite
def leaves(draw: st.DrawFn) -> dict[str, Any]:
    columns = draw(st.lists(st.sampled_from([*VALUES]), min_size=1, max_size=2, unique=True))
    chosen = {
        each: draw(st.lists(st.sampled_from([*KINDS[each]]), min_size=1, max_size=2, unique=True)) for each in columns
    }
    return {column: {kind: draw(KINDS[column][kind]) for kind in kinds} for column, kinds in chosen.items()}


LEAVES = leaves()


def nested(inside: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    several = st.lists(inside, min_size=1, max_size=2)
    return st.fixed_dictionaries({}, optional={"_and": several, "_or": several, "_not": inside}).filter(bool)


WHERES = LEAVES | nested(LEAVES) | nested(nested(LEAVES)) | nested(nested(nested(LEAVES)))


def is_true(where: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    return all(_holds(name, given, row) for name, given in where.items())


def _holds(name: str, given: Any, row: Mapping[str, Any]) -> bool:
    if name == "_not":
        return not is_true(given, row)
    if name in ("_and", "_or"):
        return (all if name == "_and" else any)(is_true(each, row) for each in given)
    value = row[name]
    tests: dict[str, Callable[[Any], bool]] = {
        "_eq": lambda other: value == other,
        "_neq": lambda other: value != other,
        "_in": lambda others: value in others,
        "_nin": lambda others: value not in others,
        "_gt": lambda other: value > other,
        "_gte": lambda other: value >= other,
        "_lt": lambda other: value < other,
        "_lte": lambda other: value <= other,
        "_starts_with": lambda start: value.lower().startswith(start.lower()),
    }
    if value is None or "_is_null" in given:
        return given.get("_is_null") is (value is None) and (len(given) == 1 or _holds(name, _others(given), row))
    return all(tests[key](other) for key, other in given.items())


def _others(given: Any) -> Any:
    return {key: other for key, other in given.items() if key != "_is_null"}


def comparisons_in(where: Any) -> int:
    if isinstance(where, list):
        return sum(map(comparisons_in, where))
    return sum(comparisons_in(each) if name in ("_and", "_or", "_not") else len(each) for name, each in where.items())


@pytest.fixture(scope="module")
def people(rows: Rows) -> Any:
    own = rows.organization()
    for person in PEOPLE:
        rows.member(own, **{name: value for name, value in person.items() if value is not None})
    return own


@settings(max_examples=examples(40), deadline=None)
@given(where=WHERES.filter(lambda where: comparisons_in(where) <= 20))
async def test_rows_are_those_where_the_condition_holds(service: Service, people: Any, where: dict[str, Any]) -> None:
    page = (await data_of(service.database, people, MEMBERS, where=where))["members"]
    expected = [person for person in PEOPLE if is_true(where, person)]
    assert (sorted(page["results"], key=repr), page["count"]) == (sorted(expected, key=repr), len(expected))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("{}", "where is empty: a variable in it may have no value."),
        ("{_and: []}", "where._and is empty: it needs a condition."),
        ("{department: {}}", "where.department is empty: a variable in it may have no value."),
        ("{department: {_eq: $absent}}", "where.department is empty: a variable in it may have no value."),
        ("{department: {_eq: null}}", "where.department._eq is null: use _is_null for rows without a value."),
        ("{_or: [{role: null}]}", "where._or.role is null: use _is_null for rows without a value."),
        ("{_not: {_not: {_not: {_not: {role: {_eq: owner}}}}}}", "where has more than 3 levels of _and, _or and _not."),
        (f"{{_or: [{', '.join(['{role: {_eq: owner}}'] * 21)}]}}", "where has more than 20 comparisons."),
        (f"{{department: {{_in: {['x'] * 101}}}}}".replace("'", '"'), "department._in must have at most 100 values."),
        (f"{{full_name: {{_nin: {['x'] * 101}}}}}".replace("'", '"'), "full_name._nin must have at most 100 values."),
    ],
)
async def test_incomplete_or_large_where_is_refused(service: Service, people: Any, where: str, message: str) -> None:
    head = "query ($absent: String) " if "$absent" in where else ""
    text = f"{head}{{ members(where: {where}) {{ results {{ full_name }} }} }}"
    try:
        messages = await refusals(service.database, people, text)
    except InvalidDocument as error:
        messages = [each.message for each in error.errors]
    assert messages == [message]


def place(value: Any, order: str) -> tuple[Any, ...]:
    """What Python sorts by: null after every value, but before all in an order with null last, which is reversed.

    The last of all days has the place of null where an index sorts days.
    """
    is_null = value is None or (str(value) == "9999-12-31" and not order.endswith("_nulls_last"))
    return (not is_null if order.endswith("_nulls_last") else is_null, "" if is_null else str(value))


@pytest.mark.parametrize(
    "order",
    [
        *(f"{column}_{direction}" for column in VALUES for direction in ("asc", "desc")),
        *(f"{column}_desc_nulls_last" for column in ("department", "hired_on", "weekly_limit_seconds")),
    ],
)
async def test_pages_of_any_order_hold_each_row_once(service: Service, people: Any, order: str) -> None:
    column = next(each for each in VALUES if order.startswith(each))
    rows = await rows_of(service, people, "members", f"order_by: {order}", ["id", column])
    assert len(rows) == len(PEOPLE)
    places = [(*place(row[column], order), row["id"]) for row in rows]
    assert places == sorted(places, reverse="_desc" in order)


@pytest.fixture(scope="module")
def billed(rows: Rows) -> Any:
    own, random = rows.organization(), Random(7)
    client, user = rows.client(own), rows.member(own)
    for number in range(16):
        currency, amount = ("EUR", "JPY", "KWD")[number % 3], Decimal(random.randrange(10**6)) / 10**4
        rows.invoice(own, client, currency=currency, subtotal=amount, amount_paid=amount / 3, status="partially_paid")
        rows.payable(own, user, currency=currency, amount=amount, amount_paid=amount / 3, rate=amount or None)
    return own


COMPARING = {"_eq": eq, "_neq": ne, "_gt": gt, "_gte": ge, "_lt": lt, "_lte": le}


@pytest.mark.parametrize(
    ("name", "amount"),
    [("invoices", "total"), ("invoices", "amount_due"), ("payables", "amount_due"), ("payables", "rate")],
)
async def test_amounts_are_compared_and_sorted_as_shown(service: Service, billed: Any, name: str, amount: str) -> None:
    rows = await rows_of(service, billed, name, f"order_by: {amount}_asc", ["id", amount])
    places = [(Decimal(row[amount]), row["id"]) for row in rows]
    assert (len(rows), places) == (16, sorted(places))
    for value in (rows[0][amount], rows[5][amount], "0", "12.345"):
        for key, holds in COMPARING.items():
            field = f'{name}(where: {{{amount}: {{{key}: "{value}"}}}}) {{ results {{ id }} }}'
            page = await field_of(service, billed, field)
            expected = {row["id"] for row in rows if holds(Decimal(row[amount]), Decimal(value))}
            assert {row["id"] for row in page["results"]} == expected, (key, value)


COUNTS = {
    "payables(where: {status: {_eq: open}})": 16,
    "payables(where: {_not: {kind: {_nin: [hourly, overtime]}}})": 16,
    'invoices(where: {_or: [{is_overdue: {_eq: true}}, {currency: {_in: ["JPY"]}}]})': 5,
    "invoices(where: {is_overdue: {_eq: false}, total: {_gt: 1000}})": 0,
    "members(where: {has_running_timer: {_neq: true}, is_active: {_eq: true}})": 1,
    "members(where: {weekly_limit_seconds: {_lt: 9007199254740993}})": 0,
    'members(where: {weekly_limit_seconds: {_lt: "-9223372036854775808"}})': 0,
    'clients(where: {budget_amount: {_is_null: true}, name: {_nin: ["x"]}})': 1,
}


@pytest.mark.parametrize("field", COUNTS)
async def test_filters_and_computed_columns_are_conditions(service: Service, billed: Any, field: str) -> None:
    assert await field_of(service, billed, f"{field} {{ count }}") == {"count": COUNTS[field]}


@pytest.mark.parametrize("value", ['"1e5"', '"NaN"', '" 1"', '"1,5"', "1.5", "true", '"\uff11"', f'"{"9" * 21}"'])
async def test_amount_that_is_no_decimal_is_refused(value: str) -> None:
    with pytest.raises(InvalidDocument):
        Operation(f"{{ invoices(where: {{total: {{_eq: {value}}}}}) {{ count }} }}")
