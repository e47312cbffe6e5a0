"""A server for the tests of a module. Each test begins with no request released, and no connection cut off."""

from collections.abc import Iterator

import pytest

from tests.rest_facade.server.running import Service


@pytest.fixture(scope="module")
def running() -> Iterator[Service]:
    with Service() as running:
        yield running


@pytest.fixture
def service(running: Service) -> Service:
    running.released.clear()
    running.seen.cuts.clear()
    return running
