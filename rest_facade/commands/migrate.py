"""`orgdata migrate`: migrate the database to the newest revision."""

from functools import partial
from typing import Annotated

import typer

from db.admin.lock_waits import MAX_WAIT
from db.admin.migrate import migrate as migrate_database
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_note, print_rows


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
    as_json: AsJson = False,
) -> None:
    """Migrate the database to the tables of this version."""
    max_wait = MAX_WAIT if wait is None else wait
    with owner_engine().connect() as connection:
        revision = migrate_database(
            connection, cascades=cascades, max_wait=max_wait, step=partial(print_note, as_json=as_json)
        )
    sentence = f"The database is at revision {revision}."
    print_rows([PrintedRow({"revision": revision}, [sentence])], as_json=as_json)
