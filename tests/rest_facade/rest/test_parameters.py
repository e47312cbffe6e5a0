"""Parameters: order of checks, rules on parameters, unknown names. Covers `rest_facade/rest/unknown_parameters.py`."""

from collections.abc import Callable
from typing import Any

import httpx2 as httpx
import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.rest.parameters import parameter_of, refuse_missing
from rest_facade.rest.unknown_parameters import unknown_parameters
from tests.errors import assert_error
from tests.rest_facade.raw_client import request
from tests.rest_facade.rest.listener import Listener
from tests.rest_facade.rest.variables import ID, refusal, variable


def refused_by(rule: Callable[..., None], *arguments: Any) -> tuple[str, Any] | None:
    """The message and the details with which a rule refuses; None if it does not."""
    try:
        rule(*arguments)
    except Refused as refused:
        return refused.error.message, refused.error.details
    return None


def test_absent_parameter_is_none() -> None:
    for scalar in ("UUID", "Boolean", "String", "DateTime", "Date", "Timezone"):
        assert parameter_of(variable("x", scalar)).value({"y": ["1"]}) is None


@pytest.mark.parametrize("scalar", ["Int", "Float", "ID", "Amount", "Seconds", "Texts"])
def test_type_without_query_form_raises(scalar: str) -> None:
    with pytest.raises(ValueError, match=rf"^\$most: no query parameter is of the type {scalar}\..*schema/scalars\.py"):
        parameter_of(variable("most", scalar))


@pytest.mark.parametrize(
    ("required", "sent", "message"),
    [
        (True, {}, "start_date and end_date are required."),
        (True, {"start_date": ["2026-01-01"]}, "start_date and end_date are required."),
        (True, {"start_date": [""], "end_date": ["2026-01-01"]}, "start_date and end_date are required."),
        (True, {"start_date": ["x"], "end_date": ["x"]}, None),
        (False, {}, None),
        (False, {"start_date": ["2026-01-01"]}, "start_date and end_date are required."),
        (False, {"end_date": ["2026-01-01"]}, "start_date and end_date are required."),
        (False, {"start_date": ["x"], "end_date": ["x"]}, None),
    ],
)
def test_range_needs_both_ends(required: bool, sent: Any, message: str | None) -> None:
    ends = [parameter_of(variable(name, "Date", is_required=required)) for name in ("start_date", "end_date")]
    assert refused_by(refuse_missing, ends, sent) == (message and (message, None))


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({}, "user_id is required."),
        ({"date": ["2026-01-01"]}, "user_id is required."),
        ({"user_id": [""], "date": ["2026-01-01"]}, "user_id is required."),
        ({"user_id": [ID]}, "date is required."),
        ({"user_id": [ID], "date": [""]}, "date is required."),
    ],
)
def test_first_missing_parameter_is_named(sent: Any, message: str) -> None:
    user_id, day = variable("user_id", "UUID", is_required=True), variable("date", "Date", is_required=True)
    details = {message.partition(" ")[0]: [message]}
    assert refused_by(refuse_missing, [parameter_of(user_id), parameter_of(day)], sent) == (message, details)


def test_empty_value_is_missing_or_malformed() -> None:
    required = parameter_of(variable("user_id", "UUID", is_required=True))
    assert required.is_missing({"user_id": [""]})
    assert required.value({"user_id": [""]}) is None
    assert refusal(variable("user_id", "UUID"), "")[0] == "Invalid UUID format."


async def test_path_id_then_query_then_existence(http: httpx.AsyncClient) -> None:
    malformed = await http.get("/v1/clients/x/projects/?limit=0")
    assert_error(malformed, 400, "VALIDATION_ERROR", "Invalid UUID format.", {"client_id": ["Invalid UUID format."]})
    assert_error(await http.get(f"/v1/clients/{ID}/projects/?limit=0"), 400, "VALIDATION_ERROR", "limit must be >= 1.")


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
    ("query", "status", "unknown"),
    [
        ("status[]=active&status%5B1%5D=invited", 200, None),
        ("status=active&status[]=x", 400, None),
        ("status[0]=", 400, None),
        *(("limit=1&page=1&after=x&status=active", 200, None), ("limit=0&x=1", 400, "x"), ("", 200, None)),
        ("limit[]=0&status[x]=x", 200, "limit[] (did you mean limit?), status[x] (did you mean status?)"),
    ],
)
def test_header_has_unknown_names_and_brackets_mark_lists(
    query: str, status: int, unknown: str | None, public: Listener, key: str
) -> None:
    response = public.send(request(f"/v1/members/?{query}", key=key))
    assert response.status_code == status
    assert response.headers.get("x-unknown-parameters") == unknown


@pytest.mark.parametrize(
    ("query", "refused"),
    [
        ("limit=1&amp;page=2&amp;after=x", "page"),
        ("limit=1&amp;amp;status[]=active", "status"),
        ("?limit=1&page=2", "limit"),
        ("%3Flimit=1&amp;page=2", "limit"),
        ("?nonsense=1&amp;other=2&amp=3", None),
    ],
)
def test_known_parameter_behind_wrong_separator_is_400(
    query: str, refused: str | None, public: Listener, key: str
) -> None:
    response = public.send(request(f"/v1/members/?{query}", key=key))
    if refused is None:
        assert response.status_code == 200
    else:
        message = f"{refused} is not read: write one ? before the parameters, and & between them."
        assert response.json()["error"]["message"] == message
        assert response.json()["error"]["details"] == {refused: [message]}
