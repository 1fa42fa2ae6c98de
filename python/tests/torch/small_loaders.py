"""Runs e2e/scripts/loaders.py for each argument, a style and a seed, in a fork of its own; prints the process and what the script printed."""

import io
import os
import runpy
import sys

import torch

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "e2e", "scripts")
SCRIPT = os.path.join(SCRIPTS, "loaders.py")
sys.path.append(SCRIPTS)

import quick_end

if __name__ == "__main__":
    torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)  # loads the compiler, once instead of in every child
    for one in sys.argv[1:]:
        sys.stdout.flush()
        pid = os.fork()
        if pid:
            assert os.waitpid(pid, 0)[1] == 0, one
            continue
        out, sys.stdout = sys.stdout, io.StringIO()
        sys.argv = [SCRIPT] + one.split(":")
        runpy.run_path(SCRIPT, run_name="__main__")
        out.write("%s %d %s\n" % (one, os.getpid(), sys.stdout.getvalue().splitlines()[-1]))
        sys.stdout = out
        out.flush()
        quick_end.leave()
