"""Members and teams of the demo: which values occur, and that rows are consistent."""

from collections import Counter
from zoneinfo import ZoneInfo

from tests.db.sample.demo.demo_rows import DemoRows, alive


def test_the_members(studio: DemoRows) -> None:
    members = studio.rows.members
    assert Counter(row["role"] for row in members) == {"owner": 1, "admin": 2, "manager": 4, "member": 15, "viewer": 2}
    assert Counter(row["status"] for row in members) == {"active": 19, "invited": 2, "suspended": 1, "removed": 2}
    assert Counter(row["employment_type"] for row in members) == {
        "employee": 19,
        "contractor": 3,
        "intern": 1,
        "other": 1,
    }
    assert {row["timezone"] for row in members} == {
        None,
        "Asia/Kolkata",
        "America/New_York",
        "Australia/Adelaide",
        "America/Sao_Paulo",
        "Atlantic/Reykjavik",
        "Asia/Kathmandu",
        "Africa/Nairobi",
    }
    engineer = next(row for row in members if row["email"] == "jonas.bruckner@example.com")
    assert engineer["full_name"] == "Jonas Brückner"
    assert (engineer["job_title"], engineer["department"]) == ("Engineering Lead", "Engineering")
    assert engineer["employee_number"] == "KW-0105"
    assert engineer["manager_user_id"] == members[0]["user_id"]
    assert any(not row["full_name"].isascii() for row in members)
    assert any(row["custom_fields"] for row in members) and any(not row["custom_fields"] for row in members)
    assert {row["weekly_limit_seconds"] for row in members} >= {None, 57600, 72000, 144000}
    assert len({row["department"] for row in members}) == 7


def test_an_erased_member_has_no_name(studio: DemoRows) -> None:
    (erased,) = (row for row in studio.rows.members if row["email"] is None)
    personal = ("first_name", "last_name", "avatar_url", "timezone", "employee_number", "job_title")
    assert erased["full_name"] == "Former member"
    assert erased["status"] == "removed"
    assert [erased[name] for name in personal] == [None] * 6
    assert erased["custom_fields"] == {}


def test_one_member_was_removed_and_invited_again(studio: DemoRows) -> None:
    (returned,) = (row for row in studio.rows.members if row["first_joined_at"] != row["joined_at"])
    assert returned["full_name"] == "Ravi Shrestha"
    assert returned["first_joined_at"] < returned["joined_at"]
    assert (returned["status"], returned["removed_at"], returned["left_on"]) == ("active", None, None)
    assert returned["membership_id"] > returned["user_id"], "the membership is of the second invitation"


def test_the_teams(studio: DemoRows) -> None:
    teams = {row["name"]: row for row in studio.rows.teams}
    assert list(teams) == ["Design", "Delivery", "Engineering", "Print", "Winter Campaign"]
    assert [name for name, row in teams.items() if not row["is_active"]] == ["Print"]
    assert [name for name, row in teams.items() if row["deleted_at"]] == ["Winter Campaign"]
    leads: dict[str, set[str]] = {}
    for row in studio.rows.team_members:
        if row["role"] == "lead":
            name = studio.team[row["team_id"]]["name"]
            leads.setdefault(name, set()).add(studio.person[row["user_id"]]["full_name"])
    assert leads["Design"] == {"Élodie Marchand"}
    assert leads["Engineering"] == {"Jonas Brückner"}
    assert leads["Delivery"] == {"Sofía Herrera", "Daniel Osei"}


def test_member_timestamps_match_status(demo: DemoRows) -> None:
    assert [row["role"] for row in demo.rows.members].count("owner") == 1
    for row in demo.rows.members:
        assert (row["status"] == "invited") == (row["joined_at"] is None) == (row["first_joined_at"] is None)
        assert (row["status"] == "removed") == (row["removed_at"] is not None) == (row["left_on"] is not None)
        assert row["timezone"] is None or ZoneInfo(row["timezone"])
        if row["joined_at"] is not None:
            assert row["created_at"] <= row["first_joined_at"] <= row["joined_at"]
            assert row["hired_on"] <= row["first_joined_at"].date()
        if row["removed_at"] is not None:
            assert row["joined_at"] < row["removed_at"]
            assert row["left_on"] == row["removed_at"].date()


def test_managers_are_active_and_lead_to_owner(demo: DemoRows) -> None:
    for row in demo.rows.members:
        seen = {row["user_id"]}
        above = row
        while above["manager_user_id"] is not None:
            above = demo.person[above["manager_user_id"]]
            assert above["status"] == "active"
            assert above["user_id"] not in seen
            seen.add(above["user_id"])
        assert above["role"] == "owner" or above["employment_type"] == "other"


def test_former_members_and_deleted_teams_have_no_memberships(demo: DemoRows) -> None:
    for row in demo.rows.team_members:
        team, person = demo.team[row["team_id"]], demo.person[row["user_id"]]
        assert row["joined_at"] == row["created_at"] > team["created_at"]
        assert row["joined_at"] > (person["joined_at"] or person["created_at"])
        assert row["deleted_at"] == (person["removed_at"] or team["deleted_at"])
    live = Counter((row["team_id"], row["user_id"]) for row in alive(demo.rows.team_members))
    assert set(live.values()) == {1}
