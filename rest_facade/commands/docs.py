"""`orgdata openapi`, `docs` and `graphql-schema`: print or write what the service documents itself with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from db.errors import OperatorError
from rest_facade.settings import load


def print_openapi() -> None:
    """Print the OpenAPI 3.1 document of the REST API."""
    import orjson

    typer.echo(orjson.dumps(_openapi_document(), option=orjson.OPT_INDENT_2))


def write_docs(
    html: Annotated[Path, typer.Option("--html", help="The folder of the site; it is made if it is missing.")],
    *,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also the pages for operators, GraphQL teams and developers: not for customers."),
    ] = False,
) -> None:
    """Write the documentation for customers as a static site, as ORGDATA_PUBLIC_DOCS serves it."""
    from rest_facade.site.build import site_files

    made = site_files(_openapi_document(), customers_only=not everything)
    try:
        html.mkdir(parents=True, exist_ok=True)
        for name, body in made.items():
            (html / name).write_bytes(body)
    except OSError as error:
        raise OperatorError(f"The site cannot be written to {html}: {error.strerror}.") from error


def print_graphql_schema() -> None:
    """Print the GraphQL schema in the schema definition language."""
    from schema.schema import schema_text

    typer.echo(schema_text(), nl=False)


def _openapi_document() -> Mapping[str, Any]:
    from rest_facade.openapi.document import openapi
    from rest_facade.v1 import ENDPOINTS

    settings = load()
    return openapi(ENDPOINTS, base_url=settings.public_url or f"http://{settings.host}:{settings.port}")
