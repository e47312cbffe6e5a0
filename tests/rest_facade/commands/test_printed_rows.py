"""`--json`: commands that print rows print one JSON array instead, and their sentences to standard error."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.rest_facade.commands.conftest import Run


def printed(run: Run, *words: str) -> Any:
    result = run(*words, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def test_json_of_keys_has_rights_and_times_in_utc(run: Run, own: str) -> None:
    run("keys", "create", "--purpose", "mcp", "--organization", own, "--scope", "tasks:read", "--days", "1")
    (key,) = printed(run, "keys", "list", "--organization", own)
    assert key.pop("expires_at").endswith("Z")
    assert len(key.pop("public_id")) == 8
    assert key == {
        "purpose": "mcp",
        "organization_ids": [own],
        "scopes": ["tasks:read"],
        "trusted_documents_only": False,
        "state": "live",
        "revoked_at": None,
        "label": "",
    }


def test_json_of_quotas_and_organizations_has_their_columns(run: Run, own: str) -> None:
    run("quotas", "set", "--organization", own, "--limit", "7")
    run("quotas", "set", "--organization", own, "--group", "teams", "--limit", "9")
    assert printed(run, "quotas", "list", "--organization", own) == [
        {"organization_id": own, "group": None, "limit": 7},
        {"organization_id": own, "group": "teams", "limit": 9},
    ]
    listed = {row["organization_id"]: row for row in printed(run, "organizations", "list")}
    assert listed[own].keys() == {"organization_id", "status", "timezone", "currency", "name"}


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("export --organization {own} --to {folder} --resource teams", {"resource", "rows", "files"}),
        (
            "retain --organization {own} --dry-run",
            {"organization_id", "table", "first_kept_day", "rows", "objects", "has_locked"},
        ),
        ("seed --members 1 --days 0", {"organization_id"}),
        ("migrate", {"revision"}),
    ],
)
def test_json_of_jobs_is_the_only_output(words: str, keys: set[str], run: Run, own: str, tmp_path: Path) -> None:
    rows = printed(run, *words.format(own=own, folder=tmp_path / "new").split())
    assert rows
    assert {frozenset(row) for row in rows} == {frozenset(keys)}


def test_json_of_documents_has_state_and_problems(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "names.graphql"
    file.write_text("query Names { members { count } }")
    run("documents", "add", str(file), "--team", "Rows")
    (listed,) = printed(run, "documents", "list", "--team", "Rows")
    assert (listed["team"], listed["operation_name"], listed["state"]) == ("Rows", "Names", "valid")
    assert listed["created_at"].endswith("Z")
    checked = run("documents", "check", "--team", "Rows", "--json")
    assert (checked.code, checked.out, checked.err) == (0, "[]\n", "1 documents are valid.\n")
    (removed,) = printed(run, "documents", "remove", listed["document_id"])
    assert removed == {name: listed[name] for name in ("document_id", "team", "operation_name")}
