"""`orgdata migrate`, `distribute` and `seed`: make the tables, spread them over nodes, and fill them for benchmarks."""

from functools import partial
from typing import Annotated

import typer

from rest_facade.commands.options import ended_by_interrupt
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_note, print_rows
from rest_facade.commands.progress import job_progress


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
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit code 1 where the tables are of another version.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Migrate the database to the tables of this version."""
    from db.admin.lock_waits import MAX_WAIT
    from db.admin.migrate import head, revision_of
    from db.admin.migrate import migrate as migrate_database

    max_wait = MAX_WAIT if wait is None else wait
    outcome = "Revisions that were applied stay; run the command again."
    with ended_by_interrupt(outcome), owner_engine(migrates=True).connect() as connection:
        if not check:
            step = partial(print_note, as_json=as_json)
            migrate_database(connection, cascades=cascades, max_wait=max_wait, step=step)
        revision = revision_of(connection)
    is_other = revision != head()
    needed = f", and this version needs {head()}" if is_other else ""
    sentence = f"The database is at revision {revision or 'none'}{needed}."
    print_rows([PrintedRow({"revision": revision}, [sentence])], as_json=as_json)
    if is_other:
        raise typer.Exit(1)


def distribute(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what is left to do, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Distribute the tables over the nodes of a Citus cluster, each organization on one of them. Needs the coordinator.

    What is distributed already stays as it is. The tables are locked until all are distributed.
    """
    from db.jobs.distribution.distribute import distribute as distribute_tables
    from db.jobs.distribution.distribute import plan

    with ended_by_interrupt("Nothing was distributed."), owner_engine().begin() as connection:
        steps = plan(connection)
        if steps and not dry_run:
            with job_progress("distribute", len(steps)) as bar:

                def step(sentence: str) -> None:
                    bar.begin(sentence)
                    print_note(sentence, as_json=as_json)

                distribute_tables(connection, steps, step)
    if dry_run or as_json:
        print_rows([PrintedRow({"step": each.sentence}, [each.sentence]) for each in steps], as_json=as_json)
    if not steps:
        print_note("All tables are distributed already.", as_json=as_json)


def seed(
    organizations: Annotated[int, typer.Option(help="Number of organizations.", min=1)] = 1,
    members: Annotated[int, typer.Option(help="Members of each organization.", min=1)] = 1000,
    days: Annotated[int, typer.Option(help="Days of tracked time of each member.", min=0)] = 31,
    *,
    as_json: AsJson = False,
) -> None:
    """Add large synthetic organizations for benchmarks, and print their ids."""
    from db.sample.seed.build import seed as seed_organizations

    with (
        ended_by_interrupt("Nothing was added."),
        job_progress("seed", organizations * (days + 2)) as bar,
        owner_engine().begin() as connection,
    ):
        seeded = seed_organizations(
            connection, organizations=organizations, members=members, days=days, begin=bar.begin, progress=bar.count
        )
        ids = list(seeded)
    print_rows((PrintedRow({"organization_id": each}, [each]) for each in ids), as_json=as_json)
