"""Exceptions, with the text that the command line prints behind ``error:``."""

from __future__ import annotations

from collections.abc import Sequence


class Error(Exception):
    """What was asked for is impossible; nothing was computed and nothing was written.

    ``faults`` holds each fault by itself, with its place first.
    """

    def __init__(self, text: str, faults: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.faults: tuple[str, ...] = tuple(faults) or (text,)

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type, tuple[str, tuple[str, ...]]]:
        return (type(self), (str(self), self.faults))


class InputError(Error, ValueError):
    """A value, in a file or given by hand, is not allowed."""


class FileError(Error, OSError):
    """A file or folder could not be read or written."""


class InternalError(Error, RuntimeError):
    """A fault of the program itself; please report it. The text says what went wrong, and where."""


class WorkerError(Error, RuntimeError):
    """Workers of an executor were lost each time with the same work. Results before it are kept."""
