"""What the people, teams, clients, projects and tasks of the demo organizations are called. All is invented.

The e-mail domains are reserved for examples, the telephone numbers for fiction.
"""

from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from db.people import EmploymentType, MemberRole, Weekday
from db.work import BillingType, BudgetRecurrence, BudgetType, ProjectStatus


class Standing(StrEnum):
    """How a person stands to the organization: the statuses of a member, and the two stories behind them."""

    active = "active"
    invited = "invited"
    suspended = "suspended"
    removed = "removed"
    erased = "erased"
    returned = "returned"


class Post(NamedTuple):
    """A chair in the organization; who sits in it is another matter."""

    title: str
    department: str
    role: MemberRole = MemberRole.member
    leads: bool = False
    standing: Standing = Standing.active
    timezone: str | None = None
    employment: EmploymentType = EmploymentType.employee
    weekly_hours: int | None = 40


class TeamSketch(NamedTuple):
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


class Budget(NamedTuple):
    type: BudgetType = BudgetType.none
    amount: Decimal | None = None
    hours: int | None = None
    recurrence: BudgetRecurrence = BudgetRecurrence.none


class ClientSketch(NamedTuple):
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


class ProjectSketch(NamedTuple):
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


class Outline(NamedTuple):
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
    posts: tuple[Post, ...]
    """The first of them belongs to the owner."""
    teams: tuple[TeamSketch, ...]
    clients: tuple[ClientSketch, ...]
    projects: tuple[ProjectSketch, ...]
    tasks: tuple[str, ...]
    tasks_per_project: tuple[int, int]
    labels: tuple[str, ...]


def money(amount: str, recurrence: BudgetRecurrence = BudgetRecurrence.none) -> Budget:
    return Budget(BudgetType.amount, amount=Decimal(amount), recurrence=recurrence)


def hours(count: int, recurrence: BudgetRecurrence = BudgetRecurrence.none) -> Budget:
    return Budget(BudgetType.time, hours=count, recurrence=recurrence)


NAMES = (
    ("Katharina", "Vogt"),
    ("Tomasz", "Wójcik"),
    ("Amara", "Okafor"),
    ("Élodie", "Marchand"),
    ("Jonas", "Brückner"),
    ("Sofía", "Herrera"),
    ("Daniel", "Osei"),
    ("Priya", "Raman"),
    ("Liam", "Whitfield"),
    ("Mei-Ling", "Chen"),
    ("Yusuf", "Demir"),
    ("Hannah", "Lindström"),
    ("Oliver", "Nguyen"),
    ("Zuzana", "Dvořáková"),
    ("Mateus", "Carvalho"),
    ("Noor", "Haddad"),
    ("Sigríður", "Jónsdóttir"),
    ("Ravi", "Shrestha"),
    ("Chloé", "Dubois"),
    ("Peter", "Hansen"),
    ("Grace", "Mwangi"),
    ("Léa", "Fontaine"),
    ("Oleksandr", "Kovalenko"),
    ("Renate", "Groß"),
    ("Søren", "Mikkelsen"),
    ("Ayumi", "Takahashi"),
    ("Kofi", "Boateng"),
    ("Ioana", "Popescu"),
    ("Rafael", "Monteiro"),
    ("Łucja", "Zielińska"),
    ("Samir", "Benali"),
    ("Freya", "Holm"),
    ("Minh", "Tran"),
    ("Giulia", "Ferraro"),
    ("Ngozi", "Eze"),
    ("Lukas", "Hofstätter"),
    ("Aoife", "Brennan"),
    ("Deniz", "Şahin"),
    ("Arjun", "Iyer"),
    ("Marta", "Kowalczyk"),
    ("Jun-ho", "Park"),
    ("Beatriz", "Figueira"),
    ("Elias", "Nyström"),
    ("Farah", "Siddiqui"),
    ("Nikolaj", "Bæk"),
    ("Thandiwe", "Ndlovu"),
    ("Mikko", "Virtanen"),
    ("Petra", "Novak"),
    ("Caleb", "Ashworth"),
    ("Ximena", "Ortega"),
)

