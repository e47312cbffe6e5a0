"""A revision that landed is frozen: its file is the one that `SHA256SUMS` names."""

from hashlib import sha256
from pathlib import Path

import pytest

from db.admin.migrate import FOLDER

SUMS = FOLDER / "versions" / "SHA256SUMS"

CHANGED = (
    "was changed after it had landed, and databases that have its revision do not run it again: put it back, and write"
    " a new revision (make migration NAME=...)."
)


def broken_promises(folder: Path, sums: str) -> list[str]:
    """A sentence for each file of revisions that is not what its checksum says."""
    landed = {name: digest for digest, name in (line.split() for line in sums.splitlines())}
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.glob("[0-9]*.*")}
    sentences = {
        **dict.fromkeys(landed.keys() - found.keys(), "was removed, and databases have its revision: put it back."),
        **dict.fromkeys(
            found.keys() - landed.keys(), "has no checksum: when it lands, add what `sha256sum` prints to SHA256SUMS."
        ),
        **{name: CHANGED for name in landed.keys() & found.keys() if landed[name] != found[name]},
    }
    return [f"{name} {sentence}" for name, sentence in sorted(sentences.items())]


def test_landed_revisions_are_as_they_landed() -> None:
    sentences = broken_promises(SUMS.parent, SUMS.read_text())
    if sentences:
        pytest.fail("\n".join(sentences), pytrace=False)
