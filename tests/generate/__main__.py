"""`make generated`: writes every file that is made from the code."""

import sys
from pathlib import Path

from db.admin.engine import connect
from schema.schema import schema_text
from tests.generate import endpoint_documents, examples, mcp_tools, new_database, tables
from tests.generate.migrated import migrated_database, missing_revision

SCHEMA = Path(__file__).parents[2] / "schema" / "schema.graphql"


def main() -> None:
    SCHEMA.write_text(schema_text())
    tables.main()
    endpoint_documents.FILE.write_text(endpoint_documents.current())
    mcp_tools.FILE.write_bytes(mcp_tools.current())
    with migrated_database() as url:
        with connect(url).connect() as connection:
            sentence = missing_revision(connection)
        if sentence is not None:
            sys.exit(sentence)
        new_database.write(url)
        examples.write(url)


if __name__ == "__main__":
    main()
