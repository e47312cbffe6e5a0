"""`orgdata mcp`: the settings that it requires. `tests/rest_facade/mcp/` tests the tools."""

import pytest

from tests.rest_facade.commands.conftest import SIGNING_KEYS, Run


@pytest.mark.parametrize("name", ["MCP_KEY", "DATABASE_URL", "SIGNING_KEYS"])
def test_mcp_requires_key_database_and_signing_keys(name: str, orgdata: Run) -> None:
    settings = {
        "MCP_KEY": "orgd_mcp_00000000_",
        "DATABASE_URL": "postgresql://localhost/name",
        "SIGNING_KEYS": SIGNING_KEYS,
    }
    result = orgdata("mcp", **{**settings, name: ""})
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"orgdata: ORGDATA_{name} is not set. ")
