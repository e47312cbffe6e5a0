"""Limits of variables: how many values, and how deep, before any of them is coerced."""

from typing import Any

import pytest

from schema.documents.cache import DocumentCache, LimitExceeded
from schema.documents.variable_limits import variable_errors

QUERY = "query ($w: ClientWhere) { clients(limit: 1, where: $w) { count } }"


def nested(levels: int) -> dict[str, Any]:
    return {"_not": nested(levels - 1)} if levels else {}


@pytest.mark.parametrize(
    ("where", "limit", "what", "given", "maximum"),
    [
        ({"_or": [{}] * 21_000}, "variable_values", "values", 21_002, 2_000),
        ({"_or": [{"name": {"_eq": "a"}}] * 2_000}, "variable_values", "values", 6_002, 2_000),
        ({"name": {"_in": ["a"] * 15_000}}, "variable_values", "values", 15_003, 2_000),
        ({f"unknown{number}": 1 for number in range(2_000)}, "variable_values", "values", 2_001, 2_000),
        (nested(15), "variable_depth", "levels of lists and objects", 17, 16),
    ],
)
def test_variables_beyond_a_limit_are_refused(where: Any, limit: str, what: str, given: int, maximum: int) -> None:
    with pytest.raises(LimitExceeded) as refused:
        DocumentCache().find(QUERY, None, {"w": where})
    (error,) = refused.value.errors
    assert error.message == f"The variables have {given} {what}; at most {maximum} are allowed."
    assert error.extensions == {"details": {"limit": limit, "given": given, "maximum": maximum}}


def test_variables_at_the_limits_are_accepted() -> None:
    assert variable_errors({}) == []
    assert variable_errors({"w": {"name": {"_in": ["a"] * 1_997}}}) == []
    assert variable_errors({"w": nested(14)}) == []


def test_variables_are_coerced_once() -> None:
    found = DocumentCache().find(QUERY, None, {"w": {"name": {"_eq": "a"}}})
    assert not isinstance(found.variables, list)
    assert found.variables.coerced == {"w": {"name": {"_eq": "a"}}}
