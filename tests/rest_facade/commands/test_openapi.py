"""`orgdata openapi` prints the document without starting the service."""

import json

from rest_facade.openapi.document import openapi
from rest_facade.v1 import ENDPOINTS
from tests.rest_facade.commands.conftest import Run


def test_prints_document_with_configured_address(orgdata: Run) -> None:
    result = orgdata("openapi", PORT="9000")
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out) == openapi(ENDPOINTS, base_url="http://127.0.0.1:9000")
    result = orgdata("openapi", PUBLIC_URL="https://api.example.com/")
    assert json.loads(result.out)["servers"] == [{"url": "https://api.example.com"}]
