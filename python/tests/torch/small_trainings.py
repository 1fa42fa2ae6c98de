"""Small trainings, all or those that are named, each in a process of its own that one process with PyTorch forks. Prints name and pid of each.

They are in small_losses.py, small_modes.py, small_sequences.py and small_updates.py; what the facts
say of them in test_facts.py.
"""

import gc
import os
import sys
import traceback

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "e2e", "scripts"))

import quick_end
import small_losses  # noqa: F401  it adds its cases
import small_modes  # noqa: F401  it adds its cases
import small_sequences  # noqa: F401  it adds its cases
import small_updates  # noqa: F401  it adds its cases
import torch
from small_registry import CASES
from torch import nn


def main(cases):
    torch.set_num_threads(1)
    torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)  # loads the compiler, once instead of in every child
    gc.collect()
    gc.freeze()  # looking for models among all objects is quick then
    for name, fn in cases.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        pid = os.fork()
        if pid == 0:
            torch.manual_seed(0)
            try:
                fn()
            except BaseException:
                traceback.print_exc()
                sys.exit(1)
            quick_end.leave()
        _, status = os.waitpid(pid, 0)
        print(name, pid, status, flush=True)


if __name__ == "__main__":
    main(CASES)
