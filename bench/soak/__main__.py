"""`python -m bench.soak --minutes 10`: steady mixed load while a worker, PostgreSQL and Redis fail once each.

Writes bench/SOAK.md. Two workers serve the demo organizations. The load includes all operations, refusals and GraphQL.
Rows of another organization change all the time, and two clients poll them.
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
from bench.report import Conditions
from bench.soak.load import SteadyLoad
from bench.soak.operations import GRACE_SECONDS, operations
from bench.soak.polling import PolledWorld, Polling, polled_world
from bench.soak.report import ProcessSample, text
from bench.soak.requests import SoakKeys, requests, seed
from db.sample.embedded.database import DATABASE, OWNER
from db.sample.embedded.server import Server
from tests.faults.service import Serving, serving
from tests.faults.store import Store

SAMPLE_SECONDS = 2.0
"""Seconds between two samples of memory and descriptors."""

NO_QUOTA = "1000000000"


@dataclass(frozen=True)
class Fault:
    """A fault, or an operation, after a share of the time. All faults happen in the first half."""

    share: float
    name: str
    run: Callable[[], object]


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("soak: stopped by SIGTERM."))
    began, seconds = Conditions.now(), options.minutes * 60
    with tempfile.TemporaryDirectory(prefix="orgdata-soak-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        print("Making the database ...", flush=True)
        with (
            _database(folder) as (server, url, keys, polled),
            Store(folder) as store,
            serving(
                folder,
                "--workers",
                str(options.workers),
                database_url=url,
                quota_store=store.url,
                quota_limit=NO_QUOTA,
                graphql_quota=NO_QUOTA,
                quota_store_grace=str(GRACE_SECONDS if options.operations else 0.0),
            ) as service,
        ):
            faults = [
                Fault(0.15, "SIGKILL of a worker", lambda: _kill(service)),
                Fault(0.25, "restart of PostgreSQL", lambda: _restart(server)),
                Fault(0.35, "restart of Redis", lambda: _empty(store)),
            ]
            if options.operations:
                done = operations(folder, url, store)
                faults += [Fault(0.4 + 0.15 * number, name, run) for number, (name, run) in enumerate(done)]
            load = SteadyLoad(requests(keys, service), rate=options.rate, seconds=seconds)
            polling = Polling(polled, url=url, address=service.public, seconds=seconds)
            polling.thread.start()
            samples, fault_times = _watch(service, load, faults, seconds)
            polling.thread.join()
        options.output.write_text(text(load.minutes, samples, polling.result, fault_times, options, began))
    print(options.output.read_text())


def _watch(
    service: Serving, load: SteadyLoad, faults: list[Fault], seconds: float
) -> tuple[list[ProcessSample], dict[str, float]]:
    """Run the load, sample the processes, and cause the faults. Returns the samples and the time of each fault."""
    samples: list[ProcessSample] = []
    fault_times: dict[str, float] = {}
    thread = threading.Thread(target=load.run, name="load")
    thread.start()
    began, pending = time.monotonic(), list(faults)
    while thread.is_alive():
        thread.join(SAMPLE_SECONDS)
        after = time.monotonic() - began
        samples.append(ProcessSample.of(after, service))
        if pending and after >= pending[0].share * seconds:
            fault = pending.pop(0)
            fault_times[fault.name] = after
            fault.run()
            print(f"{after:.0f} s: {fault.name}", flush=True)
    return samples, fault_times


@contextmanager
def _database(folder: Path) -> Iterator[tuple[Server, str, SoakKeys, PolledWorld]]:
    """A server on a fixed TCP port, which stays the same over restarts, unlike the socket of the embedded server."""
    port = free_port()
    with Server(folder / "database") as server:
        keys = seed(server)
        polled = polled_world(server.url(OWNER, DATABASE), server.url("postgres", DATABASE))
    options = {"listen_addresses": "127.0.0.1", "port": str(port)}
    with Server(folder / "database", options=options) as server:
        yield server, f"postgresql://{OWNER}@127.0.0.1:{port}/{DATABASE}", keys, polled


def _kill(service: Serving) -> None:
    os.kill(service.children()[0], signal.SIGKILL)


def _restart(server: Server) -> None:
    server.stop()
    server.start()


def _empty(store: Store) -> None:
    store.kill()
    store.start()


def _options() -> Namespace:
    parser = ArgumentParser(
        prog="make soak ARGS=...", description="Steady load while a worker, PostgreSQL and Redis fail."
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="how long")
    parser.add_argument("--rate", type=float, default=100.0, help="requests a second")
    parser.add_argument("--workers", type=int, default=2, help="processes that serve")
    parser.add_argument(
        "--operations", action="store_true", help="also migrate, import, rotate a key, retain, and lose the store"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "SOAK.md", help="file of the results")
    options = parser.parse_args()
    if options.minutes <= 0 or options.rate <= 0 or options.workers < 1:
        parser.error("--minutes, --rate and --workers must be above zero")
    return options


if __name__ == "__main__":
    main()
