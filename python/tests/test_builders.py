"""Inlets, outlets, measures and walls of builders: the scenes that files with the same tables make."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg

GRAIN = sg.Body.ellipsoid([0.02, 0.015, 0.01]).density(2500.0).velocity([0, 0, -1])


def base() -> sg.SceneBuilder:
    builder = sg.Scene.builder().time_step(0.005).duration(0.5).friction(0.4).seed(5)
    builder.body(sg.Body.half_space().named("ground"))
    return builder


def of_dict(**tables: object) -> sg.Scene:
    """The scene of a file with these tables beside those of `base`."""
    fields = {
        "simulation": {"step": 0.005, "duration": 0.5, "seed": 5},
        "friction": [{"coefficient": 0.4}],
        "body": [{"name": "ground", "shape": {"type": "half_space", "normal": [0, 0, 1], "offset": 0.0}}],
    }
    return sg.Scene.from_dict({**fields, **tables})


def ends(scene: sg.Scene) -> tuple[list[str], list[list[float]]]:
    """Names and positions at the end of a run."""
    simulation = sg.Simulation(scene)
    list(simulation.run())
    return simulation.names, simulation.positions.tolist()


SHAPE = {"type": "ellipsoid", "semi_axes": [0.02, 0.015, 0.01]}
INLET = {"name": "in", "density": 2500.0, "velocity": [0, 0, -1], "shapes": [{"shape": SHAPE}]}
BOX = {"type": "box", "min": [-0.2, -0.2, 0.5], "max": [0.2, 0.2, 0.7]}


@pytest.mark.parametrize(
    ("inlet", "entry"),
    [
        (
            sg.Inlet.in_box(GRAIN, [-0.2, -0.2, 0.5], [0.2, 0.2, 0.7]).rate(40).total(12).upright(),
            {"region": BOX, "rate": 40.0, "total": 12, "random_orientations": False},
        ),
        (
            sg.Inlet.on_disc(GRAIN, [0, 0, 0.5], [0, 0, 1], 0.1).mass_rate(1.0).since(0.1).until(0.3),
            {
                "region": {"type": "disc", "center": [0, 0, 0.5], "normal": [0, 0, 1], "radius": 0.1},
                "mass_rate": 1.0,
                "from": 0.1,
                "to": 0.3,
            },
        ),
        (
            sg.Inlet.on_ring(GRAIN, [0, 0, 0.5], [0, 0, 1], [0.05, 0.2]).total(5).scaled(0.8, 1.2),
            {
                "region": {
                    "type": "ring",
                    "center": [0, 0, 0.5],
                    "normal": [0, 0, 1],
                    "inner_radius": 0.05,
                    "outer_radius": 0.2,
                },
                "total": 5,
                "scale": {"type": "uniform", "min": 0.8, "max": 1.2},
            },
        ),
        (
            sg.Inlet.in_box(GRAIN, [-0.2, -0.2, 0.5], [0.2, 0.2, 0.7])
            .rate(60)
            .clearance(0.001)
            .mixed_with(sg.Body.sphere(0.02), 2.0)
            .scaled_lognormal(0.2, 0.5, 1.5),
            {
                "region": BOX,
                "rate": 60.0,
                "clearance": 0.001,
                "shapes": [{"shape": SHAPE}, {"shape": {"type": "sphere", "radius": 0.02}, "weight": 2.0}],
                "scale": {"type": "lognormal", "sigma": 0.2, "min": 0.5, "max": 1.5},
            },
        ),
        (
            sg.Inlet.in_box(GRAIN, [-0.2, -0.2, 0.5], [0.2, 0.2, 0.7]).rate(60).sieved([0.02, 0.03], [0, 1]),
            {
                "region": BOX,
                "rate": 60.0,
                "scale": {"type": "sieve", "openings": [0.02, 0.03], "passing": [0.0, 1.0]},
            },
        ),
    ],
)
def test_inlets(inlet, entry):
    found = ends(base().inlet(inlet.named("in")).build())
    assert found == ends(of_dict(inlet=[{**INLET, **entry}]))
    assert "in-0" in found[0] and len(found[0]) > 3


def test_an_inlet_of_compounds():
    pair = sg.Body.compound([sg.Body.sphere(0.02).at([-0.02, 0, 0]), sg.Body.sphere(0.02).at([0.02, 0, 0])])
    scene = base().inlet(sg.Inlet.in_box(pair.density(1000.0), [-0.2, -0.2, 0.5], [0.2, 0.2, 0.7]).total(3))
    simulation = sg.Simulation(scene.build())
    simulation.step()
    assert simulation.names == ["ground", "inlet-0-0", "inlet-0-1", "inlet-0-2"]
    one = 4 / 3 * np.pi * 0.02**3 * 1000
    assert simulation.scene.masses[1] == pytest.approx(2 * one, rel=0.05)


def test_outlets_and_measures(tmp_path):
    builder = sg.Scene.builder().time_step(0.005).duration(0.6).seed(2)
    builder.body(sg.Body.half_space([0, 1, 1], 0.0).named("slope"))
    post = builder.body(sg.Body.box([0.02, 0.02, 0.1]).fixed().at([0.5, 0, 0]).named("post"))
    for place in ([0, 0, 0.2], [0.1, 0, 0.3]):
        builder.body(sg.Body.sphere(0.02).density(2500.0).at(place))
    builder.outlet(sg.Outlet.below(-0.2)).outlet(sg.Outlet.in_box([5, 5, 5], [6, 6, 6]).named("far"))
    builder.outlet(sg.Outlet.half_space([0, 0, 1], -3.0))
    builder.measure(sg.Measure.flow([0, 0, -1], 0.1).within([-1, -1, -1], [1, 1, 1]).named("through"))
    builder.measure(sg.Measure.region([-1, -1, -1], [1, 1, 1]).cells([2, 1, 1]).every(0.1))
    builder.measure(sg.Measure.energy()).measure(sg.Measure.forces())
    builder.measure(sg.Measure.body("slope").named("slope")).measure(sg.Measure.body(post).named("post"))
    builder.measure(sg.Measure.residence()).measure(sg.Measure.poses())
    run = sg.run(builder.build(), tmp_path / "run")
    assert [word for word in run.flow["gate"] if word] == ["outlet-0", "outlet-0"]
    through = run.measure("through")
    passed = [name for name in through if "forward" in name or name.startswith("bodies")]
    assert passed and sum(through[passed[0]]) == 2
    assert run.measure("measure-1").n_rows == 2 * 6
    for name in ("measure-2", "measure-3", "slope", "post", "measure-6", "measure-7"):
        assert run.measure(name).n_rows > 0, name


@pytest.mark.parametrize(
    ("kind", "body", "entry"),
    [
        (
            "drum",
            sg.Body.drum(0.2, 0.1, 0.01, facets=12),
            {"radius": 0.2, "length": 0.1, "thickness": 0.01, "facets": 12},
        ),
        (
            "hopper",
            sg.Body.hopper([0.4, 0.4], [0.1, 0.1], 0.3, 0.01, closed=True),
            {"top": [0.4, 0.4], "bottom": [0.1, 0.1], "height": 0.3, "thickness": 0.01, "closed": True},
        ),
        (
            "heightfield",
            sg.Body.heightfield([0.4, 0.4], np.array([[0, 0.1], [0.05, 0.02]]), 0.05),
            {"size": [0.4, 0.4], "heights": [[0.0, 0.1], [0.05, 0.02]], "thickness": 0.05},
        ),
        (
            "helix",
            sg.Body.helix([0.2, 0.2], 0.05, 2.0, 0.06, 0.004, facets=24, tilt=0.1, wall=0.02, clockwise=True),
            {
                "radii": [0.2, 0.2],
                "pitch": 0.05,
                "turns": 2.0,
                "width": 0.06,
                "thickness": 0.004,
                "facets": 24,
                "tilt": 0.1,
                "wall": 0.02,
                "clockwise": True,
            },
        ),
    ],
)
def test_walls(kind, body, entry):
    builder = sg.Scene.builder().time_step(0.005).duration(0.5).friction(0.4).seed(5)
    wall = builder.body(body.at([0, 0, 1]).turned([0, 0, 1], 0.3).named("wall").material("steel"))
    builder.body(sg.Body.sphere(0.01).density(1000.0).at([0, 0, 3]).named("ball"))
    builder.motion(wall, sg.Motion.velocity(0.5), about=[0, 0, 1], center=[0, 0, 1])
    built = builder.build()
    turn = [np.cos(0.15), 0.0, 0.0, np.sin(0.15)]
    place = {"name": "wall", "position": [0, 0, 1], "orientation": turn, "material": "steel"}
    sphere = {"type": "sphere", "radius": 0.01}
    ball = {"name": "ball", "position": [0, 0, 3], "density": 1000.0, "shape": sphere}
    motion = {
        "body": "wall",
        "axis": [0, 0, 1],
        "center": [0, 0, 1],
        "velocity": {"type": "constant", "value": 0.5},
    }
    fields = {
        "simulation": {"step": 0.005, "duration": 0.5, "seed": 5},
        "friction": [{"coefficient": 0.4}],
        "body": [ball],
        kind: [{**place, **entry}],
        "motion": [motion],
    }
    file = sg.Scene.from_dict(fields)
    assert wall == 0 and built.names == ["wall", "ball"] and file.names == ["ball", "wall"]
    for mine, its in zip(built.surfaces()[0], file.surfaces()[1], strict=True):
        assert mine == pytest.approx(its, abs=1e-12)
    assert built.positions[0] == pytest.approx(file.positions[1]) and built.fixed[0]
    one, other = sg.Simulation(built), sg.Simulation(file)
    one.step()
    other.step()
    assert one.quaternions[0] == pytest.approx(other.quaternions[1], abs=1e-12)


def test_a_drum_carries_grains_up():
    builder = sg.Scene.builder().time_step(0.004).duration(0.4).friction(0.8).seed(1)
    drum = builder.body(sg.Body.drum(0.15, 0.1, 0.01, facets=24).turned([1, 0, 0], np.pi / 2).named("drum"))
    builder.motion(drum, sg.Motion.velocity(3.0), about=[0, 1, 0])
    builder.fill(8, sg.Body.sphere(0.02).density(2000.0), [-0.05, -0.04, -0.08], [0.05, 0.04, 0.05])
    simulation = sg.Simulation(builder.build())
    assert all(outcome.good for outcome in simulation.run())
    assert abs(simulation.positions[1:, 0].mean()) > 0.02
    assert np.linalg.norm(simulation.positions[1:, [0, 2]], axis=1).max() < 0.15


def test_capsules_fill_a_cylinder_and_come_into_a_ring():
    builder = sg.Scene.builder().time_step(0.01).duration(0.05).seed(1)
    builder.body(sg.Body.half_space([0, 0, 1], -1))
    capsule = sg.Body.capsule(0.02, 0.06).density(1000.0)
    builder.fill_cylinder(40, capsule, [0, 0, 0.2], [0, 0, 1], [0, 0.15], 0.4)
    builder.inlet(sg.Inlet.in_cylinder(capsule, [0, 0, 1], [0, 0, 1], [0.05, 0.2], 0.2).total(3))
    simulation = sg.Simulation(builder.build())
    centres = simulation.positions[1:]
    assert len(centres) == 40 and np.linalg.norm(centres[:, :2], axis=1).max() < 0.13
    assert all(outcome.good for outcome in simulation.run())
    assert len(simulation.positions) == 44


def test_hollow_cylinders_weigh_what_the_round_ones_do():
    builder = sg.Scene.builder().time_step(0.005).duration(0.05).seed(1)
    builder.body(sg.Body.half_space([0, 0, 1], 0))
    ring = sg.Body.hollow_cylinder(0.02, 0.012, 0.03).density(1000.0)
    builder.fill(6, ring, [-0.1, -0.1, 0], [0.1, 0.1, 0.2])
    builder.body(sg.Body.hollow_cylinder(0.1, 0.06, 0.01, facets=48).density(1000.0).at([1, 0, 0.2]))
    scene = builder.build()
    masses = 1000.0 * np.pi * np.array([0.01 * (0.1**2 - 0.06**2)] + 6 * [0.03 * (0.02**2 - 0.012**2)])
    assert np.allclose(np.sort(scene.masses[1:]), np.sort(masses), rtol=1e-12)
    assert all(outcome.good for outcome in sg.Simulation(scene).run())


def test_a_table_follows_an_acceleration():
    times = np.arange(0.0, 1.001, 0.01)
    course = sg.Course.table(times, 2.0 * np.cos(3.0 * times), "cubic")
    builder = sg.Scene.builder().time_step(0.01).duration(0.5)
    table = builder.body(sg.Body.half_space([0, 0, 1], 0))
    builder.body(sg.Body.sphere(0.1).mass(1.0).at([0, 0, 5]))
    builder.motion(table, sg.Motion.acceleration(course, 0.3), along=[1, 0, 0])
    simulation = sg.Simulation(builder.build())
    assert all(outcome.good for outcome in simulation.run(0.5))
    exact = 0.3 * 0.5 + 2.0 / 9.0 * (1.0 - np.cos(1.5))
    assert simulation.positions[table, 0] == pytest.approx(exact, rel=1e-8)
    with pytest.raises(sg.InputError, match="linear"):
        sg.Course.table([0, 1], [0, 1], "square")


def test_an_arch_is_that_of_a_file():
    builder = base()
    ids = [builder.body(body) for body in sg.Body.arch(1.0, 0.12, 0.3, 5, 2000.0, angle=2.5)]
    assert builder.build().names[ids[0] :] == [f"arch-{k}" for k in range(5)] + ["arch.left", "arch.right"]
    fields = {"name": "a", "radius": 1.0, "thickness": 0.12, "depth": 0.3, "stones": 5, "density": 2000.0}
    settings = {"simulation": {"time_step": 0.005, "duration": 0.5}}
    file = sg.Scene.from_dict(settings | {"arch": [fields | {"angle": 2.5, "springers": False}]})
    alone = sg.Scene.builder().time_step(0.005).duration(0.5)
    for body in sg.Body.arch(1.0, 0.12, 0.3, 5, 2000.0, angle=2.5, springers=False, name="a"):
        alone.body(body)
    assert alone.build().to_toml() == file.to_toml()
    with pytest.raises(sg.InputError, match="arch-0.*thickness.*twice the radius"):
        bad = base()
        bad.body(sg.Body.arch(1.0, 2.5, 0.3, 5, 2000.0)[0])
        bad.build()
    with pytest.raises(TypeError, match='no argument "height"'):
        sg.Body.arch(1.0, 0.1, 0.3, 5, 2000.0, height=1)


def test_wrong_values_are_faults_by_name():
    with pytest.raises(sg.InputError, match='inlet.*"inlet-0".*rate'):
        base().inlet(sg.Inlet.in_box(GRAIN, [0, 0, 0.5], [0.2, 0.2, 0.7])).build()
    with pytest.raises(sg.InputError, match="density"):
        base().inlet(sg.Inlet.in_box(sg.Body.sphere(0.01), [0, 0, 0.5], [0.2, 0.2, 0.7]).rate(1)).build()
    with pytest.raises(sg.InputError, match='body.*"drum-1": facets = 2: must be 3 to 360'):
        builder = base()
        builder.body(sg.Body.drum(0.2, 0.1, 0.01, facets=2))
        builder.build()
    with pytest.raises(sg.InputError, match="helix-1.*width"):
        builder = base()
        builder.body(sg.Body.helix([0.1, 0.1], 0.05, 1.0, -1.0, 0.01))
        builder.build()
    with pytest.raises(sg.InputError, match="quantity.body.*stone"):
        builder = base()
        builder.body(GRAIN.at([0, 0, 1]))
        builder.measure(sg.Measure.body("stone")).build()
    inlet = sg.Inlet.in_box(GRAIN, [0, 0, 0.5], [0.2, 0.2, 0.7]).total(1)
    simulation = sg.Simulation(base().inlet(inlet).build())
    with pytest.raises(sg.InputError, match="thickness"):
        simulation.add_body(sg.Body.drum(0.2, 0.1, -0.01))
    added = simulation.add_body(sg.Body.drum(0.2, 0.1, 0.01).at([5, 0, 1]))
    assert simulation.pose(added)[0].tolist() == [5, 0, 1]
