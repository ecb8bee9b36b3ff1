"""What is measured: the cases of the whole command, and those of `--quick`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

#: Families with the torsional friction of this program. Ellipsoids touch at points, where "patch" is 0.
FAMILIES: list[tuple[str, float | str]] = [("ellipsoids", 0.0), ("cubes", "patch"), ("cubes", 0.0)]
ALL = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10]
#: Family, bodies, tolerances, and the processor time (s) after which a run ends.
DROPS = [
    ("ellipsoids", 64, ALL, 20.0),
    ("ellipsoids", 216, ALL[:-1], 40.0),
    ("ellipsoids", 1000, ALL[:4], 90.0),
    ("cubes", 64, ALL, 20.0),
    ("cubes", 216, ALL[:3], 20.0),
    ("cubes", 1000, ALL[:3], 60.0),
    ("ellipsoids", 10000, [1e-2], 15.0),
]
#: Whose rest is timed: torsional friction of this program, bodies, tolerances.
RESTS: list[tuple[str, float | str, int, list[float]]] = [
    ("ellipsoids", 0.0, 64, [1e-3, 1e-4]),
    ("ellipsoids", 0.0, 216, [1e-3]),
    ("ellipsoids", 0.02, 64, [1e-3, 1e-4]),
    ("ellipsoids", 0.02, 216, [1e-3, 1e-4]),
    ("cubes", "patch", 64, [1e-3]),
]
#: What is run with one thread and with two, at 1e-3.
THREADED: list[tuple[str, float | str, int]] = [("ellipsoids", 0.0, 1000), ("cubes", "patch", 216)]
#: Steps of a drop (2 s), and further ones until the pile rests (2 s).
STEPS, TO_REST = 400, 400
#: Tolerances up to this are cut at half the time, other programs at this time (s).
FINE, PEERS = 1e-4, 30.0


@dataclass(frozen=True)
class Case:
    """`steps` of one program, and `rest` more; a run ends after `seconds` of processor time.

    `part` says what for: "drop" and its rest, "threads" or "mixed".
    """

    part: str
    program: str
    settings: dict[str, Any]
    family: str
    count: int
    threads: int = 1
    steps: int = STEPS
    rest: int = 0
    seconds: float = 60.0
    key: str = field(init=False, default="")

    def __post_init__(self) -> None:
        settings = " ".join(f"{name}={value}" for name, value in self.settings.items())
        words = [self.part, self.family, self.count, self.program, settings, f"threads={self.threads}"]
        object.__setattr__(self, "key", " ".join(map(str, words)))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def ours(part: str, family: str, torsion: float | str, count: int, tolerance: float, **more: Any) -> Case:
    settings = {"tolerance": tolerance, "torsion": torsion}
    return Case(part, "signorini", settings, family, count, **more)


def peers(family: str, count: int, **more: Any) -> Iterator[Case]:
    for solver in ("Newton", "CG"):
        yield Case("drop", "MuJoCo", {"solver": solver}, family, count, **more)
    yield Case("drop", "Rapier", {}, family, count, **more)


def whole() -> list[Case]:
    """Cases that stand beside each other run one after the other."""
    mixed = {"tolerance": 1e-3, "scene": "granular/mixed-216"}
    cases = [Case("mixed", "signorini", mixed, "mixed", 0, steps=300)]
    for family, torsion, count in THREADED:
        for threads in (1, 2):
            more = {"threads": threads, "seconds": 20.0}
            cases.append(ours("threads", family, torsion, count, 1e-3, **more))
    for family, count, tolerances, seconds in DROPS:
        rests = {(t, r) for f, r, n, several in RESTS if (f, n) == (family, count) for t in several}
        rest = TO_REST if rests else 0
        for case in peers(family, count, rest=rest, seconds=min(seconds, PEERS)):
            # Newton's method factorises: it is for thousands of bodies at most.
            if count < 10000 or case.settings.get("solver") != "Newton":
                cases.append(case)
        torsions = {torsion for name, torsion in FAMILIES if name == family}
        asked = {(t, torsion) for t in tolerances for torsion in torsions} | rests
        for tolerance, torsion in sorted(asked, key=lambda pair: (-pair[0], str(pair[1]))):
            is_long = (tolerance, torsion) in rests
            limit = (1.0 if tolerance > FINE else 0.5) * (2.0 if is_long else 1.0) * seconds
            more = {"rest": TO_REST if is_long else 0, "seconds": limit}
            cases.append(ours("drop", family, torsion, count, tolerance, **more))
    return cases


def quick() -> list[Case]:
    """Whether everything works, in about a minute."""
    cases: list[Case] = []
    for family, torsion in FAMILIES[:2]:
        cases += peers(family, 64, steps=60, rest=40)
        cases += [ours("drop", family, torsion, 64, t, steps=60, rest=40) for t in (1e-1, 1e-3)]
    cases += [ours("threads", "ellipsoids", 0.0, 64, 1e-3, steps=60, threads=n) for n in (1, 2)]
    return cases
