"""`where` on lists: its rows are those for which Python finds it true, and what is wrong with it is refused."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rest_facade.composition import Service
from schema.execution.operation import Executor, InvalidDocument, Operation
from tests.factories.rows import Rows
from tests.property_tests import examples

VALUES: Mapping[str, list[Any]] = {
    "department": ["Design", "Sales", None],
    "hired_on": ["2024-02-01", "2025-07-15", "9999-12-31", None],
    "full_name": ["Ada", "ada", "Bo"],
    "role": ["member", "manager"],
}
"""Values of the columns of people: each person has one of each."""

PEOPLE = [dict(zip(VALUES, each, strict=True)) for each in zip(*(([*v] * 4)[:8] for v in VALUES.values()), strict=True)]

MEMBERS = Operation(
    "query ($where: MemberWhere) { members(where: $where, limit: 100)"
    " { count results { full_name department hired_on role } } }"
)


def comparisons(column: str) -> st.SearchStrategy[dict[str, Any]]:
    present = [value for value in VALUES[column] if value is not None]
    value = st.sampled_from(present)
    kinds = {"_eq": value, "_in": st.lists(value, max_size=3), "_is_null": st.booleans()}
    if column == "hired_on":
        kinds |= {"_gte": value, "_lt": value}
    return st.fixed_dictionaries({}, optional=kinds).filter(bool)


LEAVES = st.fixed_dictionaries({}, optional={column: comparisons(column) for column in VALUES}).filter(bool)


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
        "_in": lambda others: value in others,
        "_is_null": lambda flag: (value is None) is flag,
        "_gte": lambda other: value is not None and value >= other,
        "_lt": lambda other: value is not None and value < other,
    }
    return all(tests[key](other) for key, other in given.items())


def comparisons_in(where: Any) -> int:
    if isinstance(where, list):
        return sum(map(comparisons_in, where))
    return sum(
        comparisons_in(given) if name in ("_and", "_or", "_not") else len(given) for name, given in where.items()
    )


@pytest.fixture(scope="module")
def people(rows: Rows) -> Any:
    own = rows.organization()
    for person in PEOPLE:
        rows.member(own, **{name: value for name, value in person.items() if value is not None})
    return own


async def test_rows_are_those_for_which_the_condition_is_true(service: Service, people: Any) -> None:
    async def check(where: dict[str, Any]) -> None:
        result = await Executor(service.database).execute(MEMBERS, people, {"where": where})
        assert result.errors is None, where
        page: Any = (result.data or {})["members"]
        days = ({"hired_on": row["hired_on"] and str(row["hired_on"])} for row in page["results"])
        found = [{name: (row | day)[name] for name in VALUES} for row, day in zip(page["results"], days, strict=True)]
        expected = [person for person in PEOPLE if is_true(where, person)]
        assert (sorted(found, key=repr), page["count"]) == (sorted(expected, key=repr), len(expected)), where

    cases: list[dict[str, Any]] = []

    @settings(max_examples=examples(40), deadline=None)
    @given(WHERES.filter(lambda where: comparisons_in(where) <= 20))
    def collect(where: dict[str, Any]) -> None:
        cases.append(where)

    collect()
    for where in cases:
        await check(where)


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
    ],
)
async def test_incomplete_or_large_condition_is_refused(
    service: Service, people: Any, where: str, message: str
) -> None:
    head = "query ($absent: String) " if "$absent" in where else ""
    text = f"{head}{{ members(where: {where}) {{ results {{ full_name }} }} }}"
    try:
        result = await Executor(service.database).execute(Operation(text), people, {})
        messages = [error.message for error in result.errors or ()]
    except InvalidDocument as error:
        messages = [each.message for each in error.errors]
    assert messages == [message]


async def test_pages_continue_under_a_condition(service: Service, people: Any) -> None:
    document = """query ($after: String) {
      members(where: {role: {_in: [member]}, hired_on: {_is_null: false}}, limit: 2, order_by: full_name_asc,
        after: $after) { count next results { full_name } }
    }"""
    names, after, expected = [], None, [p["full_name"] for p in PEOPLE if p["role"] == "member" and p["hired_on"]]
    while True:
        page: Any = (await Executor(service.database).execute(Operation(document), people, {"after": after})).data
        names += [row["full_name"] for row in page["members"]["results"]]
        assert page["members"]["count"] == len(expected)
        after = page["members"]["next"]
        if after is None:
            break
    assert names == sorted(expected)
