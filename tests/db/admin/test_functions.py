"""SQL functions: an error that names the remedy where no organization is set; the times of joining."""

from uuid import UUID, uuid4

import pytest

from tests.db.writing import session
from tests.factories.rows import Rows

NOT_SET = (
    "No organization is set: run SELECT set_organization('ID') first, in the same transaction."
    "\nHINT:  For a whole session: SET app.organization_id = 'ID'. The owner of the tables sees the ids in the table"
    " organizations."
)


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization(name="Acme")


@pytest.mark.parametrize("role", [None, "orgdata_service", "orgdata_writer"])
@pytest.mark.parametrize("query", ["SELECT count(*) FROM projects", "SELECT 1 FROM members WHERE email = 'a'"])
def test_select_without_organization_names_the_remedy(owner_url: str, role: str | None, query: str) -> None:
    with session(owner_url, role=role) as writer:
        assert writer.error(query) == NOT_SET


@pytest.mark.parametrize("role", [None, "orgdata_writer"])
def test_write_without_organization_names_the_remedy(owner_url: str, own: UUID, role: str | None) -> None:
    insert = "INSERT INTO teams (organization_id, id, name) VALUES (%(id)s, gen_random_uuid(), 'Design')"
    with session(owner_url, role=role) as writer:
        assert writer.error(insert, id=own) == NOT_SET
        assert writer.error("UPDATE teams SET name = 'x'") == NOT_SET
        assert writer.error("DELETE FROM teams") == NOT_SET


def test_set_organization_returns_its_name(owner_url: str, own: UUID) -> None:
    with session(owner_url) as writer:
        assert writer.one("SELECT set_organization(%(id)s) AS name", id=own).name == "Acme"
        assert writer.one("SELECT count(*) FROM projects").count == 0
        # An organization that is about to be inserted.
        assert writer.one("SELECT set_organization(%(id)s) AS name", id=uuid4()).name is None


def test_set_organization_ends_with_the_transaction(owner_url: str, own: UUID) -> None:
    with session(owner_url, own) as writer:
        writer.connection.commit()
        assert writer.error("SELECT count(*) FROM projects") == NOT_SET
        writer.run("SELECT set_config('app.organization_id', %(id)s, false)", id=str(own))
        writer.connection.commit()
        assert writer.one("SELECT count(*) FROM projects").count == 0


def test_owner_alone_sees_all_organizations(owner_url: str, own: UUID, rows: Rows) -> None:
    other = rows.organization()
    seen = "SELECT 1 FROM organizations WHERE organization_id = %(other)s"
    with session(owner_url) as owner:
        assert owner.run(seen, other=other)
    for role in ("orgdata_service", "orgdata_writer"):
        with session(owner_url, own, role) as reader:
            assert reader.run(seen, other=other) == []
    with session(owner_url, own) as owner:
        owner.run("UPDATE organizations SET name = 'x' WHERE organization_id = %(other)s", other=other)
        assert owner.one("SELECT name FROM organizations WHERE organization_id = %(o)s", o=other).name == "Acme"


INSERT_MEMBER = """
    INSERT INTO members (organization_id, user_id, membership_id, full_name, status, created_at, joined_at, removed_at)
    VALUES (%(o)s, %(user)s, gen_random_uuid(), 'Ada', %(status)s, '2026-01-05 09:00:00.7Z', %(joined)s, %(removed)s)
    RETURNING joined_at::text, first_joined_at::text
"""


@pytest.mark.parametrize(
    ("status", "joined", "expected"),
    [
        ("active", None, ("2026-01-05 09:00:00+00", "2026-01-05 09:00:00+00")),
        ("suspended", None, ("2026-01-05 09:00:00+00", "2026-01-05 09:00:00+00")),
        ("active", "2025-03-01 00:00:00Z", ("2025-03-01 00:00:00+00", "2025-03-01 00:00:00+00")),
        ("invited", None, (None, None)),
    ],
)
def test_times_of_joining_are_completed(
    owner_url: str, own: UUID, status: str, joined: str | None, expected: tuple[str | None, str | None]
) -> None:
    with session(owner_url, own) as writer:
        writer.run("SET LOCAL timezone = 'UTC'")
        assert writer.one(INSERT_MEMBER, user=uuid4(), status=status, joined=joined, removed=None) == expected


def test_invited_member_joins_when_activated(owner_url: str, own: UUID) -> None:
    user = uuid4()
    with session(owner_url, own) as writer:
        writer.run(INSERT_MEMBER, user=user, status="invited", joined=None, removed=None)
        writer.run("UPDATE members SET status = 'active' WHERE user_id = %(user)s", user=user)
        row = writer.one(
            "SELECT joined_at = first_joined_at AND joined_at BETWEEN date_trunc('second', now()) AND clock_timestamp()"
            " AS now FROM members WHERE user_id = %(user)s",
            user=user,
        )
        assert row.now
        # A second membership keeps the first time.
        writer.run("UPDATE members SET joined_at = joined_at + interval '1 year' WHERE user_id = %(user)s", user=user)
        later = "SELECT joined_at > first_joined_at FROM members WHERE user_id = %(user)s"
        assert writer.one(later, user=user) == (True,)
