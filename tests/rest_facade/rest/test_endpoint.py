"""Endpoints: inconsistent declarations raise BrokenEndpoint; query texts become variables of the document."""

import re
from typing import Any
from uuid import UUID

import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.rest.endpoint import BrokenEndpoint, Endpoint
from rest_facade.rest.envelopes import CURSOR, SINGLE, STANDARD
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


def retrieve_client(**changes: Any) -> Endpoint:
    declared = {"operation": "retrieveClient", "path": "/v1/clients/{client_id}/", "document": CLIENT}
    return Endpoint(**{"envelope": SINGLE, **declared, **changes})


def list_clients(**changes: Any) -> Endpoint:
    declared = {"operation": "listClients", "path": "/v1/clients/", "document": CLIENTS}
    return Endpoint(**{"envelope": STANDARD, **declared, **changes})


def test_group_and_scope_are_derived_from_path() -> None:
    endpoint = retrieve_client()
    assert (endpoint.group, endpoint.scope, endpoint.ids) == ("clients", "clients:read", ("client_id",))


def test_group_and_scope_can_be_set() -> None:
    endpoint = retrieve_client(group="people", scope="members:read")
    assert (endpoint.group, endpoint.scope) == ("people", "members:read")


def test_document_variables_are_the_parameters() -> None:
    assert list_clients().query_names == ("limit", "page", "after", "is_active", "id")
    assert retrieve_client().query_names == ()


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
def test_path_needs_version_and_final_slash(path: str) -> None:
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
def test_path_segment_is_a_name_or_an_id(path: str) -> None:
    # Such a path would be published and never found.
    with pytest.raises(BrokenEndpoint, match=re.escape(repr(path))):
        retrieve_client(path=path, group="clients")


def test_path_id_is_unique() -> None:
    with pytest.raises(BrokenEndpoint, match="client_id"):
        retrieve_client(path="/v1/clients/{client_id}/{client_id}/")


def test_document_has_the_operation_name() -> None:
    with pytest.raises(BrokenEndpoint, match=r"^listClient: its document is called 'retrieveClient'\.$"):
        retrieve_client(operation="listClient")
    with pytest.raises(BrokenEndpoint, match=r"^retrieveClient: its document is called ''\.$"):
        retrieve_client(document="query($client_id: UUID!) { client(id: $client_id) { id } }")


def test_path_ids_need_variables() -> None:
    with pytest.raises(BrokenEndpoint, match=r"^retrieveClient: its document lacks the variables \['task_id'\]\.$"):
        retrieve_client(path="/v1/clients/{client_id}/{task_id}/")


def test_paging_parameters_need_variables() -> None:
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
def test_required_fields_must_be_selected(selection: str) -> None:
    document = CLIENTS.replace("count next results { id }", selection)
    sentence = "listClients: its document must select ['count', 'next', 'results']."
    with pytest.raises(BrokenEndpoint, match=f"^{re.escape(sentence)}$"):
        list_clients(document=document)


@pytest.mark.parametrize("scope", ["client:read", "clients:write", "Clients:read", "*", ":read"])
def test_scope_needs_a_known_family(scope: str) -> None:
    with pytest.raises(
        BrokenEndpoint, match=rf"^retrieveClient: {re.escape(repr(scope))} is not <family>:read .*'leave'"
    ):
        retrieve_client(scope=scope)


def test_scope_ends_in_read() -> None:
    with pytest.raises(BrokenEndpoint, match=r"^retrieveClient: 'clients' is not <family>:read"):
        retrieve_client(scope="clients")


def test_group_without_family_needs_a_scope() -> None:
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
def test_invalid_document_raises_with_its_text(document: str, why: str) -> None:
    with pytest.raises(InvalidDocument) as raised:
        retrieve_client(document=document)
    assert why in str(raised.value)
    assert document in str(raised.value)


def test_unused_fragment_raises() -> None:
    with pytest.raises(InvalidDocument, match="Fragment 'client' is never used"):
        retrieve_client(fragment="fragment client on Client { id }")


def test_variable_type_without_query_form_raises() -> None:
    document = CLIENTS.replace("$is_active: Boolean", "$is_active: Boolean, $most: Int!").replace(
        "results { id }", "results { id projects(limit: $most) { count } }"
    )
    with pytest.raises(ValueError, match=r"\$most: no query parameter is of the type Int\."):
        list_clients(document=document)


def test_published_parameters_are_unique() -> None:
    for endpoint in ENDPOINTS:
        assert len(set(endpoint.query_names)) == len(endpoint.query_names), endpoint.operation
        assert not set(endpoint.ids) & set(endpoint.query_names), endpoint.operation
        assert endpoint.compiled.result_path, endpoint.operation


def test_operations_and_paths_are_unique() -> None:
    assert len({endpoint.operation for endpoint in ENDPOINTS}) == len(ENDPOINTS)
    assert len({re.sub(r"\{\w+\}", "{}", endpoint.path) for endpoint in ENDPOINTS}) == len(ENDPOINTS)


# Variables of a request


def test_variables_have_only_values_sent() -> None:
    query_values = {"status": ["active,on_hold"], "limit": ["7"], "unknown": ["x"]}
    endpoint = Endpoint("listClientProjects", "/v1/clients/{client_id}/projects/", STANDARD, PROJECTS)
    assert endpoint.variables({"client_id": str(ID).upper()}, query_values) == {
        "client_id": ID,
        "limit": 7,
        "page": 1,
        "status": ["active", "on_hold"],
    }


def test_query_cannot_set_a_path_id() -> None:
    assert retrieve_client().variables({"client_id": str(ID)}, {"client_id": ["x", "y"]}) == {"client_id": ID}


@pytest.mark.parametrize(
    ("query_values", "message"),
    [
        ({"is_active": ["yes"]}, "is_active must be true or false."),
        ({"is_active": ["yes"], "page": ["0"]}, "page must be >= 1."),
        ({"is_active": ["yes"], "page": ["0"], "limit": ["0"]}, "limit must be >= 1."),
        ({"is_active": ["yes"], "page": ["0"], "limit": ["0"], "id": ["x"]}, "Invalid UUID format."),
        ({"is_active": ["yes"] * 2, "limit": ["0"], "id": ["x"]}, "is_active must be given once."),
    ],
)
def test_first_failing_stage_decides(query_values: dict[str, list[str]], message: str) -> None:
    with pytest.raises(Refused) as raised:
        list_clients().variables({}, query_values)
    assert raised.value.error.message == message


def test_required_parameter_is_missed_without_a_range() -> None:
    document = "query retrieveClient($client_id: UUID!) { client(id: $client_id) { id } }"
    endpoint = Endpoint("retrieveClient", "/v1/clients/", SINGLE, document)
    with pytest.raises(Refused, match="client_id is required"):
        endpoint.variables({}, {})
    assert endpoint.variables({}, {"client_id": [str(ID)]}) == {"client_id": ID}
