"""Random histories: a client that polls has in each list, report, object and export what a full read returns."""

import os
import random

import pytest

from tests.polling.copies import MOVES
from tests.polling.edited import EditedClient
from tests.polling.history import History
from tests.property_tests import examples

HISTORIES = range(*(int(each) for each in os.environ.get("HISTORIES", f"0 {examples(4)}").split()))
"""Those that are tried."""

POLLS, EDITS = 8, 4
"""Polls of a history, and the most edits between two."""


@pytest.mark.parametrize("seed", HISTORIES)
async def test_poller_has_what_a_full_read_returns(seed: int, poller: EditedClient) -> None:
    history = History(poller.editor, random.Random(f"history {seed}"))

    def edit() -> None:
        for _ in range(history.dice.randint(1, EDITS)):
            history.edit()

    for _ in range(POLLS):
        history.said.clear()
        different = {
            name: rows for name, rows in (await poller.after(edit, polls_all=True)).items() if name not in MOVES
        }
        assert different == {}, "\n".join(history.said)
