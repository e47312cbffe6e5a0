"""A revision after the newest one, for tests of what migrations do with it."""

import shutil
from pathlib import Path

import pytest

from db.admin import migrate as module
from db.admin.migrate import head


def add_revision(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str, imports: str = "") -> None:
    """Use a copy of the migrations with the revision 9999, whose `upgrade` is `body`."""
    copy = folder / "migrations"
    shutil.copytree(module.FOLDER, copy)
    lines = "\n    ".join(body.strip().splitlines())
    (copy / "versions" / "9999_later.py").write_text(
        f"from alembic import op\n{imports}\nrevision = '9999'\ndown_revision = '{head()}'\n\n"
        f"def upgrade() -> None:\n    {lines}\n"
    )
    monkeypatch.setattr(module, "FOLDER", copy)
