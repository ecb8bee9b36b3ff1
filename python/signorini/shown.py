"""Pages shown in a notebook or a browser."""

from __future__ import annotations

import html
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from signorini.errors import FileError


def show(page: str, path: Path | None, height: int) -> Path | None:
    """Shows a page: in the notebook where there is one, else in a browser, from the file ``path``, which is
    returned; without one, from a temporary file.

    Raises `FileError` when the file cannot be written.
    """
    if in_notebook():
        from IPython import display

        notebook: Any = display
        source = html.escape(page, quote=True)
        style = f'style="width:100%;height:{int(height)}px;border:0"'
        notebook.display(notebook.HTML(f'<iframe srcdoc="{source}" {style}></iframe>'))
        return None
    if path is None:
        path = Path(tempfile.mkdtemp(prefix="signorini-")) / "simulation.html"
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from error
    webbrowser.open(path.resolve().as_uri())
    return path


def in_notebook() -> bool:
    """Whether this runs in a notebook of Jupyter."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")
