"""PostGraphile's program and the Node that it needs, installed once into a folder that git ignores."""

import shutil
import subprocess
from pathlib import Path

from bench.processes import ROOT

PEERS = ROOT / "bench" / "peers"
FOLDER = ROOT / "bench" / ".node"
NODE = FOLDER / "node_modules" / ".bin" / "node"

INSTALL = "npm install --no-package-lock --no-audit --no-fund --loglevel=error".split()
INSTALL_SECONDS = 240


def command() -> tuple[list[str], str]:
    """How PostGraphile is started, without its URL and port; or no command, and a sentence that says why."""
    FOLDER.mkdir(exist_ok=True)
    wanted = (PEERS / "package.json").read_bytes()
    made = FOLDER / "package.json"
    if not NODE.exists() or not made.exists() or made.read_bytes() != wanted:
        if shutil.which("npm") is None:
            return [], "PostGraphile is skipped: there is no npm on PATH to install it with."
        print("Installing PostGraphile and Node 22 into bench/.node ...", flush=True)
        made.write_bytes(wanted)
        reason = _install()
        if reason:
            made.unlink()
            return [], f"PostGraphile is skipped: {reason}"
    # Modules are looked for beside the program.
    shutil.copy(PEERS / "postgraphile.mjs", FOLDER)
    return [str(NODE), str(FOLDER / "postgraphile.mjs")], ""


def versions() -> str:
    """The versions of Node and PostGraphile; empty where they are not installed."""
    if not NODE.exists():
        return ""
    node = subprocess.run([str(NODE), "--version"], capture_output=True, text=True, check=False, timeout=20)
    words = (FOLDER / "node_modules" / "postgraphile" / "package.json").read_text().split('"version": "')
    return f"Node {node.stdout.strip().lstrip('v')}, PostGraphile {words[1].split(chr(34))[0]}"


def _install() -> str:
    """Install what package.json names; why it failed, if it did."""
    try:
        done = subprocess.run(INSTALL, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        return f"npm took more than {INSTALL_SECONDS} s."
    if done.returncode or not NODE.exists():
        return f"npm could not install it ({Path(INSTALL[0]).name} exited with {done.returncode})."
    return ""
