"""Each part of `make bench` runs, beside the earlier version too: one short round over few rows."""

from collections.abc import Iterator

import pytest

from bench import node
from bench.__main__ import PARTS
from bench.before import COMMIT, EarlierVersion, Skipped, earlier_version
from bench.data import database
from bench.measure import Plan
from bench.parts.operations import MOST_LINES
from bench.scale import MINIATURE
from bench.section import Bench
from rest_facade.v1 import ENDPOINTS

pytestmark = pytest.mark.bench

BESIDE_BEFORE = {"page", "detail", "reports", "operations", "first_requests"}
"""The parts that compare with the earlier version."""

OF_ALL_OPERATIONS = {"operations", "first_requests"}
"""The parts that ask for each operation."""

HEAD_LINES = 2
"""The lines of a table before its first row."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("bench")
    with database() as data, earlier_version(COMMIT, data.server, folder) as before:
        yield Bench(data, before, Plan(1, 0.1, folder, data.cpu, most=5), folder, MINIATURE)


@pytest.mark.parametrize("part", PARTS)
def test_part_runs_over_few_rows(part: str, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "install", lambda: "The peers on Node are skipped: a test installs nothing.")
    section = PARTS[part](bench)
    assert len(section.lines) > HEAD_LINES
    if part in OF_ALL_OPERATIONS:
        assert section.lines[-1].startswith(f"| mean of the other {len(ENDPOINTS) - MOST_LINES} | ")
    if isinstance(bench.before, EarlierVersion) and part in BESIDE_BEFORE:
        assert f"Before is commit {COMMIT}." in section.notes
        assert any("before" in line for line in section.lines)


def test_earlier_version_is_in_the_history(bench: Bench) -> None:
    if isinstance(bench.before, Skipped):
        pytest.skip(bench.before.reason)
    assert bench.before.name == f"commit {COMMIT}"
