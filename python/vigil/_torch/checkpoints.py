"""Checkpoints: where a training stands when it writes one, and which ones a resumed job reads."""

import functools
import os

import torch

from vigil import _guard, _marks, _session

_MARK = "_vigil_wrapped"
READ = 100  # files that a resumed job has read; the last ones count


def watch(tracker):
    """Be told of files that torch.save has written and torch.load has read."""
    begins, ends = _guard.guard(tracker.marks.begins), _guard.guard(tracker.marks.ends)
    _wrap("save", 1, lambda file: tracker.wrote(*file), begins, ends)
    if os.environ.get("VIGIL_RESUME"):
        _wrap("load", 0, _read, _not_marked, _not_marked)


def _not_marked(part):
    """Reading a checkpoint is no part of a step that has a name."""


def _wrap(name, place, told, begins, ends):
    original = getattr(torch, name)
    if getattr(original, _MARK, False):
        return

    @_guard.guard
    def tell(args, kwargs):
        file = identity(args[place] if len(args) > place else kwargs.get("f"))
        if file is not None:
            told(file)

    @functools.wraps(original)
    def wrapper(*args, **kwargs):
        begins(_marks.CHECKPOINT)
        try:
            out = original(*args, **kwargs)
        finally:
            ends(_marks.CHECKPOINT)
        tell(args, kwargs)
        return out

    setattr(wrapper, _MARK, True)
    setattr(torch, name, wrapper)
    if getattr(torch.serialization, name, None) is original:
        setattr(torch.serialization, name, wrapper)  # where pickle looks for it


def identity(f):
    """(absolute path, nanoseconds of the last change, bytes) of a file that is given by its path; None for anything else."""
    if not isinstance(f, (str, os.PathLike)):
        return None
    path = os.path.abspath(os.fsdecode(os.fspath(f)))
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return path, stat.st_mtime_ns, stat.st_size


def _read(file):
    path, mtime_ns, size = file
    _session.loaded.append({"path": path, "mtime_ns": mtime_ns, "size": size})
    del _session.loaded[:-READ]
