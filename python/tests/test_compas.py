"""Block models of COMPAS beside the solvers of compas_cra, and beside all that statics allows."""

from __future__ import annotations

import contextlib
import io
from itertools import product

import numpy as np
import pytest

import signorini as sg
from conftest import ROOT

pytest.importorskip("compas_dem", reason="needs compas_dem")
from compas.datastructures import Mesh  # noqa: E402
from compas.geometry import Box, Frame  # noqa: E402
from compas_dem.material import Stone  # noqa: E402
from compas_dem.models import BlockModel  # noqa: E402
from compas_dem.problem import Problem, Solver  # noqa: E402
from compas_dem.templates import ArchTemplate, BarrelVaultTemplate  # noqa: E402
from scipy import optimize, sparse  # noqa: E402

import signorini.compas  # noqa: E402

MU = 0.7
DENSITY = 2200.0


def problem(model: BlockModel, supports: set[int] | None = None, **contact: float) -> Problem:
    """Its contacts, stone, friction and, where told, supports."""
    for block in model.elements() if supports is not None else ():
        block.is_support = block.graphnode in supports
    model.compute_contacts(tolerance=1e-4, minimum_area=1e-4)
    stone = Stone.from_predefined_material("Limestone")
    model.add_material(stone)
    model.assign_material(stone, elements=list(model.elements()))
    made = Problem(model)
    made.set_contact_model("MohrCoulomb", **{"mu": MU, **contact})
    return made


def boxes(corners: list[tuple[float, float, float]], sizes: list[tuple[float, float, float]]) -> BlockModel:
    frames = [
        Frame([c + s / 2 for c, s in zip(*both, strict=True)]) for both in zip(corners, sizes, strict=True)
    ]
    return BlockModel.from_boxes([Box(*size, frame=frame) for size, frame in zip(sizes, frames, strict=True)])


def stack(lean: float = 0.1, **contact: float) -> Problem:
    corners = [(lean * k, 0.03 * k, 0.5 * k) for k in range(5)]
    return problem(boxes(corners, [(1.0, 1.0, 0.5)] * 5), {0}, **contact)


def wall() -> Problem:
    corners, sizes = [(0.0, 0.0, -0.5)], [(4.0, 0.5, 0.5)]
    for row in range(4):
        for k in range(4 - row % 2):
            corners.append((k + 0.5 * (row % 2), 0.0, 0.5 * row))
            sizes.append((1.0, 0.5, 0.5))
    return problem(boxes(corners, sizes), {0})


def arch() -> Problem:
    template = ArchTemplate(rise=3, span=10, thickness=0.5, depth=0.5, n=20)
    model = BlockModel()
    for mesh in template.blocks():
        model.add_block_from_mesh(mesh)
    return problem(model, {0, 19})


def vault() -> Problem:
    return problem(BlockModel.from_barrelvault(BarrelVaultTemplate(length=2.0, vou_span=7, vou_length=2)))


def weight(made: Problem) -> float:
    return DENSITY * 9.81 * sum(block.modelgeometry.volume() for block in made.model.blocks())


def resultants(results) -> dict[tuple[int, int], np.ndarray]:
    return {edge: np.array(results.resultant_global(edge)) for edge in results.edges()}