POSTS = (
    Post("Managing Director", "Leadership", MemberRole.owner, leads=True, weekly_hours=None),
    Post("Head of Operations", "Operations", MemberRole.admin, leads=True),
    Post("IT Administrator", "Operations", MemberRole.admin),
    Post("Design Director", "Design", MemberRole.manager, leads=True),
    Post("Engineering Lead", "Engineering", MemberRole.manager, leads=True),
    Post("Delivery Lead", "Delivery", MemberRole.manager, leads=True),
    Post("Head of Marketing", "Growth", MemberRole.manager, leads=True, weekly_hours=32),
    Post("Senior Backend Engineer", "Engineering", timezone="Asia/Kolkata"),
    Post(
        "Frontend Engineer",
        "Engineering",
        timezone="America/New_York",
        employment=EmploymentType.contractor,
        weekly_hours=30,
    ),
    Post("Product Designer", "Design"),
    Post("Backend Engineer", "Engineering"),
    Post("Project Manager", "Delivery", weekly_hours=32),
    Post("Mobile Engineer", "Engineering", timezone="Australia/Adelaide"),
    Post("QA Engineer", "Engineering", standing=Standing.removed),
    Post(
        "Illustrator",
        "Design",
        standing=Standing.suspended,
        timezone="America/Sao_Paulo",
        employment=EmploymentType.contractor,
        weekly_hours=20,
    ),
    Post("Account Manager", "Delivery"),
    Post("UX Researcher", "Design", timezone="Atlantic/Reykjavik", weekly_hours=24),
    Post("DevOps Engineer", "Engineering", standing=Standing.returned, timezone="Asia/Kathmandu"),
    Post("Copywriter", "Growth", employment=EmploymentType.contractor, weekly_hours=16),
    Post("Office Coordinator", "Operations", standing=Standing.erased),
    Post("Financial Controller", "Operations", MemberRole.viewer, timezone="Africa/Nairobi", weekly_hours=20),
    Post("Design Intern", "Design", standing=Standing.invited, employment=EmploymentType.intern),
    Post("Data Analyst", "Growth", standing=Standing.invited),
    Post("Tax Advisor", "External", MemberRole.viewer, employment=EmploymentType.other, weekly_hours=None),
)

TEAMS = (
    TeamSketch("Design", "Brand, product and motion design.", ("Design",)),
    TeamSketch("Engineering", "Web, mobile and infrastructure.", ("Engineering",)),
    TeamSketch("Delivery", "Plans the work and speaks for it.", ("Delivery", "Growth", "Leadership")),
    TeamSketch("Print", "Dormant since the last print job was handed over.", is_active=False),
    TeamSketch("Winter Campaign", None, is_deleted=True),
)

CLIENTS = (
    ClientSketch(
        "Holzmann & Söhne Möbel",
        "HOL",
        "EUR",
        Address("Gießergasse 14", None, "Leipzig", None, "04177", "DE"),
        "DE999104412",
        "Friederike Holzmann",
        external_id="C-10001",
        note="Moved in-house; files were handed over on a drive.",
        is_archived=True,
    ),
    ClientSketch(
        "Fennel & Fig Catering",
        "FEN",
        "GBP",
        Address("Unit 3, Tanner's Yard", "Mill Lane", "Bristol", None, "BS1 0ZZ", "GB"),
        "GB999907713",
        "Imogen Hartley",
        "+44 20 7946 0182",
        "Europe/London",
        14,
        is_archived=True,
    ),
    ClientSketch(
        "Lumen Optik",
        "LUM",
        "EUR",
        Address("Schleiferweg 8", "Haus B", "Jena", "Thüringen", "07745", "DE"),
        "DE999230078",
        "Dr. Bernd Eichhorn",
        "+49 30 23125 140",
        budget=money("18000.00", BudgetRecurrence.monthly),
        external_id="C-10003",
        note="Invoices need the purchase order number in the subject.",
    ),
    ClientSketch(
        "Alpenrad Cycles",
        "ALP",
        "EUR",
        Address("Innrain 201", None, "Innsbruck", "Tirol", "6020", "AT"),
        "ATU99955121",
        "Valentin Moser",
        timezone="Europe/Vienna",
        net_terms_days=21,
        external_id="C-10004",
    ),
    ClientSketch(
        "Tsubame Paper Co.",
        "TSU",
        "JPY",
        Address("4-11-2 Kamiyanagi", None, "Niigata", "Niigata", "950-0000", "JP"),
        None,
        "佐藤 美咲 (Misaki Satō)",
        None,
        "Asia/Tokyo",
        60,
        money("12000000"),
        "C-10005",
        "Calls before 10:00 Berlin time. No decimals on invoices.",
    ),
    ClientSketch(
        "Al Waha Dates",
        "WAH",
        "KWD",
        Address("Block 6, Street 22", "Floor 4", "Kuwait City", None, "13060", "KW"),
        None,
        "Abdullah Al-Mutawa",
        None,
        "Asia/Kuwait",
        45,
        money("20000.500"),
    ),
    ClientSketch(
        "Harborlight Museum",
        "HAR",
        "USD",
        Address("88 Lantern Wharf", None, "Boston", "MA", "02199", "US"),
        None,
        "Josephine Tillman",
        "+1 617 555 0142",
        "America/New_York",
        budget=hours(1200),
        external_id="C-10007",
    ),
    ClientSketch(
        "Stadtwerk Grünau",
        "GRU",
        "EUR",
        Address("Am Wasserturm 1", None, "Berlin", None, "12527", "DE"),
        "DE999871100",
        "Cornelia Albrecht",
        "+49 30 23125 377",
        net_terms_days=None,
        budget=hours(160, BudgetRecurrence.monthly),
        note="Public tender 2291: every hour needs a task.",
    ),
)

