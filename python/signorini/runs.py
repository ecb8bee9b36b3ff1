"""Runs on disk: written by `run`, or by the command line, and read back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from signorini import _native, shown
from signorini._native import AuditReport, Scene
from signorini.errors import FileError, InputError

if TYPE_CHECKING:
    import pandas
    import xarray

PathLike = str | os.PathLike[str]

#: Columns of words and of whole numbers; all others hold numbers.
_WORDS = [
    "body", "body_a", "body_b", "state", "kind", "joint", "status", "referee", "phase", "formulation",
    "switch", "island", "event", "gate",
]  # fmt: skip
_WHOLES = [
    "step", "contacts", "iterations", "factorizations", "restarts", "islands", "substeps", "points",
    "active_facets_a", "active_facets_b", "shape",
]  # fmt: skip


class Table(Mapping[str, np.ndarray]):
    """A table of a run: NumPy arrays by the names of the columns, all of one length.

    Numbers are the bits that the run wrote; a field without a value is NaN. `docs/guide/output.md` explains
    the columns.
    """

    def __init__(self, columns: dict[str, np.ndarray]) -> None:
        self._columns = columns

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def to_numpy(self) -> np.ndarray:
        """One structured array with a field for each column, shape (rows,)."""
        array = np.empty(self.n_rows, dtype=[(name, column.dtype) for name, column in self._columns.items()])
        for name, column in self._columns.items():
            array[name] = column
        return array

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame of pandas, which must be installed."""
        import pandas

        return pandas.DataFrame(self._columns)

    def __repr__(self) -> str:
        return f"<signorini.Table: {self.n_rows} rows of {', '.join(self._columns)}>"


