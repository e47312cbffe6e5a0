"""Load: the service with its shared store, as clients see it, up to where it is full or flooded."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.data import PROJECTS, project_id
from bench.measure import loading
from bench.processes import Process
from bench.section import Bench, Section, Target, at_least, at_most
from bench.wire import get
from db.admin.key_format import generate_key
from db.tables.keys import Purpose
from tests.faults.store import Store

SECONDS = 20.0
"""Of each stretch; ten times what a round of the other parts takes."""

FULL = 256
"""Connections that ask without pause: far more than are answered at a time."""

CROWD = 200
"""Addresses from which keys are guessed."""


def measure(bench: Bench) -> Section:
    seconds = SECONDS * bench.plan.seconds / 2
    organizations = bench.data.organizations
    lists = [
        get(f"/v1/projects/?limit=50&page={page}", _key(each.key)) for page in range(1, 5) for each in organizations
    ]
    details = [
        get(f"/v1/projects/{project_id(each.number, at)}/", _key(each.key))
        for at in range(1, PROJECTS, 97)
        for each in organizations
    ]
    with tempfile.TemporaryDirectory(prefix="orgdata-bench-store-") as name, Store(Path(name)) as store:
        settings = {"ORGDATA_QUOTA_STORE": store.url, "ORGDATA_TRUSTED_PROXIES": "127.0.0.0/8"}
        with bench.service("ours-under-load", **settings) as ours:
            page = _run(ours, lists, seconds, 8)
            one = _run(ours, details, seconds, 8)
            full = _run(ours, lists, seconds, FULL)
            began = ours.rss()
            calm = _run(ours, lists, seconds, 2)
            with ThreadPoolExecutor(1) as beside:
                flooding = beside.submit(_run, ours, _guesses(), seconds, 2, frozenset({"401", "429"}))
                flooded = _run(ours, lists, seconds * 0.9, 2)
                flood = flooding.result()
            grown = ours.rss() - began
    named = {
        "list, limit=50, 8 connections": page,
        "detail, 8 connections": one,
        f"list, limit=50, {FULL} connections": full,
        "list, limit=50, 2 connections": calm,
        "the same, while keys are guessed": flooded,
        f"guessed keys from {CROWD} addresses, 2 connections": flood,
    }
    lines = ["| what | requests / s | median ms | p99 ms | answers |", "|---|---:|---:|---:|---|"]
    lines += [_line(what, found) for what, found in named.items()]
    others = _others(page, one, full, calm, flooded)
    targets = [
        at_least("List of 50, 8 connections, requests a second", _rate(page), 150, ""),
        at_most("The same, median", page["median"] * 1e3, 40, " ms"),
        at_most("The same, p99", page["p99"] * 1e3, 150, " ms"),
        at_least("Detail, 8 connections, requests a second", _rate(one), 400, ""),
        at_most("The same, p99", one["p99"] * 1e3, 60, " ms"),
        at_most(f"{FULL} connections, p99", full["p99"] * 1e3, 3000, " ms"),
        at_most("Guessed keys: p99 of others compared with that without", flooded["p99"] / calm["p99"], 2, " x"),
        at_most("Guessed keys: memory grows", grown, 20, " MB"),
        Target("No answer but 200 to a good request", f"{others} others", others == 0),
    ]
    notes = [
        f"{seconds:g} s each. Requests and failed keys are counted in Redis; the service has a core to itself.",
    ]
    return Section("Load, with a shared store", lines, targets, notes)


def _run(
    ours: Process,
    requests: list[bytes],
    seconds: float,
    connections: int,
    statuses: frozenset[str] = frozenset({"200"}),
) -> dict[str, Any]:
    """One stretch of load; stops the bench where an answer is not of `statuses`."""
    with loading(ours.port, requests) as load:
        load.run(seconds=1.0, connections=connections, most=200, statuses=statuses)
        return load.run(seconds=seconds, connections=connections, statuses=statuses)


def _guesses() -> list[bytes]:
    """Keys that are malformed or unknown, from more addresses than one throttle could block."""
    unknown = [generate_key(Purpose.partner)[0] for _ in range(CROWD)]
    return [
        get("/v1/projects/", {**_key(key), "X-Forwarded-For": f"10.9.{at // 250}.{at % 250}"})
        for at, good in enumerate(unknown)
        for key in (good[:-1], good)
    ]


def _key(key: str) -> dict[str, str]:
    return {"X-SERVICE-API-KEY": key}


def _rate(found: dict[str, Any]) -> float:
    return float(found["requests"] / found["seconds"])


def _others(*runs: dict[str, Any]) -> int:
    return sum(count for run in runs for status, count in run["statuses"].items() if status != "200")


def _line(what: str, found: dict[str, Any]) -> str:
    answers = ", ".join(f"{count:,} x {status}" for status, count in sorted(found["statuses"].items()))
    return f"| {what} | {_rate(found):,.0f} | {found['median'] * 1e3:.2f} | {found['p99'] * 1e3:.2f} | {answers} |"
