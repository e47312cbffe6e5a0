"""`orgdata seed`: large synthetic organizations for benchmarks."""

from typing import Annotated

import typer

from db.sample.seed.build import seed as seed_organizations
from rest_facade.commands.owner import owner_transaction
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_rows
from rest_facade.commands.progress import job_progress


def seed(
    organizations: Annotated[int, typer.Option(help="Number of organizations.", min=1)] = 1,
    members: Annotated[int, typer.Option(help="Members of each organization.", min=1)] = 1000,
    days: Annotated[int, typer.Option(help="Days of tracked time of each member.", min=0)] = 31,
    *,
    as_json: AsJson = False,
) -> None:
    """Add large synthetic organizations for benchmarks, and print their ids."""
    with job_progress("seed", organizations * (days + 2)) as bar, owner_transaction() as connection:
        ids = seed_organizations(
            connection,
            organizations=organizations,
            members=members,
            days=days,
            begin=bar.begin,
            progress=bar.count,
        )
        print_rows((PrintedRow({"organization_id": each}, [each]) for each in ids), as_json=as_json)
