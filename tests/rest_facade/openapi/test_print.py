"""`orgdata openapi` prints the document without starting the service."""

import json

from rest_facade.openapi.document import openapi
from rest_facade.v1 import ENDPOINTS
from tests.rest_facade.commands.test_command import Run, folder, orgdata

__all__ = ["folder", "orgdata"]  # fixtures


def test_prints_document_with_configured_address(orgdata: Run) -> None:
    ended = orgdata("openapi", PORT="9000")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out) == openapi(ENDPOINTS, base_url="http://127.0.0.1:9000")
    ended = orgdata("openapi", PUBLIC_URL="https://api.example.com/")
    assert json.loads(ended.out)["servers"] == [{"url": "https://api.example.com"}]
