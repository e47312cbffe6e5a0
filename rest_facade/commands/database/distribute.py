"""`orgdata distribute`: distribute the tables over the nodes of a Citus cluster."""

from typing import Annotated

import typer

from db.jobs.distribution.distribute import distribute as distribute_tables
from db.jobs.distribution.distribute import plan
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_note, print_rows
from rest_facade.commands.progress import job_progress


def distribute(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what is left to do, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Distribute the tables over the nodes of a Citus cluster, each organization on one of them. Needs the coordinator.

    What is distributed already stays as it is. The tables are locked until all are distributed.
    """
    with owner_engine().begin() as connection:
        steps = plan(connection)
        if steps and not dry_run:
            with job_progress("distribute", len(steps)) as bar:

                def step(sentence: str) -> None:
                    bar.begin(sentence)
                    print_note(sentence, as_json=as_json)

                distribute_tables(connection, step=step)
    if dry_run or as_json:
        print_rows([PrintedRow({"step": each.sentence}, [each.sentence]) for each in steps], as_json=as_json)
    if not steps:
        print_note("All tables are distributed already.", as_json=as_json)
