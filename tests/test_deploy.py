"""What is given to operators fits what the service tells: each expression names metrics and labels that there are."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from rest_facade.build import Service
from rest_facade.errors import Code

DEPLOY = Path(__file__).parent.parent / "deploy"

NAME = re.compile(r"\b(?:orgdata|process)_[a-z_]+\b|\bup\b")
SELECTOR = re.compile(r"\b([a-z_]+)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)(?:=~|!~|!=|=)"([^"]*)"')
GROUPED = re.compile(r"\b(?:by|on) \(([^)]*)\)")

# What Prometheus adds to each sample itself.
ITS_OWN = {"job", "instance"}


def board() -> Any:
    return json.loads((DEPLOY / "grafana.json").read_text())


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())["groups"]
    return list(group["rules"])


def charts() -> list[dict[str, Any]]:
    return [panel for panel in board()["panels"] if panel["type"] != "row"]


def expressions() -> Iterator[str]:
    yield from (target["expr"] for panel in charts() for target in panel["targets"])
    yield from (rule["expr"] for rule in rules())


@pytest.fixture
def told(service: Service) -> dict[str, set[str]]:
    """The names of all samples, each with its labels."""
    found: dict[str, set[str]] = {"up": set()}
    for family in text_string_to_metric_families(service.public.metrics.written().decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


@pytest.mark.parametrize("expression", list(expressions()))
def test_an_expression_names_metrics_and_labels_that_there_are(expression: str, told: dict[str, set[str]]) -> None:
    names = set(NAME.findall(expression))
    assert names and names <= told.keys()
    assert expression.count("(") == expression.count(")")
    for name, matchers in SELECTOR.findall(expression):
        for label, value in MATCHER.findall(matchers):
            assert label in told[name] | ITS_OWN, (name, label)
            if label == "code":
                assert set(value.split("|")) <= set(Code)
    for labels in GROUPED.findall(expression):
        for label in labels.split(", "):
            assert all(label in told[name] | ITS_OWN for name in names), label


def test_whatever_the_service_counts_is_on_the_board(told: dict[str, set[str]]) -> None:
    shown = {name for panel in charts() for target in panel["targets"] for name in NAME.findall(target["expr"])}
    ours = {re.sub(r"_(bucket|count|sum)$", "", name) for name in told if name.startswith("orgdata_")}
    assert ours - {re.sub(r"_bucket$", "", name) for name in shown} == set()


def test_every_chart_says_what_it_shows_and_reads_from_the_chosen_source() -> None:
    assert len({panel["id"] for panel in board()["panels"]}) == len(board()["panels"])
    for panel in charts():
        assert panel["title"] and panel["description"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        for target in panel["targets"]:
            # A legend can only name labels that are left.
            grouped = " ".join(GROUPED.findall(target["expr"]))
            assert all(label in grouped for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))


def test_every_alert_says_what_to_do() -> None:
    assert len({rule["alert"] for rule in rules()}) == len(rules())
    for rule in rules():
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert set(rule["annotations"]) == {"summary", "action"}
