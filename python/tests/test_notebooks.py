"""The notebooks run from end to end, where nbclient and a kernel are installed."""

from __future__ import annotations

import importlib.util

import pytest

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
#: What a notebook needs beside the package.
NEEDS = {
    "balance": ["matplotlib"],
    "drop-test": ["pandas"],
    "identify": ["matplotlib"],
    "mujoco": ["mujoco"],
    "push": ["matplotlib"],
    "throw": ["matplotlib"],
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path):
    nbformat = pytest.importorskip("nbformat")
    for name in ["nbclient", "ipykernel", *NEEDS.get(path.stem, [])]:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code and not any(cell.outputs or cell.execution_count for cell in code), "outputs are not kept"
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": path.parent}}).execute()
    shown = [output for cell in code for output in cell.outputs]
    assert shown
    if path.stem == "feeder":
        # `show()` is inline here.
        pages = [output.data["text/html"] for output in shown if "text/html" in output.get("data", {})]
        assert len(pages) == 1 and pages[0].startswith("<iframe srcdoc=")
