"""`orgdata graphql-schema`: print the GraphQL schema."""

import typer


def print_graphql_schema() -> None:
    """Print the GraphQL schema in the schema definition language."""
    from schema.schema import schema_text

    typer.echo(schema_text(), nl=False)
