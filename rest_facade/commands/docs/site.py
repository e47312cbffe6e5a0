"""`orgdata docs`: write the documentation as a static site."""

from pathlib import Path
from typing import Annotated

import typer

from db.admin.errors import OperatorError
from rest_facade.settings import load


def write_docs(
    html: Annotated[Path, typer.Option("--html", help="The folder of the site; it is made if it is missing.")],
    *,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also the pages for operators, GraphQL teams and developers: not for customers."),
    ] = False,
) -> None:
    """Write the documentation for customers as a static site, as ORGDATA_PUBLIC_DOCS serves it."""
    from rest_facade.openapi.document import openapi
    from rest_facade.site.build import site_files
    from rest_facade.v1 import ENDPOINTS

    settings = load()
    base_url = settings.public_url or f"http://{settings.host}:{settings.port}"
    made = site_files(openapi(ENDPOINTS, base_url=base_url), customers_only=not everything)
    try:
        html.mkdir(parents=True, exist_ok=True)
        for name, body in made.items():
            (html / name).write_bytes(body)
    except OSError as error:
        raise OperatorError(f"The site cannot be written to {html}: {error.strerror}.") from error
