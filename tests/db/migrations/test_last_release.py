"""Workers of the last released form serve before, while and after `orgdata migrate` runs, and beside new workers.

A deployment replaces workers one after the other: for a while both forms answer the requests of one client.
"""

import itertools
import json
import re
import threading
from functools import partial
from pathlib import Path
from typing import Any

import httpx2 as httpx
import orjson
import pytest

from bench.before import check_out
from db.admin.engine import connect
from db.admin.migrate import head, revision_of
from db.sample.embedded.server import Server
from tests.db.migrations.predecessors import predecessor
from tests.factories.rows import Rows
from tests.factories.world import named
from tests.faults.service import serving
from tests.helpers.databases import migrate_at, superuser_of

pytestmark = pytest.mark.process

COMMIT = "9f5f59d4"
"""The last released form: its code is in the history of this repository."""

FORM = "0025_of_066b7554"
"""The form of the databases that it made."""

DAYS = "start_date=2026-01-01&end_date=2026-01-31"

LISTS = [f"/v1/{name}/?limit=2" for name in ("members", "projects", "tasks", "invoices", "project_memberships")]

PATHS = [
    *LISTS,
    "/v1/organization/",
    "/v1/members/?updated_since=2026-01-01T00:00:00Z",
    f"/v1/projects/{named('project')}/tasks/",
    f"/v1/clients/{named('client')}/projects/",
    f"/v1/teams/{named('team')}/members/",
    f"/v1/timesheet_idle_times/?{DAYS}",
    f"/v1/time_activity_reports/?{DAYS}",
    f"/v1/manual_timesheet_reports/?{DAYS}",
]
"""What does not depend on the present time."""


def client(public: str, key: str) -> httpx.Client:
    """A client of one worker."""
    return httpx.Client(base_url=public, headers={"X-SERVICE-API-KEY": key}, timeout=30)


def body_of(response: httpx.Response) -> bytes:
    """The text of a response, without what links alone have: the port of the worker, and the form of its tokens.

    A worker ignores tokens of another form: the page beside them decides.
    """
    assert response.status_code == 200
    return re.sub(rb"after=[\w-]+", b"after=token", response.content.replace(response.url.netloc, b"api.example.com"))


def answers(asking: httpx.Client) -> dict[str, Any]:
    return {path: orjson.loads(body_of(asking.get(path))) for path in PATHS}


def known(answer: Any, before: Any) -> Any:
    """An answer with the keys that the release has: later ones add some."""
    if isinstance(answer, dict) and isinstance(before, dict):
        return {key: known(value, before[key]) for key, value in answer.items() if key in before}
    if isinstance(answer, list) and isinstance(before, list) and len(answer) == len(before):
        return list(map(known, answer, before))
    return answer


def in_order(answer: Any) -> str:
    """An answer as text: its keys have an order."""
    return json.dumps(answer, indent=1)


def walk(path: str, *asking: httpx.Client) -> list[Any]:
    """The pages of a list, from one client after the other."""
    pages = []
    for each in itertools.cycle(asking):
        response = each.get(path)
        pages.append(orjson.loads(body_of(response)))
        following = response.json()["next"]
        if following is None:
            return pages
        path = httpx.URL(following).raw_path.decode()
    raise AssertionError


def key_of_its_organization(server: Server, url: str) -> str:
    with superuser_of(server, url) as connection:
        ((own,),) = connection.execute("SELECT organization_id FROM organizations").fetchall()
    rows = Rows(connect(url))
    key = rows.partner_key(own)
    rows.connection.close()
    return key


def test_workers_of_both_versions_answer_alike(server: Server, template: str, tmp_path: Path) -> None:
    assert template, "its migration made the roles"
    code = tmp_path / "code"
    if not check_out(COMMIT, code):
        pytest.skip(f"The history of this checkout lacks commit {COMMIT}, the last released form.")
    of_release = ("env", f"PYTHONPATH={code}")
    with predecessor(server, FORM) as url:
        serve = partial(serving, tmp_path, database_url=url, quota_limit="1000000")
        key = key_of_its_organization(server, url)
        with serve(before=of_release, name="old") as old, client(old.public, key) as ask_old:
            before = answers(ask_old)
            migration = threading.Thread(target=migrate_at, args=(url,))
            migration.start()
            while migration.is_alive():
                assert answers(ask_old) == before
            assert answers(ask_old) == before
            with connect(url).connect() as connection:
                assert revision_of(connection) == head()

            with serve(name="new") as new, client(new.public, key) as ask_new:
                assert in_order(known(answers(ask_new), before)) == in_order(before)
                for path in LISTS:
                    pages = walk(path, ask_old)
                    assert len(pages) >= 3
                    for asking in ([ask_new], [ask_old, ask_new], [ask_new, ask_old]):
                        assert in_order(known(walk(path, *asking), pages)) == in_order(pages)
