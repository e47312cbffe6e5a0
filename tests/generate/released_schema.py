"""`make release-schema`: stores the GraphQL schema as that of the release, with which tests compare later ones.

`make generated` does not call it: each breaking change would be part of the release as soon as the files are made, and
no test could ask for its line in the changelog.
"""

from pathlib import Path

from rest_facade.version import RELEASE
from schema.schema import schema_text

ROOT = Path(__file__).parents[2]
FILE = ROOT / "schema" / "released.graphql"

HEAD = "# The schema of version {}, with which tests compare later ones. `make release-schema` writes this file.\n"


def main() -> None:
    FILE.write_text(HEAD.format(RELEASE) + schema_text())


if __name__ == "__main__":
    main()
