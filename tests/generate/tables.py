"""Tables of `docs/` that are made from the code and the last benchmark. `make generated` calls it."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import Table

from bench import report
from db.tables.columns import metadata
from rest_facade.settings import PREFIX, Settings
from rest_facade.site.data_dictionary import referenced_tables
from rest_facade.v1 import ENDPOINTS
from tests.helpers.repository import ROOT

DOCS = ROOT / "docs"

SUMMARIZED = ("page", "detail", "reports")
"""The parts of the benchmark whose main figures the table has."""

CPU, UNITS = ("service", "database"), {"us": 0.001, "ms": 1}
"""Whose CPU a summary has; milliseconds of its units."""

SUMMARY = re.compile(
    r"(?P<what>.+) takes (?P<service>[\d.,]+) (?P<service_unit>\w+) of service CPU and (?P<database>[\d.,]+) "
    r"(?P<database_unit>\w+) of database CPU: in total (?P<ratios>.+)"
)

SOAK_TARGET = re.compile(r"^\| [^|]+ \| [^|]+ \| (yes|\*\*no\*\*) \|$", re.MULTILINE)


def endpoints() -> str:
    """The operations, each with its path and scope."""
    return "\n".join(f"- {each.operation}: `{each.path}`, `{each.scope}`" for each in ENDPOINTS)


def entity_tree() -> str:
    """All tables below those that they need."""
    return "\n".join(["```text", *entities(), "```"])


def entities(parent: Table | None = None, indent: str = "") -> Iterator[str]:
    """The tables below `parent` as a tree, a line each: below the table that their rows cannot be without."""
    for table in (each for each in metadata.sorted_tables if _parent(each) is parent):
        others = {target.name for target in referenced_tables(table).values()} - {
            parent.name if parent is not None else ""
        }
        others.discard("organizations")
        yield f"{indent}{table.name}{' -> ' + ', '.join(sorted(others)) if others else ''}"
        yield from entities(table, f"{indent}    ")


def _parent(table: Table) -> Table | None:
    """The table of the first required reference, which may be that of the organization."""
    found = referenced_tables(table)
    own = found.pop("organization_id", None)
    needed = (target for name, target in found.items() if not table.c[name].nullable and target is not table)
    first = next((target for target in needed if target.info.get("tenant")), None)
    return first if first is not None else own


def settings() -> str:
    """The settings, each with its default."""
    return "\n".join(
        f"- `{PREFIX}{name.upper()}`{_default(field.default)}: {field.description}"
        for name, field in Settings.model_fields.items()
    )


def performance() -> str:
    """The main figures of the last benchmark, and how many targets hold."""
    parts = report.parse(report.FILE.read_text())
    summaries = [parts[part].summary for part in SUMMARIZED if part in parts]
    bench = [verdict for part in parts.values() for verdict in part.verdicts if verdict is not None]
    soak = SOAK_TARGET.findall((report.FILE.parent / "SOAK.md").read_text())
    held = (
        f"Of {len(bench)} targets {sum(bench)} hold ([results](../bench/RESULTS.md)), and of {len(soak)} under"
        f" mixed load {soak.count('yes')} ([soak](../bench/SOAK.md))."
    )
    return "\n".join(f"- {line}" for line in (*map(for_users, filter(None, summaries)), held))


def for_users(summary: str) -> str:
    """A summary of the benchmark in the words of a user: answers a second of a worker first, ratios last."""
    figures = SUMMARY.fullmatch(summary)
    assert figures is not None, summary
    own, database = (float(figures[name].replace(",", "")) * UNITS[figures[f"{name}_unit"]] for name in CPU)
    return (
        f"{figures['what']}: a worker answers about {1000 / own:,.0f} a second. It takes {own + database:.1f} ms of CPU"
        f" ({own:.1f} ms the service, {database:.1f} ms the database): {figures['ratios']}"
    )


TABLES: Mapping[Path, tuple[str, Callable[[], str]]] = {
    DOCS / "data.md": ("entities", entity_tree),
    DOCS / "endpoints.md": ("endpoints", endpoints),
    DOCS / "settings.md": ("settings", settings),
    DOCS / "sizing.md": ("performance", performance),
}
"""The page of each table, and the name of its markers there."""


def main() -> None:
    for page in TABLES:
        page.write_text(updated(page, page.read_text()))


def updated(page: Path, text: str) -> str:
    """The text of a page with its table as it should be."""
    name, table = TABLES[page]
    marked = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
    assert marked.search(text), f"docs/{page.name} has no section {name}"
    return marked.sub(lambda _: f"{table()}\n", text)


def _default(value: object) -> str:
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    return "" if value in (None, "") else f" (`{value}`)"
