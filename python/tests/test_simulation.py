"""Simulations: steps, reading, acting, saving."""

from __future__ import annotations

import base64
import json
import pickle
import re
import zlib

import numpy as np
import pytest

import signorini as sg
from conftest import heap, rolling_ball, scene_file


def test_a_sliding_ball_rolls(ball):
    outcomes = list(ball.run())
    assert len(outcomes) == ball.step_index == 100
    assert all(outcome.good and outcome.solved and outcome.verdict.green for outcome in outcomes)
    assert outcomes[-1].step == 100 and outcomes[-1].time == ball.time == 0.5
    assert ball.velocity("ball")[0] == pytest.approx([2 * 5 / 7, 0, 0], abs=1e-6)
    assert list(ball.run()) == []


def test_run_until(ball):
    assert len(list(ball.run(until=0.1))) == 20
    assert len(list(ball.run(until=0.1))) == 0
    steps = ball.run(until=0.2)
    next(steps)
    assert (ball.step_index, steps.__length_hint__()) == (21, 19)
    with pytest.raises(sg.InputError, match="until = NaN: must be finite"):
        ball.run(until=float("nan"))


def test_arrays_are_copies_of_the_right_shape(ball):
    before = ball.positions
    ball.step()
    assert not np.array_equal(before, ball.positions)
    after = ball.positions
    after[:] = 7.0
    assert not np.array_equal(after, ball.positions)
    shapes = [ball.positions, ball.quaternions, ball.velocities, ball.angular_velocities]
    assert [array.shape for array in shapes] == [(2, 3), (2, 4), (2, 3), (2, 3)]
    assert all(array.dtype == np.float64 and array.flags.owndata | array.flags.writeable for array in shapes)
    position, quaternion = ball.pose("ball")
    assert np.array_equal(position, ball.positions[1]) and np.array_equal(quaternion, ball.quaternions[1])
    kept = ball.positions
    expected = kept.copy()
    del ball
    assert np.array_equal(kept, expected)


def test_contacts_bear_the_weight(ball):
    assert len(ball.contacts()) == 0
    ball.step()
    contacts = ball.contacts()
    assert contacts.dtype == sg.dtypes.CONTACT and contacts.shape == (1,)
    contact = contacts[0]
    mass = ball.scene.masses[1]
    assert (contact["body_a"], contact["body_b"]) == (0, 1)
    assert contact["normal"].tolist() == [0, 0, 1]
    assert contact["normal_impulse"] == pytest.approx(mass * 9.81 * 0.005, rel=1e-7)
    assert contact["friction_impulse"] == pytest.approx([-0.5 * contact["normal_impulse"], 0, 0], abs=1e-7)
    assert (contact["state"], contact["kind"], contact["points"]) == ("slip", "point", 1)
    assert (contact["substep_start"], contact["substep_end"]) == (0.0, 1.0)
    assert abs(contact["gap"]) < 1e-8
    assert len(ball.contacts("ball")) == len(ball.contacts(0)) == 1
    with pytest.raises(sg.InputError, match='body "bal": is none of the 2 bodies'):
        ball.contacts("bal")


def test_parts_of_a_body_touch_on_their_own():
    rod = sg.Body.cylinder(0.02, 0.4)
    ends = [sg.Body.sphere(0.05).at([0, 0, z]) for z in (-0.25, 0.25)]
    builder = sg.Scene.builder().time_step(0.005).duration(1.0).friction(0.5)
    builder.body(sg.Body.half_space())
    lying = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)
    dumbbell = sg.Body.compound([rod, *ends]).density(1000.0).orientation(lying).at([0, 0, 0.05])
    builder.body(dumbbell.named("dumbbell"))
    simulation = sg.Simulation(builder.build())
    simulation.step()
    contacts = simulation.contacts()
    bearing = contacts[contacts["normal_impulse"] > 0]
    assert bearing["part_a"].tolist() == [0, 0] and bearing["part_b"].tolist() == [1, 2]
    weight = simulation.scene.masses[1] * 9.81 * 0.005
    assert bearing["normal_impulse"] == pytest.approx(weight / 2, rel=1e-7)
    with pytest.raises(TypeError):
        sg.Body.compound([1.0])


