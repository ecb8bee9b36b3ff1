"""Block models of COMPAS: `solve` takes a problem of ``compas_dem`` and gives its contact forces.

``pip install './python[compas]'`` brings ``compas_dem``.

>>> import signorini.compas  # doctest: +SKIP
>>> results = signorini.compas.solve(problem)  # doctest: +SKIP
>>> results.resultant_global((0, 1))  # doctest: +SKIP

Blocks are rigid and convex, supports are fixed. Forces obey Coulomb's law with the friction of the problem,
and a torsional friction of even pressure over each joint. A cohesion ``c`` and a tension cut-off ``t_c`` (Pa)
are mortar in each joint. Gravity acts along −z.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini._native import Body, Friction, Scene, Simulation
from signorini.errors import Error, InputError

try:
    from compas.geometry import Frame, Quaternion, Transformation
    from compas_dem.analysis.resolve import resolve_centroidal_loads
    from compas_dem.interactions import FrictionContact
    from compas_dem.problem import Problem, Results
    from scipy.optimize import nnls
except ImportError as error:
    raise ImportError("signorini.compas needs compas_dem: pip install 'signorini[compas]'") from error


def scene(problem: Problem, *, time_step: float = 0.01, tolerance: float = 1e-8) -> Scene:
    """The scene of a problem, for `signorini.run` and `signorini.limit`; ``block-N`` is the body of node N.

    The loads of all boundary conditions act in full from the start. Raises `InputError` for a problem that
    has no contact model or support, and for what is not taken: concave blocks, springs in joints, tension
    without cohesion, prescribed displacements, gravities that differ; and where the joints of a problem with
    cohesion do not touch to a millionth of the size of the blocks.
    """
    model = problem.model
    builder = Scene.builder().time_step(time_step).duration(1.0).tolerance(tolerance)
    builder.friction(_friction(problem)).gravity([0.0, 0.0, -_gravity(problem)])
    if not any(block.is_support for block in model.elements()):
        raise InputError("model: no block is a support")
    loads = resolve_centroidal_loads(model, problem.boundary_conditions)
    for block in model.elements():
        node = block.graphnode
        points, centre = _solid(block)
        body = Body.polytope(points - centre).at(centre).named(f"block-{node}")
        if block.is_support:
            builder.body(body.fixed())
            continue
        if not (block.material and block.material.density):
            raise InputError(f"block {node}: material.density is required")
        force = np.array(loads[node]["force"], dtype=float)
        # Loads are told about the mean of the vertices, which need not be the centre of mass.
        moment = np.array(loads[node]["moment"]) + np.cross(np.array(block.point) - centre, force)
        builder.body(body.density(block.material.density).force(force).torque(moment))
    built = builder.build()
    joints = [edge for edge in model.graph.edges() if model.graph.edge_attribute(edge, "contacts")]
    touching = len(built.joint_names)
    if _mortar(problem) and touching < len(joints):
        raise InputError(f"model: {touching} of {len(joints)} joints touch on faces, as cohesion needs")
    return built


def solve(
    problem: Problem,
    *,
    time_step: float = 0.01,
    tolerance: float = 1e-8,
    rest: float = 1e-6,
    steps: int = 20,
) -> Results:
    """Contact forces with which a model stands, in N, as ``compas_dem``'s own solvers return them.

    Steps are taken until no block moves faster than ``rest`` (m/s; angular velocity times size counts, too).
    The forces on node v of an edge (u, v) are those of the last step: ``resultant_global``, ``force_point``,
    and ``contact_data`` with the forces at the corners of the joint, which have the same resultant, also in
    the contacts of the model. ``transformation`` of each node is its way from the start.

    Where a model is statically indeterminate, the forces are those that friction and the order of loading
    leave; `docs/guide/compas.md` tells how far they may differ between solvers.

    The model's ``compute_contacts`` comes first. Raises `Error` when blocks still move after ``steps`` steps,
    or a step is not solved; `InputError` as `scene` does.
    """
    model = problem.model
    if not any(model.graph.edge_attribute(edge, "contacts") for edge in model.graph.edges()):
        raise InputError("model: there are no contacts; compute_contacts() finds them")
    built = scene(problem, time_step=time_step, tolerance=tolerance)
    simulation = Simulation(built)
    start = simulation.positions, simulation.quaternions
    nodes = [block.graphnode for block in model.elements()]
    sizes = np.array([np.ptp(_vertices(block), axis=0).max() / 2 for block in model.elements()])
    for taken in range(1, steps + 1):
        outcome = simulation.step()
        if not outcome.good:
            raise Error(f"step {taken}: {outcome.status}")
        speeds = np.linalg.norm(simulation.velocities, axis=1)
        speeds = np.maximum(speeds, sizes * np.linalg.norm(simulation.angular_velocities, axis=1))
        if speeds.max() <= rest:
            break
    else:
        fastest = int(speeds.argmax())
        raise Error(f"block {nodes[fastest]}: moves at {speeds[fastest]:.3g} m/s after {steps} steps")
    results = Results(model_id=str(model.guid), problem_id=str(problem.guid))
    results.metadata.update(
        mu=problem.contact_properties.contact_model.mu, steps=taken, speed=float(speeds.max())
    )
    _transformations(results, simulation, start, nodes)
    tension, _ = _mortar(problem) or (0.0, 0.0)
    for edge in model.graph.edges():
        if contacts := model.graph.edge_attribute(edge, "contacts"):
            records = np.concatenate([_records(simulation, nodes, edge), _pulls(simulation, built, edge)])
            pull = tension * sum(_area(contact) for contact in contacts)
            records[:, 1:] /= time_step
            _forces(results, edge, contacts, records, pull)
    return results


def _friction(problem: Problem) -> Friction:
    model = problem.contact_properties.contact_model
    if model is None:
        raise InputError("contact_model: is required")
    if problem.contact_properties.joint_model is not None:
        raise InputError("joint_model: must be none, blocks and joints are rigid")
    friction = Friction.coulomb(float(model.mu))
    return friction.with_mortar(*mortar) if (mortar := _mortar(problem)) else friction


def _mortar(problem: Problem) -> tuple[float, float] | None:
    """Tensile strength and cohesion (Pa), where there is one."""
    model = problem.contact_properties.contact_model
    tension, cohesion = float(model.t_c or 0), float(model.c or 0)
    if tension > 0 and cohesion <= 0:
        raise InputError(f"contact_model: t_c = {tension}: needs c > 0, and is at most c/mu")
    return (tension, cohesion) if cohesion > 0 else None


def _gravity(problem: Problem) -> float:
    given = {float(group.g) for group in problem.boundary_conditions} or {9.81}
    if len(given) > 1:
        raise InputError(f"boundary_conditions: g = {sorted(given)}: must be one value")
    if any(group.displacements for group in problem.boundary_conditions):
        raise InputError("boundary_conditions: displacements: must be none; a scene's motion moves blocks")
    return given.pop()


def _vertices(block: Any) -> np.ndarray:
    return np.array(block.modelgeometry.to_vertices_and_faces()[0], dtype=float)


def _solid(block: Any) -> tuple[np.ndarray, np.ndarray]:
    """Vertices, and centre of mass: Σ V_k (a + b + c + d)/4 over the tetrahedra from one point d."""
    points, faces = block.modelgeometry.to_vertices_and_faces()
    points = np.array(points, dtype=float)
    inside = points.mean(axis=0)
    size = np.ptp(points, axis=0).max()
    volumes, centres = [], []
    for face in faces:
        corners = points[face]
        spread = np.cross(corners[1:-1] - corners[0], corners[2:] - corners[0])
        normal = spread.sum(axis=0) / np.linalg.norm(spread.sum(axis=0))
        # Outwards, whichever way the face runs.
        if normal @ (corners[0] - inside) < 0:
            spread, normal = -spread, -normal
        # Faces of four corners are rarely flat: a ten-thousandth of the size is let pass.
        if ((points - corners.mean(axis=0)) @ normal).max() > 1e-4 * size:
            raise InputError(f"block {block.graphnode}: must be convex; cut it into convex blocks")
        volumes.append(spread @ (corners[0] - inside) / 6)
        centres.append((corners[0] + corners[1:-1] + corners[2:] + inside) / 4)
    volume, centre = np.concatenate(volumes), np.concatenate(centres)
    return points, volume @ centre / volume.sum()


def _records(simulation: Simulation, nodes: list[int], edge: tuple[int, int]) -> np.ndarray:
    """The contacts of an edge that carry load: ``force`` on its second node, ``couple`` about ``point``."""
    rows = simulation.contacts()
    u, v = nodes.index(edge[0]), nodes.index(edge[1])
    sign = np.where((rows["body_a"] == u) & (rows["body_b"] == v), 1.0, 0.0)
    sign -= np.where((rows["body_a"] == v) & (rows["body_b"] == u), 1.0, 0.0)
    rows, sign = rows[sign != 0], sign[sign != 0, None]
    force = sign * (rows["normal"] * rows["normal_impulse"][:, None] + rows["friction_impulse"])
    couple = sign * (rows["normal"] * rows["torsional_impulse"][:, None] + rows["rolling_impulse"])
    return np.concatenate([rows["point"], force, couple], axis=1).reshape(-1, 3, 3)


def _pulls(simulation: Simulation, built: Scene, edge: tuple[int, int]) -> np.ndarray:
    """The mortar of an edge, as `_records`."""
    rows, names = simulation.joints(), built.joint_names
    kept = []
    for row in rows:
        first, _, second = names[row["joint"]].removeprefix("mortar ").partition("/")
        pair = tuple(int(name.removeprefix("block-").split()[0]) for name in (first, second))
        if sorted(pair) == sorted(edge):
            sign = 1.0 if pair == tuple(edge) else -1.0
            kept.append([row["point"], sign * row["impulse"], sign * row["angular_impulse"]])
    return np.array(kept).reshape(-1, 3, 3)


def _area(contact: Any) -> float:
    points = np.array(contact.points, dtype=float)
    return float(np.linalg.norm(np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)) / 2)


def _forces(
    results: Results, edge: tuple[int, int], contacts: list[Any], records: np.ndarray, pull: float
) -> None:
    """Writes forces (N) and couples of an edge, whose mortar holds ``pull``, to results and contacts."""
    points = np.array([point for contact in contacts for point in contact.points], dtype=float)
    axes = np.array([contacts[0].frame.xaxis, contacts[0].frame.yaxis, contacts[0].frame.zaxis])
    centre = points.mean(axis=0)
    force = axes @ records[:, 1].sum(axis=0)
    arms = np.cross(records[:, 0] - centre, records[:, 1])
    moment = axes @ (arms + records[:, 2]).sum(axis=0)
    local = (points - centre) @ axes.T
    shares = _shared(local, force, moment, pull)
    point = centre if force[2] <= 0 else centre + axes.T @ np.array([-moment[1], moment[0], 0]) / force[2]
    named = [
        {"c_np": max(float(n), 0.0), "c_nn": max(-float(n), 0.0), "c_u": float(u), "c_v": float(v)}
        for u, v, n in shares
    ]
    for contact in contacts:
        contact.forces, named = named[: len(contact.points)], named[len(contact.points) :]
    first = FrictionContact(points=contacts[0].points, frame=contacts[0].frame)
    first.forces = contacts[0].forces
    results.set_edge(edge, "contact_data", first)
    results.set_edge(edge, "face_contact", True)
    results.set_edge(edge, "contact_points", points.tolist())
    results.set_edge(edge, "contact_polygon", contacts[0].polygon)
    results.set_edge(edge, "contact_frame", contacts[0].frame)
    results.set_edge(edge, "resultant_local", force.tolist())
    results.set_edge(edge, "resultant_global", (axes.T @ force).tolist())
    results.set_edge(edge, "force_point", point.tolist())
    results.set_edge(edge, "force_magnitude", float(np.linalg.norm(force)))


def _shared(points: np.ndarray, force: np.ndarray, moment: np.ndarray, pull: float) -> np.ndarray:
    """Forces at the corners of a joint with the given resultant: rows (t1, t2, n), of frame and ``points``.

    Normal forces are the least in the sum of squares if none of those pulls by more than its share of
    ``pull``, else any that do not. Friction is shared in proportion to what they are above that, with a turn
    about their centre for torsion.
    """
    force = force + np.array([0.0, 0.0, pull])
    size = np.abs(points).max()
    # Moments are about the middle of the points: M_1 = Σ y n, M_2 = −Σ x n.
    rows = np.stack([np.ones(len(points)), points[:, 1] / size, -points[:, 0] / size])
    goal = np.array([force[2], moment[0] / size, moment[1] / size])
    normal = np.linalg.lstsq(rows, goal, rcond=None)[0]
    if normal.min() < 0:
        normal = nnls(rows, goal)[0]
    if normal.sum() <= 0:
        return np.zeros((len(points), 3))
    part = normal / normal.sum()
    arms = points[:, :2] - part @ points[:, :2]
    friction = part[:, None] * force[:2]
    torsion = moment[2] - (points[:, 0] * friction[:, 1] - points[:, 1] * friction[:, 0]).sum()
    spread = part @ (arms**2).sum(axis=1)
    if spread > 1e-12 * size**2:
        friction += torsion / spread * part[:, None] * np.stack([-arms[:, 1], arms[:, 0]], axis=1)
    return np.column_stack([friction, normal - pull / len(points)])


def _transformations(
    results: Results, simulation: Simulation, start: tuple[Any, Any], nodes: list[int]
) -> None:
    def frame(position: np.ndarray, quaternion: np.ndarray) -> Frame:
        return Frame.from_quaternion(Quaternion(*quaternion), point=position.tolist())

    now = simulation.positions, simulation.quaternions
    for node, before, after in zip(nodes, zip(*start, strict=True), zip(*now, strict=True), strict=True):
        way = Transformation.from_frame_to_frame(frame(*before), frame(*after))
        results.set_node(node, "transformation", way)
