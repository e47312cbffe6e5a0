"""Answers of tools: chosen keys, the bound of their size, and the position where a list goes on."""

from typing import Any
from urllib.parse import parse_qsl

import orjson
import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.mcp.answers import MAX_ANSWER, read, selection
from rest_facade.mcp.calls import Call, RestAnswer
from rest_facade.mcp.tool import packaged_tools

TOOLS = {tool.name: tool for tool in packaged_tools()}

DAYS = [
    {"date": "2026-03-01", "tracked_seconds": 3600, "entries": [{"project_id": "2", "tracked_seconds": 3600}]},
    {"date": "2026-03-02", "tracked_seconds": 3600, "entries": []},
]
ROW = {
    "user": {"user_id": "1", "email": None, "full_name": "Ada"},
    "tracked_seconds": 7200,
    "break_seconds": None,
    "days": DAYS,
}


class Service:
    """Answers each request with the same data, or with the rows of the page that it asks for."""

    def __init__(self, data: Any, rows: list[Any] | None = None) -> None:
        self._data = data
        self._rows = rows
        self.queries: list[dict[str, str]] = []

    async def send(self, path: str, query: str) -> RestAnswer:
        given = dict(parse_qsl(query))
        self.queries.append(given)
        data = self._data
        if self._rows is not None:
            limit, page = int(given["limit"]), int(given.get("page", 1))
            following = f"/v1/x/?limit={limit}&page={page + 1}&after=t&status=active"
            data = page_of(*self._rows[(page - 1) * limit : page * limit], next=following)
        return RestAnswer(200, orjson.dumps(data), {})


async def shown(name: str, data: Any, **arguments: Any) -> Any:
    return await read(TOOLS[name], arguments, Call(Service(data).send))


def page_of(*rows: Any, **more: Any) -> dict[str, Any]:
    return {"count": len(rows), "next": None, "previous": None, "results": list(rows), **more}


async def test_list_shows_main_keys_with_values_by_default() -> None:
    content = await shown("listTimeActivityReport", page_of(ROW))
    assert content["results"] == [{"user": {"user_id": "1", "full_name": "Ada"}, "tracked_seconds": 7200}]
    assert content["more_fields"] == ["start_date", "end_date", "timezone", "last_ended_at", "updated_at", "days"], (
        "a new key of a report takes the place of another that agents see by default: write it here"
    )


async def test_star_shows_all_keys() -> None:
    assert await shown("listTimeActivityReport", page_of(ROW), fields="*") == {
        "count": 1,
        "next": None,
        "results": [ROW],
    }


@pytest.mark.parametrize("fields", ["user.full_name, days.date", ["user.full_name", "days.date"]])
async def test_fields_choose_keys_at_any_depth(fields: Any) -> None:
    content = await shown("listTimeActivityReport", page_of(ROW), fields=fields)
    assert content["results"] == [
        {"user": {"full_name": "Ada"}, "days": [{"date": "2026-03-01"}, {"date": "2026-03-02"}]}
    ]
    assert content["count"] == 1


@pytest.mark.parametrize("fields", ["user,user.full_name", "user.full_name,user"])
async def test_whole_key_includes_its_parts(fields: str) -> None:
    assert (await shown("listTimeActivityReport", page_of(ROW), fields=fields))["results"] == [{"user": ROW["user"]}]


async def test_question_mark_describes_keys_by_dotted_names() -> None:
    keys = await shown("listTimeActivityReport", None, fields="?")
    assert keys["timesheets_count"].startswith("Int. Number of different timesheets")
    assert keys["manual_seconds"] == "Seconds. Part of tracked_seconds: manual time."
    assert keys["days.entries.project_name"] == "String or null. Name of the project."


@pytest.mark.parametrize(
    ("tool", "fields", "sent"),
    [
        ("listInvoices", "line_items.amount", {"limit": "20", "include": "line_items"}),
        ("listInvoices", "*", {"limit": "20", "include": "line_items"}),
        ("listInvoices", "number", {"limit": "20"}),
        ("listUrlReports", ["days.sites.pages"], {"limit": "20", "detail": "url"}),
        ("listUrlReports", "*", {"limit": "20"}),
    ],
)
async def test_chosen_key_is_asked_for(tool: str, fields: Any, sent: dict[str, str]) -> None:
    service = Service(page_of())
    await read(TOOLS[tool], {"fields": fields}, Call(service.send))
    assert service.queries == [sent]


def test_unknown_field_is_refused_with_near_ones() -> None:
    with pytest.raises(Refused) as caught:
        selection(TOOLS["listMembers"], "fullname")
    assert caught.value.error.message.startswith("'fullname' is no key of a result. Near ones: full_name")
    assert caught.value.error.details is not None
    assert list(caught.value.error.details) == ["fields"]


def big(number: int, size: int = MAX_ANSWER // 10) -> dict[str, str]:
    return {"id": str(number), "name": "x" * size}


async def test_large_page_is_read_again_with_fewer_rows() -> None:
    service = Service(None, [*map(big, range(60))])
    arguments = {"limit": 20, "next": "page=3&limit=20", "status": "active"}
    content = await read(TOOLS["listProjects"], arguments, Call(service.send))
    # Nine rows fit; pages of five rows begin where pages of twenty begin.
    assert [row["id"] for row in content["results"]] == ["40", "41", "42", "43", "44"]
    assert [(query["limit"], query["page"]) for query in service.queries] == [("20", "3"), ("5", "9")]
    assert content["next"] == "limit=5&page=10&after=t"


async def test_next_of_a_cursor_list_is_its_cursor() -> None:
    data = {"results": [], "pagination": {"has_more": True, "next_cursor": "c", "total_users": 7}}
    content = await shown("listTimesheetIdleTime", data)
    assert (content["count"], content["next"]) == (7, "cursor=c")
    last = {"results": [], "pagination": {"has_more": False, "next_cursor": None, "total_users": 7}}
    assert (await shown("listTimesheetIdleTime", last))["next"] is None


async def test_large_array_and_object_say_how_to_narrow() -> None:
    content = await shown("listMemberPaymentSettings", [big(n) for n in range(20)], user_id="1")
    assert (len(content["results"]), content["cut"]["of"]) == (9, 20)
    content = await shown("retrieveInvoice", {"id": "1", "line_items": [big(n) for n in range(20)]}, invoice_id="1")
    assert content["cut"] == {
        "key": "line_items",
        "shown": 9,
        "of": 20,
        "advice": "Name the keys that you need in `fields`, or ask for fewer days.",
    }


async def test_small_answer_is_whole() -> None:
    assert await shown("listMemberPaymentSettings", [{"id": "1"}], user_id="1") == {"results": [{"id": "1"}]}
    assert await shown("retrieveProject", {"id": "1", "code": None}, project_id="1") == {"id": "1", "code": None}
