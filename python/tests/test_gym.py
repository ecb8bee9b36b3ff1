"""The environment of Gymnasium, where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

import signorini as sg  # noqa: E402
import signorini.gym as push  # noqa: E402

ID = "signorini/Push-v0"


def towards(observation: np.ndarray) -> np.ndarray:
    """An action that goes around the brick until it is behind it, and then pushes it to the goal."""
    finger, brick, goal = observation[0:2], observation[4:6], observation[11:13]
    way, out = goal - brick, finger - brick
    behind, here = np.arctan2(-way[1], -way[0]), np.arctan2(out[1], out[0])
    turn = (behind - here + np.pi) % (2 * np.pi) - np.pi
    if abs(turn) < 0.25:
        # Where the finger would push past the centre, it goes sideways too.
        unit = way / np.linalg.norm(way)
        target = finger + 0.03 * unit - 2.0 * (out - out @ unit * unit)
    else:
        angle = here + np.clip(turn, -0.4, 0.4)
        target = brick + 0.075 * np.array([np.cos(angle), np.sin(angle)])
    return np.clip((target - finger) / 0.015, -1.0, 1.0)


def test_the_checker_of_gymnasium_passes():
    env = gymnasium.make("signorini.gym:" + ID)
    check_env(env.unwrapped)
    assert env.spec.max_episode_steps == 100
    picture = gymnasium.make(ID, render_mode="rgb_array")
    picture.reset(seed=1)
    drawn = picture.render()
    assert drawn.shape == (240, 320, 3) and drawn.dtype == np.uint8 and drawn.std() > 10


def test_a_brick_is_pushed_to_the_goal():
    env = gymnasium.make(ID)
    arrived = 0
    for seed in range(10):
        observation, info = env.reset(seed=seed)
        start, ended = info["distance"], False
        while not ended:
            observation, reward, terminated, truncated, info = env.step(
                towards(observation).astype(np.float32)
            )
            assert info["solved"] and env.observation_space.contains(observation)
            ended = terminated or truncated
        assert terminated == info["is_success"] == (info["distance"] <= push.CLOSE)
        assert (reward > 0) == terminated and start > push.CLOSE
        arrived += terminated
    assert arrived == 10


def test_copies_are_the_environment_bit_for_bit():
    n = 5
    together = gymnasium.make_vec(ID, n, vectorization_mode="vector_entry_point", max_episode_steps=12)
    alone = gymnasium.make_vec(ID, n, vectorization_mode="sync", max_episode_steps=12)
    assert together.single_observation_space == alone.single_observation_space
    found, expected = together.reset(seed=3)[0], alone.reset(seed=3)[0]
    ends = 0
    for _ in range(40):
        assert np.array_equal(found, expected)
        actions = np.stack([towards(row) for row in found]).astype(np.float32)
        found, *told = together.step(actions)
        expected, *other, _ = alone.step(actions)
        for mine, its in zip(told[:3], other, strict=True):
            assert np.array_equal(mine, its)
        assert told[3]["solved"].all() and told[3]["_distance"].all()
        ends += int((told[1] | told[2]).sum())
    assert ends >= n


def test_the_finger_has_bounded_force_and_reach():
    env = push.PushEnv()
    env.reset(seed=0)
    for _ in range(60):
        seen, *_ = env.step(np.array([1.0, 0.0], dtype=np.float32))
    assert seen[0] == pytest.approx(push.REACH, abs=1e-6) and abs(seen[2]) < 1e-6


def test_what_is_refused():
    with pytest.raises(sg.InputError, match="render_mode = 'human'"):
        push.PushEnv(render_mode="human")
    with pytest.raises(sg.InputError, match="friction"):
        push.PushEnv(friction=-1.0)


CART = """<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0" range="-1 1"/>
      <geom type="box" size="0.1 0.05 0.05" mass="1" contype="0" conaffinity="0"/>
      <body name="pole">
        <joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.6" size="0.02" mass="0.1" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="slide" gear="20" ctrlrange="-1 1" ctrllimited="true"/></actuator>
</mujoco>"""


class Balance(push.SceneEnv):
    """A pole on a cart."""

    def begin(self, options):
        self.simulation.set_q(self.np_random.uniform(-0.05, 0.05, size=2))

    def reward(self, action):
        return float(np.cos(self.simulation.q[1]))

    def is_over(self):
        return abs(self.simulation.q[1]) > 0.2

    def told(self):
        return {"lean": float(self.simulation.q[1])}


# The checker would have spaces within -1 and 1.
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_scene_of_ones_own():
    scene = sg.Scene.from_mjcf(CART)
    plain = push.SceneEnv(scene, hold=2)
    check_env(plain, skip_render_check=True)
    assert plain.action_space == gymnasium.spaces.Box(-20.0, 20.0, (1,), dtype=np.float64)
    assert plain.observation_space.shape == (4,)
    observation, info = plain.reset(seed=0)
    assert observation.tolist() == [0, 0, 0, 0] and info == {"solved": True}
    observation, reward, *_ = plain.step(np.array([20.0]))
    # 20 N for 0.02 s on a cart of 1 kg with a pole of 0.1 kg.
    assert observation[2] == pytest.approx(20 * 0.02 / 1.025, rel=0.02) and reward == 0.0

    env = Balance(scene, hold=2, render_mode="rgb_array", size=(160, 120))
    check_env(env, skip_render_check=True)
    assert env.metadata["render_fps"] == 50

    def episode(gain: float) -> tuple[float, int, list[float]]:
        seen, _ = env.reset(seed=7)
        total, states = 0.0, [seen.tolist()]
        for taken in range(1, 101):  # noqa: B007
            lean, rate = seen[1], seen[3]
            force = np.clip(gain * (30.0 * lean + 6.0 * rate) + 0.5 * gain * (seen[0] + seen[2]), -20, 20)
            seen, reward, over, truncated, info = env.step(np.array([force]))
            assert info["solved"] and info["lean"] == seen[1] and not truncated
            total, states = total + reward, [*states, seen.tolist()]
            if over:
                break
        return total, taken, states

    good, bad = episode(1.0), episode(0.0)
    assert good[1] == 100 and good[0] > 99.0 and bad[1] < 100
    assert episode(1.0) == good
    assert env.render().shape == (120, 160, 3)
    with pytest.raises(sg.InputError, match="hold = 0"):
        push.SceneEnv(scene, hold=0)
    with pytest.raises(sg.InputError, match="render_mode = 'human'"):
        push.SceneEnv(scene, render_mode="human")
