"""Optional fields: the parameters `include=a,b` and `detail=a` set Boolean variables to true."""

from typing import Any

import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import STANDARD

SELECTION = """name client @include(if: $with_client) { name } budget @include(if: $with_budget) { type }
    code @include(if: $detail_code)"""
WITHOUT = "id client_id status is_billable search external_id updated_since include_deleted".split()
ENDPOINT = Endpoint("listProjects", "/v1/projects/", STANDARD, "projects", SELECTION, without=WITHOUT)


def true_variables(**query: str) -> set[str]:
    """The variables that are true for a query, in which words are the values of a repeated parameter."""
    variables = ENDPOINT.variables({}, {name: value.split() for name, value in query.items()})
    return {name for name, value in variables.items() if value is True}


def refusal(query_values: dict[str, list[str]]) -> tuple[str, Any]:
    with pytest.raises(Refused) as caught:
        ENDPOINT.variables({}, query_values)
    assert caught.value.error.status == 400
    return caught.value.error.message, caught.value.error.details


def test_value_sets_its_variable_true() -> None:
    assert true_variables() == set()
    assert true_variables(include="client") == {"with_client"}
    assert true_variables(include="budget,client") == {"with_client", "with_budget"}
    assert true_variables(include="budget client") == {"with_client", "with_budget"}
    assert true_variables(include="client,client") == {"with_client"}
    assert true_variables(detail="code") == {"detail_code"}
    found = true_variables(include="budget", detail="code", is_active="true")
    assert found == {"with_budget", "detail_code", "is_active"}


@pytest.mark.parametrize("text", ["x", "", "client,x", "client,", "Client", " client", "with_client", "code", "true"])
def test_unknown_value_is_400(text: str) -> None:
    message = "Invalid value."
    details = {"include": [message, "Allowed values: client, budget."]}
    assert refusal({"include": [text]}) == refusal({"include": ["client", text]}) == (message, details)
    assert refusal({"detail": ["client"]}) == (message, {"detail": [message, "Allowed values: code."]})


def test_variable_name_is_no_parameter() -> None:
    assert true_variables(with_client="true", detail_code="nonsense") == set()
