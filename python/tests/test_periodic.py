"""A box that repeats itself."""

from __future__ import annotations

import numpy as np
import pytest
import tomllib

import signorini as sg

SCENE = """
format = 1
[simulation]
time_step = 0.002
duration = 0.4
gravity = [0, 0, 0]
[periodic]
x = [0.0, 1.0]
[[body]]
name = "left"
mass = 1
position = [0.85, 0, 0]
velocity = [1, 0, 0]
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "right"
mass = 1
position = [0.2, 0, 0]
shape = { type = "sphere", radius = 0.1 }
"""


def test_images_touch() -> None:
    simulation = sg.Simulation(sg.Scene.from_toml(SCENE))
    met = False
    for _ in range(200):
        simulation.step()
        contacts = simulation.contacts()
        loaded = contacts[contacts["normal_impulse"] > 0]
        met = met or bool((loaded["image"] == [1, 0, 0]).all() and len(loaded) > 0)
    assert met
    places, wrapped = simulation.positions, simulation.wrapped_positions
    assert places[0, 0] > 1.0
    assert ((wrapped >= [0, -1, -1]) & (wrapped < [1, 1, 1])).all()
    turns = (places - wrapped)[:, 0]
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-15)


def test_a_builder_makes_the_same_box() -> None:
    builder = sg.Scene.builder().periodic(0, 0.0, 1.0).periodic(2, -1.0, 1.0)
    builder.body(sg.Body.sphere(0.1).mass(1.0).at([0.85, 0, 0]))
    assert tomllib.loads(builder.build().to_toml())["periodic"] == {"x": [0.0, 1.0], "z": [-1.0, 1.0]}
    with pytest.raises(sg.InputError, match="axis = 3.*must be 0, 1 or 2"):
        builder.periodic(3, 0.0, 1.0)
