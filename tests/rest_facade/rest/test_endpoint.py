"""Endpoints: inconsistent declarations raise ValueError, query texts become variables, paths are found by bytes."""

import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rest_facade.errors.envelope import Refused
from rest_facade.rest.endpoint import Endpoint, Router
from rest_facade.rest.envelopes import CURSOR, SINGLE, STANDARD
from rest_facade.v1 import ENDPOINTS
from schema.execution.operation import InvalidDocument

ID = UUID("0198c5a4-7a1b-7c2d-8e3f-0123456789ab")

PROJECTS = "client(id: $client_id) { projects }"


def retrieve_client(**changes: Any) -> Endpoint:
    declared = {"operation": "retrieveClient", "path": "/v1/clients/{client_id}/", "fields": "client(id: $client_id)"}
    return Endpoint(**{"envelope": SINGLE, "selection": "id", "without": ["active"], **declared, **changes})


def list_clients(**changes: Any) -> Endpoint:
    declared = {"operation": "listClients", "path": "/v1/clients/", "fields": "clients"}
    without = ["search", "external_id", "updated_since", "include_deleted"]
    return Endpoint(**{"envelope": STANDARD, "selection": "id", "without": without, **declared, **changes})


def test_group_and_scope_are_derived_from_path_or_set() -> None:
    endpoint, other = retrieve_client(), retrieve_client(group="people", scope="members:read")
    assert (endpoint.group, endpoint.scope, endpoint.ids) == ("clients", "clients:read", ("client_id",))
    assert (other.group, other.scope) == ("people", "members:read")
    assert retrieve_client(path="/v1/buyers/{client_id}/", scope="clients:read").group == "buyers"


@pytest.mark.parametrize("others", [{}, {"limit": ["0"]}, {"limit": ["1", "2"], "page": [""]}])
def test_page_of_a_cursor_list_is_refused_first(others: dict[str, list[str]]) -> None:
    endpoint = next(each for each in ENDPOINTS if each.envelope is CURSOR)
    with pytest.raises(Refused) as raised:
        endpoint.variables({}, {"page": ["1"], **others})
    message = "page is not supported on this endpoint; use cursor."
    assert (raised.value.error.message, raised.value.error.details) == (message, {"page": [message]})


def test_path_needs_version_and_final_slash() -> None:
    for path in [
        *("", "/", "/v1/", "/v1/clients", "v1/clients/", "/v2/clients/", "/V1/clients/", "/v1/Clients/"),
        *("/v1/clients//", "/v1/clients//{client_id}/", "/v1/clients/\n", "/v1/clients/{}/"),
        *("/v1/clients/{client-id}/", "/v1/clients/{client_id/", "/v1/clients/?page=1", "/v1/clients/x y/"),
        *("http://host/v1/clients/", "/v1//clients/{client_id}/", "/v1/clients/x{client_id}/"),
        # Such a path would be published and never found.
        *("/v1/clients/{client_id}x/", "/v1/clients/{client_id}{client_id}/"),
    ]:
        sentence = f"retrieveClient: {path!r} is not a path /v1/.../ with a slash at its end."
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            pytest.fail(f"{path!r} is {retrieve_client(path=path)}")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"path": "/v1/clients/{client_id}/{client_id}/"}, ".*client_id"),
        ({"without": ["is_active"]}, r"'client' has no arguments \['is_active'\]\.$"),
        ({"path": "/v1/clients/{client_id}/{task_id}/"}, r"its document lacks the variables \['task_id'\]\.$"),
        ({"scope": "clients"}, "'clients' is not <family>:read"),
        *(
            ({"scope": scope}, rf"{re.escape(repr(scope))} is not <family>:read .*'leave'")
            for scope in ("client:read", "clients:write", "Clients:read", "*", ":read")
        ),
        ({"path": "/v1/buyers/{client_id}/"}, ".*'buyers:read' is not <family>:read"),
        ({"selection": "id }"}, "'id }' is not a selection of GraphQL: Syntax Error: Unexpected '}'."),
    ],
)
def test_declaration_that_the_schema_contradicts_raises(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=f"^retrieveClient: {why}"):
        retrieve_client(**changes)


