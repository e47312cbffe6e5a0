"""`orgdata openapi`: the document without a service."""

import json

from rest_facade.openapi.document import openapi
from rest_facade.v1 import ENDPOINTS
from tests.rest_facade.commands.test_command import Run, folder, orgdata

__all__ = ["folder", "orgdata"]  # fixtures


def test_is_printed_for_the_address_that_the_settings_say(orgdata: Run) -> None:
    ended = orgdata("openapi", PORT="9000")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out) == openapi(ENDPOINTS, base_url="http://127.0.0.1:9000")
    ended = orgdata("openapi", PUBLIC_URL="https://api.example.com/")
    assert json.loads(ended.out)["servers"] == [{"url": "https://api.example.com"}]
