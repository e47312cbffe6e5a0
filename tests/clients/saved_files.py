"""Files that docs/quickstart.md tells a reader to save, as the site shows them."""

import re

from rest_facade.site.sources import source_pages

FILE = re.compile(r"\*\*(?P<name>[\w.]+)\*\*:\n\n```\w+\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


def saved_files() -> dict[str, str]:
    """The texts of the files by their names."""
    (page,) = (page.text for page in source_pages(customers_only=True) if page.name == "quickstart")
    return {match["name"]: match["code"] for match in FILE.finditer(page)}