class Statics:
    """All forces at the corners of the joints that balance the weights, within pyramids about the cones."""

    def __init__(self, made: Problem) -> None:
        blocks = list(made.model.elements())
        rows = {block.graphnode: 6 * k for k, block in enumerate(blocks)}
        self.columns: dict[tuple[int, int], np.ndarray] = {}
        columns, self.forces = [], []
        for edge in made.model.graph.edges():
            first = len(columns)
            for contact in made.model.graph.edge_attribute(edge, "contacts") or []:
                axes = np.array([contact.frame.xaxis, contact.frame.yaxis, contact.frame.zaxis])
                for point, axis in product(np.array(contact.points), axes):
                    column = np.zeros(6 * len(blocks))
                    for node, sign in zip(edge, (-1, 1), strict=True):
                        wrench = np.concatenate([axis, np.cross(point, axis)])
                        column[rows[node] : rows[node] + 6] = sign * wrench
                    columns.append(column)
                    self.forces.append(axis)
            self.columns[edge] = np.arange(first, len(columns))
        free = np.concatenate([np.arange(6) + rows[b.graphnode] for b in blocks if not b.is_support])
        loads = np.zeros(6 * len(blocks))
        for block in made.model.blocks():
            _, centre = signorini.compas._solid(block)
            force = np.array([0, 0, -1.0]) * DENSITY * 9.81 * block.modelgeometry.volume()
            loads[rows[block.graphnode] :][:6] = np.concatenate([force, np.cross(centre, force)])
        self.scale = weight(made)
        self.balance = sparse.csr_matrix(np.array(columns).T[free])
        self.loads = -loads[free] / self.scale
        self.forces = np.array(self.forces)
        corners = len(columns) // 3
        angles = 2 * np.pi * np.arange(16) / 16
        cone = np.column_stack([np.cos(angles), np.sin(angles), np.full(16, -MU)])
        self.cones = sparse.kron(sparse.eye(corners), cone, format="csr")
        self.bounds = [(None, None), (None, None), (0, None)] * corners

    def range(self, edge: tuple[int, int], axis: int) -> tuple[float, float]:
        """Least and largest force at an edge along an axis of the world, over the weight of all."""
        goal = np.zeros(len(self.bounds))
        goal[self.columns[edge]] = self.forces[self.columns[edge], axis]
        ends = []
        for sign in (1.0, -1.0):
            found = optimize.linprog(
                sign * goal, self.cones, np.zeros(self.cones.shape[0]), self.balance, self.loads, self.bounds
            )
            assert found.status == 0, found.message
            ends.append(sign * found.fun)
        return ends[0], ends[1]


