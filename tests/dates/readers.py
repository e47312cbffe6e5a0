"""The list of the tests that read the wall clock, `readers.txt`. `make clock-readers` writes it."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

FILE = Path(__file__).with_name("readers.txt")
ROOT = Path(__file__).parents[2]
PLACES = ROOT / "build" / "clock_readers.json"
"""Where each of them reads the clock, as the last recording saw it."""

COMMAND = "-m pytest -q -n auto --dist worksteal --hypothesis-profile few -p tests.dates.recording".split()


def clock_readers() -> set[str]:
    """Test functions, as pytest names them without parameters."""
    return set(FILE.read_text().split())


def main() -> int:
    chosen = sys.argv[1:]
    with TemporaryDirectory() as folder:
        # With "=": what stands alone would be taken for the root of the tests, which has no settings.
        command = [sys.executable, *COMMAND, f"--record-clock={folder}", *chosen]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        found = merged(Path(folder))
    PLACES.parent.mkdir(exist_ok=True)
    PLACES.write_text(json.dumps(found, indent=1))
    names = sorted(found.keys() | (clock_readers() if chosen else set()))
    FILE.write_text("".join(f"{name}\n" for name in names))
    print(f"{len(names)} test functions read the clock; {PLACES} says where.")  # noqa: T201
    return code


def merged(folder: Path) -> Mapping[str, list[str]]:
    """What the processes of pytest recorded, by test function."""
    found: dict[str, set[str]] = {}
    for path in folder.glob("*.json"):
        for name, places in json.loads(path.read_text()).items():
            found.setdefault(name, set()).update(places)
    return {name: sorted(places) for name, places in sorted(found.items())}


if __name__ == "__main__":
    sys.exit(main())
