"""Track tests, beside the command line."""

from __future__ import annotations

import json
import math
import signal
import threading

import numpy as np
import pytest

import signorini as sg
from conftest import command

HALF = [0.05, 0.004, 0.003]
REGIONS = [
    {"name": "end", "kind": "exit", "min": [0.3, -math.inf, -0.05], "max": [math.inf] * 3},
    {"name": "hole", "kind": "reject", "min": [-math.inf] * 3, "max": [math.inf, math.inf, -0.06]},
]


def slide(duration: float = 1.5) -> sg.Scene:
    """A part on a track along x, down which gravity pulls, with a gap of 30 mm at 0.1 m."""
    builder = sg.Scene.builder().time_step(0.002).duration(duration).friction(0.45).seed(5)
    builder.gravity([4.905, 0, -8.4957])
    builder.body(sg.Body.box([0.1, 0.1, 0.1]).at([0, 0, -0.1]).fixed().named("start"))
    builder.body(sg.Body.box(HALF).density(1000.0).at([0, 0, HALF[2]]).named("part"))
    builder.body(sg.Body.box([0.15, 0.1, 0.1]).at([0.28, 0, -0.1]).fixed().named("end"))
    return builder.build()


def poses() -> sg.Table:
    """The poses of the part on its largest and on its smallest face, the first twice as often."""
    mass = 8 * 1000.0 * math.prod(HALF)
    squares = np.square(HALF)
    columns = {
        "pose": np.array([1, 2]),
        "count": np.array([20, 10]),
        "share": np.array([2 / 3, 1 / 3]),
        "low": np.zeros(2),
        "high": np.ones(2),
        "height": np.array([HALF[2], HALF[1]]),
        "vertical_inertia": mass / 3 * np.array([squares[0] + squares[1], squares[0] + squares[2]]),
        "down_x": np.zeros(2),
        "down_y": np.array([0.0, -1.0]),
        "down_z": np.array([-1.0, 0.0]),
    }
    return sg.Table(columns)


def run(out=None, **options):
    return sg.track(slide(), poses(), REGIONS, out, body="part", up=[0, 0, 1], yaws=3, seeds=2, **options)


def test_track_finds_what_the_command_line_finds(tmp_path):
    found = run(tmp_path / "a")
    (tmp_path / "track.toml").write_text(slide().to_toml())
    poses().to_pandas().to_csv(tmp_path / "poses.csv", index=False)
    lines = ["format = 1"]
    for region in REGIONS:
        fields = [f"{key} = {json.dumps(value)}".replace("Infinity", "inf") for key, value in region.items()]
        lines += ["[[region]]", *fields]
    (tmp_path / "regions.toml").write_text("\n".join(lines))
    given = ["--from", tmp_path / "poses.csv", "--regions", tmp_path / "regions.toml", "--up", "0,0,1"]
    line = ["track", tmp_path / "track.toml", *given, "--body", "part", "--yaws", 3, "--seeds", 2]
    assert command(*line, "-o", tmp_path / "b", "-q").returncode == 0
    for name in ("trials.csv", "matrix.csv", "yaws.csv", "track.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert json.loads((tmp_path / "a" / "track.json").read_text()) == found.summary
    assert found.trials.n_rows == 12 and found.certain
    shares = found.to_array()
    assert shares.shape == (2, 5) and shares.sum(axis=1) == pytest.approx([1, 1])
    assert found.rejected[0] == pytest.approx(shares[:, 3] @ [2 / 3, 1 / 3])
    assert found.rejected[1] < found.rejected[0] < found.rejected[2]
    exits = found.trials["end"] == "exit"
    assert 0 < exits.sum() == found.yaws["count"].sum() == found.summary["exits"] < 12
    assert found.summary["exit_time"] == pytest.approx(found.trials["time"][exits].mean())
    # On any threads, and on what is there already.
    again = run(tmp_path / "a", threads=1)
    in_memory = run(threads=2)
    for name in found.trials:
        for other in (again, in_memory):
            assert list(map(str, other.trials[name])) == list(map(str, found.trials[name])), name


def test_a_drop_test_is_where_poses_come_from():
    builder = sg.Scene.builder().time_step(0.004).duration(3.0).friction(0.5)
    builder.body(sg.Body.half_space())
    builder.body(sg.Body.box([0.02, 0.015, 0.01]).density(1000.0).at([0, 0, 0.1]).named("part"))
    dropped = sg.drop(builder.build(), count=8)
    builder = sg.Scene.builder().time_step(0.004).duration(0.1).friction(0.5)
    builder.body(sg.Body.half_space())
    part = sg.Body.box([0.02, 0.015, 0.01]).density(1000.0).at([0, 0, 0.01])
    builder.body(part.velocity([1, 0, 0]).named("part"))
    exit_at_once = [{"name": "near", "kind": "exit", "min": [0.002, -1, -1], "max": [1, 1, 1]}]
    found = sg.track(builder.build(), dropped, exit_at_once, yaws=2, seeds=1)
    assert found.summary["exits"] == 2 * dropped.poses.n_rows == found.trials.n_rows
    # Nothing has turned yet.
    assert (found.trials["pose"] == found.trials["end_pose"]).all()
    assert found.trials["yaw"] == pytest.approx(found.trials["end_yaw"], abs=1.0)


def test_wrong_arguments():
    wrong_kind = [REGIONS[0] | {"kind": "lost"}]
    twice = [REGIONS[0], REGIONS[0]]
    for wrong, text in [
        ({"body": "stone"}, "stone.*part"),
        ({"yaws": 0}, "yaws 0"),
        ({"seeds": -1}, "must be 1 or more"),
        ({"speed": -1.0}, "speed -1.0"),
        ({"spin": math.nan}, "spin NaN"),
        ({"up": [0, 0, 0]}, "must be a direction"),
        ({"threads": 0}, "threads = 0"),
        ({"regions": wrong_kind}, "lost"),
        ({"regions": twice}, "must be unique"),
        ({"regions": REGIONS[1:]}, "must have an exit"),
        ({"regions": [REGIONS[0] | {"min": [math.nan] * 3}]}, "must have numbers"),
    ]:
        given = {"body": "part", "up": [0, 0, 1], "regions": REGIONS} | wrong
        with pytest.raises(sg.InputError, match=text):
            sg.track(slide(), poses(), given.pop("regions"), **given)
    with pytest.raises(sg.FileError, match=r"none\.csv"):
        sg.track(slide(), "none.csv", REGIONS, body="part")
    with pytest.raises(sg.FileError, match=r"none\.toml"):
        sg.track(slide(), poses(), "none.toml", body="part")


def test_ctrl_c_stops_a_track_test():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    far = [{"name": "far", "kind": "exit", "min": [90, 0, 0], "max": [91, 1, 1]}]
    with pytest.raises(KeyboardInterrupt):
        sg.track(slide(duration=1e4), poses(), far, body="part", up=[0, 0, 1])
