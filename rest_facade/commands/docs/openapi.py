"""`orgdata openapi`: print the OpenAPI document."""

import typer

from rest_facade.settings import load


def print_openapi() -> None:
    """Print the OpenAPI 3.1 document of the REST API."""
    import orjson

    from rest_facade.openapi.document import openapi
    from rest_facade.v1 import ENDPOINTS

    settings = load()
    base_url = settings.public_url or f"http://{settings.host}:{settings.port}"
    document = openapi(ENDPOINTS, base_url=base_url)
    typer.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))
