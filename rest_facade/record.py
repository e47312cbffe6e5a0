"""What became known of a request on its way, for whoever counts it or writes it down."""

from dataclasses import dataclass, field
from time import perf_counter

from db.tally import Tally, begin
from rest_facade.counter import Count
from rest_facade.endpoint import Endpoint
from rest_facade.identity import Caller


@dataclass(slots=True)
class Record:
    """Made when a request begins, filled in by its steps; what no step came to stays None."""

    started: float = field(default_factory=perf_counter)
    tally: Tally = field(default_factory=begin)
    endpoint: Endpoint | None = None
    caller: Caller | None = None
    count: Count | None = None
