"""Apollo Client and urql ask for documents by hash: automatic persisted queries, and trusted documents.

`make test-clients` runs this and nothing else does: it needs node, and packages that are fetched.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.tools import HERE, NODE, run
from tests.rest_facade.commands.conftest import environment
from tests.rest_facade.commands.demo_process import Demo

pytestmark = pytest.mark.clients

PACKAGES = ("@apollo/client", "rxjs", "@urql/core", "@urql/exchange-persisted")

TRUSTED = "query Trusted { organization { name __typename } }"


def orgdata(running: Demo, *arguments: str, folder: Path) -> str:
    """What `orgdata` prints over the database of the demo."""
    command = [sys.executable, "-m", "rest_facade", *arguments]
    variables = environment(DATABASE_URL=running.details["database_url"])
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_clients_ask_by_hash_and_by_id(running: Demo, tmp_path: Path) -> None:
    missing = [name for name in PACKAGES if not (NODE.parent / name).exists()]
    if missing:
        pytest.skip(f"{missing[0]} is not installed: `make test-clients` installs it where node is.")
    (tmp_path / "trusted.graphql").write_text(TRUSTED)
    manifest = tmp_path / "documents.json"
    manifest.write_text(
        orgdata(running, "documents", "add", "trusted.graphql", "--team", "Web", "--json", folder=tmp_path)
    )
    create = ("keys", "create", "--purpose", "internal", "--label", "Web", "--trusted-documents-only")
    limited = orgdata(running, *create, folder=tmp_path)
    (tmp_path / "node_modules").symlink_to(NODE.parent)
    shutil.copy(HERE / "documents.mjs", tmp_path)
    details = running.details
    organization = details["organization_id"]
    command = ("node", "documents.mjs", details["internal"], details["internal_token"], limited, organization, manifest)
    printed = run(*command, folder=tmp_path)
    steps = {name: rest for name, *rest in (line.split("\t") for line in printed.splitlines())}
    name = steps["apollo-post-again"][-1]
    assert name not in ("", "undefined")
    assert steps == {
        "apollo-post-first": ["POST:hash", "POST:text+hash", name],
        "apollo-post-again": ["POST:hash", name],
        "apollo-get-first": ["GET:hash", "POST:text+hash", name],
        "apollo-get-again": ["GET:hash", name],
        "apollo-trusted": ["GET:hash", name],
        "apollo-untrusted": ["GET:hash", "DOCUMENT_NOT_FOUND"],
        "apollo-limited": ["POST:hash", "POST:text+hash", "TRUSTED_DOCUMENTS_ONLY"],
        "urql-post-first": ["POST:hash", "POST:text+hash", name],
        "urql-post-again": ["POST:hash", name],
        "urql-get-first": ["GET:hash", "GET:text+hash", name],
        "urql-get-again": ["GET:hash", name],
        "urql-trusted": ["GET:hash", name],
        "urql-untrusted": ["GET:hash", "DOCUMENT_NOT_FOUND"],
    }
