#!/usr/bin/env python3
"""Writes the licences of all that is compiled into the program, or into the package for Python, to one file.

    scripts/notices.py PACKAGE FILE [TARGET]

PACKAGE is signorini-cli or signorini-python. The texts are those that the crates bring; each stands once,
below the names of the crates that share it. A crate without a text of its own is listed with its licence
expression and its authors. What only builds or tests the program is left out. Our own licences, those of the
page that `view` writes and of the font of the figures come first.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXTS = re.compile(r"(un)?licen[cs]e|copying|notice|copyright", re.IGNORECASE)
INSIDE = {
    "signorini (MIT OR Apache-2.0)": "LICENSE-MIT",
    "signorini (MIT OR Apache-2.0), as you prefer": "LICENSE-APACHE",
    "three.js (in the page that `view` writes)": "crates/signorini-runs/viewer/LICENSE-three.js",
    "webm-muxer (in the page that `view` writes)": "crates/signorini-runs/viewer/LICENSE-webm-muxer",
    "DejaVu Sans (in figures)": "crates/signorini-figures/fonts/LICENSE-DejaVu",
}


def metadata(target: str | None) -> dict:
    """What cargo knows of all crates for a system, by default that of this machine."""
    if target is None:
        told = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, encoding="utf-8").stdout
        target = re.search(r"^host: (.*)$", told, flags=re.MULTILINE)[1]
    line = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(
        subprocess.run(line, check=True, capture_output=True, encoding="utf-8", cwd=ROOT).stdout
    )


def compiled(known: dict, package: str) -> list[dict]:
    """The crates of others that become part of a package, by name."""
    packages = {p["id"]: p for p in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    reached, ahead = set(), [i for i, p in packages.items() if p["name"] == package]
    if not ahead:
        sys.exit(f"there is no package {package}")
    while ahead:
        crate = ahead.pop()
        if crate in reached or any("proc-macro" in t["kind"] for t in packages[crate]["targets"]):
            continue
        reached.add(crate)
        for needed in nodes[crate]["deps"]:
            if any(kind["kind"] is None for kind in needed["dep_kinds"]):
                ahead.append(needed["pkg"])
    others = [packages[crate] for crate in reached if packages[crate]["source"] is not None]
    return sorted(others, key=lambda p: (p["name"], p["version"]))


def texts(crate: dict) -> list[str]:
    """The texts in the folder of a crate, and one that its manifest names."""
    folder = Path(crate["manifest_path"]).parent
    files = {path for path in folder.iterdir() if path.is_file() and TEXTS.match(path.name)}
    if crate["license_file"]:
        files.add((folder / crate["license_file"]).resolve())
    files = {path for path in files if path.suffix not in {".rs", ".toml", ".html"}}
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in sorted(files)]


def main(package: str, out: str, target: str | None = None) -> None:
    """Writes the file."""
    names: dict[str, list[str]] = {}
    shown: dict[str, str] = {}

    def add(name: str, text: str) -> None:
        words = " ".join(text.split())
        shown.setdefault(words, text)
        names.setdefault(words, []).append(name)

    for name, path in INSIDE.items():
        add(name, (ROOT / path).read_text(encoding="utf-8").strip())
    bare = []
    crates = compiled(metadata(target), package)
    for crate in crates:
        name = f"{crate['name']} {crate['version']} ({crate['license'] or 'licence below'})"
        found = texts(crate)
        if not found:
            bare.append(f"{name}: {', '.join(crate['authors']) or 'no authors named'}")
        for text in found:
            add(name, text)
    parts = [f"{', '.join(who)}:\n\n{shown[words]}" for words, who in names.items()]
    if bare:
        parts.append("Without a text of their own, under licences that stand above:\n\n" + "\n".join(bare))
    Path(out).write_text(f"\n\n{'-' * 80}\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"{out}: {len(crates)} crates, {len(names)} texts, {len(bare)} crates without one")


if __name__ == "__main__":
    if len(sys.argv) not in {3, 4}:
        sys.exit(__doc__)
    main(*sys.argv[1:])
