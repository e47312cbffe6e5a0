"""A declaration that contradicts itself fails when it is built, with a sentence that shows what was given."""

import re
from typing import Any
from uuid import UUID

import pytest

from rest_facade.rest.endpoint import BrokenEndpoint, Endpoint
from rest_facade.rest.envelopes import CURSOR, SINGLE, STANDARD
from rest_facade.rest.errors import Refused
from rest_facade.v1 import ENDPOINTS
from schema.execution.operation import InvalidDocument

ID = UUID("0198c5a4-7a1b-7c2d-8e3f-0123456789ab")

CLIENT = "query retrieveClient($client_id: UUID!) { client(id: $client_id) { id } }"
CLIENTS = """
query listClients($page: Int!, $limit: Int!, $after: String, $is_active: Boolean, $id: [UUID!]) {
  clients(page: $page, limit: $limit, after: $after, is_active: $is_active, id: $id) { count next results { id } }
}
"""
PROJECTS = """
query listClientProjects($client_id: UUID!, $page: Int!, $limit: Int!, $after: String, $status: [ProjectStatus!]) {
  client(id: $client_id) {
    projects(page: $page, limit: $limit, after: $after, status: $status) { count next results { id } }
  }
}
"""


def retrieve_client(**given: Any) -> Endpoint:
    declared = {"operation": "retrieveClient", "path": "/v1/clients/{client_id}/", "document": CLIENT}
    return Endpoint(**{"envelope": SINGLE, **declared, **given})


def list_clients(**given: Any) -> Endpoint:
    declared = {"operation": "listClients", "path": "/v1/clients/", "document": CLIENTS}
    return Endpoint(**{"envelope": STANDARD, **declared, **given})


def test_group_and_scope_follow_from_the_path() -> None:
    endpoint = retrieve_client()
    assert (endpoint.group, endpoint.scope, endpoint.ids) == ("clients", "clients:read", ("client_id",))


def test_group_and_scope_may_be_given() -> None:
    endpoint = retrieve_client(group="people", scope="members:read")
    assert (endpoint.group, endpoint.scope) == ("people", "members:read")


def test_the_variables_of_the_document_are_the_parameters() -> None:
    assert list_clients().names == ("limit", "page", "after", "is_active", "id")
    assert retrieve_client().names == ()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/v1/",
        "/v1/clients",
        "v1/clients/",
        "/v2/clients/",
        "/V1/clients/",
        "/v1/Clients/",
        "/v1/clients//",
        "/v1/clients//{client_id}/",
        "/v1/clients/\n",
        "/v1/clients/{}/",
        "/v1/clients/{client-id}/",
        "/v1/clients/{client_id/",
        "/v1/clients/?page=1",
        "/v1/clients/x y/",
        "http://host/v1/clients/",
    ],
)
def test_a_path_starts_with_the_version_and_ends_with_a_slash(path: str) -> None:
    sentence = f"retrieveClient: {path!r} is not a path /v1/.../ with a slash at its end."
    with pytest.raises(BrokenEndpoint, match=f"^{re.escape(sentence)}$"):
        retrieve_client(path=path)


@pytest.mark.parametrize(
    "path",
    [
        "/v1//clients/{client_id}/",
        "/v1/clients/x{client_id}/",
        "/v1/clients/{client_id}x/",
        "/v1/clients/{client_id}{client_id}/",
    ],
)
def test_a_segment_is_a_name_or_an_id_and_nothing_between(path: str) -> None:
    # Such a path would be published and never found.
    with pytest.raises(BrokenEndpoint, match=re.escape(repr(path))):
        retrieve_client(path=path, group="clients")


def test_an_id_stands_in_a_path_once() -> None:
    with pytest.raises(BrokenEndpoint, match="client_id"):
        retrieve_client(path="/v1/clients/{client_id}/{client_id}/")


def test_the_document_is_called_like_the_operation() -> None:
    with pytest.raises(BrokenEndpoint, match=r"^listClient: its document is called 'retrieveClient'\.$"):
        retrieve_client(operation="listClient")
    with pytest.raises(BrokenEndpoint, match=r"^retrieveClient: its document is called ''\.$"):
        retrieve_client(document="query($client_id: UUID!) { client(id: $client_id) { id } }")


def test_each_id_of_the_path_is_a_variable_of_the_document() -> None:
    with pytest.raises(BrokenEndpoint, match=r"^retrieveClient: its document lacks the variables \['task_id'\]\.$"):
        retrieve_client(path="/v1/clients/{client_id}/{task_id}/")


def test_the_paging_of_the_envelope_are_variables_of_the_document() -> None:
    sentence = r"^listClients: its document lacks the variables \['after', 'page'\]\.$"
    with pytest.raises(BrokenEndpoint, match=sentence):
        list_clients(
            document="query listClients($limit: Int!) { clients(limit: $limit) { count next results { id } } }"
        )
    with pytest.raises(BrokenEndpoint, match=r"^listClients: its document lacks the variables \['cursor'\]\.$"):
        list_clients(envelope=CURSOR)


