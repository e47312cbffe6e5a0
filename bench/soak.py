"""`python -m bench.soak --minutes 10`: steady mixed load while a worker, PostgreSQL and Redis fail once each.

Writes bench/SOAK.md. Two workers serve the demo organizations; all operations, refusals and GraphQL are asked for.
"""

import os
import signal
import sys
import tempfile
import threading
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.processes import ROOT, free_port
from bench.report import Began
from bench.soak_load import Load
from bench.soak_report import Sample, text
from bench.soak_requests import Keys, requests, seed
from db.embedded.database import DATABASE, OWNER
from db.embedded.server import Server
from tests.faults.service import Serving, serving
from tests.faults.store import Store

EVERY = 2.0
"""Seconds between two looks at memory and descriptors."""

MANY = "1000000000"


@dataclass(frozen=True)
class Fault:
    """Something that fails once, after a share of the time; all are over before half of it is."""

    share: float
    name: str
    happen: Callable[[], None]


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("soak: told to stop."))
    began, seconds = Began.now(), options.minutes * 60
    with tempfile.TemporaryDirectory(prefix="orgdata-soak-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        print("Making the database ...", flush=True)
        with (
            _database(folder) as (server, url, keys),
            Store(folder) as store,
            serving(
                folder,
                f"--workers={options.workers}",
                database_url=url,
                quota_store=store.url,
                quota_limit=MANY,
                graphql_quota=MANY,
            ) as service,
        ):
            faults = [
                Fault(0.15, "SIGKILL of a worker", lambda: _kill(service)),
                Fault(0.25, "restart of PostgreSQL", lambda: _restart(server)),
                Fault(0.35, "restart of Redis", lambda: _empty(store)),
            ]
            load = Load(requests(keys, service), rate=options.rate, seconds=seconds)
            samples, happened = _watch(service, load, faults, seconds)
        options.output.write_text(text(load.minutes, samples, happened, options, began))
    print(options.output.read_text())


def _watch(service: Serving, load: Load, faults: list[Fault], seconds: float) -> tuple[list[Sample], dict[str, float]]:
    """Let the load run, look at the processes, and let things fail in between; what was seen and when they failed."""
    samples: list[Sample] = []
    happened: dict[str, float] = {}
    thread = threading.Thread(target=load.run, name="load")
    thread.start()
    began, waiting = time.monotonic(), list(faults)
    while thread.is_alive():
        thread.join(EVERY)
        after = time.monotonic() - began
        samples.append(Sample.of(after, service))
        if waiting and after >= waiting[0].share * seconds:
            fault = waiting.pop(0)
            happened[fault.name] = after
            fault.happen()
            print(f"{after:.0f} s: {fault.name}", flush=True)
    return samples, happened


@contextmanager
def _database(folder: Path) -> Iterator[tuple[Server, str, Keys]]:
    """A server on a port that it keeps over restarts, which the socket of the embedded one does not."""
    port = free_port()
    with Server(folder / "database") as server:
        keys = seed(server)
    options = {"listen_addresses": "127.0.0.1", "port": str(port)}
    with Server(folder / "database", options=options) as server:
        yield server, f"postgresql://{OWNER}@127.0.0.1:{port}/{DATABASE}", keys


def _kill(service: Serving) -> None:
    os.kill(service.children()[0], signal.SIGKILL)


def _restart(server: Server) -> None:
    server.stop()
    server.start()


def _empty(store: Store) -> None:
    store.kill()
    store.start()


def _options() -> Namespace:
    parser = ArgumentParser(prog="make soak ARGS=...", description="Steady load while one thing after another fails.")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long")
    parser.add_argument("--rate", type=float, default=100.0, help="requests a second")
    parser.add_argument("--workers", type=int, default=2, help="processes that serve")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "SOAK.md", help="file of the results")
    options = parser.parse_args()
    if options.minutes <= 0 or options.rate <= 0 or options.workers < 1:
        parser.error("minutes, rate and workers are above zero")
    return options


if __name__ == "__main__":
    main()
