"""The README tells the truth: its tables are made from what they describe."""

import re
from pathlib import Path

from pydantic import SecretStr

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Offset
from rest_facade.settings import PREFIX, Settings
from rest_facade.v1 import ENDPOINTS

README = Path(__file__).parent.parent / "README.md"


def endpoints() -> str:
    """The table of endpoints, as it should stand in the README."""
    lines = ["| operation | path | scope | query |", "|---|---|---|---|"]
    return "\n".join([*lines, *map(_endpoint, ENDPOINTS)])


def settings() -> str:
    """The table of settings, as it should stand in the README."""
    lines = ["| variable | default | what it is |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        lines.append(f"| `{PREFIX}{name.upper()}` | {_default(field.default)} | {field.description} |")
    return "\n".join(lines)


def section(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n(.*?)\n?<!-- /{name} -->", README.read_text(), re.DOTALL)
    assert found, f"README.md has no section {name}"
    return found[1]


def test_the_endpoints_in_the_readme_are_those_that_are_served() -> None:
    assert section("endpoints") == endpoints()


def test_the_settings_in_the_readme_are_those_that_are_read() -> None:
    assert section("settings") == settings()


def _endpoint(endpoint: Endpoint) -> str:
    own = endpoint.envelope.own if isinstance(endpoint.envelope, Offset) else ()
    names = " ".join(f"`{name}`" for name in endpoint.names if name not in own)
    return f"| {endpoint.operation} | `{endpoint.path}` | `{endpoint.scope}` | {names} |"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    return "" if value in (None, "") else f"`{value}`"
