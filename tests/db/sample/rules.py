"""Files of rules: SQL statements that find faults, each below a comment that says what is wrong."""

import re
from collections.abc import Mapping
from pathlib import Path


def rules_of(file: Path) -> Mapping[str, str]:
    """The statements of a file, by what is wrong."""
    return dict(re.findall(r"^-- (.+):\n([^;]+);$", file.read_text(), re.MULTILINE))
