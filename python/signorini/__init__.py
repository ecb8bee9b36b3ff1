"""Rigid bodies in frictional contact, solved to the accuracy asked for, with a referee for every step.

>>> import signorini as sg
>>> scene = sg.Scene.builder().time_step(0.005).duration(0.5).friction(0.5)
>>> ground = scene.body(sg.Body.half_space())
>>> ball = scene.body(sg.Body.sphere(0.1).density(1000.0).at([0, 0, 0.1]).velocity([2, 0, 0]))
>>> simulation = sg.Simulation(scene.build())
>>> all(outcome.good for outcome in simulation.run())
True
>>> round(float(simulation.velocities[ball, 0]), 6)  # 5/7 of 2 m/s: the ball rolls
1.428571

Units are SI throughout; quaternions are (w, x, y, z); positions are those of centres of mass in the world.
"""

from __future__ import annotations

from signorini import dtypes, errors, examples, fclib, problems
from signorini._native import (
    AuditReport,
    Body,
    Course,
    Drive,
    Friction,
    Inlet,
    Joint,
    Measure,
    Motion,
    Outlet,
    SavedState,
    Scene,
    SceneBuilder,
    Simulation,
    StepDerivatives,
    StepOutcome,
    Steps,
    VectorSim,
    Verdict,
    __version__,
)
from signorini.errors import Error, FileError, InputError, InternalError, WorkerError
from signorini.gradients import Gradient, Trajectory, grad, record, record_many
from signorini.limits import Limit, limit
from signorini.runs import Run, Table, run
from signorini.runs import open as open
from signorini.studies import (
    CheckReport,
    Comparison,
    DropTest,
    Settled,
    check,
    compare,
    convert,
    drop,
    settle,
)
from signorini.sweeps import sweep, sweep_table
from signorini.tracks import TrackTest, track

# Without `open`: a star import must not take the place of Python's own.
__all__ = [
    "AuditReport",
    "Body",
    "CheckReport",
    "Comparison",
    "Course",
    "Drive",
    "DropTest",
    "Error",
    "FileError",
    "Friction",
    "Gradient",
    "Inlet",
    "InputError",
    "InternalError",
    "Joint",
    "Limit",
    "Measure",
    "Motion",
    "Outlet",
    "Run",
    "SavedState",
    "Scene",
    "SceneBuilder",
    "Settled",
    "Simulation",
    "StepDerivatives",
    "StepOutcome",
    "Steps",
    "Table",
    "TrackTest",
    "Trajectory",
    "VectorSim",
    "Verdict",
    "WorkerError",
    "__version__",
    "check",
    "compare",
    "convert",
    "drop",
    "dtypes",
    "errors",
    "examples",
    "fclib",
    "grad",
    "limit",
    "problems",
    "record",
    "record_many",
    "run",
    "settle",
    "sweep",
    "sweep_table",
    "track",
]
