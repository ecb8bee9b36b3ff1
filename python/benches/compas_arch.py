"""Draws the arch of compas_dem's example with its lines of thrust: `compas_arch.py FILE`."""

from __future__ import annotations

import contextlib
import io
import sys

import matplotlib.pyplot as plt
import numpy as np
from compas_dem.material import Stone
from compas_dem.models import BlockModel
from compas_dem.problem import Problem, Solver
from compas_dem.templates import ArchTemplate

import signorini.compas


def main(path: str) -> None:
    model = BlockModel()
    for mesh in ArchTemplate(rise=3, span=10, thickness=0.5, depth=0.5, n=20).blocks():
        model.add_block_from_mesh(mesh)
    model.add_supports([0, 19])
    model.compute_contacts(tolerance=1e-4)
    stone = Stone.from_predefined_material("Limestone")
    model.add_material(stone)
    model.assign_material(stone, elements=list(model.elements()))
    problem = Problem(model)
    problem.set_contact_model("MohrCoulomb", mu=0.7)
    own = signorini.compas.solve(problem)
    problem.set_solver(Solver.RBE())
    with contextlib.redirect_stdout(io.StringIO()):
        other = problem.solve()

    figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
    for block in model.elements():
        points = np.array(block.modelgeometry.to_vertices_and_faces()[0])[[0, 3, 7, 4, 0]]
        colour = "0.7" if block.is_support else "0.93"
        axes.fill(points[:, 0], points[:, 2], facecolor=colour, edgecolor="0.5", linewidth=0.8)
    lines = {
        "signorini": [own.force_point(edge) for edge in own.edges()],
        "RBE of compas_cra": [other.contact_data(edge).resultantpoint for edge in other.edges()],
    }
    for (name, points), style in zip(lines.items(), ["-o", "--s"], strict=True):
        x, _, z = np.array([list(point) for point in points]).T
        axes.plot(x, z, style, markersize=3, linewidth=1.2, label=name)
    axes.set_aspect("equal")
    axes.set_xlabel("x (m)")
    axes.set_ylabel("z (m)")
    axes.legend(loc="lower center", frameon=False)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1])
