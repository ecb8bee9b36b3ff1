"""Limits of collapse, beside the command line and theory."""

from __future__ import annotations

import json
import math
import signal
import threading

import pytest

import signorini as sg
from conftest import command

TILT = ["simulation.gravity[0]=9.81*sin(x)", "simulation.gravity[2]=-9.81*cos(x)"]


def block(friction=0.5, half_width=0.15, duration=0.5, tilt=0.0) -> sg.Scene:
    """A block on the ground, with gravity tilted."""
    builder = sg.Scene.builder().time_step(0.01).duration(duration).friction(friction)
    builder.gravity([9.81 * math.sin(tilt), 0, -9.81 * math.cos(tilt)])
    builder.body(sg.Body.half_space().named("ground"))
    shape = sg.Body.box([half_width, 0.1, 0.1]).density(2000.0)
    builder.body(shape.at([0, 0, 0.1]).named("block"))
    return builder.build()


def test_limit_finds_what_the_command_line_finds(tmp_path):
    path = tmp_path / "block.toml"
    path.write_text(block().to_toml())
    found = sg.limit(path, TILT, (0.1, 0.9), 0.01, tmp_path / "a")
    line = ["limit", path, "--vary", TILT[0], "--vary", TILT[1], "--between", 0.1, 0.9, "--to", 0.01]
    assert command(*line, "--out", tmp_path / "b", "-q").returncode == 0
    for name in ("trials.csv", "stands/bodies.csv", "collapses/contacts.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert found.stands < math.atan(0.5) and abs(float(found) / math.atan(0.5) - 1) < 0.01
    assert found.width <= 0.01 * found.collapses and found.monotone and found.certain
    assert found.audits == {"stands": "green", "collapses": "green"}
    assert found.run("collapses").audit() and found.run("stands").scene.names == ["ground", "block"]
    result = json.loads((tmp_path / "a" / "limit.json").read_text())
    assert (result["stands"], result["collapses"]) == (found.stands, found.collapses)
    assert set(found.trials["outcome"]) == {"stands", "collapses"}
    in_memory = sg.limit(block(), TILT, (0.1, 0.9), 0.01, threads=1)
    assert (in_memory.stands, in_memory.collapses) == (found.stands, found.collapses)
    with pytest.raises(sg.InputError, match="give limit a folder"):
        in_memory.run("stands")


def test_a_function_makes_scenes():
    tried = []

    def narrow(half_width: float) -> sg.Scene:
        tried.append(half_width)
        return block(0.9, half_width, duration=1.5, tilt=0.3)

    found = sg.limit(narrow, None, (0.06, 0.01), 2e-3)
    assert abs(found.middle / (0.1 * math.tan(0.3)) - 1) < 2e-3 and found.stands > found.collapses
    assert set(found.trials["value"]) <= set(tried)
    with pytest.raises(ZeroDivisionError):
        sg.limit(lambda x: block(1 / x), None, (0.0, 1.0))
    with pytest.raises(TypeError):
        sg.limit(lambda _: "no scene", None, (0.0, 1.0))


def test_wrong_arguments():
    for wrong, text in [
        ({"between": (0.1, 0.2)}, "both stand"),
        ({"between": (0.1, math.nan)}, "two finite numbers"),
        ({"to": 2.0}, "to 2.0"),
        ({"points": 0}, "points 0"),
        ({"criterion": "luck"}, '"luck": must be "way", "speed" or'),
        ({"bound": -1.0}, "bound -1.0"),
        ({"after": 0.5}, "before the end of the run"),
        ({"after": 0.1, "criterion": "acceleration"}, "those of the first step"),
        ({"bodies": ["stone"]}, "stone.*block"),
        ({"frame": "moon"}, "moon"),
        ({"vary": "simulation.gravity[3]"}, "has 3 entries"),
        ({"vary": "friction[0"}, "a \\[ is not closed"),
        ({"vary": None}, "must name one field"),
        ({"threads": 0}, "threads = 0"),
    ]:
        given = {"vary": TILT, "between": (0.1, 0.9)} | wrong
        with pytest.raises(sg.InputError, match=text):
            sg.limit(block(), **given)
    with pytest.raises(sg.InputError, match="makes the whole scene"):
        sg.limit(lambda _: block(), TILT, (0.1, 0.9))
    with pytest.raises(sg.FileError, match=r"none\.toml"):
        sg.limit("none.toml", TILT, (0.1, 0.9))


def test_ctrl_c_stops_a_search():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        sg.limit(block(duration=1e4), TILT, (0.1, 0.9))
