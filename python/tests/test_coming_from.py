"""The page for people who come from other programs: both sides of its lines agree, where both can run."""

from __future__ import annotations

import re

import numpy as np
import pytest

import signorini as sg
from conftest import ROOT

PAGE = (ROOT / "docs" / "guide" / "python-coming-from.md").read_text(encoding="utf-8")


def section(title: str) -> tuple[str, dict[str, str]]:
    """A section of the page, and its code: ours under `signorini`, the other's under its module."""
    (text,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return text, {block.split()[1]: block for block in blocks}


def numbers(printed: str) -> np.ndarray:
    return np.array([float(x) for x in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", printed)])


@pytest.fixture(autouse=True)
def there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (model,) = re.findall(r"^```xml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    (tmp_path / "arm.xml").write_text(model)


def test_mujoco(capsys):
    pytest.importorskip("mujoco")
    _, code = section("MuJoCo")
    exec(code["signorini"], {})
    ours = numbers(capsys.readouterr().out)
    exec(code["mujoco"], {})
    theirs = numbers(capsys.readouterr().out)
    # Two programs of first order, with steps of 1 ms.
    assert ours.shape == theirs.shape == (10,) and abs(theirs[2:4]).max() > 0.5
    assert ours == pytest.approx(theirs, abs=0.05)


def test_pybullet(capsys):
    _, code = section("PyBullet")
    exec(code["signorini"], {})
    ours = numbers(capsys.readouterr().out)
    assert ours == pytest.approx([10 / 7, 0, 0, 4.19 * 9.81], abs=1e-4)
    pytest.importorskip("pybullet")
    exec(code["pybullet"], {})
    theirs = numbers(capsys.readouterr().out)
    assert theirs[-4:] == pytest.approx(ours, abs=1e-3)


def test_liggghts(capsys):
    _, code = section("LIGGGHTS")
    exec(code["signorini"], {})
    printed = capsys.readouterr().out
    assert printed.startswith("(21, 60, 3) 0\n"), printed


def test_the_tables_name_what_there_is():
    """Names on the right of the tables are members of the classes that they are said to be of."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and line.count("|") == 3]
    right = [line.split("|")[2] for line in lines]
    found = 0
    objects = {"simulation": sg.Simulation, "builder": sg.SceneBuilder, "scene": sg.Scene, "sg": sg}
    objects |= {name: getattr(sg, name) for name in sg.__all__ if isinstance(getattr(sg, name), type)}
    for owner, member in re.findall(r"\b(\w+)\.(\w+)", " ".join(right)):
        if owner in objects:
            assert hasattr(objects[owner], member), f"{owner}.{member}"
            found += 1
    assert found > 35
