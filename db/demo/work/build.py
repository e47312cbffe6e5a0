"""The work area: clients, projects, tasks and their members."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from db.demo.area import Area, Row
from db.demo.people.build import PeopleRows
from db.demo.random_source import RandomSource
from db.demo.scenarios.scenario import Scenario
from db.demo.work.clients import client_rows, extra_client_specs
from db.demo.work.project_members import project_member_rows
from db.demo.work.projects import extra_project_specs, finished_at, project_rows
from db.demo.work.task_members import task_member_rows
from db.demo.work.tasks import task_rows


@dataclass(frozen=True)
class WorkRows(Area):
    clients: list[Row]
    projects: list[Row]
    project_members: list[Row]
    tasks: list[Row]
    task_members: list[Row]


def build_work(scenario: Scenario, people: PeopleRows, today: date) -> WorkRows:
    """The clients, projects, project members, tasks and task members."""
    random = RandomSource(f"{scenario.name}: work", today)
    surplus = max(0, round(len(people.members) / 1.6) - len(scenario.projects))
    client_specs = [*scenario.clients, *extra_client_specs(random, scenario, (surplus + 1) // 2)]
    clients = client_rows(random, scenario, client_specs)
    project_specs = [
        *scenario.projects,
        *extra_project_specs(random, client_specs[len(scenario.clients) :], people.teams, surplus),
    ]
    projects = project_rows(random, scenario, project_specs, client_specs, clients)
    project_members: list[Row] = []
    tasks: list[Row] = []
    task_members: list[Row] = []
    for project, spec in zip(projects, project_specs, strict=True):
        memberships = list(project_member_rows(random, people, project, spec, scenario.currency))
        project_members.extend(memberships)
        valid_memberships = [
            membership for membership in memberships if membership["deleted_at"] == project["deleted_at"]
        ]
        project_tasks = list(task_rows(random, scenario, project, spec, valid_memberships))
        tasks.extend(project_tasks)
        for task in project_tasks:
            task_members.extend(task_member_rows(random, task, valid_memberships, finished_at(project) or random.end))
    _delete_one_task(random, tasks, task_members)
    return WorkRows(clients, projects, project_members, tasks, task_members)


def _delete_one_task(random: RandomSource, tasks: Sequence[Row], task_members: Sequence[Row]) -> None:
    """Delete the last task without subtasks, and its members."""
    parents = {task["parent_task_id"] for task in tasks}
    task = next(task for task in reversed(tasks) if task["deleted_at"] is None and task["id"] not in parents)
    rows = [task, *(row for row in task_members if row["task_id"] == task["id"])]
    deleted = random.datetime_between(max(row["updated_at"] for row in rows), random.end)
    for row in rows:
        if row["deleted_at"] is None:
            row |= {"updated_at": deleted, "deleted_at": deleted}
