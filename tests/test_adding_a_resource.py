"""Adding a resource: the edits that CONTRIBUTING.md lists are enough, and they are all. Covers `tests/generate/`."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from db.admin.migrate import head
from tests.whole_lists import NEW_RESOURCE

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
LEFT_OUT = (".*", "build", "node_modules", "*.egg-info")

GUIDE = "CONTRIBUTING.md"
SECTION = re.compile(r"^## Adding a resource\n(.*?)^## ", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^\d+\. `([^`]+)`", re.MULTILINE)

GENERATED = {
    f"db/migrations/versions/{int(head()) + 1:04}_certifications.py",
    "db/jobs/doctor/new_database.json",
    "schema/schema.graphql",
    "docs/endpoints.md",
    "rest_facade/openapi/examples.json",
    "rest_facade/mcp/tools.json",
    "rest_facade/v1/documents.graphql",
    "docs/data.md",
}

TABLE = """

class CertificationLevel(DescribedEnum):
    \"""Level of a certification.\"""

    basic = "basic", "First level."
    expert = "expert", "Second level, which requires the first one."


certifications = tenant_table(
    "certifications",
    "A certification of a person.",
    immovable(person_column("Id of the person.", "records", is_named=True)),
    foreign_key("team_id", "teams.id", "Id of the team that needs it; null if none does."),
    kept(text_column("name", "Name on the certificate.", nullable=False, is_name=True)),
    erased(text_column("issuer", "Name of the organization that issued it.")),
    enum_column("level", CertificationLevel.basic, "Level that the person has."),
    date_column("issued_on", "First day.", nullable=False),
    date_column("expires_on", "Last day; null if it does not expire.\\nA renewal is a new row."),
)
index_orders(certifications, "issued_on")
for parent in "user_id", "team_id":
    index_by_parent(certifications, parent, "created_at", "id")
"""

LISTING = """

CERTIFICATIONS = Listing(
    certifications,
    resource="people.Certification",
    filters=[
        identifiers(certifications.c.id, "certifications"),
        exactly(certifications.c.user_id, "Only certifications of this person."),
        one_of(certifications.c.level, "Only these levels."),
    ],
)
certifications_by_id = rows_by_id(certifications, columns_of(certifications), "Certification")
"""

TYPE = """@object_type("A certification of a person.", "certifications")
class Certification(Node):
    user: Member = field(resolver=people.user_of)
    team_id: UUID | None = field()
    name: str = field()
    issuer: str | None = field()
    level: CertificationLevel = field()
    issued_on: date = field()
    expires_on: date | None = field()
    created_at, updated_at, deleted_at = audit_times()
    team: "Team | None" = field(resolver=people.team_of)


"""

OF_MEMBER = """    certifications = listed("Certifications of a member", people.CERTIFICATIONS, "user_id")
"""
OF_TEAM = """    certifications = listed("Certifications that a team needs", people.CERTIFICATIONS, "team_id")
"""
AT_ROOT = """    certifications = listed("Certifications", people.CERTIFICATIONS)
    certification, certifications_by_id = by_id(Certification, people.certifications_by_id)
"""

ENDPOINT = """    Endpoint("listCertifications", "/v1/certifications/", STANDARD, "certifications", "...fields user"),
]
"""

# The OpenAPI examples show this member.
EXAMPLE_USER = json.loads((ROOT / "rest_facade/openapi/examples.json").read_text())["parameters"]["user_id"]

DEMO = "".join(
    f'{{"id":"019b1d3a-6f0{digit}-7c11-8d52-5e0f6a7b8c9d","user_id":"{EXAMPLE_USER}","name":"First aid",'
    f'"issuer":"Red Cross","level":"{level}","issued_on":"2026-05-04","expires_on":"2028-05-04",'
    '"created_at":"2026-05-04T08:30:00Z","updated_at":"2026-05-04T08:30:00Z"}\n'
    for digit, level in enumerate(("expert", "basic"))
)

CONTRACT = """CONTRACT = {
    "listCertifications": ExpectedOperation(
        "/v1/certifications/", f"{STD} user team_id name issuer level issued_on expires_on"
    ),
"""

COMPANY = """    ids["first aid"] = rows.row(
        certifications, own, user_id=of("ada"), issued_on=date(2025, 1, 1), level="expert"
    )
    ids["welding"] = rows.row(
        certifications, own, user_id=of("ada"), issued_on=date(2025, 1, 1), created_at=LATER, deleted_at=LATER
    )
    return Company("""

QUERIES = """LISTS: dict[str, dict[str, str]] = {
    "/v1/certifications/": {
        "": "first_aid",
        "id={first_aid},{welding}": "first_aid",
        "user_id={ada}": "first_aid",
        "user_id={bob}": "",
        "level=basic": "",
        "level=basic,expert": "first_aid",
        "updated_since={THEN}": "first_aid",
        "include_deleted=true": "first_aid welding",
    },
"""

LAST_LINE = "]\n"

