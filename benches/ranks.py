"""Time of a step on R ranks by the model of docs/guide/ranks.md: prints its tables.

python3 benches/ranks.py

The constants are those measured there; a network is assumed.
"""

from math import log2

#: Time of a sweep for each body (s), turns and checks included: 2.12 s of 967 sweeps of 10,816.
SWEEP = 2.12 / 967 / 10_816
#: Time that every rank takes for each body of the scene in a step (s): 1.26 s of 20 steps.
REPEATED = 1.26 / 20 / 10_816
#: Sweeps of a step.
SWEEPS = 967 / 20
#: Exchanges for each sweep and level, and bytes for each body at the border, with turns and checks.
EXCHANGES, BYTES = 1.7, 45.0
#: Time of a message (s) and bandwidth (B/s): between two ranks of a machine, and of a network, assumed.
MACHINE, NETWORK = (4e-7, 2e9), (2e-6, 1e10)


def border(bodies: float) -> float:
    """Bodies at the border of a section of a cube that is cut in two: one layer on either side."""
    return 2.0 * bodies ** (2.0 / 3.0)


def solve(bodies: float, ranks: int, link: tuple[float, float], cut=border) -> float:
    """Time of the solve of a step (s)."""
    latency, bandwidth = link
    sweep = SWEEP * bodies / ranks
    for level in range(int(log2(ranks))):
        b, group = cut(bodies / 2**level), ranks / 2**level
        # A group of more than two gathers by a tree.
        sweep += SWEEP * b + EXCHANGES * latency * max(1.0, log2(group)) + BYTES * b / bandwidth
    return SWEEPS * sweep


def table(title: str, bodies_of) -> None:
    """Prints a row for each number of ranks."""
    print(f"{title}\n| ranks | bodies | solve (s) | repeated (s) | step (s) | efficiency: solve, step |")
    print("|---|---|---|---|---|---|")
    one = bodies_of(1)
    for ranks in (1, 2, 4, 16, 64, 256, 1024):
        n = bodies_of(ranks)
        shared, repeated = solve(n, ranks, NETWORK), REPEATED * n
        first = solve(one, 1, NETWORK)
        work = n / one / ranks
        of_solve = work * first / shared
        of_step = work * (first + REPEATED * one) / (shared + repeated)
        print(f"| {ranks} | {n:.0e} | {shared:.3g} | {repeated:.3g} | {shared + repeated:.3g} ", end="")
        print(f"| {of_solve:.2f}, {of_step:.2g} |")


def pays_from(ranks: int) -> int:
    """Bodies from which so many ranks take three quarters of the time of half as many in the solve, or less."""
    n = 100.0
    while solve(n, ranks, NETWORK) > 0.75 * solve(n, ranks // 2, NETWORK):
        n *= 1.1
    return round(n)


def main() -> None:
    """Prints all tables."""
    measured = solve(10_816, 2, MACHINE, lambda _: 1650.0)
    alone = solve(10_816, 1, MACHINE)
    print(f"bed of 10,816, 20 steps: solve on 1 rank {20 * alone:.2f} s, on 2 {20 * measured:.2f} s")
    table("\nweak: 1e5 bodies a rank", lambda ranks: 1e5 * ranks)
    table("\nstrong: 1e7 bodies", lambda ranks: 1e7)
    for ranks in (2, 4, 16, 64, 256):
        n = pays_from(ranks)
        print(f"{ranks} ranks pay from {n} bodies, {n // ranks} a rank")


if __name__ == "__main__":
    main()
