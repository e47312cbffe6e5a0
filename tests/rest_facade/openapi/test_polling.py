"""Texts on polling: each operation that returns rows says how a client notices their changes."""

import re

from rest_facade.openapi.document import openapi
from rest_facade.openapi.polling import OTHERWISE, POLL_OVERLAP, RETAINED, RETAINED_OPERATIONS, polling_text
from rest_facade.rest.envelopes import SINGLE
from rest_facade.v1 import ENDPOINTS

ROWS = [endpoint for endpoint in ENDPOINTS if endpoint.envelope != SINGLE]
PATHS = openapi(ENDPOINTS, base_url="http://127.0.0.1:8000")["paths"]
NAMES = {endpoint.operation: endpoint for endpoint in ENDPOINTS}


def test_operation_takes_updated_since_or_says_why_not() -> None:
    for endpoint in ROWS:
        text = polling_text(endpoint)
        assert text, endpoint.operation
        operation = PATHS[endpoint.path]["get"]
        assert text in operation["description"]
        if "updated_since" in endpoint.query_names:
            (since,) = (parameter for parameter in operation["parameters"] if parameter["name"] == "updated_since")
            assert POLL_OVERLAP in since["description"]
        else:
            assert endpoint.operation in OTHERWISE


def test_text_names_operations_and_parameters_that_exist() -> None:
    for operation, text in OTHERWISE.items():
        named = set(re.findall(r"\blist[A-Z]\w+", text))
        assert operation in NAMES
        assert named <= NAMES.keys()
        known = {name for endpoint in (operation, *named) for name in NAMES[endpoint].query_names}
        assert set(re.findall(r"`(\w+_since)`", text)) <= known | {"updated_since"}


def test_single_object_has_no_text_on_polling() -> None:
    assert polling_text(NAMES["retrieveClient"]) is None


def test_operations_on_retained_rows_say_that_old_ones_are_dropped() -> None:
    assert NAMES.keys() >= RETAINED_OPERATIONS
    retained = {endpoint.operation for endpoint in ROWS if RETAINED in str(polling_text(endpoint))}
    assert retained == {"listAppReports", "listUrlReports", "listScreenshots"}
