"""The peers on Node: PostGraphile and Mercurius, installed once with npm into a folder that git ignores."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from bench.processes import ROOT

PEERS = ROOT / "bench" / "peers"
FOLDER = ROOT / "bench" / ".node"
NODE = FOLDER / "node_modules" / ".bin" / "node"

NAMES: Mapping[str, str] = {"postgraphile": "PostGraphile", "mercurius": "Mercurius"}
"""The names of the peers by that of their package, which is that of their program."""

INSTALL = "npm install --no-package-lock --no-audit --no-fund --loglevel=error".split()
INSTALL_SECONDS = 300


def install() -> str:
    """Install Node and the packages of all peers. Returns the reason why they are skipped, or an empty text."""
    FOLDER.mkdir(exist_ok=True)
    expected = (PEERS / "package.json").read_bytes()
    installed = FOLDER / "package.json"
    if NODE.exists() and installed.exists() and installed.read_bytes() == expected:
        return ""
    names = " and ".join(NAMES.values())
    if shutil.which("npm") is None:
        return f"{names} are skipped: there is no npm on PATH to install them with."
    print(f"Installing {names} with Node 22 into bench/.node ...", flush=True)
    installed.write_bytes(expected)
    reason = _npm_install()
    if reason:
        installed.unlink()
        return f"{names} are skipped: {reason}"
    return ""


def command(package: str) -> list[str]:
    """The command that starts a peer, without URL and port."""
    # Node looks for packages beside the program.
    shutil.copy(PEERS / f"{package}.mjs", FOLDER)
    return [str(NODE), str(FOLDER / f"{package}.mjs")]


def versions() -> str:
    """The versions of Node and of the peers; empty if they are not installed."""
    if not NODE.exists():
        return ""
    node = subprocess.run([str(NODE), "--version"], capture_output=True, text=True, check=False, timeout=20)
    words = [f"Node {node.stdout.strip().lstrip('v')}"]
    for package, name in NAMES.items():
        file = FOLDER / "node_modules" / package / "package.json"
        if file.exists():
            words.append(f"{name} {json.loads(file.read_text())['version']}")
    return ", ".join(words)


def _npm_install() -> str:
    """Install the packages of package.json. Returns the reason of a failure, or an empty text."""
    try:
        process = subprocess.run(
            INSTALL, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"npm took more than {INSTALL_SECONDS} s."
    if process.returncode or not NODE.exists():
        return f"npm could not install them ({Path(INSTALL[0]).name} exited with {process.returncode})."
    return ""
