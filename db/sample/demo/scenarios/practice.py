"""The second demo organization: a small research practice in New York."""

from decimal import Decimal

from db.sample.demo.scenarios.names import NAMES
from db.sample.demo.scenarios.scenario import (
    Address,
    ClientSpec,
    MemberState,
    Office,
    Position,
    ProjectSpec,
    Scenario,
    Shift,
    TeamSpec,
    amount_budget,
    time_budget,
)
from db.tables.people import EmploymentType, MemberRole, Weekday
from db.tables.work import BillingType, ProjectStatus

PRACTICE = Scenario(
    name="Quillhaven Research",
    domain="example.org",
    timezone="America/New_York",
    currency="USD",
    country="US",
    week_start_day=Weekday.sunday,
    features={
        "screenshots": True,
        "app_tracking": True,
        "url_tracking": False,
        "clock_in_out": True,
        "invoicing": False,
        "payroll": True,
        "leave": False,
    },
    employee_prefix="Q",
    names=(
        ("Eleanor", "Whitcombe"),
        NAMES[0],
        ("Marcus", "Bellamy"),
        ("Dolores", "Quintana"),
        ("Takeshi", "Mori"),
        ("Aisha", "Farouk"),
    ),
    positions=(
        Position("Principal", "Leadership", MemberRole.owner, leads=True),
        Position("Advisor", "Leadership", MemberRole.viewer, employment=EmploymentType.contractor, weekly_hours=8),
        Position("Research Lead", "Research", MemberRole.manager, leads=True),
        Position("Research Associate", "Research", shift=Shift.calls),
        Position("Statistician", "Research", timezone="America/Los_Angeles", weekly_hours=32),
        Position("Field Interviewer", "Research", state=MemberState.invited),
    ),
    teams=(TeamSpec("Fieldwork", "Interviews, panels and transcripts.", ("Research",)),),
    clients=(
        ClientSpec(
            "Cedar Hollow Clinics",
            "CED",
            "USD",
            Address("410 Orchard Pike", "Suite 210", "Albany", "NY", "12299", "US"),
            None,
            "Walter Prentiss",
            "+1 518 555 0117",
            budget=amount_budget("64000.00"),
        ),
        ClientSpec("Bluefinch Foods", "BLU", "USD", net_terms_days=15, external_id="ACC-2204"),
    ),
    projects=(
        ProjectSpec(
            "Cedar Hollow Clinics",
            "Patient survey",
            ProjectStatus.active,
            "#1e88e5",
            BillingType.hourly,
            Decimal(140),
            time_budget(400),
            "Fieldwork",
        ),
        ProjectSpec(
            "Cedar Hollow Clinics",
            "Waiting room study",
            ProjectStatus.completed,
            "#43a047",
            BillingType.fixed,
            Decimal("18500.00"),
        ),
        ProjectSpec(
            "Bluefinch Foods",
            "Taste panel",
            ProjectStatus.active,
            "#fb8c00",
            BillingType.hourly,
            Decimal("125.50"),
        ),
        ProjectSpec(None, "Methods library", ProjectStatus.active, "#757575"),
    ),
    tasks=(
        "Draft the questionnaire",
        "Pretest with ten people",
        "Recruit participants",
        "Schedule interviews",
        "Transcribe interviews",
        "Code open answers",
        "Weight the sample",
        "Tables and charts",
        "Interim report",
        "Final report",
    ),
    tasks_per_project=(3, 5),
    labels=("fieldwork", "analysis", "report"),
    office=Office(("Leadership", "Research"), "Front desk, Albany", "42.6526", "-73.7562"),
)
