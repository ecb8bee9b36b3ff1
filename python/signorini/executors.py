"""Work on executors: results in order, and a second try where a worker was lost."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from signorini.errors import Error, InputError, WorkerError

#: How often work begins whose worker is lost each time.
_TRIES = 3
#: Pieces of work that an executor has at a time for each of its workers, and where it does not tell them.
_AHEAD = 4
_AHEAD_OF_ALL = 256
#: Pieces that a study is made of at least, where it has as many trials, and most trials in one.
_PIECES = 512
_LONGEST = 64


@dataclass(frozen=True)
class Lost:
    """Work whose worker was lost each time that it began."""

    reason: Exception


class _Ray:
    """Ray as an executor."""

    def submit(self, work: Callable[..., Any], *given: Any) -> Any:
        import ray

        return _RayFuture(ray.remote(work).remote(*given))


@dataclass(frozen=True)
class _RayFuture:
    task: Any

    def result(self) -> Any:
        import ray

        return ray.get(self.task)

    def cancel(self) -> None:
        import ray

        ray.cancel(self.task)


class _Piece:
    """Work that is to be done, and its future while an executor has it."""

    def __init__(self, given: tuple[Any, ...]) -> None:
        self.given = given
        self.lost = 0
        self.future: Any = None


class _Pool:
    """An executor, or one that took its place: a pool of processes that lost one takes no work any more."""

    def __init__(self, executor: Any) -> None:
        if executor == "ray":
            executor = _Ray()
        if not callable(getattr(executor, "submit", None)):
            raise InputError(f'executor {executor!r}: must be None, "ray", or have a method submit')
        self.executor = executor
        self.own: ProcessPoolExecutor | None = None
        workers = getattr(executor, "_max_workers", None)
        self.ahead = _AHEAD * workers if isinstance(workers, int) and workers > 0 else _AHEAD_OF_ALL

    def submit(self, work: Callable[..., Any], piece: _Piece) -> None:
        try:
            piece.future = self.executor.submit(work, *piece.given, piece.lost)
        except BrokenExecutor:
            self.renew()
            piece.future = self.executor.submit(work, *piece.given, piece.lost)

    def renew(self) -> None:
        """Takes a new pool of as many processes in place of a broken one."""
        broken = self.executor
        if not isinstance(broken, ProcessPoolExecutor) or not getattr(broken, "_broken", True):
            return
        names = ("_max_workers", "_mp_context", "_initializer", "_initargs")
        workers, context, begin, given = (getattr(broken, name, None) for name in names)
        self.close()
        self.own = ProcessPoolExecutor(workers, context, begin, given or ())
        self.executor = self.own

    def close(self) -> None:
        if self.own is not None:
            self.own.shutdown(cancel_futures=True)
            self.own = None


def in_order(
    executor: Any,
    work: Callable[..., Any],
    given: Iterable[tuple[Any, ...]],
    named: Callable[[tuple[Any, ...]], str],
) -> Iterator[Any]:
    """Results of ``work(*arguments, lost)`` on an executor for all ``given`` arguments, in their order.

    ``lost`` says how many workers were lost with this piece of work before. Work whose worker is lost begins
    again, the last time with nothing beside it, and a warning says so by its name; after three times its
    result is `Lost`. Errors of the package are raised; other exceptions are taken as a loss.
    """
    pool, waiting, left = _Pool(executor), deque[_Piece](), iter(given)
    try:
        while True:
            _hand_out(pool, work, waiting, left)
            if not waiting:
                return
            piece = waiting[0]
            try:
                result = piece.future.result()
            except Error:
                raise
            except Exception as error:
                if _lose(pool, waiting, error) < _TRIES:
                    warnings.warn(_told(named(piece.given), error), RuntimeWarning, stacklevel=3)
                    continue
                result = Lost(error)
            waiting.popleft()
            yield result
    finally:
        for piece in waiting:
            if hasattr(piece.future, "cancel"):
                piece.future.cancel()
        pool.close()


def _hand_out(
    pool: _Pool, work: Callable[..., Any], waiting: deque[_Piece], left: Iterator[tuple[Any, ...]]
) -> None:
    """Hands waiting work to the pool, and new one up to what it may have."""
    if waiting and waiting[0].lost == _TRIES - 1:
        # Alone: another piece cannot take its worker away.
        if waiting[0].future is None:
            pool.submit(work, waiting[0])
        return
    while len(waiting) < pool.ahead and (new := next(left, None)) is not None:
        waiting.append(_Piece(new))
    for piece in waiting:
        if piece.future is None:
            pool.submit(work, piece)


def _lose(pool: _Pool, waiting: deque[_Piece], error: Exception) -> int:
    """Takes the first piece back, and all that were lost with it; how often the first one was lost."""
    lost = [waiting[0]]
    if isinstance(error, BrokenExecutor):
        lost += [piece for piece in list(waiting)[1:] if piece.future and _is_broken(piece.future)]
        pool.renew()
    for piece in lost:
        piece.future = None
        piece.lost = min(piece.lost + 1, _TRIES - 1) if piece is not waiting[0] else piece.lost + 1
    return waiting[0].lost


def _is_broken(future: Any) -> bool:
    # All that a broken pool had ends with this exception, soon.
    return isinstance(future.exception(), BrokenExecutor)


def _told(name: str, error: Exception) -> str:
    reason = str(error) or type(error).__name__
    return f"{name}: a worker was lost; what it had runs again ({reason})"


def pieces(taken: int, count: int) -> Iterator[tuple[int, int]]:
    """First and last numbers of pieces of the trials that are left."""
    size = max(1, min(_LONGEST, (count - taken) // _PIECES))
    for first in range(taken + 1, count + 1, size):
        yield first, min(first + size - 1, count)


def run_study(
    study: Any, count: int, executor: Any, work: Callable[..., str], given: tuple[Any, ...], name: str
) -> None:
    """Has an executor run the trials of a study that are left, ``work(*given, (first, last), lost)``, and
    writes its files, also where it is interrupted.

    Raises `InputError` for an executor that is none, `WorkerError` where workers are lost with the same
    trials each time.
    """
    try:
        if executor is None:
            study.run()
            return
        left = list(pieces(study.taken, count))
        all_given = [(*given, numbers) for numbers in left]
        found = in_order(executor, work, all_given, lambda given: _numbers(name, given[-1]))
        for numbers, rows in zip(left, found, strict=True):
            if isinstance(rows, Lost):
                told = f"{_numbers(name, numbers)}: {_TRIES} workers were lost with it ({rows.reason})"
                raise WorkerError(told) from rows.reason
            study.take(rows)
    finally:
        study.finish()


def _numbers(name: str, numbers: tuple[int, int]) -> str:
    first, last = numbers
    return f"{name} {first}" if first == last else f"{name}s {first} to {last}"
