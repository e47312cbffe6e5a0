"""Projects: those of the scenario, and more as the organization grows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, MINUTE, RandomSource, truncate_to_second
from db.sample.demo.scenarios.names import COLORS, PROJECT_NAMES
from db.sample.demo.scenarios.scenario import Budget, ClientSpec, ProjectSpec, Scenario, amount_budget, time_budget
from db.sample.demo.work.clients import budget_columns
from db.tables.work import BillingType, BudgetRecurrence, ProjectStatus


def extra_project_specs(
    random: RandomSource, clients: Sequence[ClientSpec], teams: Sequence[Row], count: int
) -> Iterator[ProjectSpec]:
    """Projects beyond those of the scenario."""
    statuses = [*ProjectStatus, *[ProjectStatus.active] * 5, *[ProjectStatus.completed] * 2]
    team_names = [team["name"] for team in teams if team["deleted_at"] is None and team["is_active"]]
    for index in range(count):
        round_number, client_index = divmod(index, len(clients))
        client = clients[client_index]
        is_hourly = random.one_in(2)
        rate, price = (
            60 + random.randrange(140) / Decimal(2),
            500 * Decimal(random.randrange(6, 90)),
        )
        budgets = [Budget(), time_budget(300), time_budget(20, BudgetRecurrence.weekly), amount_budget("15000.00")]
        yield ProjectSpec(
            client.name,
            PROJECT_NAMES[(client_index + round_number) % len(PROJECT_NAMES)],
            ProjectStatus.archived if client.is_archived else random.choice(statuses),
            random.choice(COLORS),
            BillingType.hourly if is_hourly else BillingType.fixed,
            rate if is_hourly else price,
            random.choice(budgets),
            None if random.one_in(3) else random.choice(team_names),
            jira=f"{client.prefix}X{round_number + 1}" if random.one_in(3) else None,
            is_deleted=random.one_in(40),
        )


def project_rows(
    random: RandomSource,
    scenario: Scenario,
    specs: Sequence[ProjectSpec],
    client_specs: Sequence[ClientSpec],
    clients: Sequence[Row],
) -> list[Row]:
    """The projects, with codes that count up for each client."""
    rows: list[Row] = []
    client_by_name: dict[str | None, Row] = {client["name"]: client for client in clients}
    prefixes: dict[str | None, str] = {spec.name: spec.prefix for spec in client_specs}
    numbers: Counter[str] = Counter()
    for spec in specs:
        prefix = prefixes.get(spec.client, "INT")
        numbers[prefix] += 1
        code = f"{prefix}-{numbers[prefix]:02}"
        rows.append(_project(random, spec, client_by_name.get(spec.client), code, scenario.currency))
    return rows


def _project(random: RandomSource, spec: ProjectSpec, client: Row | None, code: str, currency: str) -> Row:
    until, created = random.end, random.start + 45 * MINUTE
    if client is not None:
        until = client["archived_at"] or random.end
        created = random.datetime_between(client["created_at"], until, 0.02, 0.55)
    completed = archived = deleted = due = None
    if spec.status in (ProjectStatus.completed, ProjectStatus.archived):
        completed = truncate_to_second(random.datetime_between(created, until, 0.4, 0.8))
    if spec.status is ProjectStatus.archived:
        # A project is archived with its client or before.
        archived = (
            until
            if until < random.end
            else truncate_to_second(random.datetime_between(completed or created, until, 0.1, 0.9))
        )
    if spec.is_deleted:
        deleted = random.datetime_between(archived or completed or created, random.end, 0.5, 0.9)
    started = random.datetime_between(created, min(completed or until, created + 21 * DAY)).date()
    if completed is not None:
        due = max(started, completed.date() + random.randint(-14, 10) * DAY)
    elif client is not None and spec.budget.recurrence is BudgetRecurrence.none:
        due = max(started, random.end.date() + random.randint(-10, 200) * DAY)
    return {
        "id": random.uuid7(created),
        "client_id": client["id"] if client else None,
        "name": spec.name,
        "code": code,
        "description": spec.description,
        "status": spec.status.value,
        "is_billable": spec.billing is not BillingType.none,
        "billing_type": spec.billing.value,
        "bill_rate": spec.price if spec.billing is BillingType.hourly else None,
        "fixed_amount": spec.price if spec.billing is BillingType.fixed else None,
        "currency": client["currency"] if client else currency,
        **budget_columns(spec.budget),
        "tracked_seconds_total": None,
        "start_date": started,
        "due_date": due,
        "completed_at": completed,
        "archived_at": archived,
        "color": spec.color,
        "screenshots_enabled": client is not None,
        "activity_tracking_enabled": client is not None or random.one_in(2),
        "external_id": spec.jira,
        **random.timestamps(created, completed, archived, deleted=deleted),
    }


def finished_at(project: Row) -> datetime | None:
    """When a project was completed, archived or deleted, whichever is first."""
    moments = [project["completed_at"], project["archived_at"], project["deleted_at"]]
    return min((moment for moment in moments if moment is not None), default=None)
