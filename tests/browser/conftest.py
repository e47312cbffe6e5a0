"""Fixtures: a browser that reaches only this machine, and the service with one organization."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from tests.factories.rows import Rows
from tests.faults.service import serving
from tests.rest_facade.graphql.client import token
from tests.world import World, build

TIMEOUT_MS = 30_000
"""Timeout of a page action and of an expectation in milliseconds; it takes a few hundred."""


@dataclass(frozen=True)
class Served:
    """URLs of the service, and keys for it."""

    public: str
    internal: str
    world: World
    token: str


@dataclass
class Visit:
    """An open page, the hosts that it requested, and its errors."""

    page: Page
    hosts: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """For these tests alone: while Playwright runs, no other event loop can run in this thread."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("There is no Chromium on this machine: the pages are not tried in a browser.")
    with sync_playwright() as playwright:
        # The sandbox does not work as root in a container; the browser visits this machine only.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        expect.set_options(timeout=TIMEOUT_MS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def served(owner_url: str, rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    world = build(rows, "A")
    with serving(tmp_path_factory.mktemp("served"), database_url=owner_url, public_docs="true") as service:
        yield Served(service.public, service.internal, world, token(rows, world.organization_id))


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Visit]:
    """A page without a past. Whatever it asks of another machine fails, and is record_host."""
    context = browser.new_context()
    context.set_default_timeout(TIMEOUT_MS)
    visit = Visit(context.new_page())

    def record_host(route: Route) -> None:
        address = urlsplit(route.request.url)
        visit.hosts.add(f"{address.scheme}://{address.netloc}")
        if address.hostname == "127.0.0.1":
            route.continue_()
        else:
            route.abort()

    context.route("**/*", record_host)
    visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
    visit.page.on("console", lambda message: visit.errors.append(message.text) if message.type == "error" else None)
    yield visit
    context.close()
