"""The work area: clients, projects, tasks and their members."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from db.sample.demo.area import Area, Row
from db.sample.demo.people.build import PeopleRows
from db.sample.demo.random_source import RandomSource
from db.sample.demo.scenarios.scenario import Scenario
from db.sample.demo.work.clients import client_rows, extra_client_specs
from db.sample.demo.work.project_members import project_member_rows
from db.sample.demo.work.projects import extra_project_specs, finished_at, project_rows
from db.sample.demo.work.task_members import task_member_rows
from db.sample.demo.work.tasks import task_rows

MEMBERS_PER_PROJECT = 1.6
"""Projects are added to those of the scenario until there is one for this many members."""


@dataclass(frozen=True)
class WorkRows(Area):
    clients: list[Row]
    projects: list[Row]
    project_members: list[Row]
    tasks: list[Row]
    task_members: list[Row]


def build_work(scenario: Scenario, people: PeopleRows, today: date) -> WorkRows:
    """All rows of the work area."""
    random = RandomSource(f"{scenario.name}: work", today)
    extra_projects = max(0, round(len(people.members) / MEMBERS_PER_PROJECT) - len(scenario.projects))
    extra_clients = list(extra_client_specs(random, scenario, (extra_projects + 1) // 2))
    client_specs = [*scenario.clients, *extra_clients]
    clients = client_rows(random, scenario, client_specs)
    project_specs = [
        *scenario.projects,
        *extra_project_specs(random, extra_clients, people.teams, extra_projects),
    ]
    projects = project_rows(random, scenario, project_specs, client_specs, clients)
    project_members: list[Row] = []
    tasks: list[Row] = []
    task_members: list[Row] = []
    for project, spec in zip(projects, project_specs, strict=True):
        memberships = list(project_member_rows(random, people, project, spec, scenario.currency))
        project_members.extend(memberships)
        # Without the memberships that were deleted by themselves: those of a deleted project were deleted with it.
        valid_memberships = [
            membership for membership in memberships if membership["deleted_at"] == project["deleted_at"]
        ]
        project_tasks = list(task_rows(random, scenario, project, spec, valid_memberships))
        tasks.extend(project_tasks)
        until = finished_at(project) or random.end
        for task in project_tasks:
            task_members.extend(task_member_rows(random, task, valid_memberships, until))
    _delete_one_task(random, tasks, task_members)
    return WorkRows(clients, projects, project_members, tasks, task_members)


def _delete_one_task(random: RandomSource, tasks: Sequence[Row], task_members: Sequence[Row]) -> None:
    """Soft-delete one task and its members: the last task that has no subtasks."""
    parent_ids = {task["parent_task_id"] for task in tasks}
    task = next(task for task in reversed(tasks) if task["deleted_at"] is None and task["id"] not in parent_ids)
    rows = [task, *(row for row in task_members if row["task_id"] == task["id"])]
    deleted = random.datetime_between(max(row["updated_at"] for row in rows), random.end)
    for row in rows:
        if row["deleted_at"] is None:
            row |= {"updated_at": deleted, "deleted_at": deleted}
