"""A client of a world that an open transaction edits. After an edit it polls, and compares what it has."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rest_facade.commands.exports.resources import exported_resources
from tests.polling.asking import OpenTransaction
from tests.polling.column_edits import Editor
from tests.polling.copies import Client, Items, View, views_of
from tests.polling.exports import ExportCopy
from tests.world import World


class Beginning:
    """The first reads of a world, from which each transaction begins."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.views = views_of(world)
        self.exports = [ExportCopy(resource) for resource in exported_resources()]
        self.tables: dict[View, set[str]] = {view: set() for view in self.views}
        """The words of the statements of all full reads of a view, the tables that it depends on among them."""
        self.rows: list[Any] = []

    async def begin(self, client: "EditedClient") -> None:
        if not self.rows:
            for view in self.views:
                await client.read(view)
            await client.begin()
            for export in self.exports:
                export.rows = await export.read(client.transaction)
            self.rows = [each.rows for each in self._all()]
        for each, rows in zip(self._all(), self.rows, strict=True):
            each.rows = rows

    def _all(self) -> list[Any]:
        return [*self.views, *self.exports]


class EditedClient(Client):
    """Reads in the transaction that it edits in: the lists and exports that show a table that changed."""

    def __init__(self, transaction: OpenTransaction, editor: Editor, beginning: Beginning) -> None:
        super().__init__(transaction.ask, beginning.world, beginning.views)
        self.transaction, self.editor, self.beginning = transaction, editor, beginning
        self.full: dict[View, Items] = {}
        """The full reads after the last edit."""

    async def read(self, view: View) -> Items | None:
        self.transaction.read_words = set()
        found = await super().read(view)
        self.beginning.tables[view] |= self.transaction.read_words
        self.full[view] = found or {}
        return found

    async def after(self, edit: Callable[[], object]) -> Mapping[str, Any]:
        """What the client has otherwise than a full read, after it polled since before the edit."""
        since, written = self.editor.now(), self.editor.written()
        edit()
        changed = self.editor.changed_tables(written)
        views = [view for view in self.views if self.beginning.tables[view] & changed]
        await self.poll(since, views)
        self.full = {}
        found: dict[str, Any] = {**await self.differences(views)}
        for view in views:
            if view.name in found:
                await view.begin(self.ask)
        for export in self.beginning.exports:
            if export.tables & changed and (rows := await export.differences(self.transaction, since)):
                found[export.name], export.rows = rows, await export.read(self.transaction)
        return found

    async def reports_that_differ_in_parts(self, before: Mapping[View, Items]) -> Sequence[str]:
        """Those of the reports just read that are not the same in pages of one row, or for each person.

        A report that is as it was before is left out.
        """
        reports = [(view, whole) for view, whole in self.full.items() if view.is_report and whole != before.get(view)]
        return [view.name for view, whole in reports if not await view.is_same_in_parts(self.ask, whole)]