def test_paging_parameters_need_variables() -> None:
    with pytest.raises(ValueError, match=r"^listClients: its document lacks the variables \['after'\]\.$"):
        list_clients(without=["after"])
    with pytest.raises(InvalidDocument, match="Cannot query field 'pagination' on type 'ClientPage'"):
        list_clients(envelope=CURSOR)


def test_invalid_document_raises_with_its_text() -> None:
    with pytest.raises(
        InvalidDocument, match=r"(?s)Cannot query field 'nothing' on type 'Client'.*query retrieveClient"
    ):
        retrieve_client(selection="nothing")


def test_variables_have_only_values_sent() -> None:
    query_values = {"status": ["active,on_hold"], "limit": ["7"], "unknown": ["x"]}
    path = "/v1/clients/{client_id}/projects/"
    endpoint = Endpoint("listClientProjects", path, STANDARD, PROJECTS, "id", without=["client_id"])
    variables = {"client_id": ID, "limit": 7, "page": 1, "status": ["active", "on_hold"]}
    assert endpoint.variables({"client_id": str(ID).upper()}, query_values) == variables


def test_query_cannot_set_a_path_id() -> None:
    assert retrieve_client().variables({"client_id": str(ID)}, {"client_id": ["x", "y"]}) == {"client_id": ID}


def test_required_parameter_is_missed_without_a_range() -> None:
    endpoint = retrieve_client(path="/v1/clients/")
    with pytest.raises(Refused, match="client_id is required"):
        endpoint.variables({}, {})
    assert endpoint.variables({}, {"client_id": [str(ID)]}) == {"client_id": ID}


ROUTER = Router(ENDPOINTS)
UUID_FORM = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
paths = st.builds(
    lambda endpoint, ids: endpoint.path.format_map(dict(zip(endpoint.ids, map(str, ids), strict=False))).encode(),
    st.sampled_from(ENDPOINTS),
    st.lists(st.uuids(), min_size=3, max_size=3),
)
any_byte = st.integers(0, 255).map(lambda number: bytes([number]))


def single(operation: str, path: str, name: str) -> Endpoint:
    return Endpoint(operation, path, SINGLE, f"client(id: ${name})", "id", group="clients", without=["active"])


def test_finds_each_endpoint_with_its_ids() -> None:
    for endpoint in ENDPOINTS:
        sent = {name: f"id-{number}" for number, name in enumerate(endpoint.ids)}
        assert ROUTER.find(endpoint.path.format_map(sent).encode()) == (endpoint, sent)


def test_id_may_have_any_byte_except_slash() -> None:
    for byte in {*range(256)} - {ord("/")}:
        found = ROUTER.find(b"/v1/clients/%c/" % byte)
        assert found is not None
        assert found[0].operation == "retrieveClient"
        assert found[1] == {"client_id": chr(byte)}


@given(path=paths, at=st.integers(0, 200), byte=any_byte | st.just(b""), taken=st.integers(0, 1))
@example(path=f"/v1/projects/{ID}/members/".encode(), at=len(f"/v1/projects/{ID}"), byte=b"", taken=1)
def test_changed_byte_changes_an_id_or_fails(path: bytes, at: int, byte: bytes, taken: int) -> None:
    at %= len(path)
    changed = path[:at] + byte + path[at + taken :]
    before, after = ROUTER.find(path), ROUTER.find(changed)
    assert before is not None
    if after is not None:
        endpoint, ids = after
        assert endpoint.path.format_map(ids).encode("latin-1") == changed
        # Without the slash behind it, an id takes up the next word: `/v1/projects/<id>members/` is a malformed id.
        assert endpoint is before[0] or not all(map(UUID_FORM.fullmatch, ids.values()))


def test_two_endpoints_of_one_path_raise() -> None:
    first = single("retrieveFirst", "/v1/things/{id}/", "id")
    second = single("retrieveSecond", "/v1/things/{thing_id}/", "thing_id")
    for twin in (replace(first, operation="retrieveFirst"), second):
        with pytest.raises(ValueError, match=rf"^{twin.operation} and retrieveFirst share {twin.path}\.$"):
            Router([first, twin])
