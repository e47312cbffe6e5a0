"""A client of a world that an open transaction edits. After an edit it polls, and compares what it has."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from rest_facade.commands.exports.export_rows import exported_resources
from tests.polling.asking import OpenTransaction
from tests.polling.column_edits import Editor
from tests.polling.copies import OBJECTS, Client, Items, View, views_of
from tests.polling.exports import ExportCopy
from tests.world import World

Mark = tuple[datetime, Mapping[str, int]]
"""A moment, and how many rows of each table were written until then."""


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
            self.rows = self.copies()
        self.set_copies(self.rows)

    def copies(self) -> list[Any]:
        """The rows of each copy. No copy changes them: it replaces them."""
        return [each.rows for each in self._all()]

    def set_copies(self, rows: list[Any]) -> None:
        for each, own in zip(self._all(), rows, strict=True):
            each.rows = own

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

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Take back the edits of the block, and what the client read of them."""
        copies, deleted_people = self.beginning.copies(), {*self.deleted_people}
        with self.editor.connection.begin_nested() as savepoint:
            yield
            savepoint.rollback()
        self.beginning.set_copies(copies)
        self.deleted_people = deleted_people

    def mark(self) -> Mark:
        return self.editor.now(), self.editor.written()

    async def after(self, edit: Callable[[], object], *, polls_all: bool = False) -> Mapping[str, Any]:
        """What the client has otherwise than a full read, after it polled since before the edit."""
        mark = self.mark()
        edit()
        return await self.differences_since(mark, polls_all=polls_all)

    async def differences_since(self, mark: Mark, *, polls_all: bool) -> Mapping[str, Any]:
        """What the client has otherwise than a full read, after it polled, and had an export, since then.

        It polls the lists that a full read has otherwise, or all that can be.
        """
        since, written = mark
        changed = self.editor.changed_tables(written)
        self.full = {}
        read = [(view, await self.read(view)) for view in self.views if self.beginning.tables[view] & changed]
        full = {view: rows for view, rows in read if rows is not None}
        polled = {view for view, rows in full.items() if polls_all or view.differences(rows)}
        lists = {OBJECTS[view.endpoint.operation] for view in polled if view.endpoint.operation in OBJECTS}
        await self.poll(since, [view for view in self.views if view in polled or view.name in lists])
        found: dict[str, Any] = {view.name: rows for view in full if (rows := view.differences(full[view]))}
        for view in full:
            if view.name in found:
                await view.begin(self.ask)
        for export in self.beginning.exports:
            if export.tables & changed and (other := await export.differences(self.transaction, since)):
                found[export.name], export.rows = other, await export.read(self.transaction)
        return found

    async def reports_that_differ_in_parts(self, before: Mapping[View, Items]) -> Sequence[str]:
        """Those of the reports just read that are not the same in pages of one row, or for each person.

        A report that is as it was before is left out.
        """
        reports = [(view, whole) for view, whole in self.full.items() if view.is_report and whole != before.get(view)]
        return [view.name for view, whole in reports if not await view.is_same_in_parts(self.ask, whole)]
