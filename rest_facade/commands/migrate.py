"""`orgdata migrate`: migrate the database to the newest revision."""

from typing import Annotated

import typer

from rest_facade.commands.owner import owner_engine


def migrate(
    *,
    cascades: Annotated[
        bool | None,
        typer.Option(
            "--cascades/--no-cascades",
            help="Whether triggers soft-delete what belongs to a deleted row; distributed tables cannot have them.",
            show_default="as before; new databases have them",
        ),
    ] = None,
) -> None:
    """Migrate the database to the tables of this version."""
    from db.admin.migrate import migrate as migrate_database

    with owner_engine().connect() as connection:
        revision = migrate_database(connection, cascades=cascades, step=typer.echo)
    typer.echo(f"The database is at revision {revision}.")
