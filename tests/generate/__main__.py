"""`make generated`: writes every file that is made from the code."""

from pathlib import Path

from schema.schema import schema_text
from tests import test_readme
from tests.generate import data_dictionary, examples
from tests.rest_facade.mcp import test_packaged_tools
from tests.rest_facade.v1 import test_documents

SCHEMA = Path(__file__).parents[2] / "schema" / "schema.graphql"


def main() -> None:
    SCHEMA.write_text(schema_text())
    test_readme.README.write_text(test_readme.updated(test_readme.README.read_text()))
    data_dictionary.main()
    test_documents.FILE.write_text(test_documents.current())
    test_packaged_tools.FILE.write_bytes(test_packaged_tools.current())
    examples.main()


if __name__ == "__main__":
    main()
