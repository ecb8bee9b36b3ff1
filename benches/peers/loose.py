"""Random orientations on a loose grid, so that no two bodies are closer than `CLEARANCE`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

#: Smallest gap, and distance of centres beyond which two bodies cannot be that close (m).
CLEARANCE, REACH = 2e-3, 0.212
#: Spacing of the grid (m).
PITCH = {"ellipsoids": 0.17, "cubes": 0.178}
SEED, TRIALS = 7, 5000


def placed(family: str, extents: np.ndarray, count: int, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions (m) and quaternions of bodies over a floor of the given width (m)."""
    rng = np.random.default_rng(SEED)
    pitch = PITCH[family]
    across = int(width / pitch)
    spacing = min(pitch, (width - 0.206) / (across - 1))
    positions, quaternions, turns = np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 3, 3))
    for k in range(count):
        i, j, layer = k % across, (k // across) % across, k // across**2
        middle = (across - 1) / 2
        positions[k] = [(i - middle) * spacing, (j - middle) * spacing, 0.11 + layer * pitch]
        # Only the bodies of two layers can be in reach.
        first = max(0, k - 2 * across**2 - 2 * across - 3)
        near = first + np.flatnonzero(np.linalg.norm(positions[first:k] - positions[k], axis=1) < REACH)
        for _ in range(TRIALS):
            q = rng.normal(size=4)
            quaternions[k] = q / np.linalg.norm(q)
            turns[k] = rotation(quaternions[k])
            if is_apart(family, extents, positions[near] - positions[k], turns[k], turns[near]):
                break
        else:
            raise RuntimeError(f"{family}: no free orientation for body {k}")
    return positions, quaternions


def rotation(q: np.ndarray) -> np.ndarray:
    """The matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def is_apart(
    family: str, extents: np.ndarray, ways: np.ndarray, turn: np.ndarray, others: np.ndarray
) -> bool:
    """Whether a body at the origin is proved to be `CLEARANCE` from all others, centred at `ways`."""
    best = np.full(len(ways), -np.inf)
    separations = _along_ellipsoids if family == "ellipsoids" else _along_axes
    for separation in separations(extents, ways, turn, others):
        best = np.maximum(best, separation)
        if (best > CLEARANCE).all():
            return True
    return not len(ways)


def _along_ellipsoids(
    extents: np.ndarray, ways: np.ndarray, turn: np.ndarray, others: np.ndarray
) -> Iterator[np.ndarray]:
    """n·d - h_A(n) - h_B(n) for n that climb from the direction between the centres."""
    square = turn * extents**2 @ turn.T
    squares = others * extents**2 @ others.transpose(0, 2, 1)
    n = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    # Step 1/L with L the largest curvature of the supports, extents²/extent.
    for _ in range(300):
        ours, theirs = n @ square, np.einsum("kij,kj->ki", squares, n)
        points = ours / np.sqrt((ours * n).sum(1, keepdims=True))
        points += theirs / np.sqrt((theirs * n).sum(1, keepdims=True))
        between = ways - points
        separation = (between * n).sum(1)
        yield separation
        n = n + (between - separation[:, None] * n) / (2.0 * extents.max() ** 2 / extents.min())
        n /= np.linalg.norm(n, axis=1, keepdims=True)


def _along_axes(
    extents: np.ndarray, ways: np.ndarray, turn: np.ndarray, others: np.ndarray
) -> Iterator[np.ndarray]:
    """n·d - h_A(n) - h_B(n) for the axes of both boxes and the products of their edges."""
    axes = [np.broadcast_to(turn[:, i], ways.shape) for i in range(3)]
    axes += [others[:, :, i] for i in range(3)]
    axes += [np.cross(turn[:, i], others[:, :, j]) for i in range(3) for j in range(3)]
    for n in axes:
        length = np.linalg.norm(n, axis=1, keepdims=True)
        n = n / np.maximum(length, 1e-6)
        supports = np.abs(n @ turn) @ extents + np.abs(np.einsum("kij,ki->kj", others, n)) @ extents
        yield np.abs((n * ways).sum(1)) - supports