EDITS: Mapping[str, list[tuple[str, str]]] = {
    # What is replaced, and by what. The whole of a file stands for its end.
    "db/tables/people.py": [("", TABLE)],
    "resolvers/people.py": [
        ("from db.tables.people import ", "from db.tables.people import certifications, "),
        ("", LISTING),
    ],
    "schema/people.py": [
        ("from db.tables.people import ", "from db.tables.people import CertificationLevel, "),
        ("    payment_settings = ", OF_MEMBER + "    payment_settings = "),
        ('@object_type("Membership of a person in a team.', TYPE + '@object_type("Membership of a person in a team.'),
        ("    leads: list[Member]", OF_TEAM + "    leads: list[Member]"),
        ("", AT_ROOT),
    ],
    "rest_facade/access/scope_families.py": [('"members", "teams"', '"members", "teams", "certifications"')],
    "rest_facade/v1/people.py": [(LAST_LINE, ENDPOINT)],
    "db/sample/demo/studio/certifications.ndjson": [("", DEMO)],
    "tests/contract.py": [("CONTRACT = {\n", CONTRACT)],
    "tests/test_filters.py": [
        ("from datetime import ", "from datetime import date, "),
        (
            "from rest_facade.rest.endpoint",
            "from db.tables.people import certifications\nfrom rest_facade.rest.endpoint",
        ),
        ("    return Company(", COMPANY),
        ("LISTS: dict[str, dict[str, str]] = {\n", QUERIES),
    ],
}

MOST_FILES, MOST_LINES = 8, 75
"""How many files are edited by hand, and how many lines are written in them."""

NAMING = [
    # The tests that name a forgotten edit.
    "tests/test_contract.py",
    "tests/test_filters.py",
    "tests/test_tables.py",
    "tests/schema/test_schema.py",
    "tests/schema/test_edges.py",
    "tests/rest_facade/openapi/test_document.py",
]

FORGOTTEN = [
    # What is said where no edit but those of the first five files was made.
    "no migration makes certifications of db/tables: run make migration NAME=certifications",
    "tests/contract.py: CONTRACT has no ['listCertifications']",
    "LISTS of tests/test_filters.py: say what ['id', 'user_id', 'level']",
    "the table of docs/endpoints.md is out of date: run make generated",
    "schema/schema.graphql is out of date: run make generated",
    "rest_facade/openapi/examples.json has no listCertifications: run make generated",
]

PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.whole_lists")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the source tree, with what Python has compiled."""
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return copy


def steps() -> list[str]:
    """The files that the guide's section names, in its order."""
    section = SECTION.search((ROOT / GUIDE).read_text())
    assert section, f"{GUIDE}: there is no section ## Adding a resource"
    return STEP.findall(section[1])


def edit(tree: Path, name: str) -> None:
    text = (tree / name).read_text() if (tree / name).exists() else ""
    for old, new in EDITS[name]:
        assert old in text, f"tests/test_adding_a_resource.py: there is no {old!r} in {name}"
        text = text.removesuffix(old) + new if old in ("", LAST_LINE) else text.replace(old, new, 1)
    (tree / name).write_text(text)


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python command in the tree, which imports nothing of the source tree."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment[NEW_RESOURCE] = "certification"
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(tree), environment.get("PYTHONPATH")]))
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


def succeed(tree: Path, *arguments: str) -> None:
    ended = run(tree, *arguments)
    assert ended.returncode == 0, f"{' '.join(arguments)}:\n{ended.stdout[-8000:]}\n{ended.stderr[-8000:]}"


def changed(tree: Path) -> set[str]:
    """The files of the tree that the source tree does not have, or has with another content."""
    paths = {path.relative_to(tree) for path in tree.rglob("*") if path.is_file()}
    return {
        str(path)
        for path in paths
        if not any(part.startswith(".") or part == "__pycache__" for part in path.parts)
        and (not (ROOT / path).is_file() or (ROOT / path).read_bytes() != (tree / path).read_bytes())
    }


@pytest.mark.long
def test_edits_of_the_guide_add_a_resource(tree: Path) -> None:
    named = [name.replace("badges", "certifications") for name in steps()]
    assert named == list(EDITS), f"the steps of {GUIDE} are the keys of EDITS"
    for name in EDITS:
        edit(tree, name)
    succeed(tree, "-m", "tests.generate.migration", "certifications")
    succeed(tree, "-m", "tests.generate")
    assert changed(tree) == EDITS.keys() | GENERATED
    succeed(tree, *PYTEST, "--maxfail=20")
    succeed(tree, "-m", "ruff", "check", *(name for name in GENERATED if name.endswith(".py")))


def test_edits_are_few() -> None:
    written = [line for edits in EDITS.values() for old, new in edits for line in new.replace(old, "", 1).splitlines()]
    assert len(EDITS) <= MOST_FILES
    assert sum(map(bool, map(str.strip, written))) <= MOST_LINES


def test_forgotten_edits_are_named(tree: Path) -> None:
    for name in list(EDITS)[:5]:
        edit(tree, name)
    ended = run(tree, *PYTEST, "--tb=line", *NAMING)
    assert ended.returncode == 1
    assert [sentence for sentence in FORGOTTEN if sentence not in ended.stdout] == [], ended.stdout[-8000:]
