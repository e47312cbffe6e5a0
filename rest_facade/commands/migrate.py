"""`orgdata migrate`: migrate the database to the newest revision."""

import typer

from db.admin.migrate import migrate as migrate_database
from rest_facade.commands.owner import owner_engine


def migrate() -> None:
    """Migrate the database to the tables of this version."""
    with owner_engine().connect() as connection:
        typer.echo(f"The database is at revision {migrate_database(connection)}.")
