"""`orgdata report`: what it refuses. tests/browser/test_hours.py reads what it writes."""

from errno import EACCES, ENOSPC
from pathlib import Path
from uuid import UUID

import pytest

from tests.rest_facade.commands.conftest import Run, assert_refused


def words(own: str, html: Path, /, **options: str) -> list[str]:
    """A command that writes a page of March, with other options."""
    given = {"organization": own, "start": "2026-03-01", "end": "2026-03-31", "html": str(html)} | options
    return ["report", *(word for name, value in given.items() for word in (f"--{name}", value))]


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


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"organization": str(UUID(int=1))}, "Organization not found."),
        ({"end": "2026-02-01"}, "end_date must be on or after start_date."),
        ({"end": "2029-02-01"}, "Date range cannot exceed 366 days."),
        ({"timezone": "Mars/Olympus"}, "'Mars/Olympus' is not a time zone"),
        ({"html": "/nowhere/hours.html"}, "/nowhere/hours.html cannot be written: No such file or directory."),
    ],
)
def test_report_that_cannot_be_made_is_a_sentence(
    options: dict[str, str], sentence: str, operate: Run, own: str, tmp_path: Path
) -> None:
    result = operate(*words(own, tmp_path / "hours.html", **options))
    assert result.code == 1
    assert sentence in result.err
    assert not (tmp_path / "hours.html").exists()
