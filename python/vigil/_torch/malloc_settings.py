"""Keeps the C library from giving memory back and taking it again at every step.

The gradients of a layer come from the top of the heap. glibc gives the top back
to the kernel when more than 64 MB at most lie free there, and takes it again,
page by page, at the next step. Whether that happens depends on which small thing
lies above, so what we allocate would make some trainings slower by a tenth (see
docs/lab/performance.md). With these limits it happens to none: memory up to KEEP
that the training has used before stays with it.
"""

import os

MMAP = 32 << 20  # bytes from which a block has pages of its own: the most that glibc's own adjustment reaches
KEEP = 256 << 20  # bytes at the top of the heap that are not given back

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def keep():
    """Set the limits, unless the user has set some or this is not glibc. Whether they were set."""
    if "malloc" in os.environ.get("GLIBC_TUNABLES", "") or any(name.startswith("MALLOC_") for name in os.environ):
        return False
    import ctypes

    libc = ctypes.CDLL(None)
    if not hasattr(libc, "gnu_get_libc_version") or not hasattr(libc, "mallopt"):
        return False
    return bool(libc.mallopt(_M_MMAP_THRESHOLD, MMAP)) and bool(libc.mallopt(_M_TRIM_THRESHOLD, KEEP))
