"""The solver alone: frictional-contact problems given by matrices, or in files of the FCLIB collection.

>>> import numpy as np, signorini as sg
>>> solution = sg.fclib.solve(W=np.eye(3), q=[-1.0, 0.3, 0.0], mu=[0.5])
>>> solution.solved, solution.impulses.round(6).tolist()
(True, [[1.0, -0.3, 0.0]])

Signs are those of FCLIB. Each contact c has three rows: normal, tangent, tangent. Impulses r and relative
velocities u obey Coulomb's law with coefficient mu[c]: û = u + (mu |u_T|, 0, 0), K* ∋ û ⊥ r ∈ K, K = { r_N ≥
|r_T| / mu }.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from signorini import _native
from signorini.errors import InputError
from signorini.runs import PathLike

_Numbers = Sequence[float] | npt.NDArray[Any]


@dataclass(frozen=True)
class Solution:
    """What the solver found."""

    #: r, shape (contacts, 3): normal, tangent, tangent; of contacts of another kind than FCLIB's (rows,).
    impulses: np.ndarray
    #: u = W r + q, of the same shape.
    slips: np.ndarray
    #: v = M⁻¹ (H r + f), shape (n,); None of a problem without M.
    velocities: np.ndarray | None
    #: ``solved``, or why not: ``time_limit``, ``stalled``, …
    status: str
    #: Largest natural residual of a contact, without units, and the collection's own: guide "Problems from
    #: files".
    scaled: float
    nat_rel: float
    #: What the solve cost; s.
    iterations: int
    factorizations: int
    seconds: float

    @property
    def solved(self) -> bool:
        """Whether both residuals are within the tolerance."""
        return self.status == "solved"


def solve(
    path: PathLike | None = None,
    *,
    W: Any = None,
    q: _Numbers | None = None,
    M: Any = None,
    H: Any = None,
    f: _Numbers | None = None,
    w: _Numbers | None = None,
    mu: _Numbers | None = None,
    start: _Numbers | None = None,
    tolerance: float = 1e-8,
    time_limit: float = 60.0,
) -> Solution:
    """Solves one problem: of a file (``.hdf5``, ``.fcp``, ``.gp``), or

    - of contacts, ``W, q, mu``: u = W r + q, shapes (3c, 3c), (3c,) and (c,); or
    - of bodies, ``M, H, f, w, mu``: M v = H r + f and u = Hᵀ v + w, shapes (n, n), (n, 3c), (n,), (3c,) and
      (c,); ``w`` may be left out. Blocks of M of six stay bodies: this is the quicker form.

    Matrices are arrays of NumPy or sparse ones of SciPy. ``start`` are impulses to start from, 3c numbers.
    ``tolerance`` bounds both residuals; ``time_limit`` is in seconds. A problem that is not solved is no
    error: see `Solution.status`. Raises `InputError` when shapes do not fit, a number is not finite, M is
    singular or a coefficient is negative.
    """
    given = {"W": W, "q": q, "M": M, "H": H, "f": f, "w": w, "mu": mu}
    names = {name for name, value in given.items() if value is not None}
    if not 0.0 < tolerance < np.inf or not time_limit > 0.0:
        raise InputError(f"tolerance = {tolerance}, time_limit = {time_limit}: must be larger than 0")
    options = (None if start is None else _vector(start), float(tolerance), float(time_limit))
    if path is not None and not names:
        told = _native.solve_file(path, options)
    elif path is None and names == {"W", "q", "mu"}:
        told = _native.solve_delassus(_matrix("W", W), _vector(q), _vector(mu), options)
    elif path is None and names | {"w"} == {"M", "H", "f", "w", "mu"}:
        offset = np.zeros(3 * len(_vector(mu))) if w is None else w
        matrices = [_matrix("M", M), _matrix("H", H)]
        told = _native.solve_masses(matrices, [_vector(f), _vector(offset)], _vector(mu), options)
    else:
        listed = ", ".join(sorted(names)) or "nothing"
        raise InputError(f"{listed}: must be a file, or W, q, mu, or M, H, f, mu and perhaps w")
    if told.pop("is_plain"):
        told |= {name: told[name].reshape(-1, 3) for name in ("impulses", "slips")}
    return Solution(**told)


def _vector(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=np.float64).ravel()


def _matrix(name: str, matrix: Any) -> tuple[int, int, np.ndarray, np.ndarray, np.ndarray]:
    """Shape and entries of a matrix, dense or sparse."""
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        rows, columns, values = sparse.row, sparse.col, sparse.data
    else:
        matrix = np.asarray(matrix, dtype=np.float64)
        if matrix.ndim != 2:
            raise InputError(f"{name} with {matrix.ndim} dimensions: must have 2")
        # What is not finite is not 0 either, and refused by name.
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
    whole = (np.ascontiguousarray(places, dtype=np.int64) for places in (rows, columns))
    return (*matrix.shape, *whole, np.ascontiguousarray(values, dtype=np.float64))
