"""Logging: one JSON event a line, and no key in it, wherever the key stood."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any
from unittest.mock import AsyncMock

import httpx2 as httpx
import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st

from db.admin.key_format import generate_key
from db.values.purpose import Purpose
from rest_facade.composition import Service
from rest_facade.rest.request import Request
from rest_facade.telemetry import logging as log
from tests.errors import assert_error
from tests.rest_facade.conftest import redirected

KEY = "orgd_live_Ab3dEf9Z_0123456789abcdefABCDEFGHIJKLMNOP1pv4MM"
SECRET = "0123456789abcdefABCDEFGHIJKLMNOP"


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(params=[io.StringIO, Terminal], ids=["file", "terminal"])
def anywhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """The log, once as a file and once as a terminal."""
    yield from redirected(request.param(), monkeypatch)


def events(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def redacted(line: object) -> Any:
    return log.redact(None, "info", line)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KEY, "orgd_live_[redacted]"),
        (f"/v1/clients/?api_key={KEY}&page=1", "/v1/clients/?api_key=orgd_live_[redacted]&page=1"),
        (f'{{"x-service-api-key": "{KEY}"}}', '{"x-service-api-key": "orgd_live_[redacted]"}'),
        (KEY.replace("live", "mcp"), "orgd_mcp_[redacted]"),
        (KEY.replace("live", "int"), "orgd_int_[redacted]"),
        (KEY[:-1], "orgd_live_[redacted]"),
        (f"{KEY}0", "orgd_live_[redacted]"),
        (f"b'{KEY}'", "b'orgd_live_[redacted]'"),
        *((text, text) for text in ("no key", "orgd_live", "", ("x", 1))),
    ],
)
def test_secret_of_a_key_is_redacted(text: object, expected: object) -> None:
    assert redacted(text) == expected


@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(list(Purpose)))
@settings(deadline=None)
def test_key_in_any_text_is_redacted(before: str, after: str, purpose: Purpose) -> None:
    key, _ = generate_key(purpose)
    assert key.split("_")[3] not in redacted(f"{before}{key}{after}")


class Holder:
    """Shows a key when it is printed."""

    def __repr__(self) -> str:
        return f"Holder({KEY})"


@pytest.mark.parametrize(
    "value",
    [
        *([KEY], (KEY, 1), {"x-service-api-key": KEY}, {KEY: 1}, {"headers": [("x-service-api-key", KEY)]}),
        *(KEY.encode(), [(b"x-service-api-key", KEY.encode())], RuntimeError(KEY), Holder()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_key_in_nested_value_is_redacted(value: object, anywhere: io.StringIO) -> None:
    structlog.get_logger().warning("refused %s", value, value=value)
    logging.getLogger("library").warning("refused %s", value)
    assert anywhere.getvalue().count("refused") == 2
    assert SECRET not in anywhere.getvalue()


def test_key_in_traceback_is_redacted(anywhere: io.StringIO) -> None:
    def fail(key: str) -> None:
        raise RuntimeError(f"cannot serve {key}")

    for logger in (structlog.get_logger(), logging.getLogger("library")):
        try:
            fail(KEY)
        except RuntimeError:
            logger.exception("failed")
    text = anywhere.getvalue()
    assert text.count("Traceback (most recent call last)") == 2
    assert text.count("RuntimeError: cannot serve orgd_live_[redacted]") == 2
    assert SECRET not in text


def test_event_is_one_json_line(written: io.StringIO) -> None:
    structlog.get_logger().warning("two\nlines", path="/v1/\r\n{}", request_id="abc", number=1)
    logging.getLogger("library").error("two\nlines")
    ours, theirs = events(written)
    assert (ours["event"], ours["path"]) == ("two\nlines", "/v1/\r\n{}")
    assert (ours["request_id"], ours["number"]) == ("abc", 1)
    assert (ours["level"], theirs["level"]) == ("warning", "error")
    assert theirs["event"] == "two\nlines"
    assert all(event["timestamp"].endswith("Z") for event in (ours, theirs))


def test_library_events_below_warning_are_dropped(written: io.StringIO) -> None:
    logging.getLogger("library").info("connected")
    logging.getLogger("library").debug("connecting")
    assert written.getvalue() == ""


async def test_failed_request_is_logged_without_its_key(
    anywhere: io.StringIO, http: httpx.AsyncClient, key: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = AsyncMock(side_effect=RuntimeError(f"cannot serve {key}"))
    assert (await http.get("/v1/clients/")).status_code == 200
    assert anywhere.getvalue() == ""
    monkeypatch.setattr(service.database, "read_rows", broken)
    response = await http.get(f"/v1/clients/?api_key={key}")
    assert_error(response, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
    text = anywhere.getvalue()
    for expected in ("request failed", response.headers["x-request-id"], "/v1/clients/", "RuntimeError: cannot serve"):
        assert expected in text
    assert key.split("_")[3][:32] not in text


def test_request_repr_has_no_key() -> None:
    head = {"method": "GET", "raw_path": b"/v1/clients/", "query_string": b"", "client": ("192.0.2.1", 1)}
    request = Request.from_scope(head | {"headers": [(b"x-service-api-key", KEY.encode())]}, [])
    assert request.key == KEY
    assert SECRET not in repr(request)


def test_pool_warnings_are_rate_limited(written: io.StringIO) -> None:
    for attempt in range(20):
        logging.getLogger("db.reading.pool").warning("error connecting in %r: %s", "pool-1", f"attempt {attempt}")
        logging.getLogger("db.reading.pool").warning("discarding broken connection: %s", attempt)
    logged = [event["event"] for event in events(written)]
    assert logged == ["error connecting in 'pool-1': attempt 0", "discarding broken connection: 0"]


def test_repeated_message_passes_after_the_interval() -> None:
    moments = iter([0.0, 9.9, 10.0, 19.9, 20.0])
    seldom = log.RepeatFilter(clock=lambda: next(moments))
    record = logging.LogRecord("db.reading.pool", logging.WARNING, "", 0, "error connecting in %r", (), None)
    assert [seldom.filter(record) for _ in range(5)] == [True, False, True, False, True]
