"""`orgdata mcp --url`: the address and the key that it takes.

Covers `rest_facade/commands/mcp/stdio.py`.
"""

import pytest

from tests.rest_facade.commands.conftest import Run, assert_refused

KEY = "orgd_mcp_00000000_"


@pytest.mark.parametrize("url", ["http://api.example.com", "api.example.com", "https://user:secret@host", "ftp://host"])
def test_address_should_be_https(url: str, orgdata: Run) -> None:
    refused = orgdata("mcp", "--url", url, MCP_KEY=KEY)
    assert_refused(refused, "--url should be an https address, such as https://api.example.com.")


def test_key_is_required(orgdata: Run) -> None:
    assert_refused(orgdata("mcp", "--url", "https://api.example.com"), "ORGDATA_MCP_KEY should be the API key.")
