"""`orgdata doctor`: check the data, the tables, the roles and the server, and say what to do."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import orjson
import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from db.admin.keys import AccessError
from db.jobs.doctor.check import Severity
from db.jobs.doctor.examination import Finding, PayloadCaps, examine
from rest_facade.commands.options import OrganizationFilter, ended_by_interrupt
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.progress import job_progress

WIDTH = 160
"""Columns of the table where standard output is not a terminal."""

STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}

MAX_SECONDS = 86_400


def doctor(
    organization: OrganizationFilter = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    seconds: Annotated[
        float, typer.Option(help="Maximum seconds of a check in an organization.", min=1, max=MAX_SECONDS)
    ] = 30.0,
) -> None:
    """Check the database, and print what is wrong and what to do. Changes nothing.

    Exit code: 0 without errors, 1 with errors, 2 for wrong arguments.
    """
    from resolvers.lists.page_arguments import MAX_ARRAY_ROWS
    from resolvers.reports.report_members import LOGS, TIMESHEETS_CAP

    caps = PayloadCaps(TIMESHEETS_CAP.limit, LOGS.limit, MAX_ARRAY_ROWS)
    findings: list[Finding] = []
    is_complete = False
    try:
        with ended_by_interrupt("The findings until then are printed."), job_progress("doctor", None) as bar:
            # Those before an interrupt are in the list, too.
            findings.extend(
                examine(owner_engine(), caps, organization_id=organization, timeout=seconds, begin=bar.begin)
            )
            is_complete = True
    except AccessError as error:
        raise typer.BadParameter(str(error), param_hint="--organization") from error
    finally:
        order = list(Severity)
        findings.sort(key=lambda finding: order.index(finding.severity))
        if findings or is_complete:
            (_print_json if as_json else _print_table)(findings)
    if any(finding.severity is Severity.error for finding in findings):
        raise typer.Exit(1)


def _print_json(findings: Sequence[Finding]) -> None:
    data = [_as_data(finding) for finding in findings]
    typer.echo(orjson.dumps({"findings": data}, option=orjson.OPT_INDENT_2).decode())


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


def _print_table(findings: Sequence[Finding]) -> None:
    if not findings:
        typer.echo("Nothing is wrong.")
        return
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(_table(findings))


def _table(findings: Sequence[Finding]) -> Table:
    table = Table("severity", "check", "organization", "count", "what is wrong, examples, what to do", box=box.SIMPLE)
    for column in table.columns[:4]:
        column.no_wrap = True
    for finding in findings:
        severity = finding.severity.value
        lines = [finding.check.sentence, *finding.examples, finding.check.remedy]
        if finding.unfinished:
            lines = [f"The check did not end. {finding.unfinished}"]
        elif finding.is_recent:
            lines.append("Older rows were not checked: that takes too long.")
        table.add_row(
            f"[{STYLES[severity]}]{severity}[/]",
            finding.check.name,
            "" if finding.organization_id is None else str(finding.organization_id),
            "?" if finding.unfinished else f"{finding.count:,}",
            escape("\n".join(lines)),
        )
    return table
