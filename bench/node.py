"""PostGraphile and Node, installed once into a folder that git ignores."""

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
    """The command that starts PostGraphile, without URL and port; or an empty command and the reason."""
    FOLDER.mkdir(exist_ok=True)
    expected = (PEERS / "package.json").read_bytes()
    installed = FOLDER / "package.json"
    if not NODE.exists() or not installed.exists() or installed.read_bytes() != expected:
        if shutil.which("npm") is None:
            return [], "PostGraphile is skipped: there is no npm on PATH to install it with."
        print("Installing PostGraphile and Node 22 into bench/.node ...", flush=True)
        installed.write_bytes(expected)
        reason = _install()
        if reason:
            installed.unlink()
            return [], f"PostGraphile is skipped: {reason}"
    # Node looks for modules beside the program.
    shutil.copy(PEERS / "postgraphile.mjs", FOLDER)
    return [str(NODE), str(FOLDER / "postgraphile.mjs")], ""


def versions() -> str:
    """The versions of Node and PostGraphile; empty if they are not installed."""
    if not NODE.exists():
        return ""
    node = subprocess.run([str(NODE), "--version"], capture_output=True, text=True, check=False, timeout=20)
    text = (FOLDER / "node_modules" / "postgraphile" / "package.json").read_text().split('"version": "')
    return f"Node {node.stdout.strip().lstrip('v')}, PostGraphile {text[1].split(chr(34))[0]}"


def _install() -> str:
    """Install the packages of package.json. Returns the reason of a failure, or an empty text."""
    try:
        process = subprocess.run(
            INSTALL, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"npm took more than {INSTALL_SECONDS} s."
    if process.returncode or not NODE.exists():
        return f"npm could not install it ({Path(INSTALL[0]).name} exited with {process.returncode})."
    return ""
