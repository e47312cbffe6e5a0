"""What is settled about a demo organization before chance has its say."""

from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from db.tables.people import EmploymentType, MemberRole, Weekday
from db.tables.work import BillingType, BudgetRecurrence, BudgetType, ProjectStatus


class MemberState(StrEnum):
    """How a person stands to the organization: the statuses of a member, and the two stories behind them."""

    active = "active"
    invited = "invited"
    suspended = "suspended"
    removed = "removed"
    erased = "erased"
    returned = "returned"


class Shift(StrEnum):
    """When, in a person's own zone, and how the work of a post is done."""

    day = "day"
    night = "night"
    calls = "calls"
    """By day, in calls of a few minutes."""


class Position(NamedTuple):
    """A chair in the organization; who sits in it is another matter."""

    title: str
    department: str
    role: MemberRole = MemberRole.member
    leads: bool = False
    state: MemberState = MemberState.active
    timezone: str | None = None
    employment: EmploymentType = EmploymentType.employee
    weekly_hours: int | None = 40
    shift: Shift = Shift.day


class TeamSpec(NamedTuple):
    """A team of everybody in `departments`, or of a few people where none is named."""

    name: str
    description: str | None
    departments: tuple[str, ...] = ()
    is_active: bool = True
    is_deleted: bool = False


class Address(NamedTuple):
    line1: str
    line2: str | None
    city: str
    region: str | None
    postal_code: str
    country: str


class Office(NamedTuple):
    """Where people clock in and out who do."""

    departments: tuple[str, ...]
    label: str
    latitude: str
    longitude: str


class Budget(NamedTuple):
    type: BudgetType = BudgetType.none
    amount: Decimal | None = None
    hours: int | None = None
    recurrence: BudgetRecurrence = BudgetRecurrence.none


class ClientSpec(NamedTuple):
    name: str
    prefix: str
    """Starts the codes of its projects."""
    currency: str
    address: Address | None = None
    tax_number: str | None = None
    contact_name: str | None = None
    phone: str | None = None
    timezone: str | None = None
    net_terms_days: int | None = 30
    budget: Budget = Budget()
    external_id: str | None = None
    note: str | None = None
    is_archived: bool = False


class ProjectSpec(NamedTuple):
    client: str | None
    name: str
    status: ProjectStatus
    color: str
    billing: BillingType = BillingType.none
    price: Decimal | None = None
    """The rate per hour or the fixed amount, as `billing` has it."""
    budget: Budget = Budget()
    team: str | None = None
    description: str | None = None
    jira: str | None = None
    """Its key in Jira, where its tasks come from there."""
    is_deleted: bool = False


class Scenario(NamedTuple):
    """What is settled about an organization before chance has its say."""

    name: str
    domain: str
    timezone: str
    currency: str
    country: str
    week_start_day: Weekday
    features: dict[str, bool]
    employee_prefix: str
    names: tuple[tuple[str, str], ...]
    positions: tuple[Position, ...]
    """The first of them belongs to the owner."""
    teams: tuple[TeamSpec, ...]
    clients: tuple[ClientSpec, ...]
    projects: tuple[ProjectSpec, ...]
    tasks: tuple[str, ...]
    tasks_per_project: tuple[int, int]
    labels: tuple[str, ...]
    office: Office


def money(amount: str, recurrence: BudgetRecurrence = BudgetRecurrence.none) -> Budget:
    return Budget(BudgetType.amount, amount=Decimal(amount), recurrence=recurrence)


def hours(count: int, recurrence: BudgetRecurrence = BudgetRecurrence.none) -> Budget:
    return Budget(BudgetType.time, hours=count, recurrence=recurrence)
