"""Files that are not what their names say, or that stand for far more than their size: refused in 2 s and 200 MB.

Covers `db/errors.py`.
"""

import gzip
import io
import os
import pickle
import resource
from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile

import orjson
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from db.errors import OperatorError
from db.jobs.importing.detailed_reports.detailed_report import DetailedReport
from db.jobs.importing.detailed_reports.mapping import ColumnMapping, trackers
from db.jobs.importing.detailed_reports.mapping_choice import chosen_mapping
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.files.import_file import find_files
from db.jobs.importing.files.ndjson_rows import ONE_A_LINE
from db.jobs.importing.files.source import AGAIN, BOMB, source_files
from db.jobs.importing.rows import Problem, SourceItem
from tests.db.jobs.importing.files.read import read_file
from tests.property_tests import examples
from tests.rest_facade.commands.import_corpus import CASES

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


def assert_bounded(seconds: float, grown: float) -> None:
    assert (seconds < MOST_SECONDS, grown < MOST_MB) == (True, True), (seconds, grown)


BOMBS = {
    "equal values of 4 MB": lambda: pa.table({"name": repeated(4 << 20, 4096)}),
    "values of 1 MB in four columns": lambda: pa.table({f"c{n}": repeated(1_000_000, 4096) for n in range(4)}),
    "a value of 120 MB": lambda: pa.table({"name": ["x" * (120 << 20)]}),
    "a list of 15 million numbers": lambda: pa.table(
        {"ids": pa.ListArray.from_arrays(pa.array([0, 15_000_000], pa.int32()), pa.nulls(15_000_000, pa.int64()))}
    ),
}


@pytest.mark.parametrize("table", BOMBS.values(), ids=BOMBS)
def test_small_parquet_file_of_much_data_is_refused(table: Callable[[], Any]) -> None:
    data = written(table())
    assert len(data) < 10_000
    items, seconds, grown = in_a_child(lambda: read_file(data, "clients", "c.parquet"))
    assert isinstance(items[-1], Problem)
    assert "takes more than 96 MB" in items[-1].reason
    assert_bounded(seconds, grown)


def test_parquet_file_of_20000_columns_is_refused() -> None:
    data = written(pa.table({f"c{n}": [1] for n in range(20_000)}), "snappy")
    items, *spent = in_a_child(lambda: read_file(data, "clients", "c.parquet"))
    assert [type(item) for item in items] == [Problem]
    assert_bounded(*spent)


def gzip_bomb() -> bytes:
    """A text of 512 MB in half a megabyte."""
    return gzip.compress(b"x\n" * (1 << 20), 1) * 256


def test_gzip_file_of_repetition_is_refused_while_it_is_unpacked() -> None:
    bomb = gzip_bomb()
    items, *spent = in_a_child(lambda: read_file(bomb, "clients", "c.csv"))
    assert items == [Problem("c.csv", 0, BOMB)]
    assert_bounded(*spent)


def zip_of(path: Path, method: int = ZIP_DEFLATED, flags: int = 0, *, names: Sequence[str] = ("teams.csv",)) -> Path:
    """A ZIP file whose list says that the files have this method and these flags."""
    with ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "name\nDesign\n")
        for member in archive.infolist():
            member.compress_type, member.flag_bits = method, member.flag_bits | flags
    return path


@pytest.mark.parametrize("method", [ZIP_BZIP2, 97])
def test_zip_file_of_other_methods_is_refused(method: int, tmp_path: Path) -> None:
    with pytest.raises(
        OperatorError, match=r"z.zip:teams.csv is compressed by another method than deflate: unpack it\."
    ):
        source_files(zip_of(tmp_path / "z.zip", method))


def test_zip_file_with_a_password_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"z.zip:teams.csv has a password: unpack it\."):
        source_files(zip_of(tmp_path / "z.zip", flags=1))


