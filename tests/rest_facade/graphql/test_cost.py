"""`extensions.cost`: the estimate, the limits and the real figures, in the responses to calls that want them."""

from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest

from rest_facade.composition import Service
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import connected

TEAMS = "{ teams(limit: 10) { count results { name members(limit: 5) { results { user { full_name } } } } } }"
MAXIMUM = {"rows": 5_000, "depth": 12, "objects": 50_000, "bytes": 16 * 2**20}


async def response_to(service: Service, rows: Rows, own: UUID, query: str, extensions: Any) -> Any:
    return await connected(service, rows, own).send({"query": query, "extensions": extensions})


async def test_answer_has_estimate_and_real_cost(service: Service, rows: Rows) -> None:
    own = rows.organization()
    rows.team_member(own, rows.team(own, name="Design"), rows.member(own, full_name="Anna Berg"))
    response = await response_to(service, rows, own, TEAMS, {"cost": True})
    cost = response.json()["extensions"]["cost"]
    assert cost.pop("actual").keys() == {"objects", "bytes", "statements", "round_trips", "database_ms"}
    assert cost == {
        "estimate": {"rows": 60, "largest": {"field": "teams.members", "rows": 50}, "depth": 4},
        "maximum": MAXIMUM,
        # As many as the objects of the answer, which are fewer than the estimated rows.
        "points": {"charged": 6, "limit": 60 * 5_000, "remaining": 60 * 5_000 - 6},
    }
    actual = response.json()["extensions"]["cost"]["actual"]
    # The query, both pages, a team, a membership and its person; a statement for each list.
    assert (actual["objects"], actual["statements"], actual["round_trips"]) == (6, 2, 2)
    data = response.text.removeprefix('{"data":').partition(',"extensions"')[0]
    assert actual["bytes"] == len(data.encode())


@pytest.mark.parametrize(("given", "charged"), [("", 28), (" @skip(if: true)", 2)])
async def test_list_without_limit_costs_what_it_returns(service: Service, rows: Rows, given: str, charged: int) -> None:
    own = rows.organization()
    user = rows.member(own)
    for number in range(25):
        day = date(2026, 1, 1) + timedelta(days=number)
        rows.payment_setting(own, user, effective_from=day, effective_to=day)
    query = f"{{ members(limit: 2) {{ results {{ full_name payment_settings{given} {{ id }} }} }} }}"
    cost = (await response_to(service, rows, own, query, {"cost": True})).json()["extensions"]["cost"]
    assert cost["estimate"]["rows"] == 2
    assert cost["points"] == {"charged": charged, "limit": 300_000, "remaining": 300_000 - charged}


async def test_refusal_has_the_estimate(service: Service, rows: Rows) -> None:
    query = "{ members(limit: 100) { results { tasks(limit: 100) { next } } } }"
    response = await response_to(service, rows, rows.organization(), query, {"cost": True})
    assert response.json()["extensions"]["cost"] == {
        "estimate": {"rows": 10_100, "largest": {"field": "members.tasks", "rows": 10_000}, "depth": 3},
        "maximum": MAXIMUM,
    }


@pytest.mark.parametrize("extensions", [None, {}, {"cost": False}, {"other": 1}])
async def test_answer_has_no_cost_unless_wanted(service: Service, rows: Rows, extensions: Any) -> None:
    assert (await response_to(service, rows, rows.organization(), TEAMS, extensions)).json().keys() == {"data"}


async def test_cost_that_is_no_boolean_is_refused(service: Service, rows: Rows) -> None:
    response = await response_to(service, rows, rows.organization(), TEAMS, {"cost": "yes"})
    assert (response.status_code, response.json()["errors"][0]["message"]) == (
        400,
        "extensions.cost must be true or false.",
    )
