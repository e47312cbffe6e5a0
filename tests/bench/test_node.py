"""bench/node.py: peers on Node are installed with npm, or skipped with a reason."""

from pathlib import Path

import pytest

from bench import node


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of bench/.node, and a PATH with nothing but an npm that a test writes."""
    monkeypatch.setattr(node, "FOLDER", tmp_path / "node")
    monkeypatch.setattr(node, "NODE", tmp_path / "node" / "bin-of-node")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    (tmp_path / "path").mkdir()
    return tmp_path


def write_npm(folder: Path, script: str) -> None:
    npm = folder / "path" / "npm"
    npm.write_text(f"#!/bin/sh\n{script}\n")
    npm.chmod(0o755)


def test_without_npm_peers_are_skipped_with_reason() -> None:
    assert node.install() == ("PostGraphile and Mercurius are skipped: there is no npm on PATH to install them with.")
    assert node.versions() == ""


def test_failing_npm_is_a_reason_and_is_tried_again(folder: Path) -> None:
    write_npm(folder, "exit 3")
    assert node.install() == "PostGraphile and Mercurius are skipped: npm could not install them (npm exited with 3)."
    write_npm(folder, ": > bin-of-node")
    assert node.install() == ""


def test_installed_packages_are_not_installed_again(folder: Path) -> None:
    write_npm(folder, ": > bin-of-node")
    assert node.install() == ""
    write_npm(folder, "exit 3")
    assert node.install() == ""
