"""The command line: ``python -m signorini``, with the texts and exit codes of the program."""

from __future__ import annotations

import sys

from signorini import _native


def main() -> int:
    """Runs the command line of the process and returns its exit code."""
    return _native.run_command(["signorini", *sys.argv[1:]], [sys.executable, "-m", "signorini"])


if __name__ == "__main__":
    sys.exit(main())
