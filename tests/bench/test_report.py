"""bench/RESULTS.md: rendering, parsing, and replacing only the parts that were measured."""

from pathlib import Path

import pytest

from bench import report
from bench.__main__ import PARTS, chosen
from bench.section import Section, Target

ENVIRONMENT = ["- 2026-01-02 03:04 UTC, 5 rounds of 2 s; commit abc1234", "- A processor, 2 cores"]


def part_report(part: str, figure: str, *, holds: bool | None = True, summary: str = "") -> report.PartReport:
    table = ["| what | figure |", "|---|---:|", f"| {part} | {figure} |"]
    targets = [Target(f"Target of {part}", figure, holds)]
    section = Section(f"title of {part}", table, targets, ["A note.", "Another."], summary)
    return report.part_report(part, section, [*ENVIRONMENT, f"- measured {figure}"])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "RESULTS.md"


def test_first_run_writes_all_parts_in_order(file: Path) -> None:
    report.update(file, {part: part_report(part, "1") for part in reversed(PARTS)}, PARTS)
    text = file.read_text()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## Targets", *(f"## {part}: title of {part}" for part in PARTS)]
    targets = [line for line in text.splitlines() if "| Target of " in line]
    assert targets == [f"| {part} | Target of {part} | 1 | yes |" for part in PARTS]


def test_run_of_some_parts_keeps_the_others(file: Path) -> None:
    report.update(file, {part: part_report(part, "1") for part in PARTS}, PARTS)
    before = report.parse(file.read_text())
    report.update(file, {"detail": part_report("detail", "2", holds=False)}, PARTS)
    after = report.parse(file.read_text())
    assert list(after) == list(PARTS)
    assert {part for part in PARTS if after[part] != before[part]} == {"detail"}
    assert after["detail"].targets == ["| detail | Target of detail | 2 | **no** |"]
    assert after["detail"].conditions == [*ENVIRONMENT, "- measured 2"]
    assert after["page"].conditions == after["refusals"].conditions == [*ENVIRONMENT, "- measured 1"]


def test_part_is_added_in_its_place(file: Path) -> None:
    for part in ("start", "page", "load"):
        report.update(file, {part: part_report(part, "1", holds=None)}, PARTS)
    assert list(report.parse(file.read_text())) == ["page", "load", "start"]
    assert file.read_text().count("| not measured |") == 3


def test_committed_results_are_parsed_without_loss() -> None:
    text = report.FILE.read_text()
    parts = report.parse(text)
    assert list(parts) == [part for part in PARTS if part in parts]
    assert all(parts[part].targets for part in parts if part not in {"detail", "nested", "operations"})
    assert report.render(parts) == text


def test_summary_and_verdicts_are_read_back(file: Path) -> None:
    report.update(file, {"page": part_report("page", "1", holds=False, summary="A page takes 1 us.")}, PARTS)
    report.update(file, {"detail": part_report("detail", "2", holds=None)}, PARTS)
    parts = report.parse(file.read_text())
    assert (parts["page"].summary, parts["page"].verdicts) == ("A page takes 1 us.", [False])
    assert (parts["detail"].summary, parts["detail"].verdicts) == ("", [None])


def test_run_without_names_leaves_long_parts_out() -> None:
    assert set(PARTS) - set(chosen([])) == {"memory", "usage", "imports"}
    assert chosen(["usage", "page"]) == ["page", "usage"]