def test_torsion_follows_from_what_touches():
    builder = sg.Scene.builder().time_step(0.005).duration(1.0).friction(0.5)
    builder.body(sg.Body.half_space())
    builder.body(sg.Body.cylinder(0.03, 0.02).density(1000.0).at([0, 0, 0.01]).angular_velocity([0, 0, 5]))
    simulation = sg.Simulation(builder.build())
    simulation.step()
    (contact,) = simulation.contacts()
    # A disc under uniform pressure.
    assert contact["torsional_radius"] == pytest.approx(2 / 3 * 0.03, rel=1e-9)
    limit = 0.5 * contact["torsional_radius"] * contact["normal_impulse"]
    assert contact["torsional_impulse"] == pytest.approx(-limit, rel=1e-7)


def test_joints_bear_the_weight():
    builder = sg.Scene.builder().time_step(0.001).duration(0.01)
    post = builder.body(sg.Body.sphere(0.01).fixed())
    bob = builder.body(sg.Body.sphere(0.05).mass(2.0).at([0, 0, -1]))
    builder.joint(sg.Joint.revolute(post, bob, [0, 0, 0], [0, 1, 0]).limits("angle", -1, 1))
    simulation = sg.Simulation(builder.build())
    assert simulation.step().good
    joints = simulation.joints()
    assert joints.dtype == sg.dtypes.JOINT and joints.shape == (1,)
    assert joints[0]["impulse"] == pytest.approx([0, 0, 2 * 9.81 * 0.001], abs=1e-9)
    assert joints[0]["error"].max() < 1e-9
    assert np.isnan(joints[0]["coordinate"][0]) and abs(joints[0]["coordinate"][1]) < 1e-9


def test_energy_and_verdict(ball):
    assert ball.verdict is None and ball.outcome is None
    mass = ball.scene.masses[1]
    assert ball.kinetic_energy == pytest.approx(0.5 * mass * 4)
    assert ball.potential_energy == pytest.approx(mass * 9.81 * 0.1)
    assert ball.energy == ball.kinetic_energy + ball.potential_energy
    outcome = ball.step()
    assert ball.verdict.green and bool(ball.verdict) and ball.outcome.step == outcome.step
    assert ball.verdict.kinetic_energy == pytest.approx(ball.kinetic_energy, rel=1e-12)
    ball.judge_steps(False)
    assert ball.step().verdict is None and ball.verdict is None
    assert sg.Simulation(rolling_ball(), judge=False).step().verdict is None


def test_a_step_that_is_not_solved_is_told_and_no_exception():
    builder = (
        sg.Scene.builder().time_step(0.01).friction(0.5).solver(max_iterations=1, halvings=0, restarts=0)
    )
    builder.container([-0.25, -0.25, 0], [0.25, 0.25, 2])
    builder.fill(8, sg.Body.box([0.08, 0.06, 0.05]).density(1500.0), [-0.25, -0.25, 0], [0.25, 0.25, 0.6])
    simulation = sg.Simulation(builder.build())
    outcomes = [simulation.step() for _ in range(60)]
    bad = [outcome for outcome in outcomes if not outcome.solved]
    assert bad and not any(outcome.good for outcome in bad)
    assert all(outcome.residual > 1e-8 and outcome.status != "solved" for outcome in bad)


def test_acting_between_steps(ball):
    ball.step()
    mass, before = ball.scene.masses[1], ball.velocities[1]
    ball.apply_impulse("ball", [0, 0, mass])
    ball.step()
    assert ball.velocities[1, 2] == pytest.approx(1.0 - 9.81 * 0.005)
    ball.set_pose("ball", [0, 0, 5])
    ball.set_velocity(1, [0, 0, 0], [0, 1, 0])
    ball.set_force(1, np.array([0, 0, mass * 9.81]))
    ball.step()
    assert ball.velocities[1] == pytest.approx([0, 0, 0], abs=1e-12)
    assert ball.angular_velocities[1] == pytest.approx([0, 1, 0])
    assert ball.positions[1] == pytest.approx([0, 0, 5])
    with pytest.raises(sg.InputError, match="it is fixed"):
        ball.apply_impulse(0, [1, 0, 0])
    with pytest.raises(sg.InputError, match="must be finite"):
        ball.apply_impulse(1, [np.nan, 0, 0])
    with pytest.raises(sg.InputError, match="body #9: is none"):
        ball.set_force(9, [0, 0, 0])
    assert before[0] < 2.0


