"""Parameters of /overview.json: what is accepted, and the address of the next page."""

from uuid import UUID

import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.internal.overview.parameters import OverviewParameters, overview_parameters

ID = UUID("018f2a6c-5e00-7d3a-9b41-6f0c2e8a7d11")


def test_defaults_are_the_first_page_of_all() -> None:
    assert overview_parameters({}) == OverviewParameters(None, None, 20)
    assert overview_parameters({"search": ["  "], "after": [""], "limit": [""]}) == OverviewParameters(None, None, 20)


def test_values_are_read() -> None:
    query = {"search": [" Kestrel "], "after": [str(ID)], "limit": ["7"], "unknown": ["x"]}
    assert overview_parameters(query) == OverviewParameters("Kestrel", ID, 7)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        *(("limit", [text]) for text in ("0", "21", "-1", "²")),
        *(("after", ["018f2a6c"]), ("search", ["a\nb"]), ("search", ["a", "b"])),
    ],
)
def test_wrong_value_names_its_parameter(name: str, values: list[str]) -> None:
    with pytest.raises(Refused) as refused:
        overview_parameters({name: values})
    assert list(refused.value.error.details or {}) == [name]


def test_next_page_keeps_search_and_limit() -> None:
    assert OverviewParameters(None, None, 20).next_page(ID) == f"overview.json?after={ID}"
    assert OverviewParameters("a&b", ID, 7).next_page(ID) == f"overview.json?search=a%26b&limit=7&after={ID}"
