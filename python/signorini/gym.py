"""Environments of Gymnasium: `SceneEnv`, a base for one's own scene, and one in which a finger pushes a part.

>>> import signorini as sg, signorini.gym
>>> class Balance(signorini.gym.SceneEnv):
...     def reward(self, action):
...         return float(np.cos(self.simulation.q[1]))
>>> env = Balance(sg.Scene.load("cart-pole.toml"), hold=5)

The environment that is there:

>>> import gymnasium, signorini.gym
>>> env = gymnasium.make("signorini/Push-v0")
>>> observation, info = env.reset(seed=0)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

``gymnasium.make_vec("signorini/Push-v0", 64, vectorization_mode="vector_entry_point")`` steps 64 copies at
once over all cores. ``pip install ./python[gym]`` brings Gymnasium.

A brick of 80 × 60 × 40 mm lies on the ground. An upright finger slides along x and y; an action is the
velocity that its two motors are told, in parts of `FASTEST`. An episode ends when the brick's centre is
within `CLOSE` of the goal, or after 100 actions. Each action lasts `HOLD` steps of `STEP`.

An observation has 13 numbers: finger x, y (m); its velocity x, y (m/s); brick x, y (m); cos and sin of the
brick's angle about z; its velocity x, y (m/s) and rate about z (rad/s); goal x, y (m).

The reward is minus the distance of brick and goal (m), minus a tenth of that of finger and brick, and 1 more
when the brick arrives. ``info`` has ``distance`` (m), ``is_success``, and ``solved``: whether contact was
solved in every step of the action.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from signorini._native import Body, Drive, Joint, Scene, Simulation, VectorSim
from signorini.errors import InputError

#: Time step (s), steps of an action, and the finger's largest speed (m/s) and force (N).
STEP, HOLD, FASTEST, STRONGEST = 0.01, 5, 0.3, 20.0
#: The finger stays within this distance of the origin, in x and in y (m).
REACH = 0.3
#: The brick has arrived within this distance of the goal (m).
CLOSE = 0.02
#: Actions of an episode.
ACTIONS = 100
#: Half extents of the brick (m).
BRICK = (0.04, 0.03, 0.02)
#: No number of an observation is larger.
_LARGEST = np.array([1, 1, 10, 10, 1, 1, 1, 1, 10, 10, 100, 1, 1], dtype=np.float64)
_ID = "signorini/Push-v0"


def scene(friction: float = 0.4) -> Scene:
    """The scene: bodies ``ground``, ``post``, ``carriage``, ``finger``, ``brick``; the finger at the origin.

    ``friction`` is the coefficient of all contacts. Raises `InputError` when it is not allowed.
    """
    builder = Scene.builder().time_step(STEP).duration(HOLD * ACTIONS * STEP).friction(friction)
    builder.body(Body.half_space().named("ground"))
    post = builder.body(Body.sphere(0.01).at([0, 0, 0.4]).fixed().named("post"))
    carriage = builder.body(Body.sphere(0.01).mass(0.1).at([0, 0, 0.3]).named("carriage"))
    finger = builder.body(Body.cylinder(0.01, 0.06).mass(0.1).at([0, 0, 0.035]).named("finger"))
    builder.body(Body.box(BRICK).density(1000.0).at([0.1, 0, BRICK[2]]).named("brick"))
    for name, pair, axis in [("x", (post, carriage), [1, 0, 0]), ("y", (carriage, finger), [0, 1, 0])]:
        joint = Joint.prismatic(*pair, axis).named(name).limits("slide", -REACH, REACH)
        builder.joint(joint.drive("slide", Drive.velocity(0.0), STRONGEST, name=name))
    return builder.build()


class _Worlds:
    """Copies of the scene, each with a goal."""

    def __init__(self, n: int, friction: float, threads: int | None) -> None:
        self.scene = scene(friction)
        self.copies = VectorSim(self.scene, n, threads=threads)
        self.goals = np.zeros((n, 2))
        self.finger, self.brick = map(self.scene.names.index, ("finger", "brick"))

    def reset(self, chances: dict[int, np.random.Generator]) -> None:
        """Puts copies to a start that their generators draw: brick and goal apart, none at the finger."""
        self.copies.reset(list(chances))
        positions, quaternions = self.copies.positions, self.copies.quaternions
        for copy, chance in chances.items():
            place = _around(chance, 0.08, 0.14)
            positions[copy, self.brick, :2] = place
            half = chance.uniform(-np.pi, np.pi) / 2
            quaternions[copy, self.brick] = [np.cos(half), 0.0, 0.0, np.sin(half)]
            goal = _around(chance, 0.0, 0.2)
            while np.hypot(*(goal - place)) < 3 * CLOSE:
                goal = _around(chance, 0.0, 0.2)
            self.goals[copy] = goal
        self.copies.set_state(positions=positions, quaternions=quaternions)

    def act(self, actions: np.ndarray) -> np.ndarray:
        """Takes the steps of an action; whether all were solved, shape (n,)."""
        self.copies.set_motors(FASTEST * np.clip(np.asarray(actions, dtype=np.float64), -1.0, 1.0))
        return self.copies.step(HOLD)

    def observe(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Observations (n, 13), distances of brick and goal (n,) and of finger and brick (n,)."""
        positions, velocities = self.copies.positions[..., :2], self.copies.velocities[..., :2]
        w, x, y, z = np.moveaxis(self.copies.quaternions[:, self.brick], -1, 0)
        angle = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z)], axis=-1)
        rate = self.copies.angular_velocities[:, self.brick, 2:]
        finger, brick = positions[:, self.finger], positions[:, self.brick]
        rows = [finger, velocities[:, self.finger], brick, angle, velocities[:, self.brick], rate, self.goals]
        seen = np.clip(np.concatenate(rows, axis=-1), -_LARGEST, _LARGEST)
        return seen, np.hypot(*(brick - self.goals).T), np.hypot(*(finger - brick).T)


