"""Faults of a database: commands of a superuser, the check that finds the fault, and what the check says of it."""

from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).with_suffix(".sql")

ORGANIZATION = "00000000-0000-4000-8000-000000000000"
"""The organization of the rows of WORLD."""

WORLD = f"""
INSERT INTO organizations (organization_id, name, timezone, currency) VALUES ('{ORGANIZATION}', 'A', 'UTC', 'EUR');
SET LOCAL app.organization_id = '{ORGANIZATION}';
INSERT INTO projects (organization_id, id, name, currency)
VALUES ('{ORGANIZATION}', '{ORGANIZATION}', 'Website', 'EUR');
INSERT INTO tasks (organization_id, id, project_id, number, name)
VALUES ('{ORGANIZATION}', '{ORGANIZATION}', '{ORGANIZATION}', 1, 'Design');
"""

WITHOUT_TRIGGERS = "SET LOCAL session_replication_role = replica; {} ; SET LOCAL session_replication_role = origin"


def _faults() -> Iterator[tuple[str, tuple[str, str]]]:
    """The faults of `faults.sql`. Its other comments have no commands."""
    for part in FILE.read_text("utf-8").split("-- "):
        head, _, commands = part.partition("\n")
        check, _, example = head.partition(": ")
        if commands.strip():
            yield commands, (check, example)


FAULTS = {
    **dict(_faults()),
    WORLD + WITHOUT_TRIGGERS.format("DELETE FROM projects"): ("tasks-without-parents", "project_id 00000000-0000"),
    WORLD + WITHOUT_TRIGGERS.format("UPDATE projects SET deleted_at = now()"): (
        "tasks-of-deleted-projects",
        ORGANIZATION,
    ),
    WORLD + WITHOUT_TRIGGERS.format("UPDATE projects SET updated_at = now() + interval '1 day'"): (
        "changes-in-the-future",
        "projects changes at ",
    ),
}
