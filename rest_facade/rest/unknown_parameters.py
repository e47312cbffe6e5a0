"""Header X-Unknown-Parameters: query parameters that the operation does not have, which it ignores."""

import re
from collections.abc import Collection
from difflib import get_close_matches

from db.admin.key_format import without_secrets
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid

UNKNOWN_PARAMETERS_HEADER = "X-Unknown-Parameters"

OTHER_WORDS = {"perpage": "limit", "pagesize": "limit", "from": "start_date", "to": "end_date", "q": "search"}
"""What other APIs call some parameters, without underscores."""

MAX_NAMES, MAX_NAME_LENGTH = 5, 40
"""The header names so many parameters, each cut to so many characters."""

UNSAFE = re.compile(r"[^A-Za-z0-9_.\[\]-]", re.ASCII)
"""Characters of a name that a header does not repeat: the name is the client's text."""

MISREAD = re.compile(r"(?:amp;|\?)+([a-z_]+)(?:\[[0-9]*\])?", re.ASCII)
"""A name in a URL that has `&amp;` in place of `&`, or `??` in place of `?`."""


def unknown_parameters(names: Collection[str], known: Collection[str]) -> str | None:
    """The value of the header, such as `stauts (did you mean status?), foo`; None if all names are known."""
    unknown = [name for name in names if name not in known]
    described = [_described(name, known) for name in unknown[:MAX_NAMES]]
    return ", ".join([*described, "..."] if len(unknown) > MAX_NAMES else described) or None


def refuse_misread(names: Collection[str], known: Collection[str]) -> None:
    """Raise Refused (400) for a known parameter behind `&amp;` or `??`: without its page, page 1 would come again."""
    for match in filter(None, map(MISREAD.fullmatch, names)):
        if match[1] in known:
            message = f"{match[1]} is not read: write one ? before the parameters, and & between them."
            raise Refused(invalid(message, match[1]))


def _described(name: str, known: Collection[str]) -> str:
    # Redacted before it is cut: the rest of a key would not be recognized.
    shown = UNSAFE.sub("?", without_secrets(name)[:MAX_NAME_LENGTH])
    written = name[:MAX_NAME_LENGTH].lower()
    other = OTHER_WORDS.get(written.replace("_", ""))
    near = [other] if other in known else get_close_matches(written, known, n=1)
    return f"{shown} (did you mean {near[0]}?)" if near else shown