def test_states_of_all_bodies_at_once():
    simulation = sg.Simulation(heap())
    list(simulation.run(until=0.3))
    saved = simulation.save()
    state = {
        "positions": simulation.positions,
        "quaternions": simulation.quaternions,
        "velocities": simulation.velocities,
        "angular_velocities": simulation.angular_velocities,
    }
    simulation.set_state(**state)
    simulation.step()
    expected = simulation.positions
    # A state that is the present one changes nothing.
    simulation.restore(saved)
    simulation.step()
    assert np.array_equal(expected, simulation.positions)
    state["positions"][-1] += [0, 0, 1]
    simulation.set_state(state["positions"], velocities=state["velocities"])
    assert np.array_equal(simulation.positions, state["positions"])
    moved = state["velocities"] + 1.0
    with pytest.raises(sg.InputError, match="it is fixed"):
        simulation.set_state(velocities=moved)
    assert np.array_equal(simulation.velocities, state["velocities"])
    with pytest.raises(sg.InputError, match=r"positions with 2 rows: must have"):
        simulation.set_state(positions=moved[:2])


def test_bodies_come_and_go(ball):
    ball.step()
    other = ball.add_body(sg.Body.sphere(0.1).density(500.0).at([0, 1, 0.1]).named("other"))
    assert (ball.ids, ball.names, ball.index_of("other")) == ([0, 1, 2], ["half-space-0", "ball", "other"], 2)
    ball.step()
    ball.remove_body("ball")
    assert (ball.ids, ball.names, ball.index_of(other)) == ([0, 2], ["half-space-0", "other"], 1)
    assert ball.step().good and len(ball.positions) == 2
    with pytest.raises(sg.InputError, match="overlap"):
        ball.add_body(sg.Body.sphere(0.1).density(1.0).at([0, 1, 0.15]))
    with pytest.raises(sg.InputError, match="body #1: is none"):
        ball.pose(1)
    assert ball.body_named("other") == other


def test_saved_states_go_on_with_the_same_bits():
    simulation = sg.Simulation(heap())
    list(simulation.run(until=0.25))
    saved = simulation.save()
    list(simulation.run())
    expected = [simulation.positions, simulation.quaternions, simulation.velocities]
    others = [
        sg.Simulation.from_saved(saved),
        sg.Simulation.from_saved(sg.SavedState.from_bytes(saved.to_bytes())),
        sg.Simulation.from_saved(pickle.loads(pickle.dumps(saved)), threads=2),
    ]
    simulation.restore(saved)
    for other in [simulation, pickle.loads(pickle.dumps(simulation)), *others]:
        assert other.step_index == 25 and other.outcome is None
        list(other.run())
        found = [other.positions, other.quaternions, other.velocities]
        assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
    assert saved.scene.to_toml() == heap().to_toml()


def test_the_model_that_cannot_run_the_scene_says_so():
    builder = sg.Scene.builder()
    bodies = [builder.body(sg.Body.sphere(0.1).density(1.0).at([x, 0, 0])) for x in (0, 1)]
    builder.spring(bodies, [[0, 0, 0], [0, 0, 0]], 1.0, 0.0)
    with pytest.raises(sg.InputError, match="it has no springs"):
        sg.Simulation(builder.build())


def test_pictures(ball, tmp_path):
    ball.save_picture(tmp_path / "ball.png", size=(60, 40))
    assert (tmp_path / "ball.png").read_bytes().startswith(b"\x89PNG")
    pixels = ball.picture(size=(60, 40))
    assert pixels.shape == (40, 60, 3) and pixels.dtype == np.uint8 and pixels.std() > 10
    ball.set_pose("ball", [0, 0.1, 0.3])
    assert not np.array_equal(pixels, ball.picture(size=(60, 40)))
    with pytest.raises(sg.FileError, match="none"):
        ball.save_picture(tmp_path / "none" / "ball.png")


def test_a_ball_rebounds_and_its_records_say_in_which_phase():
    builder = sg.Scene.builder().time_step(0.001).gravity([0, 0, 0])
    builder.friction(sg.Friction.coulomb(0.0).with_restitution(0.5))
    builder.body(sg.Body.half_space())
    ball = builder.body(sg.Body.sphere(0.1).mass(1.0).at([0, 0, 0.15]).velocity([0, 0, -2]))
    simulation = sg.Simulation(builder.build())
    for _ in range(40):
        simulation.step()
        contacts = simulation.contacts()
        if set(contacts["phase"]) == {"position", "impact"}:
            break
    (impact,) = contacts[contacts["phase"] == "impact"]
    assert impact["normal_impulse"] == pytest.approx(3.0, rel=1e-12)
    assert simulation.velocities[ball, 2] == pytest.approx(1.0, rel=1e-12)


