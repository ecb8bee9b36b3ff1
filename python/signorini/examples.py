"""Scenes that come with the package: the gallery, and seed scenes, each of which shows one thing.

>>> import signorini as sg
>>> "gallery/silo" in sg.examples.names()
True
>>> sg.examples.scene("two-spheres").time_step
0.01
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from signorini import _native
from signorini._native import Scene
from signorini.errors import InputError

__all__ = ["about", "names", "scene", "text", "write"]


def names() -> list[str]:
    """Names of all scenes, such as ``gallery/silo``."""
    return [name for name, _, _ in _native.all_examples()]


def _find(name: str) -> tuple[str, str, str]:
    for example in _native.all_examples():
        if name in (example[0], example[0].rpartition("/")[2]):
            return example
    raise InputError(f"example {name!r}: must be one of signorini.examples.names()")


def text(name: str) -> str:
    """The scene file of this name, whose folder may be left out. Raises `InputError` where there is none."""
    return _find(name)[1]


def about(name: str) -> str:
    """The comment at the beginning of a scene file. Raises `InputError` where there is none."""
    return _find(name)[2]


def write(name: str, folder: str | os.PathLike[str] = ".") -> Path:
    """Writes a scene and the meshes that it names into a folder; returns the path of the scene.

    Raises `InputError` where there is no such scene, `OSError` where a file cannot be written.
    """
    full, scene_text, _ = _find(name)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{full.rpartition('/')[2]}.toml"
    path.write_text(scene_text)
    for file, content in _native.files_of_example(full):
        (out / file).write_bytes(content)
    return path


def scene(name: str, **options: Any) -> Scene:
    """The scene of this name. Scenes that name meshes are read from a folder: `write` them first.

    Options as of `Scene.load`. Raises `InputError` where there is none.
    """
    return Scene.from_toml(text(name), **options)
