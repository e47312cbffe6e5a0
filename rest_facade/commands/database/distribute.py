"""`orgdata distribute`: distribute the tables over the nodes of a Citus cluster."""

from typing import Annotated

import typer

from rest_facade.commands.owner import owner_engine


def distribute(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what is left to do, and change nothing.")] = False,
) -> None:
    """Distribute the tables over the nodes of a Citus cluster, each organization on one of them. Needs the coordinator.

    What is distributed already stays as it is. The tables are locked until all are distributed.
    """
    from db.jobs.distribution.distribute import distribute as distribute_tables
    from db.jobs.distribution.distribute import plan
    from rest_facade.commands.progress import job_progress

    with owner_engine().begin() as connection:
        steps = plan(connection)
        if not dry_run and steps:
            with job_progress("distribute", len(steps)) as bar:

                def step(sentence: str) -> None:
                    bar.begin(sentence)
                    typer.echo(sentence)

                distribute_tables(connection, step=step)
    if dry_run:
        for each in steps:
            typer.echo(each.sentence)
    if not steps:
        typer.echo("All tables are distributed already.")
