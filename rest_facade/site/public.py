"""The site as responses of the public listener, by path."""

from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

from rest_facade.rest.static_page import NOT_FOUND_PAGE, PAGES_ROOT, StaticPage, not_found_page, redirect, static_page
from rest_facade.site.build import site_files

ROOT = PAGES_ROOT.decode()

CONTENT_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css",
    "js": "text/javascript",
    "json": "application/json",
    "svg": "image/svg+xml",
}

SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy: a page loads from its own host only."""


def public_pages(document: Mapping[str, Any]) -> Mapping[bytes, StaticPage]:
    """The responses by the raw path of the request. `document` is the OpenAPI document. Raises OperatorError."""
    pages = {
        f"{ROOT}{name}": static_page(body, CONTENT_TYPES[name.rpartition(".")[2]], SECURITY_POLICY)
        for name, body in site_files(document, customers_only=True).items()
    }
    for name in [each for each in pages if each.endswith(".html")]:
        stem = name.removesuffix(".html")
        pages[stem] = redirect(f"{stem.rpartition('/')[2]}.html")
    missing = Template(files(__package__).joinpath("assets", "404.html").read_text("utf-8"))
    address = document["servers"][0]["url"] + ROOT.rstrip("/")
    pages[NOT_FOUND_PAGE.decode()] = not_found_page(
        missing.substitute(root=address).encode(), CONTENT_TYPES["html"], SECURITY_POLICY
    )
    pages[ROOT] = pages[f"{ROOT}index.html"]
    pages["/openapi.json"] = pages[f"{ROOT}openapi.json"]
    pages["/"] = pages["/docs"] = redirect("docs/")
    return {path.encode(): page for path, page in pages.items()}
