"""The folder of an export: what it may hold before, and what is in it after an end at any place."""

from pathlib import Path

import pytest

from db.errors import OperatorError
from db.jobs.exporting.export_folder import UNFINISHED, export_folder
from db.jobs.exporting.manifest import ExportFormat
from tests.db.jobs.exporting.conftest import Export


class Ended(BaseException):
    """An end that nothing expects."""


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "to"


@pytest.mark.parametrize("moved", range(4))
def test_killed_export_can_be_run_again(export: Export, to: Path, moved: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rename, targets = Path.rename, iter(range(moved))

    def rename_some(self: Path, target: Path) -> Path:
        if next(targets, None) is None:
            raise Ended
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", rename_some)
    with pytest.raises(Ended):
        export("to", ExportFormat.ndjson, "members", "teams")
    monkeypatch.undo()
    assert "state.json" not in names(to)
    assert len(names(to) - {UNFINISHED}) == moved
    (to / UNFINISHED / "members.ndjson").write_text("half a file")
    export("to", ExportFormat.ndjson, "members", "teams")
    assert names(to) == {"members.ndjson", "teams.ndjson", "manifest.json", "state.json"}


def test_only_the_owner_may_read_an_export(export: Export, to: Path) -> None:
    export("to", ExportFormat.ndjson, "members")
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in (to, *to.iterdir())}
    assert modes == {"to": "0o700", **dict.fromkeys(("members.ndjson", "manifest.json", "state.json"), "0o600")}
    (to / "others").touch()
    assert (to / "others").stat().st_mode & 0o044


def test_folder_with_an_export_is_refused(export: Export, to: Path) -> None:
    export("to", ExportFormat.ndjson, "members")
    with pytest.raises(OperatorError, match="already has an export: name an empty folder"):
        export("to", ExportFormat.ndjson, "teams")
    assert names(to) == {"members.ndjson", "manifest.json", "state.json"}


def test_folder_with_other_files_is_refused(export: Export, to: Path) -> None:
    to.mkdir()
    (to / "holiday.jpg").touch()
    with pytest.raises(OperatorError, match=r"is not empty: it has holiday\.jpg"):
        export("to", ExportFormat.ndjson, "teams")
    assert names(to) == {"holiday.jpg"}


def test_file_in_place_of_the_folder_is_refused(export: Export, to: Path) -> None:
    to.touch()
    with pytest.raises(OperatorError, match="is no folder that can be written to"):
        export("to", ExportFormat.ndjson, "teams")


def test_second_export_into_the_folder_is_refused(to: Path) -> None:
    with export_folder(to) as unfinished:
        assert unfinished == to / UNFINISHED
        with pytest.raises(OperatorError, match=r"Another export writes to .*/to\."), export_folder(to):
            pass
