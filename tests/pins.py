"""`make review-pins`: names the images of deploy/ whose versions have to be looked up again.

`make check` prints them, too, and does not fail: no test may turn red because time passes.
"""

import re
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

DEPLOY = Path(__file__).parent.parent / "deploy"
FILES = [DEPLOY / "compose.yaml", DEPLOY / "Dockerfile", DEPLOY / "kubernetes" / "store" / "store.yaml"]
REVIEW_DAYS = 90
IMAGE = re.compile(r"(?:image: |FROM )([a-z/]+:\S+)")
REVIEW = re.compile(r"reviewed (\d{4}-\d\d-\d\d)")


class Pin(NamedTuple):
    """An image with its version, and the day of the last review, which is written beside it or in the line before."""

    image: str
    reviewed: date | None


def pins_of(text: str) -> Iterator[Pin]:
    lines = text.splitlines()
    for line, before in zip(lines, ["", *lines], strict=False):
        if image := IMAGE.search(line):
            review = REVIEW.search(line) or (REVIEW.search(before) if before.startswith("#") else None)
            yield Pin(image[1], date.fromisoformat(review[1]) if review else None)


def overdue(pins: list[Pin], today: date) -> list[str]:
    """A sentence for each image without a review in the last days."""
    return [
        f"{pin.image} was reviewed {pin.reviewed or 'never'}: look up the present version with security fixes, and "
        f"write `reviewed {today}` beside it."
        for pin in pins
        if pin.reviewed is None or pin.reviewed + timedelta(days=REVIEW_DAYS) < today
    ]


def main() -> int:
    pins = [pin for path in FILES for pin in pins_of(path.read_text())]
    sentences = overdue(pins, datetime.now(UTC).date())
    print("\n".join(sentences or [f"All {len(pins)} images were reviewed in the last {REVIEW_DAYS} days."]))  # noqa: T201
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
