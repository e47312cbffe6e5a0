"""Errors whose text is a sentence for the operator.

The command catches them without loading the code that raises them.
"""

CONTROLS = {code: ascii(chr(code))[1:-1] for code in (*range(9), *range(10, 32), *range(127, 160))}
"""The characters that command a terminal, without tabs, as they are shown."""


def printable(line: str) -> str:
    """A line that says something about input: what others wrote does not command the terminal."""
    return line.translate(CONTROLS)


class OperatorError(Exception):
    """An expected error of a command: it ends with this sentence instead of a traceback."""

    def __str__(self) -> str:
        return "\n".join(map(printable, super().__str__().split("\n")))
