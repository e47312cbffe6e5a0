"""Merged fields: a list that several fragments ask for counts once."""

from typing import Any

import pytest
from graphql import parse

from schema.documents.cost_limits import DocumentCost, checked_cost
from schema.execution.operation import definition_of

PARTS = """
    fragment a on Query { projects(limit: 10) { results { name tasks(limit: 5) { next } } } }
    fragment b on Query { projects(limit: 10) { results { id tasks(limit: 5) { results { name } } } } }
"""


def checked(text: str, **variables: Any) -> tuple[DocumentCost, list[str]]:
    document = parse(text)
    cost, errors = checked_cost(document, definition_of(document), variables)
    return cost, [error.message for error in errors]


@pytest.mark.parametrize(
    ("selection", "fields", "rows"),
    [
        ("...a", 1, 60),
        ("...a ...a ... on Query { ...b }", 1, 60),
        ("...a projects(limit: 10) { results { members(limit: 2) { next } } }", 1, 80),
        ("...a it: projects(limit: 10) { next }", 2, 70),
        ("...a projects(limit: 9) { next }", 2, 69),
        ("...a ...b @skip(if: $yes)", 1, 60),
        ("...a @skip(if: $yes) ...b @include(if: $no)", 0, 0),
    ],
)
def test_list_in_several_fragments_counts_once(selection: str, fields: int, rows: int) -> None:
    definition = "query ($yes: Boolean = true, $no: Boolean = false)"
    cost, errors = checked(f"{definition} {{ {selection} }} {PARTS}")
    assert (cost.fields, cost.rows, errors) == (fields, rows, [])


def test_cost_of_too_many_merged_fields_is_the_upper_bound() -> None:
    levels = 14
    text = "{ projects(limit: 1) { results { ...f0 } } }" + "".join(
        f" fragment f{at} on Project {{ a: client {{ ...f{at}c }} b: client {{ ...f{at}c }} }}"
        f" fragment f{at}c on Client {{ projects(limit: 1) {{ results {{ ...f{at + 1} }} }} }}"
        for at in range(levels)
    )
    cost, _ = checked(f"{text} fragment f{levels} on Project {{ name }}")
    assert cost.rows == 2 ** (levels + 1) - 1


def test_fragment_in_itself_has_a_cost() -> None:
    cost, _ = checked(
        "{ ...a } fragment a on Query { projects(limit: 1) { results { client { ...c } } } }"
        " fragment c on Client { projects(limit: 1) { results { client { ...c } } } }"
    )
    assert cost.rows > 0