PROJECTS = (
    ProjectSketch(
        "Holzmann & Söhne Möbel",
        "Catalogue relaunch",
        ProjectStatus.archived,
        "#8d6e63",
        BillingType.fixed,
        Decimal("14500.00"),
        team="Print",
        description="The printed catalogue, 164 pages, and its online twin.",
    ),
    ProjectSketch(
        "Holzmann & Söhne Möbel",
        "Showroom configurator",
        ProjectStatus.archived,
        "#6d4c41",
        BillingType.hourly,
        Decimal(88),
    ),
    ProjectSketch(
        "Fennel & Fig Catering",
        "Event booking site",
        ProjectStatus.archived,
        "#7cb342",
        BillingType.fixed,
        Decimal("9800.00"),
        money("9800.00"),
        "Design",
    ),
    ProjectSketch(
        "Lumen Optik",
        "Online shop",
        ProjectStatus.active,
        "#1e88e5",
        BillingType.hourly,
        Decimal("98.50"),
        money("120000.00"),
        "Engineering",
        "A shop for lenses made to measure, with the optician in the loop.",
        "LSHOP",
    ),
    ProjectSketch(
        "Lumen Optik",
        "Product photography",
        ProjectStatus.completed,
        "#5e35b1",
        BillingType.fixed,
        Decimal("6400.00"),
    ),
    ProjectSketch(
        "Lumen Optik",
        "Shop maintenance",
        ProjectStatus.active,
        "#3949ab",
        BillingType.hourly,
        Decimal(92),
        hours(40, BudgetRecurrence.monthly),
    ),
    ProjectSketch(
        "Alpenrad Cycles",
        "Dealer portal",
        ProjectStatus.active,
        "#e53935",
        BillingType.hourly,
        Decimal(95),
        hours(900),
        "Engineering",
        "Orders, spare parts and warranty cases for 140 dealers.",
        "DEAL",
    ),
    ProjectSketch(
        "Alpenrad Cycles",
        "Ride app",
        ProjectStatus.on_hold,
        "#fb8c00",
        BillingType.hourly,
        Decimal(105),
        description="On hold until the sensor hardware is certified.",
    ),
    ProjectSketch(
        "Tsubame Paper Co.",
        "Brand refresh",
        ProjectStatus.completed,
        "#00897b",
        BillingType.fixed,
        Decimal(4800000),
        money("4800000"),
        "Design",
    ),
    ProjectSketch(
        "Tsubame Paper Co.",
        "Packaging series",
        ProjectStatus.active,
        "#26a69a",
        BillingType.hourly,
        Decimal(14500),
        team="Design",
        description="Twelve boxes, one grid.",
    ),
    ProjectSketch(
        "Al Waha Dates",
        "Export catalogue",
        ProjectStatus.active,
        "#c0ca33",
        BillingType.fixed,
        Decimal("8400.500"),
        money("8400.500"),
        description="Arabic and English, print and web.",
    ),
    ProjectSketch(
        "Harborlight Museum",
        "Exhibit kiosks",
        ProjectStatus.active,
        "#039be5",
        BillingType.hourly,
        Decimal("115.75"),
        hours(640),
        "Engineering",
        "Touch screens for the permanent exhibition.",
        "KIOSK",
    ),
    ProjectSketch(
        "Harborlight Museum",
        "Ticketing audit",
        ProjectStatus.completed,
        "#546e7a",
        BillingType.fixed,
        Decimal("7250.00"),
    ),
    ProjectSketch(
        "Stadtwerk Grünau",
        "Customer portal",
        ProjectStatus.active,
        "#43a047",
        BillingType.hourly,
        Decimal("89.90"),
        hours(160, BudgetRecurrence.monthly),
        "Delivery",
        "Meter readings, instalments and moving house, without a form on paper.",
        "PORTAL",
    ),
    ProjectSketch(
        "Stadtwerk Grünau",
        "Outage map",
        ProjectStatus.on_hold,
        "#fdd835",
        BillingType.hourly,
        Decimal("89.90"),
        is_deleted=True,
    ),
    ProjectSketch(
        None,
        "Studio operations",
        ProjectStatus.active,
        "#757575",
        team="Delivery",
        description="Whatever keeps the lights on.",
    ),
    ProjectSketch(
        None,
        "Learning hours",
        ProjectStatus.active,
        "#8e24aa",
        budget=hours(10, BudgetRecurrence.weekly),
        description="Talks, books and courses; up to two hours a week each.",
    ),
)

