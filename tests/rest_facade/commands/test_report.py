"""`orgdata report`: files that cannot be written. tests/browser/test_hours.py reads what it writes."""

from errno import EACCES, ENOSPC
from pathlib import Path

import pytest

from tests.rest_facade.commands.conftest import Run, assert_refused


def words(own: str, html: Path) -> list[str]:
    """A command that writes a page of March."""
    return f"report --organization {own} --start 2026-03-01 --end 2026-03-31 --html {html}".split()


def test_half_written_page_is_removed(run: Run, own: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_half(path: Path, page: str, encoding: str) -> None:
        path.write_bytes(page[: len(page) // 2].encode(encoding))
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", write_half)
    result = run(*words(own, tmp_path / "hours.html"))
    assert_refused(result, f"{tmp_path}/hours.html cannot be written: No space left on device.")
    assert list(tmp_path.glob("*.html")) == []


def test_page_that_cannot_be_opened_stays(run: Run, own: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, page: str, encoding: str) -> None:
        raise PermissionError(EACCES, "Permission denied", str(path))

    html = tmp_path / "hours.html"
    html.write_bytes(b"the page of February")
    monkeypatch.setattr(Path, "write_text", refuse)
    assert_refused(run(*words(own, html)), f"{html} cannot be written: Permission denied.")
    assert html.read_bytes() == b"the page of February"
