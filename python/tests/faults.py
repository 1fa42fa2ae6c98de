"""Raises an error at any line of our Python code, to show that none reaches the script.

    sites = faults.sites(scenario)            # every line of ours that it runs
    for site in sites:
        faults.run(scenario, site)            # raises Injected there, once

``scenario`` is a function that behaves as a script does. What it raises comes
out of ``run`` and fails the test. Lines are counted in all threads.
"""

import linecache
import os
import sys
import threading

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "vigil") + os.sep

# Functions that stand between our errors and the script. An error cannot come
# from their lines, only from what they call.
TRUSTED = {
    ("_guard.py", "guarded"),
    ("_guard.py", "failed"),
    ("_guard.py", "background"),
    ("_boot.py", "exec_module"),
    ("_boot.py", "create_module"),
    ("_boot.py", "__getattr__"),
}


class Injected(Exception):
    """The planted error."""


def ours(filename):
    return filename.startswith(ROOT)


def _counts(frame, trusted):
    """Whether an error may be planted at this line: inside functions, and not at a bare "try:", which does nothing."""
    code = frame.f_code
    if code.co_name == "<module>" or (os.path.basename(code.co_filename), code.co_name) in trusted:
        return False
    return linecache.getline(code.co_filename, frame.f_lineno).strip() != "try:"


def _traced(scenario, on_line):
    def local(frame, event, arg):
        if event == "line":
            on_line(frame)
        return local

    def trace(frame, event, arg):
        return local if event == "call" and ours(frame.f_code.co_filename) else None

    before, before_threads = sys.gettrace(), getattr(threading, "_trace_hook", None)
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        return scenario()
    finally:
        sys.settrace(before)
        threading.settrace(before_threads)


def sites(scenario, trusted=TRUSTED):
    """Every (file, line) of ours that the scenario runs, in order of the first visit."""
    found = {}

    def on_line(frame):
        if _counts(frame, trusted):
            found.setdefault((frame.f_code.co_filename, frame.f_lineno), None)

    _traced(scenario, on_line)
    return list(found)


def run(scenario, site, nth=1, trusted=TRUSTED):
    """Run the scenario and raise Injected at the nth visit of the site. Returns (what it returned, whether it was raised)."""
    left = [nth]

    def on_line(frame):
        if frame.f_lineno == site[1] and frame.f_code.co_filename == site[0] and _counts(frame, trusted):
            left[0] -= 1
            if left[0] == 0:
                raise Injected("planted at %s:%d" % (os.path.basename(site[0]), site[1]))

    result = _traced(scenario, on_line)
    return result, left[0] <= 0