TASKS = (
    "Kick-off workshop",
    "Interview five customers",
    "Write the content inventory",
    "Wireframes for the landing page",
    "Wireframes for the detail page",
    "Clickable prototype",
    "Usability test, round one",
    "Usability test, round two",
    "Choose typefaces",
    "Colour palette with contrast check",
    "Icon set",
    "Illustrations for empty states",
    "Photo retouching",
    "Header and navigation",
    "Search with suggestions",
    "Sign-in by e-mail link",
    "Password reset",
    "Address form",
    "Payment step",
    "Order confirmation e-mail",
    "Invoice as PDF",
    "Import from the old system",
    "Export to spreadsheet",
    "Role and permission model",
    "Set up continuous integration",
    "Set up staging environment",
    "Load test before launch",
    "Fix layout on small screens",
    "Fix dates around the clock change",
    "Fix umlauts in file names",
    "Translate into German",
    "Translate into French",
    "Cookie notice",
    "Privacy statement",
    "Accessibility review",
    "Performance budget",
    "Redirects from old addresses",
    "Structured data for search engines",
    "Newsletter template",
    "Press kit",
    "Style guide chapter on forms",
    "Print proofs",
    "Weekly status call",
    "Prepare the steering meeting",
    "Training for editors",
    "Handover document",
    "Retrospective",
    "Final acceptance",
)

LABELS = (
    "design",
    "frontend",
    "backend",
    "content",
    "research",
    "bug",
    "blocked",
    "tech-debt",
    "übersetzung",
)

STUDIO = Outline(
    name="Kestrelwerk Studio",
    domain="example.com",
    timezone="Europe/Berlin",
    currency="EUR",
    country="DE",
    week_start_day=Weekday.monday,
    features={
        "screenshots": True,
        "app_tracking": True,
        "url_tracking": True,
        "clock_in_out": True,
        "invoicing": True,
        "payroll": True,
        "leave": True,
    },
    employee_prefix="KW",
    names=NAMES,
    posts=POSTS,
    teams=TEAMS,
    clients=CLIENTS,
    projects=PROJECTS,
    tasks=TASKS,
    tasks_per_project=(5, 9),
    labels=LABELS,
)