@pytest.mark.parametrize("count", [251, 10_000])
def test_zip_file_of_many_members_is_refused(count: int, tmp_path: Path) -> None:
    path = zip_of(tmp_path / "z.zip", names=[f"teams-{n}.csv" for n in range(count)])
    began = process_time()
    with pytest.raises(OperatorError, match="has more than 250 files: unpack it, and give the folder"):
        source_files(path)
    assert process_time() - began < MOST_SECONDS


def test_zip_file_of_repetition_is_refused_by_its_list(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "z.zip", "w", ZIP_DEFLATED) as archive:
        archive.writestr("teams.csv", b"x\n" * (20 << 20))
    with pytest.raises(OperatorError, match="is more than 100 times as large when it is unpacked"):
        source_files(tmp_path / "z.zip")


def test_zip_file_with_a_size_that_lies_is_a_problem(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "z.zip", ZIP_STORED)
    size = (12).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (5).to_bytes(4, "little")))
    (file,) = find_files([path])
    assert list(file.rows())[-1] == Problem(f"{path}:teams.csv", 0, f"is not a whole ZIP file: {AGAIN}")


def test_control_characters_in_a_name_are_shown_escaped(tmp_path: Path) -> None:
    (file,) = find_files([zip_of(tmp_path / "z.zip", ZIP_STORED, names=["teams-\x1b[31m\n\x07.csv"])])
    assert str(file.source) == f"{tmp_path}/z.zip:teams-\\x1b[31m\\n\\x07.csv"
    with pytest.raises(OperatorError, match=r"z\.zip:\\x1b\[31m\.csv is not named after a table"):
        find_files([zip_of(tmp_path / "z.zip", ZIP_STORED, names=["\x1b[31m.csv"])])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"name":' + b"[" * 254 + b"]" * 254 + b"}", None),
        (b'{"name":' + b"[" * 255 + b"]" * 255 + b"}", "is no JSON that a column can hold (Recursion limit reached)"),
        (b"[" * 400_000, f"is not one JSON object (depth limit exceeded): {ONE_A_LINE}"),
        (b'{"' + b"k" * 64 + b'":1}', "begins a name that no column has: delete it"),
        (orjson.dumps({f"k{n}": 1 for n in range(1001)}), "has more than 1000 columns: delete the others"),
    ],
    ids=["254 levels", "255 levels", "400,000 levels", "long key", "1,001 keys"],
)
def test_ndjson_of_many_levels_or_keys_is_refused(line: bytes, reason: str | None) -> None:
    item = read_file(line, "teams", "teams.ndjson")[-1]
    assert (item.reason if isinstance(item, Problem) else None) == reason


@pytest.mark.parametrize("name", ["teams.csv", "teams.ndjson"])
def test_json_in_one_line_is_told_before_its_length(name: str) -> None:
    reason = "is JSON of more than 1,048,576 bytes in one line: write one object a line, as .ndjson"
    assert read_file(b'[{"a": 1},' * 120_000, "teams", name)[-1] == Problem(name, 1, reason)


def test_header_of_many_columns_is_refused_at_once() -> None:
    header = ",".join(f"c{n}" for n in range(150_000)).encode()
    began = process_time()
    count = header[: 1 << 20].count(b",") + 1
    reason = f"has {count} columns; at most 1000 are read: delete the others"
    assert read_file(header[: 1 << 20], "clients", "c.csv") == [Problem("c.csv", 1, reason)]
    assert process_time() - began < MOST_SECONDS


def test_report_of_many_columns_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(",".join(f"c{n}" for n in range(100_000)))
    began = process_time()
    (problem,) = ReportFile(source_files(tmp_path / "r.csv")[0], ColumnMapping("own")).header_problems()
    assert problem.reason == "has 100000 columns; at most 1000 are read: delete the others"
    assert process_time() - began < MOST_SECONDS


