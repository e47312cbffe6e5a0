"""The version: the release at its tag, the commit elsewhere, also without history. Covers `db/admin/revisions.py`."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rest_facade.version import RELEASE, source_version


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source tree without history, as the repository has it."""
    (tmp_path / "rest_facade").mkdir()
    note(tmp_path, "$Format:%h$")
    return tmp_path


@pytest.fixture
def checkout(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same with a history of two commits."""
    if shutil.which("git") is None:
        pytest.skip("There is no git on PATH.")
    # A hook of git that runs the tests names its own repository.
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git(tree, "init", "--quiet")
    for message in ("one", "two"):
        git(tree, "add", ".")
        git(tree, "commit", "--quiet", "--allow-empty", "--message", message)
    return tree


def git(folder: Path, *words: str) -> str:
    names = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *names, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def note(folder: Path, text: str) -> None:
    (folder / "rest_facade" / "build.txt").write_text(f"{text}\n")


@pytest.mark.parametrize(
    ("noted", "version"),
    [
        ("$Format:%h$", f"{RELEASE}.dev0+unknown"),
        ("9f5f59d4", f"{RELEASE}.dev0+g9f5f59d4"),
        (RELEASE, RELEASE),
        (f"{RELEASE}.dev12+g9f5f59d4", f"{RELEASE}.dev12+g9f5f59d4"),
    ],
)
def test_tree_without_history_has_the_noted_version(noted: str, version: str, tree: Path) -> None:
    note(tree, noted)
    assert source_version(tree) == version


def test_commit_without_tag_is_named_after_its_number(checkout: Path) -> None:
    commit = git(checkout, "rev-parse", "--short=9", "HEAD")
    assert source_version(checkout) == f"{RELEASE}.dev2+g{commit}"


def test_tagged_commit_is_the_release_until_a_file_changes(checkout: Path) -> None:
    git(checkout, "tag", f"v{RELEASE}")
    assert source_version(checkout) == RELEASE
    note(checkout, "changed")
    commit = git(checkout, "rev-parse", "--short=9", "HEAD")
    assert source_version(checkout) == f"{RELEASE}.dev2+g{commit}.dirty"


def test_git_that_fails_leaves_the_noted_version(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert source_version(checkout) == f"{RELEASE}.dev0+unknown"


def test_archive_has_the_commit(checkout: Path) -> None:
    (checkout / ".gitattributes").write_text("rest_facade/build.txt export-subst\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "--quiet", "--message", "three")
    git(checkout, "archive", "--format=tar", "--prefix=archive/", "--output=archive.tar", "HEAD")
    subprocess.run(["tar", "-xf", "archive.tar"], cwd=checkout, check=True)
    commit = git(checkout, "rev-parse", "--short", "HEAD")
    assert source_version(checkout / "archive") == f"{RELEASE}.dev0+g{commit}"
