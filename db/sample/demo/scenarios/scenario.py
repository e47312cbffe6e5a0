"""Scenarios: the fixed part of a demo organization (positions, clients, projects, ...), before random data is added."""

from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from db.tables.people import EmploymentType, MemberRole, Weekday
from db.tables.work import BillingType, BudgetRecurrence, BudgetType, ProjectStatus


class MemberState(StrEnum):
    """The statuses of a member, and two histories: `erased` is removed, `returned` is active again."""

    active = "active"
    invited = "invited"
    suspended = "suspended"
    removed = "removed"
    erased = "erased"
    returned = "returned"


class Shift(StrEnum):
    """The working hours of a position, in the member's own time zone."""

    day = "day"
    night = "night"
    calls = "calls"
    """By day, in calls of a few minutes."""


class Position(NamedTuple):
    """A job position, which one member fills."""

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
    """A team of all members of `departments`, or of three to six members where there are none."""

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
    """The place where members of `departments` clock in and out."""

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
    """The prefix of the codes of its projects."""
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
    """The rate per hour or the fixed amount, depending on `billing`."""
    budget: Budget = Budget()
    team: str | None = None
    description: str | None = None
    jira: str | None = None
    """The Jira key, for projects whose tasks come from there."""
    is_deleted: bool = False


class Scenario(NamedTuple):
    """The fixed part of a demo organization."""

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
    """The first position is the owner's."""
    teams: tuple[TeamSpec, ...]
    clients: tuple[ClientSpec, ...]
    projects: tuple[ProjectSpec, ...]
    tasks: tuple[str, ...]
    tasks_per_project: tuple[int, int]
    labels: tuple[str, ...]
    office: Office


def amount_budget(amount: str, recurrence: BudgetRecurrence = BudgetRecurrence.none) -> Budget:
    return Budget(BudgetType.amount, amount=Decimal(amount), recurrence=recurrence)


def time_budget(hours: int, recurrence: BudgetRecurrence = BudgetRecurrence.none) -> Budget:
    return Budget(BudgetType.time, hours=hours, recurrence=recurrence)
