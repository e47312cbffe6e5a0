"""`make generated`: writes every file that is made from the code."""

from pathlib import Path

from schema.schema import schema_text
from tests.generate import endpoint_documents, examples, mcp_tools, new_database, tables

SCHEMA = Path(__file__).parents[2] / "schema" / "schema.graphql"


def main() -> None:
    SCHEMA.write_text(schema_text())
    tables.main()
    endpoint_documents.FILE.write_text(endpoint_documents.current())
    mcp_tools.FILE.write_bytes(mcp_tools.current())
    new_database.main()
    examples.main()


if __name__ == "__main__":
    main()