def test_poissons_law_has_a_compression_and_an_expansion():
    builder = sg.Scene.builder().time_step(0.001).gravity([0, 0, 0])
    builder.friction(sg.Friction.coulomb(0.0).with_restitution(0.5, law="poisson"))
    builder.body(sg.Body.half_space())
    ball = builder.body(sg.Body.sphere(0.1).mass(1.0).at([0, 0, 0.15]).velocity([0, 0, -2]))
    simulation = sg.Simulation(builder.build())
    for _ in range(40):
        simulation.step()
        contacts = simulation.contacts()
        if set(contacts["phase"]) == {"position", "compression", "expansion"}:
            break
    impulses = {str(c["phase"]): c["normal_impulse"] for c in contacts}
    assert impulses["compression"] == pytest.approx(2.0, rel=1e-12)
    assert impulses["expansion"] == pytest.approx(1.0, rel=1e-12)
    assert simulation.velocities[ball, 2] == pytest.approx(1.0, rel=1e-12)
    with pytest.raises(sg.InputError, match="poisson"):
        sg.Friction.coulomb(0.0).with_restitution(0.5, law="hertz")


def sections(page: str) -> dict[str, bytes]:
    """What a page holds, by name."""
    found = re.findall(r'<script type="text/plain" id="run-(\w+)">([^<]*)</script>', page)
    return {name: zlib.decompress(base64.b64decode(data), -15) for name, data in found}


def test_a_page_plays_the_steps_of_a_simulation(ball, tmp_path):
    now = json.loads(sections(ball.page())["header"])
    assert now["frames"] == {"steps": [0], "times": [0.0]} and ball.step_index == 0
    played = sections(ball.page(until=0.5))
    assert ball.step_index == 100 and ball.outcome.good
    # The same as of the same run on disk.
    kept = sections(sg.run(ball.scene, tmp_path / "run").page())
    headers = [json.loads(sections.pop("header")) for sections in (played, kept)]
    assert headers[0].pop("title") == "simulation" and headers[1].pop("title") == "run"
    assert headers[0] == headers[1] and headers[0]["frames"]["steps"] == list(range(101))
    assert played == kept and played.keys() == {"bodies", "contacts", "steps"}
    last = json.loads(sections(ball.page())["header"])
    assert last["frames"]["steps"] == [100] and last["contacts"]["counts"] == [1]
    with pytest.raises(sg.InputError, match="size = 0"):
        ball.page(size=0)


def test_bodies_come_in_a_film(tmp_path):
    scene = sg.Scene.load(scene_file("seeds/silo"), duration=0.1)
    played = json.loads(sections(sg.Simulation(scene).page(until=0.1))["header"])["scene"]["bodies"]
    kept = json.loads(sections(sg.run(scene, tmp_path / "run").page())["header"])["scene"]["bodies"]
    came = [body for body in played if "there" in body]
    assert len(came) >= 20 and [body["name"] for body in played] == [body["name"] for body in kept]
    assert [body["there"][0] for body in came] == [body["there"][0] for body in kept if "there" in body]


def test_a_simulation_is_shown(ball, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = ball.show(until=0.05)
    assert opened == [path.as_uri()] and ball.step_index == 10
    assert json.loads(sections(path.read_text(encoding="utf-8"))["header"])["frames"]["steps"][-1] == 10


def test_surfaces_are_made_of_arrays():
    corners = np.array([[x, y, z] for y in (-0.5, 0.5) for x, z in ((-0.5, 0.5), (0.0, 0.0), (0.5, 0.5))])
    triangles = np.array([[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4]])
    builder = sg.Scene.builder().time_step(0.005).duration(1.0).friction(0.5)
    builder.body(sg.Body.surface(corners, triangles, thickness=0.05).named("groove"))
    ball = builder.body(sg.Body.sphere(0.1).density(1000.0).at([0.0, 0.0, 0.15]))
    simulation = sg.Simulation(builder.build())
    assert all(outcome.good for outcome in simulation.run())
    # It rests on both sides.
    assert simulation.pose(ball)[0] == pytest.approx([0.0, 0.0, 0.1 * np.sqrt(2.0)], abs=1e-6)
    assert simulation.scene.fixed.tolist() == [True, False] and len(simulation.contacts()) >= 2
    with pytest.raises(sg.InputError, match="thickness"):
        wrong = sg.Scene.builder()
        wrong.body(sg.Body.surface(corners, triangles, thickness=0.0))
        wrong.build()
