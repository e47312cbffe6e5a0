"""Idle time, person by person: pages end between people, never inside one."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import and_, func, select, union_all
from strawberry import Info, Parent

from db.database import Row
from db.people import members
from db.statements import Statement
from db.tables import mine
from db.timesheets import LONGEST, idle_times, timesheets
from resolvers.argument import Argument, declare
from resolvers.context import Context
from resolvers.intervals import of_people, starts
from resolvers.listing import PageOfRows
from resolvers.position import Position
from resolvers.relation import KEYS, Resolver
from resolvers.report import SINCE, TIMESHEETS, scope
from resolvers.shape import HIGH, LOW

DEFAULT_LIMIT, LARGEST_LIMIT = 10, 20
"""People of a page (spec, Limits)."""
