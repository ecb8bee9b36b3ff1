"""Types and docstrings keep step with the compiled module."""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib.util
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from conftest import ROOT
from signorini import _native

STUBS = Path(sg.__file__).with_name("_native.pyi")


def parameters(function: ast.FunctionDef) -> list[tuple[str, bool]]:
    """Names of parameters without self and cls, and whether each has a default."""
    spec = function.args
    given = spec.posonlyargs + spec.args
    defaults = [False] * (len(given) - len(spec.defaults)) + [True] * len(spec.defaults)
    found = list(zip([a.arg for a in given], defaults, strict=True))
    found += [(a.arg, d is not None) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    if spec.kwarg:
        found.append((spec.kwarg.arg, False))
    return [(name, default) for name, default in found if name not in ("self", "cls")]


def real(function: object) -> list[tuple[str, bool]]:
    """The same of a compiled function."""
    signature = inspect.signature(function)
    listed = [(name, p.default is not p.empty) for name, p in signature.parameters.items()]
    return [(name, default) for name, default in listed if name != "self"]


def test_stubs_say_what_there_is():
    tree = ast.parse(STUBS.read_text())
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")}
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    public = {name for name in vars(_native) if not name.startswith("_")}
    assert set(classes) | set(functions) == public
    for name, function in functions.items():
        assert parameters(function) == real(getattr(_native, name)), name
    for name, stub in classes.items():
        cls = getattr(_native, name)
        members = {n.name: n for n in stub.body if isinstance(n, ast.FunctionDef)}
        there = {m for m in vars(cls) if not m.startswith("_")}
        assert {m for m in members if not m.startswith("_")} == there, name
        for member in there:
            found = inspect.getattr_static(cls, member)
            is_property = any(
                isinstance(d, ast.Name) and d.id == "property" for d in members[member].decorator_list
            )
            assert is_property == inspect.isgetsetdescriptor(found), f"{name}.{member}"
            if not is_property:
                assert parameters(members[member]) == real(getattr(cls, member)), f"{name}.{member}"


def of_rust(file: str) -> set[str]:
    """Names of the public methods in a file of builders in Rust."""
    text = (ROOT / "crates" / "signorini-scene" / "src" / "scene" / "build" / f"{file}.rs").read_text(
        encoding="utf-8"
    )
    return set(re.findall(r"^    pub fn (\w+)", text, flags=re.MULTILINE))


@pytest.mark.parametrize(
    ("file", "classes", "others"),
    [
        # `box` is a keyword of Rust.
        ("body_builder", [sg.Body], {"box_"}),
        ("joint_builder", [sg.Joint], {}),
        # A scene here has its notes.
        ("scene_builder", [sg.SceneBuilder, sg.Scene], {"build_with_notes"}),
        ("wall_shapes", [sg.Body], {}),
        ("inlet_builder", [sg.Inlet], {}),
        ("outlet_builder", [sg.Outlet], {}),
        # `Measure.body` takes a name, too; `Simulation.measure` looks at a scene.
        ("measure_builder", [sg.Measure], {"body_named", "of_scene"}),
        # A material is arguments of `SceneBuilder.material` here, and the law of impact one of
        # `Friction.with_restitution`.
        ("material", [sg.Friction], {"new", "stiffness", "dissipation_time", "with_impact_law"}),
    ],
)
def test_builders_have_what_those_in_rust_have(file, classes, others):
    found = of_rust(file)
    assert len(found) >= 4
    assert found - {name for cls in classes for name in vars(cls)} == set(others)


def test_everything_has_a_docstring():
    bare = []
    for name in sg.__all__:
        item = getattr(sg, name)
        if not (item.__doc__ or "").strip():
            bare.append(name)
        if inspect.isclass(item):
            members = [m for m in vars(item) if not m.startswith("_")]
            bare += [
                f"{name}.{m}"
                for m in members
                if not (getattr(item, m).__doc__ or "").strip() and m != "faults"
            ]
    assert bare == []


def blocks(page: str) -> list[str]:
    """The code in Python of a page of the guide."""
    text = (ROOT / "docs" / "guide" / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_guide_run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    ten, *others = blocks("python.md")

    def example(text: str) -> str:
        (found,) = (block for block in others if text in block)
        return found

    exec(ten, {})
    velocity, weight = capsys.readouterr().out.splitlines()
    assert float(velocity.strip("[]").split()[0]) == pytest.approx(10 / 7, abs=1e-6)
    assert float(weight.strip("[]")) == pytest.approx(4 / 3 * np.pi * 0.1**3 * 1000 * 9.81, rel=1e-7)
    exec(example("VectorSim"), {})
    exec(example("sg.settle"), {})
    alone = example("fclib.solve(W=")
    exec("\n".join(line for line in alone.splitlines() if "problem.hdf5" not in line), {})
    monkeypatch.chdir(tmp_path)
    drum = example("Body.drum")
    exec(drum if importlib.util.find_spec("pandas") else drum.replace(".to_pandas()", ""), {})
    if importlib.util.find_spec("gymnasium"):
        coming = (ROOT / "docs" / "guide" / "python-coming-from.md").read_text(encoding="utf-8")
        (model,) = re.findall(r"^```xml\n(.*?)^```$", coming, flags=re.MULTILINE | re.DOTALL)
        (tmp_path / "arm.xml").write_text(model)
        there: dict = {}
        exec(example("SceneEnv"), there)
        seen, _ = there["env"].reset(seed=0)
        seen, reward, *_ = there["env"].step(there["env"].action_space.sample())
        assert seen.shape == (4,) and -2.0 <= reward <= 2.0


def test_the_first_example_runs():
    assert doctest.testmod(sg).attempted > 0
    assert doctest.testmod(sg).failed == 0
    assert Path(sg.__file__).with_name("py.typed").exists()


def test_a_star_import_keeps_the_names_of_python():
    names: dict = {}
    exec("from signorini import *", names)
    assert not set(dir(builtins)) & (set(names) - {"__builtins__", "__name__", "__doc__"})
