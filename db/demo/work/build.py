"""The area of work: clients, projects and who is on them, tasks and who is on those."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from db.demo.area import Area, Row
from db.demo.chance import Chance
from db.demo.outline import Outline
from db.demo.people.build import People
from db.demo.work.clients import clients_of, more_clients
from db.demo.work.project_members import project_members_of
from db.demo.work.projects import finished_at, more_projects, projects_of
from db.demo.work.task_members import task_members_of
from db.demo.work.tasks import tasks_of


@dataclass(frozen=True)
class Work(Area):
    clients: list[Row]
    projects: list[Row]
    project_members: list[Row]
    tasks: list[Row]
    task_members: list[Row]


def work(outline: Outline, crew: People, today: date) -> Work:
    """The clients, the projects and who is on them, the tasks and who is on those."""
    chance = Chance(f"{outline.name}: work", today)
    surplus = max(0, round(len(crew.members) / 1.6) - len(outline.projects))
    client_sketches = [*outline.clients, *more_clients(chance, outline, (surplus + 1) // 2)]
    clients = clients_of(chance, outline, client_sketches)
    project_sketches = [
        *outline.projects,
        *more_projects(chance, client_sketches[len(outline.clients) :], crew.teams, surplus),
    ]
    projects = projects_of(chance, outline, project_sketches, client_sketches, clients)
    project_members: list[Row] = []
    tasks: list[Row] = []
    task_members: list[Row] = []
    for project, sketch in zip(projects, project_sketches, strict=True):
        places = list(project_members_of(chance, crew, project, sketch, outline.currency))
        project_members.extend(places)
        crewed = [place for place in places if place["deleted_at"] == project["deleted_at"]]
        planned = list(tasks_of(chance, outline, project, sketch, crewed))
        tasks.extend(planned)
        for task in planned:
            task_members.extend(task_members_of(chance, task, crewed, finished_at(project) or chance.end))
    _delete_one_task(chance, tasks, task_members)
    return Work(clients, projects, project_members, tasks, task_members)


def _delete_one_task(chance: Chance, tasks: Sequence[Row], task_members: Sequence[Row]) -> None:
    """Delete the last task that nothing hangs on, and with it who was on it."""
    parents = {task["parent_task_id"] for task in tasks}
    task = next(task for task in reversed(tasks) if task["deleted_at"] is None and task["id"] not in parents)
    rows = [task, *(row for row in task_members if row["task_id"] == task["id"])]
    deleted = chance.between(max(row["updated_at"] for row in rows), chance.end)
    for row in rows:
        if row["deleted_at"] is None:
            row |= {"updated_at": deleted, "deleted_at": deleted}
