#!/usr/bin/env python3
"""Checks a folder of pages: each link, picture, style and script of a page leads to a file of the folder, and
each part of a page that a link names is there.

    scripts/links.py FOLDER

Lines of sources, which pages of rustdoc number when they are opened, and what a page that plays shows first
(#t=0.4&view=front), are parts that are not looked for. A page that only leads to another takes the part along.
"""

import re
import sys
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the names of its parts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.parts: set[str] = set()
        self.leads_to: str | None = None
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Takes links and names from a tag."""
        given = dict(attributes)
        if tag == "meta" and given.get("http-equiv") == "refresh":
            self.leads_to = re.split("url=", given.get("content") or "", flags=re.IGNORECASE)[-1]
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.parts.add(value or "")
            elif name in ("href", "src"):
                self.links.add(value or "")


def main(folder: str) -> None:
    """Prints what is wrong, and ends with 1 if anything is."""
    root = Path(folder).resolve()
    pages = {path: Page(path) for path in sorted(root.rglob("*.html"))}
    faults: dict[Path, list[str]] = defaultdict(list)
    links = parts = 0
    for path, page in pages.items():
        for link in sorted(page.links):
            to = urlsplit(link)
            if to.scheme or to.netloc:
                continue
            links += 1
            target = (path.parent / unquote(to.path)).resolve() if to.path else path
            target = target / "index.html" if target.is_dir() else target
            while target in pages and (further := pages[target].leads_to):
                target = (target.parent / unquote(further)).resolve()
            part = "" if "=" in to.fragment else to.fragment
            if not target.is_relative_to(root) or not target.is_file():
                faults[path].append(f"no file for {link!r}")
            elif part and target in pages and "src" not in target.relative_to(root).parts:
                parts += 1
                if not {part, unquote(part)} & pages[target].parts:
                    faults[path].append(f"no part for {link!r}")
    for path, found in faults.items():
        for fault in found:
            print(f"{path.relative_to(root)}: {fault}", file=sys.stderr)
    print(f"{len(pages)} pages, {links} links, {parts} of them to parts of pages")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
