"""The version of the service: the release, and the commit where that is not the release itself.

A checkout has the version of its commit, whenever it was installed. What is installed has the version that it was built
with. setuptools calls `service_version` for that (pyproject.toml): this module imports nothing else of the project.
"""

import re
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

RELEASE = "0.1.0"
"""The last release, or the next one until it has a tag."""

DISTRIBUTION = "orgdata-service"

SOURCE_TREE = Path(__file__).parents[1]
BUILD_FILE = Path(__file__).with_name("build.txt")
"""Has the commit in a tree without history, where `git archive` writes it; or the version, which the build of an image
writes."""

GIT_SECONDS = 5.0


@cache
def service_version() -> str:
    """The version of this source tree, if it is one, else that of the distribution."""
    return source_version(SOURCE_TREE) if (SOURCE_TREE / "pyproject.toml").is_file() else metadata.version(DISTRIBUTION)


def source_version(root: Path) -> str:
    """`0.1.0` at its tag `v0.1.0`, else `0.1.0.dev12+gABC`: 12 commits of history, commit ABC. Changed files: `.dirty`.

    Without history, BUILD_FILE has the commit or the version; if it has neither, the commit is `unknown`.
    """
    # A checkout is not a folder in a repository that has something else.
    if not (root / ".git").exists() or (commit := _git(root, "rev-parse", "--short=9", "HEAD")) is None:
        noted = (root / BUILD_FILE.relative_to(SOURCE_TREE)).read_text().strip()
        if noted.startswith(RELEASE):
            return noted
        return _development(noted if re.fullmatch("[0-9a-f]{7,40}", noted) else None)
    is_changed = _git(root, "status", "--porcelain", "--untracked-files=no") != ""
    if not is_changed and f"v{RELEASE}" in (_git(root, "tag", "--points-at", "HEAD") or "").split():
        return RELEASE
    return _development(commit, _git(root, "rev-list", "--count", "HEAD") or "0") + ".dirty" * is_changed


def _development(commit: str | None, number: str = "0") -> str:
    return f"{RELEASE}.dev{number}+{f'g{commit}' if commit else 'unknown'}"


def _git(root: Path, *words: str) -> str | None:
    """What git prints; None where it is not installed, or refuses, as in a checkout of another user."""
    command = ["git", "--no-optional-locks", *words]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=GIT_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
