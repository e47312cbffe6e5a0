"""Rows of Parquet files."""

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from db.jobs.importing.files import parquet_rows as module
from db.jobs.importing.rows import Problem, SourceItem, SourceRow, SourceTable
from tests.db.jobs.importing.files.read import read_file


def written(table: Any) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def read(data: bytes) -> list[SourceItem]:
    return read_file(data, "timesheets", "t.parquet")


def test_typed_columns_become_texts() -> None:
    columns = {
        "started_at": pa.array([datetime(2026, 3, 1, 9, tzinfo=UTC), None], pa.timestamp("us", "Europe/Berlin")),
        "local": pa.array([datetime(2026, 3, 1, 9)] * 2, pa.timestamp("s")),
        "day": pa.array([date(2026, 3, 1)] * 2),
        "rate": pa.array([Decimal("18.5000"), None], pa.decimal128(19, 4)),
        "is_billable": [True, None],
        "input_seconds": [5, 6],
        "labels": [["a", "b"], []],
    }
    first = {
        "started_at": "2026-03-01T09:00:00+00:00",
        "local": "2026-03-01T09:00:00",
        "day": "2026-03-01",
        "rate": "18.5000",
        "is_billable": "true",
        "input_seconds": "5",
        "labels": '["a","b"]',
    }
    nothing = dict.fromkeys(("started_at", "rate", "is_billable"))
    assert read(written(pa.table(columns))) == [
        SourceTable("timesheets", "t.parquet", 0, list(columns)),
        SourceRow("timesheets", "t.parquet", 1, first),
        SourceRow("timesheets", "t.parquet", 2, first | nothing | {"input_seconds": "6", "labels": "[]"}),
    ]


def test_value_of_no_column_is_a_problem() -> None:
    *_, last = read(written(pa.table({"id": [b"three"]})))
    assert last == Problem("t.parquet", 1, "is a bytes, which no column can hold", "id")


def test_doubled_column_is_a_problem() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", "id"])
    assert read(written(table)) == [Problem("t.parquet", 0, "has two columns with one name")]


@pytest.mark.parametrize("size", [0, 3, 100])
def test_damaged_file_is_a_problem(size: int) -> None:
    whole = written(pa.table({"id": list(range(1000))}))
    *_, last = read(whole[:size])
    assert isinstance(last, Problem)
    assert last.reason.startswith("is not a whole Parquet file (")


def test_missing_extra_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    reason = "needs the extra `parquet`: pip install '.[parquet]' in a checkout"
    assert read(b"") == [Problem("t.parquet", 0, reason)]
