"""Load: throughput and latency with a shared store, when saturated, and while keys are guessed."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench.data import PROJECTS, project_id
from bench.http_requests import get
from bench.measure import loading
from bench.processes import Process
from bench.section import Bench, Section, Target, at_least, at_most
from db.admin.key_format import generate_key
from db.values.purpose import Purpose

SECONDS = 20.0
"""The length of each run; ten times a round of the other parts."""

FULL = 256
"""Connections that saturate the service."""

CROWD = 200
"""Addresses from which keys are guessed."""


def measure(bench: Bench) -> Section:
    seconds = SECONDS * bench.plan.seconds / 2
    organizations = bench.data.organizations
    lists = [each.get(f"/v1/projects/?limit=50&page={page}") for page in range(1, 5) for each in organizations]
    details = [
        each.get(f"/v1/projects/{project_id(each.id, at)}/") for at in range(1, PROJECTS, 97) for each in organizations
    ]
    with bench.service_with_store("ours-under-load", ORGDATA_TRUSTED_PROXIES="127.0.0.0/8") as ours:
        page = _run(ours, lists, seconds, 8)
        detail = _run(ours, details, seconds, 8)
        saturated = _run(ours, lists, seconds, FULL)
        began = ours.rss()
        alone = _run(ours, lists, seconds, 2)
        with ThreadPoolExecutor(1) as executor:
            flooding = executor.submit(_run, ours, _guesses(), seconds, 2, frozenset({"401", "429"}))
            with_flood = _run(ours, lists, seconds * 0.9, 2)
            flood = flooding.result()
        growth = ours.rss() - began
    results = {
        "list, limit=50, 8 connections": page,
        "detail, 8 connections": detail,
        f"list, limit=50, {FULL} connections": saturated,
        "list, limit=50, 2 connections": alone,
        "the same, while keys are guessed": with_flood,
        f"guessed keys from {CROWD} addresses, 2 connections": flood,
    }
    lines = ["| what | requests / s | median ms | p99 ms | answers |", "|---|---:|---:|---:|---|"]
    lines += [_line(what, result) for what, result in results.items()]
    unexpected = _unexpected(page, detail, saturated, alone, with_flood)
    targets = [
        at_least("List of 50, 8 connections, requests a second", _rate(page), 150, ""),
        at_most("The same, median", page["median"] * 1e3, 40, " ms"),
        at_most("The same, p99", page["p99"] * 1e3, 150, " ms"),
        at_least("Detail, 8 connections, requests a second", _rate(detail), 400, ""),
        at_most("The same, p99", detail["p99"] * 1e3, 60, " ms"),
        at_most(f"{FULL} connections, p99", saturated["p99"] * 1e3, 3000, " ms"),
        at_most("Guessed keys: p99 of others compared with that without", with_flood["p99"] / alone["p99"], 2, " x"),
        at_most("Guessed keys: memory grows", growth, 20, " MB"),
        Target("No answer but 200 to a good request", f"{unexpected} others", unexpected == 0),
    ]
    notes = [f"{seconds:g} s each. Redis counts requests and failed keys; the service has a core of its own."]
    return Section("with a shared store", lines, targets, notes)


def _run(
    ours: Process,
    requests: list[bytes],
    seconds: float,
    connections: int,
    statuses: frozenset[str] = frozenset({"200"}),
) -> dict[str, Any]:
    """One run of load. SystemExit if a status is not in `statuses`."""
    with loading(ours.port, requests) as load:
        load.run(seconds=1.0, connections=connections, most=200, statuses=statuses)
        return load.run(seconds=seconds, connections=connections, statuses=statuses)


def _guesses() -> list[bytes]:
    """Requests with malformed and unknown keys, from CROWD addresses."""
    unknown = [generate_key(Purpose.partner)[0] for _ in range(CROWD)]
    return [
        get("/v1/projects/", {**_headers(key), "X-Forwarded-For": f"10.9.{at // 250}.{at % 250}"})
        for at, good in enumerate(unknown)
        for key in (good[:-1], good)
    ]


def _headers(key: str) -> dict[str, str]:
    return {"X-SERVICE-API-KEY": key}


def _rate(result: dict[str, Any]) -> float:
    return float(result["requests"] / result["seconds"])


def _unexpected(*runs: dict[str, Any]) -> int:
    return sum(count for run in runs for status, count in run["statuses"].items() if status != "200")


def _line(what: str, result: dict[str, Any]) -> str:
    answers = ", ".join(f"{count:,} x {status}" for status, count in sorted(result["statuses"].items()))
    return f"| {what} | {_rate(result):,.0f} | {result['median'] * 1e3:.2f} | {result['p99'] * 1e3:.2f} | {answers} |"
