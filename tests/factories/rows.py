"""All factories in one class."""

from tests.factories.activity import Activity
from tests.factories.leaves import Leaves
from tests.factories.money import Money
from tests.factories.people import People
from tests.factories.timesheets import Timesheets
from tests.factories.work import Work


class Rows(People, Work, Timesheets, Activity, Money, Leaves):
    """Inserts rows of every table. Each call is a transaction, and returns the id of the row."""
