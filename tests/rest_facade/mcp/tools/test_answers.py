"""Answers of tools: chosen keys, levels of detail, and the cut at a row."""

from typing import Any

import orjson
import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.mcp.tools.answers import MAX_ANSWER, answer, selection, summary
from rest_facade.mcp.tools.tool import packaged_tools

TOOLS = {tool.name: tool for tool in packaged_tools()}

ROW = {
    "user": {"user_id": "1", "email": None, "full_name": "Ada"},
    "tracked_seconds": 7200,
    "days": [
        {"date": "2026-03-01", "tracked_seconds": 3600, "entries": [{"project_id": "2", "tracked_seconds": 3600}]},
        {"date": "2026-03-02", "tracked_seconds": 3600, "entries": []},
    ],
}


def shown(name: str, data: Any, **arguments: Any) -> Any:
    tool = TOOLS[name]
    return answer(tool, orjson.dumps(data), arguments, selection(tool, arguments))


def page(*rows: Any, **more: Any) -> dict[str, Any]:
    return {"count": len(rows), "next": None, "previous": None, "results": list(rows), **more}


def test_report_shows_totals_by_default() -> None:
    (row,) = shown("listTimeActivityReport", page(ROW))["results"]
    assert row == {"user": ROW["user"], "tracked_seconds": 7200}


def test_detail_adds_days_then_entries() -> None:
    (row,) = shown("listTimeActivityReport", page(ROW), detail="days")["results"]
    assert row["days"] == [
        {"date": "2026-03-01", "tracked_seconds": 3600},
        {"date": "2026-03-02", "tracked_seconds": 3600},
    ]
    assert shown("listTimeActivityReport", page(ROW), detail="entries")["results"] == [ROW]


@pytest.mark.parametrize("fields", ["user.full_name, days.date", ["user.full_name", "days.date"]])
def test_fields_choose_keys_at_any_depth(fields: Any) -> None:
    content = shown("listTimeActivityReport", page(ROW), fields=fields)
    assert content["results"] == [
        {"user": {"full_name": "Ada"}, "days": [{"date": "2026-03-01"}, {"date": "2026-03-02"}]}
    ]
    assert content["count"] == 1


@pytest.mark.parametrize("fields", ["user,user.full_name", "user.full_name,user"])
def test_whole_key_includes_its_parts(fields: str) -> None:
    assert shown("listTimeActivityReport", page(ROW), fields=fields)["results"] == [{"user": ROW["user"]}]


def test_unknown_field_is_refused_with_near_ones() -> None:
    with pytest.raises(Refused) as caught:
        selection(TOOLS["listMembers"], {"fields": "fullname"})
    assert caught.value.error.message.startswith("'fullname' is no key of a result. Near ones: full_name")
    assert caught.value.error.details is not None
    assert list(caught.value.error.details) == ["fields"]


def big(number: int, size: int = MAX_ANSWER // 10) -> dict[str, str]:
    return {"id": str(number), "name": "x" * size}


def test_large_page_is_cut_where_a_page_continues() -> None:
    content = shown("listProjects", page(*map(big, range(20)), next="/v1/projects/?page=4"), limit=20, page=3)
    # Nine rows fit; pages of five rows begin where pages of twenty begin.
    assert [row["id"] for row in content["results"]] == ["0", "1", "2", "3", "4"]
    assert content["cut"] == {
        "results_shown": 5,
        "results_of_this_page": 20,
        "next_arguments": {"limit": 5, "page": 10},
    }
    assert content["next"] is None
    assert len(orjson.dumps(content)) < MAX_ANSWER + 1_000


def test_large_cursor_page_says_which_limit_fits() -> None:
    data = {"results": [big(n) for n in range(20)], "pagination": {"has_more": True, "next_cursor": "c"}}
    content = shown("listTimesheetIdleTime", data, limit=20)
    assert len(content["results"]) == 9
    assert content["pagination"] == {"has_more": True, "next_cursor": None}
    assert "limit=9" in content["cut"]["advice"]


def test_large_array_and_object_say_how_to_narrow() -> None:
    content = shown("listScreenshots", [big(n) for n in range(20)])
    assert (len(content["results"]), content["cut"]["results_of_this_page"]) == (9, 20)
    assert "`fields`" in content["cut"]["advice"]
    content = shown("retrieveInvoice", {"id": "1", "line_items": [big(n) for n in range(20)]})
    assert content["cut"] == {
        "key": "line_items",
        "shown": 9,
        "of": 20,
        "advice": "Name the keys that you need in `fields`, choose less `detail`, or ask for fewer days.",
    }


def test_one_row_that_is_too_large_is_cut_inside() -> None:
    row = ROW | {"days": [{"date": f"2026-03-{n:02}", "entries": [big(n)]} for n in range(1, 31)]}
    content = shown("listTimeActivityReport", page(row, ROW), detail="entries", limit=2)
    assert len(content["results"]) == 1
    assert len(content["results"][0]["days"]) == content["cut"]["inside"]["shown"] == 9
    assert content["cut"]["next_arguments"] == {"limit": 1, "page": 2}


def test_small_answer_is_whole() -> None:
    assert shown("listProjects", page(big(1, 10))) == page(big(1, 10))
    assert shown("listScreenshots", [{"id": "1"}]) == {"results": [{"id": "1"}]}
    assert shown("retrieveProject", {"id": "1"}) == {"id": "1"}


def test_summary_counts_results_and_says_how_to_go_on() -> None:
    assert summary("listTeams", page({}, count=9, next="/x")) == (
        "listTeams: 1 of 9 results, see the structured content. There are more pages."
    )
    assert summary("listTeams", page({}) | {"cut": {}}).endswith("The answer is cut; `cut` says how to go on.")
    assert summary("retrieveProject", {"id": "1"}) == "retrieveProject: one object, see the structured content."
