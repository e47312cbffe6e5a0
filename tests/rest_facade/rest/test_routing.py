"""Router: paths are compared byte by byte."""

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rest_facade.rest.endpoint import Endpoint, Router
from rest_facade.rest.envelopes import SINGLE
from rest_facade.v1 import ENDPOINTS

ROUTER = Router(ENDPOINTS)
UUID_FORM = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
ID = "11111111-1111-1111-1111-111111111111"

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
