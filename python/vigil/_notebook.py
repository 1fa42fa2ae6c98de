"""Findings of a run that a notebook began, under the cell that runs.

A program, ``vigil tail --findings``, prints them; a thread hands its lines to
the cell. A cell has a thread of its own, because a kernel shows what a thread
prints under the cell that the thread was started in.
"""

import linecache
import os
import re
import sys
import threading

from vigil import _guard

MOST_CELLS = 100
MOST_LINES = 300  # of a cell
LONGEST = 200  # characters of a line

_pages = None  # the lines that are shown


def kernel():
    """The IPython shell of a notebook's kernel, or None: nothing is imported for it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return shell if getattr(shell, "kernel", None) is not None else None


@_guard.guard
def path():
    """The notebook's file, as VS Code or a Jupyter server tells its kernels; None where nobody does."""
    shell = kernel()
    told = shell is not None and (shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME"))
    return told if isinstance(told, str) and told.endswith(".ipynb") else None


@_guard.guard
def cells():
    """record.CellFacts without their place: the cells that were run, by the names that their code has; None outside a notebook."""
    shell = kernel()
    label = getattr(getattr(shell, "compile", None), "format_code_name", None)
    if label is None:  # no notebook, or an IPython before 8.0
        return None
    found = []
    for name, entry in list(linecache.cache.items()):
        number = re.search(r"\d+", (label(name) or ("", ""))[1]) if len(entry) == 4 else None
        if number is not None and int(number.group()) > 0:
            lines = [line.rstrip("\r\n")[:LONGEST] for line in entry[2][:MOST_LINES]]
            found.append({"file": name, "number": int(number.group()), "lines": lines})
    found.sort(key=lambda cell: cell["number"])
    return {"list": found[-MOST_CELLS:]} if found else None


@_guard.guard
def follow(run, tail):
    """Show the findings of ``run`` under the cells of the notebook that this process is the kernel of, if it is one.

    tail: starts the program that prints them, for the path of a run.
    """
    global _pages
    shell = kernel()
    if shell is None or not run:
        return
    if _pages is None:
        _pages = Pages()
        shell.events.register("pre_run_cell", _pages.cell)
    _pages.read(tail(os.path.abspath(run)))
    _pages.cell()


class Pages(object):
    """What `vigil tail` prints of runs, handed to the cell that runs."""

    def __init__(self):
        self.more = threading.Condition()
        self.lines = []
        self.turn = 0  # counts cells
        self.open = 0  # programs that may print more
        self.pid = os.getpid()

    def read(self, process):
        """Begin to take in what is printed of a run."""
        self.open += 1
        thread = threading.Thread(target=self._take, args=(process,), name="vigil-findings", daemon=True)
        thread.start()

    def _take(self, process):
        out = process.stdout
        out.readline()  # the program's process id
        process.wait()  # the shell that started it
        while True:
            line = out.readline()
            with self.more:
                if line:
                    self.lines.append(line.decode("utf-8", "replace"))
                else:
                    self.open -= 1
                self.more.notify_all()
            if not line:
                out.close()
                return

    def cell(self, *_):
        """A cell begins: what comes from now on is shown under it."""
        if os.getpid() != self.pid:
            return
        with self.more:
            self.turn += 1
            self.more.notify_all()
            if self.open or self.lines:
                threading.Thread(target=self._show, args=(self.turn,), name="vigil-cell", daemon=True).start()

    def _show(self, turn):
        while True:
            with self.more:
                while self.turn == turn and not self.lines and self.open:
                    self.more.wait()
                if self.turn != turn or not self.lines:
                    return
                lines, self.lines = self.lines, []
            try:
                sys.stdout.write("".join(lines))
                sys.stdout.flush()
            except Exception:
                return  # a kernel that ends
