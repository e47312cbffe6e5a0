"""`make release-schema`: stores the GraphQL schema as that of the release, with which tests compare later ones.

`make generated` does not call it: each breaking change would be part of the release as soon as the files are made, and
no test could ask for its line in the changelog.
"""

import tomllib
from pathlib import Path

from schema.schema import schema_text

ROOT = Path(__file__).parents[2]
FILE = ROOT / "schema" / "released.graphql"

HEAD = "# The schema of version {}, with which tests compare later ones. `make release-schema` writes this file.\n"


def version() -> str:
    """The version of the project."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])


def main() -> None:
    FILE.write_text(HEAD.format(version()) + schema_text())


if __name__ == "__main__":
    main()
