"""The problem of a step as matrices, of ``Simulation.problems`` and for methods of ``Simulation.solve_with``.

With velocities v of n bodies (6 each: linear and angular, world axes) and impulses x by rows,

    M v = b + Jᵀ x,    y = Y v + w + R x

where y is the gap at the end over the step of a normal row, and the slip of a friction row (m/s). The law of
each contact: 0 ≤ x ⊥ y ≥ 0 in its normal rows, and x_t = Proj(x_t − r y_t) for any r > 0 in its friction
rows, with the projection on the ball of radius mu times the sum of its normal impulses. Rows of joints and
motors are bounded instead: x = clamp(x − r y, low, high).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]

#: Unknowns of a body.
_BODY = 6


@dataclass(frozen=True)
class Cone:
    """Rows that obey one law together."""

    #: Normal rows, or all rows of a bounded cone.
    normal: slice
    #: Friction rows, scaled so that the law is that of a ball: two tangents, or with torsion three; none.
    friction: slice
    #: Friction coefficient.
    mu: float
    #: Whether each row has bounds of its own instead of the law of contact.
    bounded: bool
    #: Place of the contact whose rolling resistance these friction rows are; None of all others.
    rolls_with: int | None


@dataclass(frozen=True)
class Problem:
    """The linearized problem of a group of bodies; the matrices are of SciPy."""

    #: Blocks of M and of its inverse, shape (n, 6, 6).
    mass: _Floats
    mass_inverse: _Floats
    #: b, shape (6 n,): momentum without contact.
    b: _Floats
    #: w, shape (rows,).
    w: _Floats
    #: The laws.
    cones: tuple[Cone, ...]
    #: Low and high of rows of bounded cones, shape (rows, 2); the lowest of normal rows.
    bounds: _Floats
    #: R, shape (rows,).
    compliance: _Floats
    #: Where the problem was linearized: velocities, shape (6 n,), and impulses, shape (rows,).
    velocities: _Floats
    impulses: _Floats
    _jacobian: tuple[Any, ...]
    _response: tuple[Any, ...]

    @classmethod
    def _of(cls, *, jacobian: Any, response: Any, cones: Any, **fields: Any) -> Problem:
        def rows(start: int, count: int) -> slice:
            return slice(start, start + count)

        laws = tuple(
            Cone(rows(*normal), rows(*friction), mu, bounded, None if contact < 0 else contact)
            for normal, friction, mu, bounded, contact in cones
        )
        return cls(cones=laws, _jacobian=jacobian, _response=response, **fields)

    @property
    def J(self) -> Any:
        """J, a CSR matrix of shape (rows, 6 n): Jᵀ x are the impulses on the bodies."""
        return _csr(self._jacobian)

    @property
    def Y(self) -> Any:
        """Y, a CSR matrix of shape (rows, 6 n): J, and how points and normals move with the bodies."""
        return _csr(self._response)

    @property
    def M(self) -> Any:
        """M, a block diagonal CSR matrix of shape (6 n, 6 n)."""
        return _blocks(self.mass)

    @property
    def M_inverse(self) -> Any:
        """M⁻¹, a block diagonal CSR matrix of shape (6 n, 6 n)."""
        return _blocks(self.mass_inverse)

    def delassus(self) -> tuple[Any, _Floats]:
        """W, a CSR matrix of shape (rows, rows), and q with y = W x + q."""
        import scipy.sparse

        response, inverse = self.Y, self.M_inverse
        w = response @ inverse @ self.J.T + scipy.sparse.diags_array(self.compliance)
        return w.tocsr(), response @ (inverse @ self.b) + self.w

    def velocities_of(self, impulses: npt.ArrayLike) -> _Floats:
        """v = M⁻¹ (b + Jᵀ x), shape (6 n,)."""
        found: _Floats = self.M_inverse @ (self.b + self.J.T @ np.asarray(impulses, dtype=float))
        return found

    def project(self, impulses: npt.ArrayLike) -> _Floats:
        """The impulses that the laws allow nearest to these, with the balls of the projected normal ones."""
        x = np.array(impulses, dtype=float)
        for cone in self.cones:
            low, high = self.bounds[cone.normal].T
            x[cone.normal] = np.clip(x[cone.normal], low, high if cone.bounded else np.inf)
            of = cone if cone.rolls_with is None else self.cones[cone.rolls_with]
            limit, length = cone.mu * x[of.normal].sum(), np.linalg.norm(x[cone.friction])
            if length > limit:
                x[cone.friction] *= limit / length
        return x

    def residual(self, impulses: npt.ArrayLike) -> float:
        """Largest |x − Proj(x − y/d)| of a row (N s), d the largest diagonal of W in the row's cone.

        It is 0 where all laws hold.
        """
        w, q = self.delassus()
        x = np.asarray(impulses, dtype=float)
        step, diagonal = np.zeros_like(x), w.diagonal()
        for cone in self.cones:
            for rows in (cone.normal, cone.friction):
                if diagonal[rows].size:
                    step[rows] = 1.0 / max(diagonal[rows].max(), np.finfo(float).tiny)
        moved = x - step * (w @ x + q)
        # Friction is judged by the balls of the impulses themselves.
        error = np.zeros_like(x)
        for cone in self.cones:
            low, high = self.bounds[cone.normal].T
            normal = np.clip(moved[cone.normal], low, high if cone.bounded else np.inf)
            error[cone.normal] = x[cone.normal] - normal
            of = cone if cone.rolls_with is None else self.cones[cone.rolls_with]
            limit, length = cone.mu * x[of.normal].sum(), np.linalg.norm(moved[cone.friction])
            scale = limit / length if length > limit else 1.0
            error[cone.friction] = x[cone.friction] - scale * moved[cone.friction]
        return float(np.abs(error).max(initial=0.0))


def _csr(matrix: tuple[Any, ...]) -> Any:
    import scipy.sparse

    starts, columns, values, shape = matrix
    return scipy.sparse.csr_array((values, columns, starts), shape=shape)


def _blocks(blocks: _Floats) -> Any:
    import scipy.sparse

    n = len(blocks)
    shape = (_BODY * n, _BODY * n)
    return scipy.sparse.bsr_array((blocks, np.arange(n), np.arange(n + 1)), shape=shape).tocsr()
