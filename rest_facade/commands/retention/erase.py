"""`orgdata erase`: replace what identifies a person in the rows of an organization."""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated
from uuid import UUID

import structlog
import typer

from db.errors import OperatorError
from db.jobs.retention.erase import erase as erase_person
from db.jobs.retention.stored_objects import StoredObject, list_objects
from rest_facade.commands.options import OrganizationOption, ended_by_interrupt
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_note, print_rows

log = structlog.get_logger()


def erase(
    organization: OrganizationOption,
    user: Annotated[UUID, typer.Option(help="Id of the person.")],
    *,
    objects: Annotated[
        Path | None,
        typer.Option(help="A file to which the keys of the person's images are appended, one JSON object a line."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also erase a person who is a member now.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase a person's data: names, notes, places, images. Time, pay and leave stay, without the person's name."""

    def write(stored: Sequence[StoredObject]) -> None:
        if objects is None:
            raise OperatorError(f"The person has {len(stored):,} stored objects: name a file for them with --objects.")
        list_objects(objects, stored)

    started = perf_counter()
    with ended_by_interrupt("Nothing was erased."), owner_engine().begin() as connection:
        result = erase_person(connection, organization, user, list_objects=write, dry_run=dry_run, force=force)
    if not dry_run:
        log.info(
            "erased",
            organization_id=str(organization),
            user_id=str(user),
            rows=dict(result.rows),
            objects=len(result.objects),
            ms=round((perf_counter() - started) * 1000),
        )
    stored = {"stored objects": len(result.objects)} if result.objects else {}
    counted = {
        "changed": ("changed", result.rows),
        "to_delete": ("to delete", stored),
        "mentions": ("more rows name the person; they are not of the person, and stay", result.mentions),
    }
    rows = [
        PrintedRow({"what": what, "kind": kind, "count": count}, (what, f"{count} {text}"))
        for kind, (text, counts) in counted.items()
        for what, count in counts.items()
    ]
    print_rows(rows, as_json=as_json)
    if dry_run:
        print_note("This was a dry run: nothing was written.", as_json=as_json)
