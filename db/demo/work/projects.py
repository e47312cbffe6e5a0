"""Projects: those of the outline, and as many more as the organization needs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal

from db.demo.area import Row
from db.demo.chance import DAY, MINUTE, Chance, whole
from db.demo.outline import Budget, ClientSketch, Outline, ProjectSketch, hours, money
from db.demo.scenarios.names import COLORS, PROJECT_NAMES
from db.demo.work.clients import spending
from db.tables.work import BillingType, BudgetRecurrence, ProjectStatus


def more_projects(
    chance: Chance, clients: Sequence[ClientSketch], teams: Sequence[Row], count: int
) -> Iterator[ProjectSketch]:
    """Sketches of projects beyond those of the outline."""
    usual = [*ProjectStatus, *[ProjectStatus.active] * 5, *[ProjectStatus.completed] * 2]
    team_names = [team["name"] for team in teams if team["deleted_at"] is None and team["is_active"]]
    for index in range(count):
        turn, place = divmod(index, len(clients))
        client = clients[place]
        is_hourly = chance.one_in(2)
        rate, price = (
            60 + chance.random.randrange(140) / Decimal(2),
            500 * Decimal(chance.random.randrange(6, 90)),
        )
        budgets = [Budget(), hours(300), hours(20, BudgetRecurrence.weekly), money("15000.00")]
        yield ProjectSketch(
            client.name,
            PROJECT_NAMES[(place + turn) % len(PROJECT_NAMES)],
            ProjectStatus.archived if client.is_archived else chance.random.choice(usual),
            chance.random.choice(COLORS),
            BillingType.hourly if is_hourly else BillingType.fixed,
            rate if is_hourly else price,
            chance.random.choice(budgets),
            None if chance.one_in(3) else chance.random.choice(team_names),
            jira=f"{client.prefix}X{turn + 1}" if chance.one_in(3) else None,
            is_deleted=chance.one_in(40),
        )


def projects_of(
    chance: Chance,
    outline: Outline,
    sketches: Sequence[ProjectSketch],
    client_sketches: Sequence[ClientSketch],
    clients: Sequence[Row],
) -> list[Row]:
    """The projects, with codes that count up for each client."""
    rows: list[Row] = []
    of_name: dict[str | None, Row] = {client["name"]: client for client in clients}
    prefixes: dict[str | None, str] = {sketch.name: sketch.prefix for sketch in client_sketches}
    numbers: Counter[str] = Counter()
    for sketch in sketches:
        prefix = prefixes.get(sketch.client, "INT")
        numbers[prefix] += 1
        code = f"{prefix}-{numbers[prefix]:02}"
        rows.append(_project(chance, sketch, of_name.get(sketch.client), code, outline.currency))
    return rows


def _project(chance: Chance, sketch: ProjectSketch, client: Row | None, code: str, currency: str) -> Row:
    until, created = chance.end, chance.start + 45 * MINUTE
    if client is not None:
        until = client["archived_at"] or chance.end
        created = chance.between(client["created_at"], until, 0.02, 0.55)
    completed = archived = deleted = due = None
    if sketch.status in (ProjectStatus.completed, ProjectStatus.archived):
        completed = whole(chance.between(created, until, 0.4, 0.8))
    if sketch.status is ProjectStatus.archived:
        # With its client, at the latest.
        archived = until if until < chance.end else whole(chance.between(completed or created, until, 0.1, 0.9))
    if sketch.is_deleted:
        deleted = chance.between(archived or completed or created, chance.end, 0.5, 0.9)
    started = chance.between(created, min(completed or until, created + 21 * DAY)).date()
    if completed is not None:
        due = max(started, completed.date() + chance.random.randint(-14, 10) * DAY)
    elif client is not None and sketch.budget.recurrence is BudgetRecurrence.none:
        due = max(started, chance.end.date() + chance.random.randint(-10, 200) * DAY)
    return {
        "id": chance.id(created),
        "client_id": client["id"] if client else None,
        "name": sketch.name,
        "code": code,
        "description": sketch.description,
        "status": sketch.status.value,
        "is_billable": sketch.billing is not BillingType.none,
        "billing_type": sketch.billing.value,
        "bill_rate": sketch.price if sketch.billing is BillingType.hourly else None,
        "fixed_amount": sketch.price if sketch.billing is BillingType.fixed else None,
        "currency": client["currency"] if client else currency,
        **spending(sketch.budget),
        "tracked_seconds_total": None,
        "start_date": started,
        "due_date": due,
        "completed_at": completed,
        "archived_at": archived,
        "color": sketch.color,
        "screenshots_enabled": client is not None,
        "activity_tracking_enabled": client is not None or chance.one_in(2),
        "external_id": sketch.jira,
        **chance.stamps(created, completed, archived, deleted=deleted),
    }


def finished_at(project: Row) -> datetime | None:
    """When the work on a project ended."""
    moments = [project["completed_at"], project["archived_at"], project["deleted_at"]]
    return min((moment for moment in moments if moment is not None), default=None)
