"""`orgdata docs`: the files of the site in a folder, with the configured address."""

from pathlib import Path

import orjson

from tests.rest_facade.commands.conftest import Run


def test_docs_writes_the_site_with_the_configured_address(orgdata: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "site"
    assert orgdata("docs", "--html", str(folder), PUBLIC_URL="https://api.example.com").out == ""
    assert "https://api.example.com/v1/teams/" in (folder / "reference-people.html").read_text()
    assert (folder / "quickstart.html").exists()
    assert not (folder / "operating.html").exists()
    assert orjson.loads((folder / "openapi.json").read_bytes())["servers"] == [{"url": "https://api.example.com"}]


def test_docs_with_all_has_the_pages_of_operators(orgdata: Run, tmp_path: Path) -> None:
    orgdata("docs", "--html", str(tmp_path), "--all")
    assert {"quickstart.html", "operating.html", "data-money.html"} <= {file.name for file in tmp_path.iterdir()}


def test_folder_that_cannot_be_written_is_one_sentence(orgdata: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    failed = orgdata("docs", "--html", str(tmp_path / "file"))
    assert failed.code == 1
    assert failed.err == f"orgdata: The site cannot be written to {tmp_path / 'file'}: File exists.\n"
