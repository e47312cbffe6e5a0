"""Keys that are answered only when asked for: `include=a,b` and `detail=a` switch Boolean variables on."""

from typing import Any
from uuid import UUID

import pytest

from rest_facade.composition import Service
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import STANDARD
from rest_facade.rest.errors import Refused
from schema.execution.executor import Executor
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

ENDPOINT = Endpoint(
    "listProjects",
    "/v1/projects/",
    STANDARD,
    """
    query listProjects(
      $page: Int!, $limit: Int!, $after: String, $is_active: Boolean,
      $with_client: Boolean!, $with_budget: Boolean! = false, $detail_code: Boolean! = false
    ) {
      projects(page: $page, limit: $limit, after: $after, is_active: $is_active) {
        count next
        results {
          name
          client @include(if: $with_client) { name }
          budget @include(if: $with_budget) { type }
          code @include(if: $detail_code)
        }
      }
    }
    """,
)


def switched(**given: str) -> set[str]:
    """The variables that are true for a query."""
    variables = ENDPOINT.variables({}, {name: [value] for name, value in given.items()})
    return {name for name, value in variables.items() if value is True}


def refused(given: dict[str, list[str]]) -> tuple[str, Any]:
    with pytest.raises(Refused) as caught:
        ENDPOINT.variables({}, given)
    assert caught.value.error.status == 400
    return caught.value.error.message, caught.value.error.details


async def asked(service: Service, organization_id: UUID, **given: str) -> Any:
    """The first row that a query answers with."""
    variables = ENDPOINT.variables({}, {name: [value] for name, value in given.items()})
    result = await Executor(service.database).execute(ENDPOINT.compiled, organization_id, variables)
    assert result.data is not None, result.failures
    return result.data["projects"]["results"][0]


def test_the_query_knows_the_parameters_and_not_their_variables() -> None:
    assert ENDPOINT.names == ("limit", "page", "after", "is_active", "include", "detail")


def test_each_value_switches_its_variable_on() -> None:
    assert switched() == set()
    assert switched(include="client") == {"with_client"}
    assert switched(include="budget,client") == {"with_client", "with_budget"}
    assert switched(include="client,client") == {"with_client"}
    assert switched(detail="code") == {"detail_code"}
    assert switched(include="budget", detail="code", is_active="true") == {"with_budget", "detail_code", "is_active"}


def test_what_is_not_switched_on_is_off_whatever_the_document_says() -> None:
    assert ENDPOINT.variables({}, {"include": ["budget"]}) == {
        "page": 1,
        "limit": 50,
        "with_client": False,
        "with_budget": True,
        "detail_code": False,
    }


@pytest.mark.parametrize("text", ["x", "", "client,x", "client,", "Client", " client", "with_client", "code", "true"])
def test_an_unknown_value_is_refused(text: str) -> None:
    assert refused({"include": [text]}) == ("Invalid value.", {"include": ["Invalid value."]})


def test_a_value_of_another_parameter_is_refused() -> None:
    assert refused({"detail": ["client"]}) == ("Invalid value.", {"detail": ["Invalid value."]})


def test_an_expansion_sent_twice_is_refused() -> None:
    message = "include must be given once."
    assert refused({"include": ["client", "budget"]}) == (message, {"include": [message]})


def test_the_name_of_a_variable_is_an_unknown_parameter() -> None:
    assert switched(with_client="true", detail_code="nonsense") == set()


async def test_an_expanded_key_is_there_only_when_asked_for(service: Service, rows: Rows) -> None:
    own = rows.organization()
    rows.project(own, name="Website", code="WEB", client_id=rows.client(own, name="Globex"))
    assert await asked(service, own) == {"name": "Website"}
    assert await asked(service, own, detail="code") == {"name": "Website", "code": "WEB"}
    assert await asked(service, own, include="client,budget") == {
        "name": "Website",
        "client": {"name": "Globex"},
        "budget": {"type": "none"},
    }