class Run:
    """A run in its folder. Tables are read when they are first asked for, and kept.

    A run that is still going on, or was killed, ends with its last whole row.
    """

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(folder)
        self.scene = Scene.load(self.folder / "scene.toml")

    def __repr__(self) -> str:
        return f"<signorini.Run: {str(self.folder)!r}, {len(self.scene)} bodies>"

    @cached_property
    def summary(self) -> dict[str, Any] | None:
        """``summary.json``; None while the run is going on, or when it was killed."""
        path = self.folder / "summary.json"
        if not path.exists():
            return None
        try:
            return dict(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise FileError(f"{path}: {error.strerror or error}") from error
        except ValueError as error:
            raise InputError(f"{path}: {error}") from error

    @cached_property
    def bodies(self) -> Table:
        """``bodies.csv``: poses and velocities."""
        return self._table("bodies.csv")

    @cached_property
    def contacts(self) -> Table:
        """``contacts.csv``: near pairs, gaps, impulses, slip."""
        return self._table("contacts.csv")

    @cached_property
    def joints(self) -> Table | None:
        """``joints.csv``: reactions and errors of joints; None when the scene has no joints."""
        return self._find("joints.csv")

    @cached_property
    def flow(self) -> Table | None:
        """``flow.csv``: bodies that came and left; None when there are none."""
        return self._find("flow.csv")

    def measure(self, name: str) -> Table:
        """The table of a ``[[measure]]`` of the scene, ``measure-NAME.csv``."""
        return self._table(f"measure-{name}.csv")

    @cached_property
    def steps(self) -> Table:
        """``steps.csv``: how each step went."""
        return self._table("steps.csv")

    @cached_property
    def step_times(self) -> Table:
        """``times.csv``: how long each step took."""
        return self._table("times.csv")

    def _table(self, name: str) -> Table:
        table = self._find(name)
        if table is None:
            raise FileError(f"{self.folder / name}: not there, nor in an HDF5 file")
        return table

    def _find(self, name: str) -> Table | None:
        """The table of that CSV file, or of the HDF5 file that stands for it."""
        columns = _native.read_table(self.folder, name, _WORDS, _WHOLES)
        return None if columns is None else table_of(columns)

    @property
    def moving(self) -> list[str]:
        """Names of the bodies that move or are moved, in the order in which they came, as in the frames."""
        return self._frames[0]

    @property
    def times(self) -> np.ndarray:
        """Times of the frames (s), shape (f,): the steps that were written, and step 0."""
        return self._frames[1]

    @property
    def frame_steps(self) -> np.ndarray:
        """Steps of the frames, shape (f,)."""
        return self._frames[2]

    @property
    def positions(self) -> np.ndarray:
        """Centres of mass of the moving bodies (m), world, shape (f, m, 3); NaN of who is not there."""
        return self._frames[3][:, :, 0:3]

    @property
    def quaternions(self) -> np.ndarray:
        """Orientations of the moving bodies, (w, x, y, z), shape (f, m, 4)."""
        return self._frames[3][:, :, 3:7]

    @property
    def velocities(self) -> np.ndarray:
        """Velocities of the centres of mass (m/s), world, shape (f, m, 3)."""
        return self._frames[3][:, :, 7:10]

    @property
    def angular_velocities(self) -> np.ndarray:
        """Angular velocities (rad/s), world axes, shape (f, m, 3)."""
        return self._frames[3][:, :, 10:13]

    @cached_property
    def _frames(self) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
        bodies = self.bodies
        numbers = ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]
        values = np.stack([bodies[name] for name in numbers], axis=-1)
        n_bodies = len(self.scene)
        if self.flow is not None:
            return self._changing_frames(values)
        # Step 0 has all bodies, each other step the moving ones, in one order.
        later = bodies["body"][n_bodies:]
        steps = bodies["step"]
        names = list(dict.fromkeys(later.tolist()))
        if not names:
            names = [
                name for name, fixed in zip(self.scene.names, self.scene.fixed, strict=True) if not fixed
            ]
        n = len(names)
        n_frames = len(later) // n if n else 0
        rows = {name: row for row, name in enumerate(bodies["body"][:n_bodies].tolist())}
        whole = n_bodies + n_frames * n
        if n and not (later[: n_frames * n].reshape(n_frames, n) == np.array(names)).all():
            raise InputError(
                f"{self.folder / 'bodies.csv'}: the steps do not hold the same bodies in one order"
            )
        first = values[[rows[name] for name in names]]
        frames = np.concatenate([first[None], values[n_bodies:whole].reshape(n_frames, n, len(numbers))])
        later_steps = steps[n_bodies:whole:n] if n else steps[:0]
        later_times = bodies["time"][n_bodies:whole:n] if n else bodies["time"][:0]
        frames.setflags(write=False)
        return (
            names,
            np.concatenate([[0.0], later_times]),
            np.concatenate([[0], later_steps]),
            frames,
        )

    def _changing_frames(self, values: np.ndarray) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
        """The frames of a run in which bodies came or left."""
        bodies, n_start = self.bodies, len(self.scene)
        later, n_later = bodies["body"][n_start:].tolist(), len(np.unique(bodies["step"])) - 1
        # What stays where it is has a row only where nothing moves.
        still = {
            name
            for name, fixed in zip(self.scene.names, self.scene.fixed, strict=True)
            if fixed and later.count(name) < n_later
        }
        names = [name for name in dict.fromkeys(bodies["body"].tolist()) if name not in still]
        steps, first, frame = np.unique(bodies["step"], return_index=True, return_inverse=True)
        times = bodies["time"][first]
        if self.summary is None:
            # The last step may lack bodies.
            steps, times = steps[:-1], times[:-1]
        place = {name: column for column, name in enumerate(names)}
        column = np.array([place.get(name, -1) for name in bodies["body"].tolist()])
        kept = (column >= 0) & (frame < len(steps))
        frames = np.full((len(steps), len(names), values.shape[-1]), np.nan)
        frames[frame[kept], column[kept]] = values[kept]
        frames.setflags(write=False)
        return names, times, steps, frames

    def to_xarray(self) -> xarray.Dataset:
        """The frames as a Dataset of xarray, which must be installed: dimensions time, body and component."""
        import xarray

        vector = ("time", "body", "xyz")
        return xarray.Dataset(
            {
                "position": (vector, self.positions, {"units": "m"}),
                "quaternion": (("time", "body", "wxyz"), self.quaternions),
                "velocity": (vector, self.velocities, {"units": "m/s"}),
                "angular_velocity": (vector, self.angular_velocities, {"units": "rad/s"}),
            },
            coords={
                "time": ("time", self.times, {"units": "s"}),
                "step": ("time", self.frame_steps),
                "body": self.moving,
                "xyz": list("xyz"),
                "wxyz": list("wxyz"),
            },
        )

    def audit(self, *, thinned: bool = False, unfinished: bool = False) -> AuditReport:
        """Judges the run again from its files, as ``signorini audit`` does.

        ``thinned`` lets pass that not every step was written, ``unfinished`` that the run was stopped.
        Raises `InputError` or `FileError` when the files cannot be read.
        """
        return _native.audit_run(self.folder, thinned, unfinished)

    def plot(self) -> list[Path]:
        """Draws the figures of the run into its folder ``plots``; their paths."""
        return [Path(path) for path in _native.draw_figures(self.folder)]

    def page(self, *, frames: int = 2001, size: float = 25e6) -> str:
        """The run as one HTML page for any browser, with at most so many frames and bytes."""
        return _native.page_of_run(self.folder, max(int(frames), 2), int(size))

    def export_vtk(
        self, out: PathLike, *, hdf5: bool = False, surfaces: bool = False, every: int = 1
    ) -> Path:
        """Writes files for ParaView into a folder; the path of the one to open.

        A file for each frame and ``run.pvd``, or with ``hdf5`` one VTKHDF file for each part of the run.
        """
        return Path(_native.write_vtk(self.folder, Path(out), hdf5, surfaces, every))

    def export_gltf(self, path: PathLike, *, frames: int = 2001) -> Path:
        """Writes an animation as glTF (.glb)."""
        _native.write_gltf(self.folder, Path(path), frames)
        return Path(path)

    def export_solids(
        self,
        path: PathLike,
        *,
        time: float | None = None,
        chord: float | None = None,
        keep_volume: bool = False,
        per_body: bool = False,
        fixed: bool = False,
        format: str | None = None,
    ) -> list[Path]:
        """Writes the bodies at a time as closed surfaces of triangles (m, world axes); paths of the files.

        The last record at or before ``time`` (s) is written, by default the last of all. ``format`` is
        ``"stl"`` (binary, 32-bit numbers), ``"stl-text"`` (all digits), ``"ply"`` (binary, 64-bit numbers)
        or ``"obj"`` (all digits), by default the ending of ``path``. With ``per_body`` each body has a file
        in the folder ``path``.

        Boxes and polytopes are exact. The boundary of a round shape is within ``chord`` (m) of its
        triangles, by default 1e-3 of the radius of a cylinder and of the longest semi-axis of an ellipsoid.
        With ``keep_volume`` corners lie so far outside of round shapes that volumes are exact. Bodies that
        never move are written with ``fixed``; half-spaces and bores are left out.

        Raises `InputError` for a bad option and where no body is there, `FileError` where a file cannot be
        read or written.
        """
        kind = format or ("" if per_body else Path(path).suffix.lstrip(".").lower())
        options = (time, chord, keep_volume, per_body, fixed)
        return [Path(file) for file in _native.write_solids(self.folder, Path(path), kind, options)]

    def export_ovito(self, path: PathLike, *, every: int = 1) -> Path:
        """Writes every ``every``-th record for OVITO: a dump of LAMMPS where ``path`` ends with
        ``.lammpstrj`` or ``.dump``, else extended XYZ.

        Quaternions are x, y, z, w. `docs/guide/export.md` explains the columns. Raises `FileError` where a
        file cannot be read or written.
        """
        is_dump = Path(path).suffix.lower() in (".lammpstrj", ".dump")
        _native.write_particles(self.folder, Path(path), is_dump, every)
        return Path(path)

    def export_npz(self, path: PathLike, *, every: int = 1) -> Path:
        """Writes every ``every``-th record, f of them, of the m bodies that move as arrays for `numpy.load`.

        ``step``, ``time`` (s), shape (f,); ``id``, ``name``, shape (m,); ``position`` (m), ``velocity``
        (m/s), ``angular_velocity`` (rad/s), shape (f, m, 3), world axes; ``quaternion``, (w, x, y, z), shape
        (f, m, 4). NaN of who is not there. Raises `FileError` where a file cannot be read or written.
        """
        _native.write_npz(self.folder, Path(path), every)
        return Path(path)

    def export_fclib(self, folder: PathLike, steps: int | tuple[int, int] | None = None) -> Path:
        """Writes steps as frictional-contact problems for other solvers, one HDF5 file for each, into a new
        folder; the path of the table of them, ``problems.csv``.

        ``steps`` is one step, the first and the last of several, or None for all. The run is made again from
        its scene. `docs/guide/fclib.md` explains the files; `signorini.fclib.solve` solves one. Raises
        `InputError` where steps are not there or the run takes another way on this machine, `FileError` where
        a file cannot be read or written.
        """
        words = "all" if steps is None else "-".join(map(str, np.atleast_1d(steps)))
        out = Path(folder)
        try:
            out.mkdir(parents=True)
        except OSError as error:
            raise FileError(f"{out}: {error.strerror}") from error
        _native.write_fclib(self.folder, out, words)
        return out / "problems.csv"

    def to_rerun(
        self,
        path: PathLike | None = None,
        *,
        recording: Any = None,
        frames: int = 2001,
        force_scale: float | None = None,
    ) -> Path | None:
        """Writes bodies and contact forces for Rerun, whose SDK must be installed: into a file (``.rrd``), or
        to ``recording``, or to the recording that ``rerun.init`` made. `signorini.rerun` says what is there.

        At most ``frames`` frames, evenly spread; ``force_scale`` is the length of an arrow of 1 N (m).
        """
        from signorini import rerun

        return rerun.write(self, path, recording=recording, frames=frames, force_scale=force_scale)

    def to_usd(self, path: PathLike, *, frames: int = 2001) -> Path:
        """Writes the bodies as an animated scene of OpenUSD, whose library must be installed.

        The ending is the format: ``.usda`` (text), ``.usdc`` or ``.usd``. At most ``frames`` frames. Raises
        `FileError` when the file cannot be written.
        """
        from signorini import usd

        return usd.write(self, path, frames=frames)

    def show(self, *, frames: int = 500, size: float = 8e6, height: int = 600) -> Path | None:
        """Shows the run: in the notebook where there is one, else in a browser.

        Outside a notebook the page is written to ``run.html`` in the folder of the run, and its path is
        returned.
        """
        return shown.show(self.page(frames=frames, size=size), self.folder / "run.html", height)


