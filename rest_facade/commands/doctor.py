"""`orgdata doctor`: check the data, the tables, the roles and the server, and say what to do."""

from typing import Annotated, Any
from uuid import UUID

import orjson
import typer

from db.admin.keys import AccessError
from db.jobs.doctor.check import Check, Severity
from db.jobs.doctor.examination import Finding, examine
from rest_facade.commands.options import OrganizationFilter, ended_by_interrupt
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.progress import job_progress

STYLES = {Severity.error: "red", Severity.warning: "yellow", Severity.info: "cyan"}

MAX_SECONDS = 86_400


def doctor(
    organization: OrganizationFilter = None,
    *,
    first: Annotated[
        UUID | None, typer.Option("--from", help="Go on with this organization, as an interrupted run says.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON, at the end.")] = False,
    seconds: Annotated[
        float, typer.Option(help="Maximum seconds of a check in an organization.", min=1, max=MAX_SECONDS)
    ] = 30.0,
) -> None:
    """Check the database, and print what is wrong and what to do. Changes nothing.

    Exit code: 0 without errors, 1 with errors, 2 for wrong arguments.
    """
    from resolvers.lists.page_arguments import MAX_ARRAY_ROWS
    from resolvers.reports.report_members import LOGS, TIMESHEETS_CAP

    if organization is not None and first is not None:
        raise typer.BadParameter("Give --organization or --from.")
    caps = {"timesheets_cap": TIMESHEETS_CAP.limit, "logs_cap": LOGS.limit, "screenshots_cap": MAX_ARRAY_ROWS}
    findings: list[Finding] = []
    explained: set[Check] = set()
    begun = whole = 0
    reached: UUID | None = None
    is_complete = False
    try:
        with ended_by_interrupt("The findings until then are printed."), job_progress("doctor", None) as bar:

            def begin(check: str, own: UUID | None, total: int) -> None:
                nonlocal begun, whole, reached
                begun, whole, reached = begun + 1, total, own
                bar.begin(check, total)

            found = examine(
                owner_engine(), caps, organization_id=organization, first_id=first, timeout=seconds, begin=begin
            )
            for finding in found:
                findings.append(finding)
                if not as_json:
                    _print(finding, is_explained=finding.check in explained)
                explained.add(finding.check)
        is_complete = True
    except AccessError as error:
        raise typer.BadParameter(str(error), param_hint="--organization") from error
    finally:
        if begun and not is_complete:
            rest = "run it again" if reached is None else f"go on with --from {reached}"
            typer.echo(f"orgdata: {begun - 1:,} of {whole:,} checks were done; {rest}.", err=True)
        if as_json and (findings or is_complete):
            order = list(Severity)
            data = [_as_data(each) for each in sorted(findings, key=lambda each: order.index(each.severity))]
            typer.echo(orjson.dumps({"findings": data}, option=orjson.OPT_INDENT_2).decode())
    if not findings and not as_json:
        typer.echo("Nothing is wrong.")
    if any(finding.severity is Severity.error for finding in findings):
        raise typer.Exit(1)


def _as_data(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity.value,
        "check": finding.check.name,
        "organization_id": None if finding.organization_id is None else str(finding.organization_id),
        "count": None if finding.unfinished else finding.count,
        "examples": list(finding.examples),
        "finding": finding.check.sentence,
        "remedy": finding.check.remedy,
        "unfinished": finding.unfinished,
        "is_recent": finding.is_recent,
    }


def _print(finding: Finding, *, is_explained: bool) -> None:
    """Print a line, with examples below. What is wrong and what to do are told once for each check."""
    severity = typer.style(finding.severity, fg=STYLES[finding.severity], bold=finding.severity is Severity.error)
    found = "?" if finding.unfinished else f"{finding.count:,}"
    typer.echo("  ".join([severity, finding.check.name, str(finding.organization_id or "database"), found]))
    lines = [*finding.examples] if is_explained else [finding.check.sentence, *finding.examples, finding.check.remedy]
    if finding.unfinished:
        lines = [f"The check did not end. {finding.unfinished}"]
    elif finding.is_recent:
        lines.append("Older rows were not checked: that takes too long.")
    for line in lines:
        typer.echo(f"    {line}")
