"""Fixture: a running demo."""

from tests.rest_facade.commands.demo_process import running as running  # noqa: PLC0414
