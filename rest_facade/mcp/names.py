"""Names in place of ids: an argument such as `user_id` takes the name of a person, which /v1 is asked for."""

import asyncio
import re
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.arguments import FORMAT_MESSAGES, ID_FORM
from rest_facade.mcp.calls import Call, CallRefused, query_of

ROWS_ASKED, PAGES_ASKED = 100, 10
"""Rows of a page, and pages, in which a name is looked for."""

SHOWN_CANDIDATES = 5


class NamedList(NamedTuple):
    """A list of /v1 that has the names of ids."""

    path: str
    id: str
    name: str
    search: str | None = "search"
    """The filter by the start of a name, or by a whole one."""
    every: Mapping[str, str] = {}
    """The filters of a list that leaves out some rows without them."""
    apart: Sequence[str] = ()
    """The keys that tell two rows of one name apart."""


EVERYBODY = {"status": "active,invited,suspended,removed"}
NAMED = {
    "user_id": NamedList("/v1/members/", "user_id", "full_name", every=EVERYBODY, apart=("email", "status")),
    "team_id": NamedList("/v1/teams/", "id", "name"),
    "project_id": NamedList("/v1/projects/", "id", "name", apart=("client_name", "status")),
    "client_id": NamedList("/v1/clients/", "id", "name", apart=("email", "currency")),
    "invoice_id": NamedList("/v1/invoices/", "id", "number", search="number"),
    "leave_type_id": NamedList("/v1/leave_types/", "id", "name", search=None),
    "leave_policy_id": NamedList("/v1/leave_policies/", "id", "name", search=None),
    "leave_period_id": NamedList("/v1/leave_periods/", "id", "name", search=None),
}
"""Arguments that take names."""

SELF = frozenset(("me", "@me", "i", "myself", "self", "current_user"))
"""Words that mean the caller in some APIs. As names they would be starts: `me` of Mei-Ling."""

Names = dict[str, str]
"""Names by ids."""


async def with_ids(arguments: Mapping[str, Any], call: Call) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments with ids in place of names, and those ids with their whole names.

    Raises Refused (400) for a name that nothing has, or more than one; the message has the candidates.
    """
    ids, names = dict(arguments), {}
    for argument, named in NAMED.items():
        if argument not in ids or ID_FORM.fullmatch(ids[argument]):
            continue
        text = " ".join(ids[argument].split()).lstrip("#")
        if not text:
            raise Refused(invalid(f"{argument} is empty: give a name or an id, or leave it out.", argument))
        if argument == "user_id" and text.casefold() in SELF:
            raise Refused(invalid("A key is of an organization, not of a person: give a name or an id.", argument))
        found = await _found(named, text, argument, call)
        if len(found) != 1:
            raise Refused(invalid(_ambiguity(text, await _told_apart(named, found, call)), argument))
        (ids[argument],) = found
        names[argument] = {"id": ids[argument], "name": found[ids[argument]]}
    return ids, names


async def _found(named: NamedList, text: str, argument: str, call: Call) -> Names:
    """What has exactly this name; else what begins with it; else what has a word that begins with it.

    People who left are among them: their namesake has other hours. What was deleted is, too, unless something else
    begins with the name: reports show its time.
    """
    try:
        names = await _names(named, {named.search: text, **named.every}, call) if named.search else {}
        every = {} if names else await _names(named, {**named.every, "include_deleted": "true"}, call)
        names = names or _with_word(every, text)
        is_cut = len(every) >= ROWS_ASKED * PAGES_ASKED
        if is_cut or not names:
            near = await _told_apart(named, names or await alike(every, text), call)
            # The next name might be a better one.
            searched = f"Words are looked for in the first {len(every)} names only. " if is_cut else ""
            raise Refused(invalid(searched + _ambiguity(text, near), argument))
    except CallRefused as refused:
        if refused.content["error"]["code"] not in ("SCOPE_DENIED", "VALIDATION_ERROR"):
            raise
        # The key may not read the names, or no name can be like this.
        scope = refused.content["error"].get("required_scope")
        advice = f" To give a name, the key needs {scope}." if scope else ""
        raise Refused(invalid(FORMAT_MESSAGES["uuid"] + advice, argument)) from refused
    wanted = _folded(text)
    exact = {id: name for id, name in names.items() if name.casefold() == text.casefold()}
    return exact or {id: name for id, name in names.items() if _folded(name) == wanted} or names


async def _told_apart(named: NamedList, found: Names, call: Call) -> Names:
    """The same candidates; those that are shown have more than their name if two have the same."""
    if len(set(found.values())) == len(found):
        return found
    shown = query_of({"id": ",".join(list(found)[:SHOWN_CANDIDATES]), **named.every})
    rows = (await call.get(named.path, shown))["results"]
    return found | {row[named.id]: ", ".join(filter(None, map(row.get, (named.name, *named.apart)))) for row in rows}


async def similar_names(path: str, text: str, call: Call) -> list[dict[str, str]]:
    """What has a word like a text, for a search that found nothing: it compares the start of names."""
    named = next((each for each in NAMED.values() if each.path == path), None)
    every = {} if named is None else await _names(named, named.every, call)
    return [{"id": id, "name": name} for id, name in list((await alike(every, text)).items())[:SHOWN_CANDIDATES]]


async def alike(names: Names, text: str) -> Names:
    """Those in which a word begins with the text; else those that it misspells, or a word of them."""
    # In a thread: to compare a thousand names takes up to 100 ms.
    return _with_word(names, text) or await asyncio.to_thread(_misspelled, names, text)


def _misspelled(names: Names, text: str) -> Names:
    parts = {id: [_folded(name), *_folded(name).split()] for id, name in names.items()}
    return {id: names[id] for id, texts in parts.items() if get_close_matches(_folded(text), texts, 1)}


def _with_word(names: Names, text: str) -> Names:
    """Those in which a word begins with the text, also after a hyphen: 1001 is in KW-1001."""
    start = re.compile(rf"(?<!\w){re.escape(_folded(text))}")
    return {id: name for id, name in names.items() if start.search(_folded(name))}


def _folded(text: str) -> str:
    """The text without case and accents: people ask for Sohne and mean Söhne."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parts if not unicodedata.combining(each))


async def _names(named: NamedList, filters: Mapping[str, str], call: Call) -> Names:
    names: Names = {}
    for page in range(1, PAGES_ASKED + 1):
        content = await call.get(named.path, query_of({**filters, "limit": ROWS_ASKED, "page": page}))
        for row in content["results"]:
            names[row[named.id]] = row[named.name] + " (deleted)" * bool(row["deleted_at"])
        if content["next"] is None:
            break
    return names


def _ambiguity(text: str, found: Names) -> str:
    if not found:
        return f"Nothing is called {text!r}. Give an id, or the start of a name or of a word in it."
    shown = ", ".join(f"{name} ({id})" for id, name in list(found.items())[:SHOWN_CANDIDATES])
    return f"{len(found)} {'is' if len(found) == 1 else 'are'} called like {text!r}: {shown}. Give one of the ids."
