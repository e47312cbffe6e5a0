"""Unknown query parameters: ignored, named in a header with the nearest known one, logged and counted."""

import httpx2 as httpx
import pytest

from rest_facade.rest.unknown_parameters import unknown_parameters
from tests.rest_facade.raw_client import request
from tests.rest_facade.rest.listener import Listener

KNOWN = frozenset({"status", "is_active", "limit", "page"})


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], None),
        (["status", "page"], None),
        (["stauts", "page"], "stauts (did you mean status?)"),
        (["Limit", "zzz"], "Limit (did you mean limit?), zzz"),
        (["isActive", "filter[a]"], "isActive (did you mean is_active?), filter[a]"),
        (["per_page", "pageSize", "from"], "per_page (did you mean limit?), pageSize (did you mean limit?), from"),
        (["x\r\nSet-Cookie: a=b"], "x??Set-Cookie??a?b"),
        (["\x00é\u2028", ""], "???, "),
        (["a" * 9000], "a" * 40),
        (["0", "1", "[object Object]"], "0, 1, [object?Object]"),
        (["orgd_live_abcdefgh_" + "s" * 38], "orgd_live_[redacted]"),
        (["a" * 15 + "orgd_int_abcdefgh_" + "s" * 38], "a" * 15 + "orgd_int_[redacted]"),
        ([f"q{number}" for number in range(99)], "q0, q1, q2, q3, q4, ..."),
    ],
)
def test_header_names_unknown_parameters(names: list[str], expected: str | None) -> None:
    assert unknown_parameters(names, KNOWN) == expected


def test_misspelt_filter_is_answered_named_and_counted(public: Listener, key: str) -> None:
    response = public.send(request("/v1/members/?stauts=active&limit=1&a%0d%0aX-Injected:%201", key=key))
    assert response.status_code == 200
    assert response.headers["x-unknown-parameters"] == "stauts (did you mean status?), a??X-Injected??1"
    assert "x-injected" not in response.headers
    metrics = public.service.public.metrics.exposition().decode()
    assert 'orgdata_unknown_parameters_total{operation="listMembers"} 1.0' in metrics


@pytest.mark.parametrize(
    ("query", "status"), [("?limit=1&page=1&after=x&status=active", 200), ("?limit=0&x=1", 400), ("", 200)]
)
def test_header_is_sent_for_unknown_names_only(query: str, status: int, public: Listener, key: str) -> None:
    response: httpx.Response = public.send(request(f"/v1/members/{query}", key=key))
    assert response.status_code == status
    assert response.headers.get("x-unknown-parameters") == ("x" if "x=1" in query else None)
