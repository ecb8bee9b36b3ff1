"""Scenes that come with the package."""

import pytest

import signorini as sg


def test_examples_are_scenes():
    names = sg.examples.names()
    assert names == sorted(names) and len(names) > 50
    assert sg.examples.about("two-spheres")
    simulation = sg.Simulation(sg.examples.scene("two-spheres"))
    assert simulation.step().good


def test_an_example_with_a_mesh_is_written(tmp_path):
    path = sg.examples.write("bracket", tmp_path)
    assert (tmp_path / "bracket.obj").exists()
    assert sg.Scene.load(path).time_step == 0.002
    with pytest.raises(sg.InputError, match="must be one of signorini.examples.names"):
        sg.examples.text("nowhere")
