"""README: its tables are those that the code and the last benchmark give."""

import re
from collections.abc import Callable, Mapping

from pydantic import SecretStr

from bench import report
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Offset
from rest_facade.settings import PREFIX, Settings
from rest_facade.v1 import ENDPOINTS
from tests.helpers.repository import ROOT

README = ROOT / "README.md"

PARTS_OF_README = ("page", "detail", "reports")
"""The parts of the benchmark whose main figures the README tells."""

CPU, UNITS = ("service", "database"), {"us": 0.001, "ms": 1}
"""Whose CPU a summary has; milliseconds of its units."""

SUMMARY = re.compile(
    r"(?P<what>.+) takes (?P<service>[\d.,]+) (?P<service_unit>\w+) of service CPU and (?P<database>[\d.,]+) "
    r"(?P<database_unit>\w+) of database CPU: in total (?P<ratios>.+)"
)

SOAK_TARGET = re.compile(r"^\| [^|]+ \| [^|]+ \| (yes|\*\*no\*\*) \|$", re.MULTILINE)


def endpoints() -> str:
    """The table of endpoints."""
    lines = ["| operation | path | scope | query |", "|---|---|---|---|"]
    return "\n".join([*lines, *map(_endpoint, ENDPOINTS)])


def settings() -> str:
    """The table of settings."""
    lines = ["| variable | default | what it is |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        lines.append(f"| `{PREFIX}{name.upper()}` | {_default(field.default)} | {field.description} |")
    return "\n".join(lines)


def performance() -> str:
    """The main figures of the last benchmark, and how many targets hold."""
    parts = report.parse(report.FILE.read_text())
    summaries = [parts[part].summary for part in PARTS_OF_README if part in parts]
    bench = [verdict for part in parts.values() for verdict in part.verdicts if verdict is not None]
    soak = SOAK_TARGET.findall((report.FILE.parent / "SOAK.md").read_text())
    held = (
        f"Of {len(bench)} targets {sum(bench)} hold ([bench/RESULTS.md](bench/RESULTS.md)), and of {len(soak)} under"
        f" mixed load {soak.count('yes')} ([bench/SOAK.md](bench/SOAK.md))."
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


TABLES: Mapping[str, Callable[[], str]] = {"endpoints": endpoints, "settings": settings, "performance": performance}
"""The generated sections of the README by the names of their markers."""


def updated(text: str) -> str:
    """The text of the README with all its tables as they should be."""
    for name, table in TABLES.items():
        marked = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
        assert marked.search(text), f"README.md has no section {name}"
        text = marked.sub(lambda _, table=table: f"{table()}\n", text)  # type: ignore[misc]
    return text


def _endpoint(endpoint: Endpoint) -> str:
    own = endpoint.envelope.paging_parameters if isinstance(endpoint.envelope, Offset) else ()
    names = " ".join(f"`{name}`" for name in endpoint.query_names if name not in own)
    return f"| {endpoint.operation} | `{endpoint.path}` | `{endpoint.scope}` | {names} |"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    return "" if value in (None, "") else f"`{value}`"
