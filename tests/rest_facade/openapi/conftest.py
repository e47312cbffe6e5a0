"""Generated requests are made when their module is collected, which takes seconds of each process of `make test`."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    is_left_out = "not process" in config.option.markexpr
    return True if is_left_out and collection_path.name == "test_generated.py" else None
