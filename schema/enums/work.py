"""Enumerations of projects, budgets, tasks and the people on them."""

from db.tables.work import (
    BillingType,
    BudgetRecurrence,
    BudgetType,
    MembershipSource,
    ProjectRole,
    ProjectStatus,
    TaskPriority,
    TaskRole,
    TaskStatus,
)
from schema.enums.declaration import enumeration

enumeration(
    BillingType,
    "Billing type of a project.",
    none="The project is not billed.",
    hourly="Billed by the hour, at bill rates.",
    fixed="Billed at the fixed price of `fixed_amount`.",
)
enumeration(
    BudgetRecurrence,
    "Interval at which a budget restarts.",
    none="The budget never restarts.",
    weekly="The budget restarts every week.",
    monthly="The budget restarts every month.",
)
enumeration(
    BudgetType,
    "Type of a budget: none, money or time.",
    none="There is no budget.",
    amount="Budget in money; `amount` has it.",
    time="Budget in time; `seconds` has it.",
)
enumeration(
    MembershipSource,
    "How a person joined a project: directly or through a team.",
    direct="The person was added to the project.",
    team="A team of the person was added to the project.",
)
enumeration(
    ProjectRole,
    "Role of a person on a project.",
    manager="Manages the project.",
    member="Works on the project.",
    viewer="Reads data of the project, and tracks no time on it.",
)
enumeration(
    ProjectStatus,
    "Status of a project; `active` and `on_hold` count as active.",
    active="Work on the project goes on.",
    on_hold="Work on the project is paused.",
    completed="Work on the project is finished.",
    archived="The project is archived.",
)
enumeration(
    TaskPriority,
    "Priority of a task.",
    none="The task has no priority.",
    low="Low priority.",
    medium="Medium priority.",
    high="High priority.",
    urgent="Urgent; the highest priority.",
)
enumeration(
    TaskRole,
    "Role of a person on a task.",
    assignee="Works on the task.",
    watcher="Follows the task, and does not work on it.",
)
enumeration(
    TaskStatus,
    "Status of a task; `open` and `in_progress` count as active.",
    open="Work on the task has not started.",
    in_progress="Work on the task goes on.",
    completed="Work on the task is finished.",
    archived="The task is archived.",
)
