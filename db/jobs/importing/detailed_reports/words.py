"""The words that time trackers and companies use in their files, from `words.toml`."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