def table_of(columns: dict[str, Any]) -> Table:
    """The table of columns as the compiled module gives them: arrays, or places and words."""
    return Table({name: _column(column) for name, column in columns.items()})


def _column(column: np.ndarray | tuple[np.ndarray, list[str]]) -> np.ndarray:
    if isinstance(column, tuple):
        places, words = column
        return np.array(words, dtype=str)[places] if words else np.array([], dtype="U1")
    return column


def open(folder: PathLike) -> Run:
    """Opens the folder of a run, finished or not.

    Raises `FileError` when there is no run, `InputError` when its scene is none.
    """
    return Run(folder)


def run(
    scene: Scene | PathLike,
    out: PathLike,
    *,
    every: int = 1,
    threads: int | None = None,
    judge: str = "every",
    force: bool = False,
    format: str = "csv",
) -> Run:
    """Runs a scene, or a scene file, into a folder, as ``signorini run`` does, and opens it.

    ``every`` thins bodies and contacts to every so many steps; ``judge`` says which steps the referee
    judges: ``every``, ``final`` or ``off``; ``force`` replaces a run in the folder; ``format`` is ``csv`` or
    ``hdf5``. Steps that are not solved are no error: `Run.summary` counts them. Ctrl-C ends the run after the
    step in progress; what there is is written. Raises `InputError` for bad input, and `FileError` when a file
    cannot be written.
    """
    name = "scene" if isinstance(scene, Scene) else os.fspath(scene)
    loaded = scene if isinstance(scene, Scene) else Scene.load(scene)
    _native.write_run(loaded, Path(out), name, (every, threads, judge, force, format))
    return Run(out)
