"""Creep of a pinched cylinder, here and in MuJoCo, from the same MJCF: `python python/benches/creep.py`.

Two pads press with 20 N each on a cylinder of 0.1 kg, whose friction (0.5) could bear twenty times its
weight. A rigid grip holds it where it is. What is told is how fast the cylinder sinks from 1 s, when the grip
has closed, to 10 s.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import signorini as sg

MODEL = """<mujoco model="pinch">
  <option timestep="0.002" {option}/>
  <default><geom friction="0.5 0.005 0.0001"/></default>
  <worldbody>
    <body name="cylinder"><freejoint/><geom type="cylinder" size="0.02 0.04" mass="0.1"/></body>
    <body name="left" pos="-0.03 0 0"><joint name="left" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.01 0.02 0.02" mass="0.2"/></body>
    <body name="right" pos="0.03 0 0"><joint name="right" type="slide" axis="-1 0 0"/>
      <geom type="box" size="0.01 0.02 0.02" mass="0.2"/></body>
  </worldbody>
  <actuator><motor name="left" joint="left"/><motor name="right" joint="right"/></actuator>
</mujoco>
"""
#: What MuJoCo's documentation advises against slip, step by step.
OPTIONS = {
    "as it is": "",
    "elliptic cones": 'cone="elliptic"',
    "elliptic cones, impratio 10": 'cone="elliptic" impratio="10"',
    "elliptic cones, impratio 100": 'cone="elliptic" impratio="100"',
    "elliptic cones, impratio 10, noslip 10": 'cone="elliptic" impratio="10" noslip_iterations="10"',
}
#: Force of a pad (N); when sinking is measured from, and to (s).
GRIP, START, END = 20.0, 1.0, 10.0


def here(path: Path) -> tuple[float, float]:
    """Speed of sinking (m/s), and seconds of the run."""
    scene = sg.Scene.from_mjcf(path, duration=END)
    simulation = sg.Simulation(scene)
    for motor in scene.motor_names:
        simulation.set_motor(motor, GRIP)
    begin, height = time.perf_counter(), {}
    for until in (START, END):
        assert all(outcome.good for outcome in simulation.run(until=until))
        height[until] = simulation.pose("cylinder")[0][2]
    return (height[START] - height[END]) / (END - START), time.perf_counter() - begin


def in_mujoco(path: Path) -> tuple[float, float]:
    """The same of MuJoCo."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.ctrl[:] = GRIP
    begin, height = time.perf_counter(), {}
    for until in (START, END):
        while data.time < until - model.opt.timestep / 2:
            mujoco.mj_step(model, data)
        height[until] = float(data.body("cylinder").xpos[2])
    return (height[START] - height[END]) / (END - START), time.perf_counter() - begin


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    print("| program | settings | creep (µm/s) | seconds |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pinch.xml"
        for name, option in OPTIONS.items():
            path.write_text(MODEL.format(option=option), encoding="utf-8")
            speed, seconds = in_mujoco(path)
            print(f"| MuJoCo | {name} | {1e6 * speed:.4g} | {seconds:.2f} |", flush=True)
        path.write_text(MODEL.format(option=""), encoding="utf-8")
        speed, seconds = here(path)
        print(f"| signorini {sg.__version__} | as it is | {1e6 * speed:.4g} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