def _around(chance: np.random.Generator, low: float, high: float) -> np.ndarray:
    """A place between two circles about the origin, evenly over the area."""
    radius, angle = float(np.sqrt(chance.uniform(low**2, high**2))), chance.uniform(-np.pi, np.pi)
    return radius * np.array([np.cos(angle), np.sin(angle)])


def _rewards(distance: np.ndarray, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rewards and arrivals."""
    arrived = distance <= CLOSE
    return arrived - distance - 0.1 * reach, arrived


class SceneEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """A base for environments of one's own scene: subclasses say what is seen and wanted.

    An action is what the motors are told, in the order of ``scene.motor_names`` and within
    ``scene.motor_ranges``, and lasts ``hold`` steps. Without a subclass an observation is q and then q̇ of
    the mechanism, shape (nq + nv,), nothing is rewarded and no episode ends; `gymnasium.wrappers.TimeLimit`
    ends them. Override `begin`, `act`, `observe`, `reward`, `is_over` and `told` as needed; ``simulation`` is
    the scene as it is. Where actions or observations have another shape, set ``action_space`` or
    ``observation_space`` after ``super().__init__``.

    ``render_mode="rgb_array"`` draws pictures of ``size`` (width, height) seen from ``eye``. The same seed
    and actions give the same bits. Raises `InputError` when ``hold`` is below 1, the render mode is another,
    or the scene's model cannot run it.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(
        self,
        scene: Scene,
        *,
        hold: int = 1,
        render_mode: str | None = None,
        size: tuple[int, int] = (320, 240),
        eye: tuple[float, float, float] = (0.6, -1.0, 0.5),
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise InputError(f"render_mode = {render_mode!r}: must be rgb_array or None")
        if hold < 1:
            raise InputError(f"hold = {hold}: must be 1 or more")
        self.render_mode, self.hold = render_mode, hold
        self.simulation = Simulation(scene, threads=1, judge=False)
        self.metadata = {**self.metadata, "render_fps": max(1, round(1 / (hold * scene.time_step)))}
        low, high = scene.motor_ranges.T
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        seen = self.observe()
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, seen.shape, dtype=np.float64)
        self._start, self._size, self._eye = self.simulation.save(), size, eye

    def begin(self, options: dict[str, Any]) -> None:
        """Changes ``simulation``, which is at the start of the scene, into the start of an episode, with
        ``self.np_random``. Here: nothing. ``options`` are those of `reset`.
        """

    def act(self, action: np.ndarray) -> None:
        """Tells ``simulation`` an action. Here: `Simulation.set_motors`."""
        self.simulation.set_motors(np.asarray(action, dtype=np.float64))

    def observe(self) -> np.ndarray:
        """What is seen now. Here: q and q̇, shape (nq + nv,)."""
        return np.concatenate([self.simulation.q, self.simulation.qdot])

    def reward(self, action: np.ndarray) -> float:
        """Reward of the state that an action led to. Here: 0."""
        return 0.0

    def is_over(self) -> bool:
        """Whether the episode has come to its end. Here: never."""
        return False

    def told(self) -> dict[str, Any]:
        """Further entries of ``info``. Here: none."""
        return {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode: its first observation, and ``info``."""
        super().reset(seed=seed)
        self.simulation.restore(self._start)
        self.begin(options or {})
        return self.observe(), {"solved": True, **self.told()}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Takes an action; observation, reward, whether the episode is over, False, and ``info``, in which
        ``solved`` tells whether contact was solved in each step.
        """
        self.act(action)
        solved = True
        for _ in range(self.hold):
            solved = self.simulation.step().solved and solved
        told = {"solved": solved, **self.told()}
        return self.observe(), float(self.reward(action)), bool(self.is_over()), False, told

    def render(self) -> np.ndarray | None:
        """A picture, shape (height, width, 3), uint8; None without a render mode."""
        return None if self.render_mode is None else self.simulation.picture(size=self._size, eye=self._eye)


class PushEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """The environment ``signorini/Push-v0``; the module says what it shows and wants.

    ``friction`` is the coefficient of all contacts. ``render_mode="rgb_array"`` draws pictures (240, 320, 3).
    The same seed and actions give the same bits.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": round(1 / (HOLD * STEP))}

    def __init__(self, render_mode: str | None = None, friction: float = 0.4) -> None:
        if render_mode not in (None, "rgb_array"):
            raise InputError(f"render_mode = {render_mode!r}: must be rgb_array or None")
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(-_LARGEST, _LARGEST, dtype=np.float64)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), dtype=np.float32)
        self._worlds = _Worlds(1, friction, 1)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Draws brick and goal anew; the observation, and ``distance``. There are no options."""
        super().reset(seed=seed)
        self._worlds.reset({0: self.np_random})
        seen, distance, _ = self._worlds.observe()
        return seen[0], {"distance": float(distance[0]), "is_success": False, "solved": True}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Moves the finger; observation, reward, whether the brick arrived, False, and ``info``."""
        solved = self._worlds.act(np.reshape(action, (1, 2)))
        seen, distance, reach = self._worlds.observe()
        reward, arrived = _rewards(distance, reach)
        told = {"distance": float(distance[0]), "is_success": bool(arrived[0]), "solved": bool(solved[0])}
        return seen[0], float(reward[0]), bool(arrived[0]), False, told

    def render(self) -> np.ndarray | None:
        """A picture from above, shape (240, 320, 3), uint8; None without a render mode."""
        if self.render_mode is None:
            return None
        copies, simulation = self._worlds.copies, Simulation(self._worlds.scene, threads=1, judge=False)
        simulation.set_state(copies.positions[0], copies.quaternions[0])
        return simulation.picture(size=(320, 240), eye=(0.2, -0.6, 1.0))


class PushVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Copies of `PushEnv`, stepped together over all cores; each takes the steps of a `PushEnv`, bit for bit.

    An episode that ended begins anew at the next step, which ignores the action of that copy
    (`AutoresetMode.NEXT_STEP`). Copy i is seeded with ``seed + i``. ``threads`` are worker threads, default
    one per core.
    """

    metadata = {**PushEnv.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int = ACTIONS,
        friction: float = 0.4,
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None:
            raise InputError(f"render_mode = {render_mode!r}: must be None, for copies are not drawn")
        self.num_envs, self.render_mode = num_envs, None
        self.max_episode_steps = max_episode_steps
        self.single_observation_space = gymnasium.spaces.Box(-_LARGEST, _LARGEST, dtype=np.float64)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), dtype=np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._worlds = _Worlds(num_envs, friction, threads)
        self._chances = [seeding.np_random()[0] for _ in range(num_envs)]
        self._taken = np.zeros(num_envs, dtype=np.int64)
        self._ended = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode in every copy; observations and ``info``. There are no options."""
        n = self.num_envs
        seeds = [seed + i for i in range(n)] if isinstance(seed, int) else seed or [None] * n
        for copy, own in enumerate(seeds):
            if own is not None:
                self._chances[copy] = seeding.np_random(own)[0]
        self._worlds.reset(dict(enumerate(self._chances)))
        self._taken[:], self._ended[:] = 0, False
        seen, distance, _ = self._worlds.observe()
        return seen, self._told(distance, np.zeros(n, dtype=np.bool_), np.ones(n, dtype=np.bool_))

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Moves the fingers; observations, rewards, arrivals, episodes cut short, and ``info``."""
        new = self._ended
        solved = self._worlds.act(actions)
        if new.any():
            self._worlds.reset({copy: self._chances[copy] for copy in np.flatnonzero(new).tolist()})
        self._taken = np.where(new, 0, self._taken + 1)
        seen, distance, reach = self._worlds.observe()
        rewards, arrived = _rewards(distance, reach)
        arrived = arrived & ~new
        truncated = self._taken >= self.max_episode_steps
        self._ended = arrived | truncated
        told = self._told(distance, arrived, solved | new)
        return seen, np.where(new, 0.0, rewards), arrived, truncated, told

    def _told(self, distance: np.ndarray, arrived: np.ndarray, solved: np.ndarray) -> dict[str, Any]:
        """``info``, with which copies each array speaks of, as Gymnasium's own have it."""
        told: dict[str, Any] = {"distance": distance, "is_success": arrived, "solved": solved}
        return told | {f"_{name}": np.ones(self.num_envs, dtype=np.bool_) for name in told}


gymnasium.register(
    _ID,
    entry_point="signorini.gym:PushEnv",
    vector_entry_point="signorini.gym:PushVectorEnv",
    max_episode_steps=ACTIONS,
)
