"""bench/parts/operations.py: the requests of all operations, and their table."""

import re
from typing import Any

import pytest

from bench.measure import Measurement, Sample
from bench.parts import operations
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Unpaged
from rest_facade.v1 import ENDPOINTS

IDS = ("team_id", "client_id", "project_id", "user_id", "task_id", "invoice_id")

VALUES = {
    **dict.fromkeys(IDS, "00000000-0000-0000-0000-000000000001"),
    "date": "2025-03-31",
    "start_date": "2025-03-25",
    "end_date": "2025-03-31",
}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_request_has_largest_limit_and_required_parameters(endpoint: Endpoint) -> None:
    path, _, query = operations.largest(endpoint, VALUES).partition("?")
    assert re.fullmatch(r"/v1(/[a-z0-9_-]+)+/", path)
    names = {parameter.name for parameter in endpoint.query_parameters if parameter.is_required}
    sent: dict[str, Any] = dict(pair.split("=") for pair in query.split("&") if pair)
    if not isinstance(endpoint.envelope, Unpaged):
        assert int(sent.pop("limit")) == endpoint.envelope.maximum
    assert set(sent) == names


def test_longest_range_ends_on_the_same_day() -> None:
    assert operations.longest_range(VALUES) == {**VALUES, "start_date": "2025-03-01"}


def test_table_has_a_line_for_each_operation() -> None:
    sample = Sample(10, 1.0, 0.002, 0.001, 0.001, 0.002, 0.003)
    figures = {"memory store": [Measurement("a", [sample]), Measurement("b", [sample])]}
    assert operations.table({"listA": (100, 12_345), "getB": (1, 99)}, figures) == [
        "| operation | rows | bytes | memory store: service | memory store: database | memory store: total |",
        "|---|---:|---:|---:|---:|---:|",
        "| listA | 100 | 12,345 | 200 | 100 | 300 |",
        "| getB | 1 | 99 | 200 | 100 | 300 |",
    ]
