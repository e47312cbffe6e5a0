"""Revisions of the tables, as their files name them: without Alembic, which takes a while to import."""

from pathlib import Path

MIGRATIONS = Path(__file__).parents[1] / "migrations"


def newest_revision(folder: Path = MIGRATIONS) -> str:
    """The last revision in a folder of migrations: the file of each revision begins with its number."""
    return max(path.name.partition("_")[0] for path in folder.glob("versions/[0-9]*.py"))
