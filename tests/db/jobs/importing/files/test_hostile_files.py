"""Files that are not what their names say, or that stand for far more than their size: refused in 2 s and 200 MB."""

import io
import os
import pickle
import resource
from collections.abc import Callable
from time import process_time
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from db.jobs.importing.files.parquet_rows import parquet_rows
from db.jobs.importing.rows import Problem, SourceItem
from tests.db.jobs.importing.files.read import read_file
from tests.property_tests import examples

MOST_SECONDS, MOST_MB = 2.0, 200


def written(table: Any, compression: str = "brotli") -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, compression=compression, store_schema=False, write_statistics=False)
    return buffer.getvalue()


def repeated(length: int, count: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array(["x" * length]))


def in_a_child(read: Callable[[], list[SourceItem]]) -> tuple[list[SourceItem], float, float]:
    """What `read` returns in a fork, the seconds of CPU, and the MB by which its memory grew."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        items = read()[-3:]
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        os.write(writer, pickle.dumps((items, process_time(), grown)))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        told = answer.read()
    assert os.waitpid(pid, 0)[1] == 0
    items, seconds, grown = pickle.loads(told)
    return items, seconds, grown


BOMBS = {
    "equal values of 4 MB": lambda: pa.table({"name": repeated(4 << 20, 4096)}),
    "values of 1 MB in four columns": lambda: pa.table({f"c{n}": repeated(1_000_000, 4096) for n in range(4)}),
    "a value of 300 MB": lambda: pa.table({"name": ["x" * (300 << 20)]}),
    "a list of 50 million numbers": lambda: pa.table(
        {"ids": pa.ListArray.from_arrays(pa.array([0, 50_000_000], pa.int32()), pa.nulls(50_000_000, pa.int64()))}
    ),
}


@pytest.mark.parametrize("table", BOMBS.values(), ids=BOMBS)
def test_small_parquet_file_of_much_data_is_refused(table: Callable[[], Any]) -> None:
    data = written(table())
    assert len(data) < 10_000
    items, seconds, grown = in_a_child(lambda: list(parquet_rows(io.BytesIO(data), table="clients", name="c")))
    assert isinstance(items[-1], Problem)
    assert "takes more than 96 MB" in items[-1].reason
    assert (seconds < MOST_SECONDS, grown < MOST_MB) == (True, True), (seconds, grown)


def test_header_of_many_columns_is_refused_at_once() -> None:
    header = ",".join(f"c{n}" for n in range(150_000)).encode()
    began = process_time()
    count = header[: 1 << 20].count(b",") + 1
    reason = f"has {count} columns; at most 1000 are read: delete the others"
    assert read_file(header[: 1 << 20], "clients", "c.csv") == [Problem("c.csv", 1, "", None, reason)]
    assert process_time() - began < MOST_SECONDS


def test_header_of_quotes_and_separators_is_read_in_linear_time() -> None:
    began = process_time()
    read_file(b'a;b,"c\t' * 120_000, "clients", "c.csv")
    assert process_time() - began < MOST_SECONDS


GOOD = written(pa.table({"name": ["Acme", None] * 50, "labels": [["a"], []] * 50, "n": range(100)}), "snappy")


@settings(max_examples=examples(40))
@given(
    st.sampled_from([".csv", ".ndjson", ".parquet"]),
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=200).map(str.encode),
        st.integers(0, len(GOOD)).map(lambda end: GOOD[:end]),
        st.tuples(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=4)).map(
            lambda change: GOOD[: change[0]] + change[1] + GOOD[change[0] + len(change[1]) :]
        ),
    ),
)
@example(".parquet", GOOD)
def test_damaged_file_is_rows_or_a_problem(suffix: str, data: bytes) -> None:
    began = process_time()
    for item in read_file(data, "clients", f"c{suffix}"):
        assert isinstance(item, SourceItem)
    assert process_time() - began < MOST_SECONDS
