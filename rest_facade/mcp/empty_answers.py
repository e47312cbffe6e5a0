"""Answers without rows, explained: a model takes them for zero, while an argument may mean nothing."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.answers import ARRAY_KEY, NEXT_ARGUMENT
from rest_facade.mcp.arguments import target
from rest_facade.mcp.calls import Call, CallRefused, query_of
from rest_facade.mcp.names import NAMED, NamedList, alike, similar_names
from rest_facade.mcp.tool import EndpointTool, Tool

ID_LISTS = dict.fromkeys(("task_id", "parent_task_id"), NamedList("/v1/tasks/", "id", "name"))
ID_LISTS |= NAMED | {"assignee": NAMED["user_id"]}
"""The lists in which ids are looked up."""

OF_FEATURES = frozenset(f"{family}:read" for family in "attendance activity screenshots invoices payroll leave".split())
"""The scopes of tools whose lists are empty while a feature is off."""

HOURLY, ONE_TIME = "listMemberHourlyPaymentLog", "listMemberOneTimePaymentLog"
PAID_BY = {HOURLY: ONE_TIME, ONE_TIME: HOURLY}
"""Lists of what a person was paid, and the other one: who has a salary is not paid by the hour."""

USED, SHOWN_USED = {"app_name": "apps", "domain": "sites"}, 20
"""Arguments that are compared with names in the days of a report, and the key of these; how many are shown."""


async def explained(
    tool: Tool, arguments: Mapping[str, Any], names: Mapping[str, Any], content: Mapping[str, Any], call: Call
) -> dict[str, Any]:
    """Keys for an answer without rows, as far as the key may read the reasons. `names` are of ids that were found.

    Raises Refused (400) for an id that nothing has.
    """
    filters = {name: value for name, value in arguments.items() if name not in ("fields", "limit")}
    off = ""
    with suppress(CallRefused, Refused):
        features = (await call.get("/v1/organization/", ""))["features"] if tool.scope in OF_FEATURES else {}
        if off := ", ".join(name for name, is_on in features.items() if not is_on):
            off = f" These features are off: {off}."
    if not filters:
        return {"hint": off.strip()} if off else {}
    unchecked = ""
    for argument in sorted(filters.keys() & ID_LISTS.keys() - names.keys()):
        named, count = ID_LISTS[argument], None
        try:
            by_id = query_of({named.id: filters[argument], **named.every, "limit": 1})
            count = (await call.get(named.path, by_id))["count"]
        except (CallRefused, Refused) as refused:
            # The quota refuses, too: then nothing is known.
            if isinstance(refused, CallRefused) and (scope := refused.content["error"].get("required_scope")):
                unchecked += f" Nothing may have this {argument}: to look it up, the key needs {scope}."
        if count == 0:
            raise Refused(invalid("Nothing has this id: it is of something else, or deleted.", argument))
    as_of = call.headers.get("X-Data-As-Of", "")[:10]
    age = f" The data is as of {as_of}." if as_of else ""
    place, more = ("on this page", " Read on with `next`.") if content.get(NEXT_ARGUMENT) else ("here", "")
    told: dict[str, Any] = {"hint": f"Nothing {place} matches all of {', '.join(filters)}.{unchecked}{more}{age}{off}"}
    if "team_id" in filters:
        told["hint"] += " A team is who is in it now."
    if tool.scope in ("activity:read", "screenshots:read"):
        told["hint"] += " Older data may be dropped, or the feature be off: retrieveOrganization tells."
    if tool.name in PAID_BY:
        told["hint"] += f" {PAID_BY[tool.name]} may have payments."
    if not isinstance(tool, EndpointTool):
        return told
    with suppress(CallRefused, Refused):
        if tool.rows is not None and content[ARRAY_KEY] == []:
            if name := filters.get("search") or filters.get("number"):
                told["similar"] = await similar_names(tool.path, name, call)
            path, query = target(tool, {**filters, "limit": 1})
            if hidden := (await call.get(path, f"{query}&include_deleted=true")).get("count"):
                told["hint"] += f" {hidden} that do are left out: deleted, of removed people, of past leave periods."
        for argument in filters.keys() & USED.keys():
            page = await call.get(*target(tool, {name: filters[name] for name in filters.keys() - {argument}}))
            parts = (part for row in page[ARRAY_KEY] for day in row["days"] for part in day[USED[argument]])
            used = {name: name for name in sorted({part[argument] for part in parts})}
            told["similar"] = list(await alike(used, filters[argument]) or used)[:SHOWN_USED]
    return told
