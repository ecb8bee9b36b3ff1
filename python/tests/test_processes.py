"""Threads, processes, signals, memory, and the command line."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import signorini as sg
from conftest import command, heap, rolling_ball, scene_file


def end_of(scene: sg.Scene, threads: int | None = None) -> list[list[float]]:
    """Positions at the end of a scene."""
    simulation = sg.Simulation(scene, threads=threads)
    list(simulation.run())
    return simulation.positions.tolist()


def test_two_simulations_in_two_threads():
    scenes = [heap(6), heap(7)]
    expected = [end_of(scene) for scene in scenes]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(end_of, scenes)) == expected
        assert list(pool.map(lambda scene: end_of(scene, threads=1), scenes)) == expected


def test_one_simulation_in_two_threads():
    simulation, other = sg.Simulation(heap()), sg.Simulation(heap())
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: simulation.step(), range(40)))
        list(pool.map(lambda _: simulation.positions, range(40)))
    for _ in range(40):
        other.step()
    assert np.array_equal(simulation.positions, other.positions)


def test_other_threads_run_while_a_step_is_computed():
    # A heap whose steps take longer than the interval at which Python switches threads by itself.
    simulation = sg.Simulation(sg.Scene.load(scene_file("granular/mixed-64"), duration=0.2), threads=1)
    inside, counted = threading.Event(), []

    def count() -> None:
        inside.wait()
        while inside.is_set():
            counted.append(None)
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    interval = sys.getswitchinterval()
    # Nobody is asked to hand over: the counter runs only where it is let run.
    sys.setswitchinterval(1000.0)
    try:
        inside.set()
        list(simulation.run())
        inside.clear()
    finally:
        sys.setswitchinterval(interval)
        inside.clear()
        thread.join()
    assert len(counted) >= 5


def test_any_number_of_threads_gives_the_same_bits():
    assert end_of(heap(), threads=1) == end_of(heap(), threads=3) == end_of(heap())


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_processes(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    scene = heap()
    # Threads of the parent are running when it is forked.
    expected = end_of(scene)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        jobs = [pool.submit(end_of, scene), pool.submit(end_of, scene, 2)]
        assert [job.result(timeout=120) for job in jobs] == [expected] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_simulation_goes_on_in_a_fork():
    simulation = sg.Simulation(heap(), threads=2)
    list(simulation.run(until=0.2))
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def go_on() -> None:
        list(simulation.run())
        theirs.send(simulation.positions.tolist())

    child = context.Process(target=go_on)
    child.start()
    assert ours.poll(60), "the child hangs"
    found = ours.recv()
    child.join()
    list(simulation.run())
    assert found == simulation.positions.tolist()


def test_ctrl_c_leaves_a_usable_simulation():
    simulation = sg.Simulation(heap())
    # What runs in the background of a shell is born deaf to it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()
    deadline = time.monotonic() + 60
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() < deadline:
            for _ in simulation.run(until=simulation.time + 0.01):
                pass
    taken = simulation.step_index
    assert simulation.step().step == taken + 1
    other = sg.Simulation(heap())
    list(other.run(until=simulation.time))
    assert np.array_equal(simulation.positions, other.positions)


def test_ctrl_c_ends_a_run_whole(tmp_path):
    script = (
        "import signal, signorini as sg, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n"
        "    sg.run(sg.Scene.load(sys.argv[1], duration=100.0), sys.argv[2])\n"
        "except KeyboardInterrupt:\n"
        "    print(sg.open(sys.argv[2]).summary['exit_reason'])\n"
    )
    out = tmp_path / "run"
    line = [sys.executable, "-c", script, scene_file("seeds/stack"), out]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (out / "steps.csv").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "interrupted\n"
    run = sg.open(out)
    assert run.audit(unfinished=True) and not run.audit()


def test_many_steps_leak_nothing():
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("no /proc here")
    simulation = sg.Simulation(rolling_ball(step=1e-4, duration=100.0))

    def go(n: int) -> None:
        for _ in range(n):
            outcome = simulation.step()
            assert outcome.good and outcome.verdict.green
            assert len(simulation.contacts()) == 1
            assert simulation.positions.shape == (2, 3)
            if outcome.step % 100 == 0:
                assert simulation.save().scene is not None

    go(5000)
    before = resident()
    go(100_000)
    # One array of 72 bytes a step alone would be 7.2 MB.
    assert resident() - before < 2_000_000


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["run", "--help"],
        ["check", str(scene_file("seeds/stack"))],
        ["check", "none.toml"],
        ["frobnicate"],
        [],
    ],
)
def test_the_command_line_is_the_program(arguments):
    program = os.environ.get("SIGNORINI_PROGRAM")
    if not program:
        pytest.skip("SIGNORINI_PROGRAM does not name the program")
    expected = subprocess.run([program, *arguments], capture_output=True, text=True)
    found = command(*arguments)
    assert (found.returncode, found.stdout, found.stderr) == (
        expected.returncode,
        expected.stdout,
        expected.stderr,
    )


def test_the_command_line_stops_at_signals(tmp_path):
    out = tmp_path / "run"
    line = [
        sys.executable,
        "-m",
        "signorini",
        "run",
        scene_file("seeds/stack"),
        "--duration",
        "100",
        "--out",
        out,
    ]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # Signals are watched for when the program tells of steps.
    assert any(told.startswith("step ") for told in process.stderr)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "interrupted at t" in told


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_derivatives_go_on_in_a_fork():
    simulation = sg.Simulation(heap(64))
    list(simulation.run(until=0.2))
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def go_on() -> None:
        simulation.linearize()
        _, derivatives = simulation.step_with_derivatives()
        theirs.send(derivatives.apply(friction=1.0).tolist())

    child = context.Process(target=go_on)
    child.start()
    try:
        assert ours.poll(60), "the child hangs"
        found = ours.recv()
    finally:
        child.kill()
        child.join()
    assert found == simulation.step_with_derivatives()[1].apply(friction=1.0).tolist()
