"""The reference of the REST API: a page in Markdown for each area, from the OpenAPI document."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from rest_facade.openapi.polling import COMPLETE, REPORT_POLLING
from rest_facade.openapi.schemas import Schema
from rest_facade.site.sources import SourcePage

READER = "Reference"

POLLED_ROWS = "[Polling](polling.md): `updated_since` with `include_deleted=true` and no other filter."
POLLED_PEOPLE = "[Polling](polling.md): `updated_since` returns the whole row of each person with a change."

CURL = """curl -H "X-SERVICE-API-KEY: $ORGDATA_KEY" \\
  '{url}'"""

PYTHON = """import os
import requests

response = requests.get(
    "{address}",
    params={parameters},
    headers={{"X-SERVICE-API-KEY": os.environ["ORGDATA_KEY"]}},
    timeout=30,
)
response.raise_for_status()
print(response.json())"""

TYPESCRIPT = """const response = await fetch("{url}", {{
  headers: {{ "X-SERVICE-API-KEY": process.env.ORGDATA_KEY! }},
}});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());"""


def reference_pages(document: Mapping[str, Any]) -> Iterator[SourcePage]:
    """A page with all operations, and one for each area."""
    operations = [{**path["get"], "path": name} for name, path in document["paths"].items()]
    text = f"# All operations\n\n{document['info']['description']}\n\n## Operations\n"
    lines = [text, "| operation | path |", "|---|---|"]
    for each in operations:
        anchor = f"reference-{each['tags'][0]}.md#{each['operationId'].lower()}"
        lines.append(f"| [{each['operationId']}]({anchor}) | `{each['path']}` |")
    yield SourcePage("reference", READER, "\n".join(lines))
    for tag in document["tags"]:
        parts = [f"# {tag['name'].capitalize()}", tag["description"]]
        parts += [_operation(each, document) for each in operations if each["tags"] == [tag["name"]]]
        yield SourcePage(f"reference-{tag['name']}", READER, "\n\n".join(parts))


def samples(operation: Mapping[str, Any], server: str) -> Mapping[str, str]:
    """A request of the operation in each language, with the examples of its required parameters."""
    examples = {each["name"]: each["example"] for each in operation["parameters"] if "example" in each}
    address = server + operation["path"].format_map(examples)
    queried = [each["name"] for each in operation["parameters"] if each["in"] == "query"]
    query = {name: examples[name] for name in queried if name in examples}
    url = f"{address}?{urlencode(query)}" if query else address
    return {
        "bash": CURL.format(url=url),
        "python": PYTHON.format(address=address, parameters=json.dumps(query)),
        "typescript": TYPESCRIPT.format(url=url),
    }


def _operation(operation: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    # The rules that many operations have are those of one page.
    text = operation["description"].replace(COMPLETE, POLLED_ROWS).replace(REPORT_POLLING, POLLED_PEOPLE)
    parts = [f"## {operation['operationId']}", f"`GET {operation['path']}`", text]
    for language, code in samples(operation, document["servers"][0]["url"]).items():
        parts.append(f"```{language}\n{code}\n```")
    if operation["parameters"]:
        rows = [
            f"| `{each['name']}`{' (required)' if each['required'] else ''} | {_kind(each['schema'], document)} "
            f"| {_cell(each['description'])} |"
            for each in operation["parameters"]
        ]
        parts += ["**Parameters**", "\n".join(["| name | type | what it is |", "|---|---|---|", *rows])]
    content = operation["responses"]["200"]["content"]["application/json"]
    rows = [f"| `{name}` | {kind} | {_cell(text)} |" for name, kind, text in _keys(content["schema"], document)]
    parts += ["**Keys of the response**", "\n".join(["| key | type | what it is |", "|---|---|---|", *rows])]
    if "example" in content:
        example = json.dumps(content["example"], indent=2, ensure_ascii=False)
        parts += ["**An answer**", f"```json\n{example}\n```"]
    return "\n\n".join(parts)


def _keys(schema: Schema, document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str, str]]:
    """The keys of a response: the path of each, its type and its description."""
    schema, mark = _resolved(schema, document), ""
    if schema.get("type") == "array":
        schema, mark = _resolved(schema["items"], document), "[]"
    path = f"{prefix}{mark}." if prefix or mark else ""
    for name, key in schema.get("properties", {}).items():
        yield path + name, _kind(key, document), key.get("description", "")
        yield from _keys(key, document, path + name)


def _resolved(schema: Schema, document: Mapping[str, Any]) -> Schema:
    """The schema behind a reference, without null."""
    if "anyOf" in schema:
        schema = schema["anyOf"][0]
    if "$ref" not in schema:
        return schema
    resolved: Schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return resolved


def _kind(schema: Schema, document: Mapping[str, Any]) -> str:
    """The type of a value in words."""
    inner = _resolved(schema, document)
    kind = inner.get("type")
    is_nullable = {"type": "null"} in schema.get("anyOf", ()) or (isinstance(kind, list) and "null" in kind)
    word = kind[0] if isinstance(kind, list) else kind
    if word == "array":
        word = f"array of {_kind(inner['items'], document)}"
    elif "enum" in inner:
        word = ", ".join(f"`{value}`" for value in inner["enum"])
    else:
        word = inner.get("format", word)
    return f"{word} or null" if is_nullable else str(word)


def _cell(text: str) -> str:
    """A text in a cell of a table: one line, without the list of an enumeration's values."""
    return text.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")