@pytest.mark.parametrize("make", [stack, wall, arch, vault])
def test_forces_balance_and_lie_within_what_statics_allows(make) -> None:
    made = make()
    results = signorini.compas.solve(made)
    statics = Statics(made)
    corner_forces = np.concatenate(
        [
            [force[name] for name in ("c_u", "c_v", "c_np")]
            for edge in statics.columns
            for contact in made.model.graph.edge_attribute(edge, "contacts") or []
            for force in contact.forces
        ]
    )
    # The forces written to the corners of the joints balance each block, moments included.
    assert np.abs(statics.balance @ corner_forces / statics.scale - statics.loads).max() < 1e-6
    assert corner_forces[2::3].min() >= 0
    found, unique = resultants(results), 0
    # Six joints of each: a range is six linear programmes.
    edges = list(found)[:: max(1, len(found) // 6)]
    for edge, axis in product(edges, range(3)):
        low, high = statics.range(edge, axis)
        assert low - 1e-6 <= found[edge][axis] / statics.scale <= high + 1e-6, (edge, axis)
        unique += high - low < 1e-6
    assert (unique == 3 * len(edges)) == (make is stack)


def test_a_stack_has_the_forces_of_compas_cra() -> None:
    backend = pytest.importorskip("compas_cra.equilibrium", reason="needs compas_cra")
    from compas_dem.analysis.cra import _blockmodel_to_assembly

    made = stack()
    results = signorini.compas.solve(made)
    ours = resultants(results)
    made.set_solver(Solver.RBE())
    with contextlib.redirect_stdout(io.StringIO()):
        theirs = made.solve()
        assembly = _blockmodel_to_assembly(made.model)
        backend.cra_solve(assembly, mu=MU, density=DENSITY * 9.81)
    total = weight(made)
    for edge, force in resultants(theirs).items():
        assert np.abs(ours[edge] - force).max() < 1e-6 * total
        point = np.array(theirs.contact_data(edge).resultantpoint)
        assert np.abs(np.array(results.force_point(edge)) - point).max() < 1e-6
        (interface,) = assembly.graph.edge_attribute(edge, "interfaces")
        normal = sum(corner["c_np"] for corner in interface.forces)
        assert abs(normal - results.resultant_local(edge)[2]) < 1e-6 * total


def test_loads_act_where_they_are_told() -> None:
    made = stack(lean=0.0)
    made.add_boundary_condition("live").add_point_load(4, [300.0, 0.0, -5000.0], point=[0.7, 0.62, 2.5])
    results = signorini.compas.solve(made)
    blocks = list(made.model.blocks())
    for edge, force in resultants(results).items():
        above = [block for block in blocks if block.graphnode >= max(edge)]
        load = DENSITY * 9.81 * sum(block.modelgeometry.volume() for block in above)
        assert force == pytest.approx([-300.0, 0.0, load + 5000.0], abs=1e-7 * weight(made))


def test_the_way_of_a_model_at_rest_is_none() -> None:
    made = arch()
    results = signorini.compas.solve(made)
    assert results.metadata["steps"] <= 2
    for node in results.nodes():
        assert np.abs(results.displacement(node)).max() < 1e-7


def test_cohesion_and_tension_hold_what_would_fall() -> None:
    """A stack that leans too far stands with mortar: each joint has the resultant of what is above it."""
    made = stack(lean=0.3, c=2e5, t_c=1e5)
    results = signorini.compas.solve(made)
    lift = DENSITY * 9.81 * 0.5
    places = {block.graphnode: block.point for block in made.model.elements()}
    for edge in results.edges():
        above = 4 - min(edge)
        force = np.array(results.edge_attribute(edge, "resultant_global"))
        np.testing.assert_allclose(np.abs(force), [0, 0, above * lift], atol=1e-5 * lift)
        point = np.array(results.edge_attribute(edge, "force_point"))
        middle = np.mean([places[k] for k in range(max(edge), 5)], axis=0)
        np.testing.assert_allclose(point[:2], middle[:2], atol=1e-5)
        corners = results.edge_attribute(edge, "contact_data").forces
        total = sum(corner["c_np"] - corner["c_nn"] for corner in corners)
        assert total == pytest.approx(above * lift)
    assert any(corner["c_nn"] > 0 for corner in results.edge_attribute((0, 1), "contact_data").forces)


def test_what_falls_is_an_error() -> None:
    with pytest.raises(sg.Error, match="block 4: moves at"):
        signorini.compas.solve(stack(lean=0.3))


def test_what_is_not_taken_is_refused() -> None:
    cases = {"t_c = 1.0: needs c > 0": stack(t_c=1.0), "at most": stack(c=5.0, t_c=10.0)}
    cases["no block is a support"] = stack()
    cases["no block is a support"].model.clear_supports()
    cases["displacements: must be none"] = stack()
    sinking = cases["displacements: must be none"].add_boundary_condition("sinking")
    cases["displacements: must be none"].add_displacement(0, [0.0, 0.0, -0.01], boundary_condition=sinking)
    cases["contact_model: is required"] = Problem(stack().model)
    cases["joint_model: must be none"] = stack()
    cases["joint_model: must be none"].set_joint_model(1e9, 1e9)
    for text, made in cases.items():
        with pytest.raises(sg.InputError, match=text):
            signorini.compas.solve(made)
    bare = Problem(boxes([(0, 0, 0)], [(1, 1, 1)]))
    with pytest.raises(sg.InputError, match="there are no contacts"):
        signorini.compas.solve(bare)


def test_a_concave_block_is_refused() -> None:
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    points = [[x, y, z] for z in (0, 1) for x, y in outline]
    sides = [[k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k] for k in range(6)]
    model = boxes([(0, 0, -1)], [(3, 3, 1)])
    model.add_block_from_mesh(
        Mesh.from_vertices_and_faces(points, [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], *sides])
    )
    with pytest.raises(sg.InputError, match="block 1: must be convex"):
        signorini.compas.solve(problem(model, {0}))


def test_the_guide_solves_an_arch() -> None:
    text = (ROOT / "docs/guide/compas.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    thrust = names["results"].resultant_global((9, 10))
    # The page tells the thrust at the crown, over the weight of all stones.
    assert f"is {abs(thrust[0]) / weight(names['problem']):.3f}".replace("0.", ".") in " ".join(text.split())
