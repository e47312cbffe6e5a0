"""`make generated`: writes every file that is made from the code."""

from pathlib import Path

from schema.schema import schema_text
from tests.generate import endpoint_documents, examples, mcp_tools, new_database, tables
from tests.generate.migrated import migrated_database

SCHEMA = Path(__file__).parents[2] / "schema" / "schema.graphql"


def main() -> None:
    SCHEMA.write_text(schema_text())
    tables.main()
    endpoint_documents.FILE.write_text(endpoint_documents.current())
    mcp_tools.FILE.write_bytes(mcp_tools.current())
    with migrated_database() as url:
        new_database.write(url)
        examples.write(url)


if __name__ == "__main__":
    main()
