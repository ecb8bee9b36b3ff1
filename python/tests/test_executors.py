"""Studies on executors: the same results from each, whatever becomes of its workers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import signorini as sg
from conftest import ROOT, scene_file
from signorini import studies
from signorini.executors import Lost, in_order
from test_studies import brick

COUNT = 12
EXIT = [{"name": "floor", "kind": "exit", "min": [-1, -1, -1], "max": [1, 1, 0.011]}]


def drop(out: Path, **options: object) -> sg.DropTest:
    """The drop test of all tests here."""
    return sg.drop(brick(), out, count=COUNT, spin=3.0, **options)


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files of the drop test on threads of this process."""
    out = tmp_path_factory.mktemp("drop") / "a"
    drop(out)
    return files_of(out)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _once(marker: Path, work, *given):
    """Work that kills its process, the first time that a piece behind the second begins."""
    first = given[-2][0] if isinstance(given[-2], tuple) else given[2]
    if first > 2:
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            _die()
    return work(*given)


class Mortal(ProcessPoolExecutor):
    """A pool of two processes, of which one dies."""

    def __init__(self, folder: Path) -> None:
        super().__init__(2)
        self.marker = folder / "lost"

    def submit(self, work, /, *given):
        return super().submit(_once, self.marker, work, *given)


def check(executor: Executor, out: Path, expected: dict[str, bytes]) -> None:
    """Holds drops and trials on an executor beside those on threads."""
    found = drop(out / "drop", executor=executor)
    assert files_of(out / "drop") == expected
    given = {"yaws": 3, "seeds": 2, "threads": 1}
    one = sg.track(brick(), found, EXIT, out / "one", **given)
    other = sg.track(brick(), found, EXIT, out / "other", executor=executor, **given)
    assert one.trials.n_rows == 6 * found.poses.n_rows and one.summary == other.summary
    assert files_of(out / "one") == files_of(out / "other")


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_pools(kind, tmp_path, expected):
    with kind(2) as pool:
        check(pool, tmp_path, expected)


def test_dask(tmp_path, expected):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        check(client, tmp_path / "client", expected)
        check(client.get_executor(), tmp_path / "executor", expected)


def test_mpi(tmp_path, expected):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun")
    script = tmp_path / "study.py"
    script.write_text(
        "import pathlib, sys\n"
        "from mpi4py.futures import MPIPoolExecutor\n"
        "from test_executors import drop\n"
        "if __name__ == '__main__':\n"
        "    with MPIPoolExecutor() as pool:\n"
        "        drop(pathlib.Path(sys.argv[1]), executor=pool)\n"
    )
    line = ["mpirun", "-n", "3", "--oversubscribe", "--allow-run-as-root", sys.executable]
    path = os.pathsep.join(str(ROOT / "python" / name) for name in ("tests", "."))
    ended = subprocess.run(
        [*line, "-m", "mpi4py.futures", script, tmp_path / "a"],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    assert files_of(tmp_path / "a") == expected


def test_a_lost_worker_is_told_and_its_drops_run_again(tmp_path, expected):
    with (
        Mortal(tmp_path) as pool,
        pytest.warns(RuntimeWarning, match=r"^drop \d+: a worker was lost") as told,
    ):
        drop(tmp_path / "a", executor=pool)
    assert len(told) == 1 and files_of(tmp_path / "a") == expected


def _poisoned(scene, given, threads, numbers, lost):
    if numbers[0] == 5:
        _die()
    return _DROPS(scene, given, threads, numbers, lost)


_DROPS = studies._drops


def test_drops_that_lose_each_worker_end_the_study_which_goes_on_later(tmp_path, expected, monkeypatch):
    with monkeypatch.context() as patch, warnings.catch_warnings():
        patch.setattr(studies, "_drops", _poisoned)
        warnings.simplefilter("ignore", RuntimeWarning)
        with ProcessPoolExecutor(2) as pool, pytest.raises(sg.WorkerError, match="drop 5: 3 workers"):
            drop(tmp_path / "a", executor=pool)
    drops = (tmp_path / "a" / "drops.csv").read_text().splitlines()
    assert len(drops) == 5 and "\n".join(drops) in expected["drops.csv"].decode()
    ran = []

    class Counts(ThreadPoolExecutor):
        def submit(self, work, /, *given):
            ran.append(given[-2])
            return super().submit(work, *given)

    with Counts(2) as pool:
        drop(tmp_path / "a", executor=pool)
    assert ran == [(n, n) for n in range(5, COUNT + 1)]
    assert files_of(tmp_path / "a") == expected


def _mortal_square(n: int, folder: Path, lost: int) -> tuple[int, int]:
    if n in (3, 40):
        _die()
    return n * n, lost


def test_work_beside_what_loses_each_worker_is_done(tmp_path):
    with ProcessPoolExecutor(3) as pool, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        given = [(n, tmp_path) for n in range(60)]
        found = list(in_order(pool, _mortal_square, given, lambda given: f"square {given[0]}"))
    assert [n for n, result in enumerate(found) if isinstance(result, Lost)] == [3, 40]
    rest = [(n, result) for n, result in enumerate(found) if not isinstance(result, Lost)]
    assert all(result[0] == n * n for n, result in rest)
    assert any(str(warning.message).startswith("square 3: a worker was lost") for warning in told)


def test_errors_are_those_of_threads(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(sg.InputError, match="stone.*brick"):
            sg.drop(brick(), executor=pool, body="stone")
    for wrong in (3, "dask", object()):
        with pytest.raises(sg.InputError, match='must be None, "ray", or have a method submit'):
            drop(tmp_path / "a", executor=wrong)
    pool = ProcessPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        drop(tmp_path / "a", executor=pool)


PLAN = {
    "scene": str(scene_file("seeds/sliding-cube")),
    "vary": [
        {"field": "friction[0].coefficient", "from": 0.1, "to": 0.9, "count": 5},
        {"field": "simulation.duration", "values": [0.05]},
    ],
    "result": [{"name": "way", "table": "bodies", "column": "x", "reduce": "last"}],
}


def test_cases_of_a_lost_worker_go_on(tmp_path):
    expected = sg.sweep(PLAN, tmp_path / "a", jobs=2)
    with Mortal(tmp_path) as pool, pytest.warns(RuntimeWarning, match=r"^case \d: a worker was lost"):
        table = sg.sweep(PLAN, tmp_path / "b", executor=pool)
    assert (
        table["outcome"].tolist() == ["completed"] * 5 and table["way"].tolist() == expected["way"].tolist()
    )


def _dies_while_it_runs(marker: Path, work, *given):
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return work(*given)
    case = threading.Thread(target=work, args=given)
    case.start()
    while not (Path(given[1]) / "cases" / "0001" / "steps.csv").exists():
        time.sleep(0.01)
    _die()


class DiesLater(Mortal):
    """A pool whose first worker dies while the process of its case goes on."""

    def submit(self, work, /, *given):
        return ProcessPoolExecutor.submit(self, _dies_while_it_runs, self.marker, work, *given)


def test_a_case_that_outlives_its_worker_is_waited_for(tmp_path):
    plan = {**PLAN, "vary": [{"field": "simulation.duration", "values": [20.0]}]}
    with DiesLater(tmp_path) as pool, pytest.warns(RuntimeWarning, match=r"^case 1: a worker was lost"):
        told: dict[int, str] = {}
        table = sg.sweep(plan, tmp_path / "a", executor=pool, on_case=told.__setitem__)
    assert table["outcome"].tolist() == ["completed"] and told[1].endswith("completed before"), told
