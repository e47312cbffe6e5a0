"""Commands that are refused, each with its exit code and the sentence that it prints: `refused_commands.txt`.

Code 1 and the sentence alone are of the command; code 2, and how it is used, are of its arguments.
"""

import shlex
from pathlib import Path
from uuid import uuid4

from db.tables.people import FEATURES
from rest_facade.access.scope_families import FAMILIES
from tests.rest_facade.commands.conftest import Run

CASES = [case.splitlines() for case in Path(__file__).with_name("refused_commands.txt").read_text().split("\n\n")]


def test_command_is_refused_in_a_sentence(run: Run, own: str) -> None:
    for command, refusal in CASES:
        values = {"own": own, "absent": str(uuid4())}
        values |= {"families": ", ".join(sorted(FAMILIES)), "features": ", ".join(FEATURES)}
        code, sentence = refusal.format_map(values).split(" ", 1)
        result = run(*shlex.split(command.format_map(values))[1:])
        assert (result.code, result.out) == (int(code), "")
        if result.code == 1:
            assert result.err == f"orgdata: {sentence}\n"
        else:
            assert sentence in result.err
