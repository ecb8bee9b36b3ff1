"""Writes small problems in the layout of the FCLIB library (fclib.c) with h5py: the files beside this script.

Run where h5py and numpy are: python3 tests/solver/fclib/files/write.py [FOLDER]
"""

import pathlib
import sys

import h5py
import numpy as np

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)


def one(group, name, value):
    group.create_dataset(name, data=np.array([value], dtype=np.int32))


def put_matrix(parent, name, dense, form):
    group = parent.create_group(name)
    dense = np.array(dense, dtype=float)
    rows, columns = dense.shape
    one(group, "m", rows)
    one(group, "n", columns)
    keep = np.ones_like(dense, dtype=bool) if form == "dense" else dense != 0
    if form == "triplets":
        i, p = np.nonzero(keep)
        # In no order, and the first entry in two parts.
        i, p = i[::-1], p[::-1]
        x = dense[i, p]
        i, p, x = np.append(i, i[-1]), np.append(p, p[-1]), np.append(x, 0.25 * x[-1])
        x[-2] *= 0.75
        one(group, "nz", len(x))
    elif form == "rows":
        counts = keep.sum(axis=1)
        p = np.concatenate([[0], np.cumsum(counts)])
        i, x = np.nonzero(keep)[1], dense[keep]
        one(group, "nz", -2)
    else:
        counts = keep.sum(axis=0)
        p = np.concatenate([[0], np.cumsum(counts)])
        i, x = np.nonzero(keep.T)[1], dense.T[keep.T]
        one(group, "nz", -1)
    one(group, "nzmax", len(x))
    group.create_dataset("p", data=np.array(p, dtype=np.int32))
    group.create_dataset("i", data=np.array(i, dtype=np.int32))
    group.create_dataset("x", data=np.array(x, dtype=float))


def put_impulses(file, guesses, solution):
    group = file.create_group("guesses")
    one(group, "number_of_guesses", len(guesses))
    for k, r in enumerate(guesses):
        guess = group.create_group(str(k + 1))
        guess.create_dataset("r", data=np.array(r, dtype=float))
        guess.create_dataset("u", data=np.zeros(len(r)))
    file.create_group("solution").create_dataset("r", data=np.array(solution, dtype=float))


# Two contacts, one that sticks and one that slides.
W = np.diag([2.0, 1.0, 1.0, 2.0, 1.0, 1.0])
Q = [-2.0, 0.3, -0.1, -2.0, 3.0, 4.0]
R = [1.0, -0.3, 0.1, 1.0, -0.3, -0.4]

for form in ["columns", "rows", "triplets", "dense"]:
    with h5py.File(FOLDER / f"local-{form}.hdf5", "w") as file:
        group = file.create_group("fclib_local")
        one(group, "spacedim", 3)
        put_matrix(group, "W", W, form)
        vectors = group.create_group("vectors")
        vectors.create_dataset("q", data=np.array(Q))
        vectors.create_dataset("mu", data=np.array([0.5, 0.5]))
        info = group.create_group("info")
        info.create_dataset("title", data=np.bytes_("two contacts"))
        put_impulses(file, [np.zeros(6), R], R)

# A solid sphere of radius 1 and mass 3 on the plane z = 0, which it meets with v = (1, 0.5, -2).
MASS = np.diag([3.0, 3.0, 3.0, 1.2, 1.2, 1.2])
H = np.array([[0, 0, 1, 0, 0, 0], [1, 0, 0, 0, -1, 0], [0, 1, 0, 1, 0, 0]]).T
with h5py.File(FOLDER / "global.hdf5", "w") as file:
    group = file.create_group("fclib_global")
    one(group, "spacedim", 3)
    put_matrix(group, "M", MASS, "columns")
    put_matrix(group, "H", H, "triplets")
    vectors = group.create_group("vectors")
    vectors.create_dataset("f", data=MASS @ np.array([1, 0.5, -2, 0, 0, 0]))
    vectors.create_dataset("w", data=np.zeros(3))
    vectors.create_dataset("mu", data=np.array([0.5]))
