"""`orgdata explain`: what it prints of an operation, of a document, and for an organization.

Covers `rest_facade/commands/graphql/explain.py`, `schema/execution/explained.py` and `db/figures/statement_plans.py`.
"""

import re
import sys
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from db.sample.embedded.server import Server
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run, assert_refused

DOCUMENT = """\
query Names($limit: Int!, $search: String) {
  projects(limit: $limit, search: $search) { results { name client { name } tasks(limit: 1) { results { name } } } }
}
"""


def sections(out: str) -> dict[str, str]:
    """The text below each title."""
    parts = re.split(r"^# (.*)$", out, flags=re.MULTILINE)
    return dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True))


PAGE = Path(__file__).parents[4] / "docs" / "explaining.md"


def indented(section: str) -> str:
    return "".join(f"    {line}".rstrip() + "\n" for line in section.splitlines())


@pytest.fixture
def names(folder: Path) -> str:
    """A file with DOCUMENT."""
    file = folder / "names.graphql"
    file.write_text(DOCUMENT)
    return str(file)


def test_operation_has_document_steps_sql_and_functions(run: Run) -> None:
    found = sections(run("explain", "listTeams", "--parameter", "limit=2").out)
    assert list(found) == [
        "Document",
        "Steps",
        "Statement of Query.teams",
        "Function of Query",
        "Function of Query.teams",
        "Function of TeamPage.results",
    ]
    assert found["Document"].startswith("query listTeams($page: Int!, $limit: Int!")
    assert "\nFROM teams \nWHERE teams.organization_id = " in found["Statement of Query.teams"]
    assert "'name': missing() if " in found["Function of TeamPage.results"]


def test_page_shows_steps_and_function_of_an_example(run: Run, folder: Path) -> None:
    page = PAGE.read_text()
    (document,) = re.findall(r"^    echo '(.*)' \| orgdata explain --document -$", page, re.MULTILINE)
    file = folder / "example.graphql"
    file.write_text(document)
    assert indented(sections(run("explain", "--document", str(file)).out)["Steps"]) in page


def test_parameters_change_the_statement(run: Run) -> None:
    title = "Statement of Query.projects"
    assert "starts_with" not in sections(run("explain", "listProjects").out)[title]
    assert "starts_with" in sections(run("explain", "listProjects", "--parameter", "search=A").out)[title]


def test_document_steps_show_joined_rows_and_loaders(run: Run, names: str) -> None:
    found = sections(run("explain", "--document", names, "--parameter", "limit=3").out)
    assert found["Steps"].splitlines() == [
        "projects: ListPage of projects",
        "  results: Attribute",
        "    client: JoinedRow of Client",
        "      name",
        "    tasks: ListPage of tasks by id",
        "      results: Attribute",
        "        name",
        "    name",
    ]
    assert "LEFT OUTER JOIN (SELECT clients.name AS name" in found["Statement of Query.projects"]
    assert "tasks.project_id = parents.key" in found["Statement of Project.tasks"]


def test_organization_adds_all_statements_with_values_and_plans(run: Run, rows: Rows, own: str, names: str) -> None:
    rows.task(UUID(own), project_id=rows.project(UUID(own), name="Harbour"))
    words = ["--parameter", "limit=3", "--parameter", "search=Har", "--organization", own]
    found = sections(run("explain", "--document", names, *words).out)
    assert {"Statement 1", "Plan 1", "Statement 2", "Plan 2"} <= found.keys()
    assert "-- search = 'Har'" in found["Statement 1"]
    assert "projects" in found["Plan 1"]
    assert "FROM unnest(" in found["Statement 2"]
    assert "tasks" in found["Plan 2"]
    assert "actual" not in found["Plan 2"]
    # As for the rows that were read.
    assert "for (list_parent_, list_total_, id_" in found["Function of ProjectPage.results"]
    assert "Errors" not in found


def test_plans_are_one_line_of_the_audit_trail(
    run: Run, rows: Rows, server: Server, own: str, names: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.project(UUID(own))
    words = ("explain", "--document", names, "--parameter", "limit=3", "--organization", own)
    monkeypatch.setattr(sys, "argv", ["orgdata", *words])
    assert "Plan 2" in sections(run(*words).out)
    lines = (server.folder / "postgres.log").read_text().splitlines()
    assert len([line for line in lines if "LOG:  orgdata audit " in line and names in line]) == 1


def test_analyze_adds_times_of_each_node(run: Run, own: str) -> None:
    found = sections(run("explain", "listTeams", "--organization", own, "--analyze").out)
    assert "actual time=" in found["Plan 1"]
    assert "Execution Time" in found["Plan 1"]


def test_error_of_the_answer_is_shown(run: Run, own: str) -> None:
    words = ["--parameter", f"project_id={uuid4()}", "--organization", own]
    assert sections(run("explain", "retrieveProject", *words).out)["Errors"] == "Project not found."


def test_wrong_documents_are_refused_with_a_sentence(run: Run, folder: Path, names: str) -> None:
    message = "Variable '$limit' has invalid value: Expected a value of non-null type 'Int!' to be provided."
    assert_refused(run("explain", "--document", names), message)
    file = folder / "wrong.graphql"
    file.write_text("{ nothing }")
    assert_refused(run("explain", "--document", str(file)), "Cannot query field 'nothing' on type 'Query'.")
    file.write_text('{ timesheets(start_date: "2026-01-01", end_date: "2026-03-01") { results { id } } }')
    assert_refused(run("explain", "--document", str(file)), "Date range cannot exceed 31 days.")