@pytest.mark.parametrize(
    "selection", ["count results { id }", "next results { id }", "count next", "total: count next"]
)
def test_what_the_envelope_needs_is_selected(selection: str) -> None:
    document = CLIENTS.replace("count next results { id }", selection)
    sentence = "listClients: its document must select ['count', 'next', 'results']."
    with pytest.raises(BrokenEndpoint, match=f"^{re.escape(sentence)}$"):
        list_clients(document=document)


@pytest.mark.parametrize("scope", ["client:read", "clients:write", "Clients:read", "*", ":read"])
def test_a_scope_is_one_of_the_families(scope: str) -> None:
    with pytest.raises(
        BrokenEndpoint, match=rf"^retrieveClient: {re.escape(repr(scope))} is not <family>:read .*'leave'"
    ):
        retrieve_client(scope=scope)


def test_a_scope_ends_in_what_may_be_done() -> None:
    with pytest.raises(BrokenEndpoint, match=r"^retrieveClient: 'clients' is not <family>:read"):
        retrieve_client(scope="clients")


def test_a_group_that_is_no_family_needs_a_scope() -> None:
    with pytest.raises(BrokenEndpoint, match=r"'buyers:read' is not <family>:read"):
        retrieve_client(path="/v1/buyers/{client_id}/")
    assert retrieve_client(path="/v1/buyers/{client_id}/", scope="clients:read").group == "buyers"


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("query retrieveClient {", "Syntax Error: Expected Name, found <EOF>."),
        ("", "Syntax Error: Unexpected <EOF>."),
        ("query retrieveClient { nothing }", "Cannot query field 'nothing' on type 'Query'."),
        ("query retrieveClient { client(id: $id) { id } }", "Variable '$id' is not defined by operation"),
        ("query retrieveClient($client_id: UUIDD!) { client(id: $client_id) { id } }", "Unknown type 'UUIDD'"),
        ("query retrieveClient($client_id: UUID) { client(id: $client_id) { id } }", "'UUID' used in position"),
        ("query retrieveClient($client_id: UUID!) { organization { id } }", "Variable '$client_id' is never used"),
        (
            "query retrieveClient($client_id: UUID!) { client(id: $client_id) { ...client } }",
            "Unknown fragment 'client'",
        ),
        (
            "query retrieveClient { organization { id } } query b { organization { id } }",
            "Expected one operation, found 2",
        ),
        ("fragment client on Client { id }", "Fragment 'client' is never used."),
        ("mutation retrieveClient { organization { id } }", "mutation"),
    ],
)
def test_an_invalid_document_is_refused_and_shown(document: str, why: str) -> None:
    with pytest.raises(InvalidDocument) as raised:
        retrieve_client(document=document)
    assert why in str(raised.value)
    assert document in str(raised.value)


def test_a_fragment_that_is_not_spread_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="Fragment 'client' is never used"):
        retrieve_client(fragment="fragment client on Client { id }")


def test_a_variable_of_a_type_that_no_query_has_is_refused_when_built() -> None:
    document = CLIENTS.replace("$is_active: Boolean", "$is_active: Boolean, $most: Int!").replace(
        "results { id }", "results { id projects(limit: $most) { count } }"
    )
    with pytest.raises(ValueError, match=r"\$most: no query parameter is of the type Int\."):
        list_clients(document=document)


def test_every_published_endpoint_is_whole() -> None:
    for endpoint in ENDPOINTS:
        assert len(set(endpoint.names)) == len(endpoint.names), endpoint.operation
        assert not set(endpoint.ids) & set(endpoint.names), endpoint.operation
        assert endpoint.compiled.result_path, endpoint.operation


def test_operations_and_paths_are_published_once() -> None:
    assert len({endpoint.operation for endpoint in ENDPOINTS}) == len(ENDPOINTS)
    assert len({re.sub(r"\{\w+\}", "{}", endpoint.path) for endpoint in ENDPOINTS}) == len(ENDPOINTS)


# What a request's text becomes


def test_values_are_given_to_the_document_by_name_and_what_was_not_sent_is_not() -> None:
    given = {"status": ["active,on_hold"], "limit": ["7"], "unknown": ["x"]}
    endpoint = Endpoint("listClientProjects", "/v1/clients/{client_id}/projects/", STANDARD, PROJECTS)
    assert endpoint.variables({"client_id": str(ID).upper()}, given) == {
        "client_id": ID,
        "limit": 7,
        "page": 1,
        "status": ["active", "on_hold"],
    }


def test_a_name_in_the_query_says_nothing_of_an_id_in_the_path() -> None:
    assert retrieve_client().variables({"client_id": str(ID)}, {"client_id": ["x", "y"]}) == {"client_id": ID}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"is_active": ["yes"]}, "is_active must be true or false."),
        ({"is_active": ["yes"], "page": ["0"]}, "page must be >= 1."),
        ({"is_active": ["yes"], "page": ["0"], "limit": ["0"]}, "limit must be >= 1."),
        ({"is_active": ["yes"], "page": ["0"], "limit": ["0"], "id": ["x"]}, "Invalid UUID format."),
        ({"is_active": ["yes"] * 2, "limit": ["0"], "id": ["x"]}, "is_active must be given once."),
    ],
)
def test_the_first_failure_in_the_order_of_the_stages_wins(given: dict[str, list[str]], message: str) -> None:
    with pytest.raises(Refused) as raised:
        list_clients().variables({}, given)
    assert raised.value.error.message == message