def test_encoding_of_one_long_word_is_guessed_in_linear_time(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"name\n" + b"x" * 100_000 + b"\xe9\n")
    began = process_time()
    assert (source_files(tmp_path / "t.csv")[0].note() or "").endswith(f"read as Windows-1252: {'x' * 40}\xe9")
    assert process_time() - began < MOST_SECONDS


def test_header_of_quotes_and_separators_is_read_in_linear_time() -> None:
    began = process_time()
    read_file(b'a;b,"c\t' * 120_000, "clients", "c.csv")
    assert process_time() - began < MOST_SECONDS


GOOD = written(pa.table({"name": ["Acme", None] * 50, "labels": [["a"], []] * 50, "n": range(100)}), "snappy")

REPORT = b"User,Email,Project,Description,Start date,Start time,End date,End time,Duration\n" + b"".join(
    b"Ada,ada@example.com,Site,Work,2026-01-%02d,09:00:00,2026-01-%02d,10:00:00,01:00:00\n" % (day, day)
    for day in range(1, 29)
)

ENCODINGS = ["utf-16", "utf-16-be", "utf-32", "utf-8-sig", "utf-7", "cp1252", "mac-roman", "cp1251", "shift-jis"]

REPORTS = [case.content.encode() for case in CASES.values()]
"""Reports of each time tracker."""


def in_zip(data: bytes, name: str = "clients.csv", method: int = ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", method) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def overwritten(data: bytes, at: int, other: bytes) -> bytes:
    return data[:at] + other + data[at + len(other) :]


@st.composite
def packed(draw: st.DrawFn) -> bytes:
    """Rows, a report or any bytes: packed, packed again, cut, and damaged between."""
    known = st.sampled_from([REPORT, GOOD, b'{"name": "Acme"}\n' * 20]) | st.sampled_from(REPORTS)
    data = draw(known | st.binary(max_size=300))
    layers: list[Callable[[bytes], bytes]] = [
        gzip.compress,
        in_zip,
        lambda text: in_zip(text, method=draw(st.sampled_from([ZIP_STORED, ZIP_BZIP2, ZIP_LZMA]))),
        lambda text: in_zip(text, "[Content_Types].xml"),
        lambda text: text.decode("utf-8", "replace").encode(draw(st.sampled_from(ENCODINGS)), "replace"),
        lambda text: text.replace(b",", draw(st.sampled_from([b";", b"\t", b',"', b"\0", b",\x1b[31m"]))),
        lambda text: b"\xff\xfe" + text.decode("latin-1").encode("utf-16-le"),
        lambda text: text[: draw(st.integers(0, len(text)))],
        lambda text: overwritten(text, draw(st.integers(0, len(text))), draw(st.binary(min_size=1, max_size=9))),
    ]
    for layer in draw(st.lists(st.sampled_from(layers), max_size=4)):
        data = layer(data)
    return data


@settings(max_examples=examples(80))
@given(
    st.sampled_from(["clients.csv", "teams.ndjson", "clients.parquet", "clients.csv.gz", "x.zip", "x", "x.csv.gz.gz"]),
    st.sampled_from([None, "somebody", *(tracker.name for tracker in trackers())]),
    packed(),
)
@example("clients.parquet", None, GOOD)
@example("x.csv", "toggl", REPORT)
@example("x.zip", None, in_zip(gzip.compress(in_zip(REPORT))))
def test_packed_and_damaged_file_is_rows_or_a_sentence(name: str, tracker: str | None, data: bytes) -> None:
    began = process_time()
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        try:
            if tracker is None:
                read: list[Any] = [item for file in find_files([path]) for item in file.rows()]
            else:
                read = [item for _, item in DetailedReport([path], chosen_mapping(tracker, [], [path]), UTC).entries()]
        except OperatorError as error:
            read = [str(error)]
    kinds = {type(item).__name__ for item in read}
    assert kinds <= {"SourceTable", "SourceRow", "Problem", "Entry", "OmittedLine", "str"}
    assert process_time() - began < MOST_SECONDS
