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
    wait: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds for which each step waits for locks that others hold.", show_default="600"),
    ] = None,
) -> None:
    """Migrate the database to the tables of this version."""
    from db.admin.lock_waits import MAX_WAIT
    from db.admin.migrate import migrate as migrate_database

    max_wait = MAX_WAIT if wait is None else wait
    with owner_engine().connect() as connection:
        revision = migrate_database(connection, cascades=cascades, max_wait=max_wait, step=typer.echo)
    typer.echo(f"The database is at revision {revision}.")