PRACTICE = Outline(
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
    posts=(
        Post("Principal", "Leadership", MemberRole.owner, leads=True),
        Post("Advisor", "Leadership", MemberRole.viewer, employment=EmploymentType.contractor, weekly_hours=8),
        Post("Research Lead", "Research", MemberRole.manager, leads=True),
        Post("Research Associate", "Research"),
        Post("Statistician", "Research", timezone="America/Los_Angeles", weekly_hours=32),
        Post("Field Interviewer", "Research", standing=Standing.invited),
    ),
    teams=(TeamSketch("Fieldwork", "Interviews, panels and transcripts.", ("Research",)),),
    clients=(
        ClientSketch(
            "Cedar Hollow Clinics",
            "CED",
            "USD",
            Address("410 Orchard Pike", "Suite 210", "Albany", "NY", "12299", "US"),
            None,
            "Walter Prentiss",
            "+1 518 555 0117",
            budget=money("64000.00"),
        ),
        ClientSketch("Bluefinch Foods", "BLU", "USD", net_terms_days=15, external_id="ACC-2204"),
    ),
    projects=(
        ProjectSketch(
            "Cedar Hollow Clinics",
            "Patient survey",
            ProjectStatus.active,
            "#1e88e5",
            BillingType.hourly,
            Decimal(140),
            hours(400),
            "Fieldwork",
        ),
        ProjectSketch(
            "Cedar Hollow Clinics",
            "Waiting room study",
            ProjectStatus.completed,
            "#43a047",
            BillingType.fixed,
            Decimal("18500.00"),
        ),
        ProjectSketch(
            "Bluefinch Foods",
            "Taste panel",
            ProjectStatus.active,
            "#fb8c00",
            BillingType.hourly,
            Decimal("125.50"),
        ),
        ProjectSketch(None, "Methods library", ProjectStatus.active, "#757575"),
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
)

SQUADS = (
    "Avocet",
    "Bittern",
    "Curlew",
    "Dunlin",
    "Egret",
    "Fieldfare",
    "Goldcrest",
    "Hoopoe",
    "Ibis",
    "Jackdaw",
    "Kittiwake",
    "Lapwing",
    "Merlin",
    "Nuthatch",
    "Oriole",
    "Plover",
    "Quail",
    "Redstart",
    "Siskin",
    "Turnstone",
    "Wagtail",
    "Yellowhammer",
)

# Two lists of the same length, so that their pairs don't repeat before every one of them has been used.
CLIENT_NAMES = (
    "Amberfeld",
    "Birkenhain",
    "Corvanta",
    "Dorndal",
    "Elbgarten",
    "Fjordlys",
    "Grauwacke",
    "Heidemoor",
    "Isarblick",
    "Junimond",
    "Kalkstein",
    "Lindwerder",
    "Morgenrot",
    "Nebelhorn",
    "Ostwind",
    "Pappelhof",
    "Quellgrund",
    "Rotbuche",
    "Silbersee",
    "Tannzapfen",
)
CLIENT_TRADES = (
    "Architects",
    "Bakery",
    "Chocolates",
    "Dental Care",
    "Energy",
    "Furniture",
    "Gardens",
    "Hotels",
    "Insurance",
    "Joinery",
    "Kitchens",
    "Logistics",
    "Mobility",
    "Nurseries",
    "Optics",
    "Pharmacy",
    "Quarries",
    "Robotics",
    "Sailing",
    "Theatre",
)
CITIES = (
    Address("Hafenstraße {}", None, "Hamburg", None, "20359", "DE"),
    Address("Lindenallee {}", None, "Köln", "Nordrhein-Westfalen", "50968", "DE"),
    Address("Rue du Tilleul {}", None, "Strasbourg", "Grand Est", "67000", "FR"),
    Address("Getreidegasse {}", "Stiege 2", "Salzburg", None, "5020", "AT"),
    Address("Nørregade {}", None, "København", None, "1165", "DK"),
)
PROJECT_NAMES = (
    "Website relaunch",
    "Mobile app",
    "Brand guidelines",
    "Annual report",
    "Recruiting campaign",
    "Design system",
    "Online booking",
    "Accessibility audit",
    "Product film",
    "Newsletter",
    "Trade fair stand",
    "Customer research",
)
COLORS = ("#d81b60", "#3949ab", "#00acc1", "#7cb342", "#f4511e", "#6d4c41", "#546e7a", "#8e24aa")

CHORES = (
    "Quarterly numbers",
    "Renew software licences",
    "Order hardware for newcomers",
    "Update the employee handbook",
    "Backup restore drill",
    "Prepare the all-hands",
    "Reading group",
    "Conference report",
    "Online course on accessibility",
    "Plan the summer party",
    "Clean up the shared drive",
    "Review the insurance",
)
SUBTASKS = (
    "Collect open questions",
    "First draft",
    "Internal review",
    "Corrections after review",
    "Check on a phone",
    "Check with a screen reader",
    "Agree on wording with the client",
    "Write the tests",
    "Update the documentation",
)
TASK_NOTES = (
    "See the notes from the last call; the client wants to see two variants.",
    "Keep it small. What doesn't fit goes into a task of its own.",
    "Blocked until the contents arrive, then about two days.",
    "Acceptance: works with the keyboard alone, in the three latest browsers.",
    "Was promised for the end of the month.",
)
