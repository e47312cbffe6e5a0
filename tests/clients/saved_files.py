"""Files that docs/quickstart.md tells a reader to save."""

import re

from tests.helpers.repository import ROOT

FILE = re.compile(r"\*\*(?P<name>[\w.]+)\*\*(?:(?!^```).)*^```\w+\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


def saved_files() -> dict[str, str]:
    """The texts of the files by their names."""
    page = (ROOT / "docs" / "quickstart.md").read_text()
    return {match["name"]: match["code"] for match in FILE.finditer(page)}
