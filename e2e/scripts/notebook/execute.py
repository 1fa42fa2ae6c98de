"""Runs a notebook in a real Jupyter kernel, bare and with a hook.

The weights must be the same, bit for bit, and what Vigil finds is shown under the cells.
"""

import sys

import nbformat
from nbclient import NotebookClient

HOOK = "import vigil.torch as vg\nhook = vg.Hook()"
CELLS = [
    "import torch\nfrom torch import nn\ntorch.manual_seed(0)",
    HOOK,
    "model = nn.Linear(8, 1)\noptimiser = torch.optim.SGD(model.parameters(), lr=0.05)",
    "for _ in range(40):\n"
    "    x = torch.randn(32, 8)\n"
    "    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()\n"
    "    optimiser.step()\n"
    "print([p.tolist() for p in model.parameters()])",
]
CLOSE = "hook.close()"
SHOWN = "import time\nimport vigil._notebook\nwhile vigil._notebook._pages.open or vigil._notebook._pages.lines:\n    time.sleep(0.05)\ntime.sleep(1)"


def printed(cells):
    """What the cells print."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    NotebookClient(notebook, timeout=100, kernel_name="python3").execute()
    return ["".join(o["text"] for o in cell["outputs"] if o["output_type"] == "stream") for cell in notebook.cells]


watched = printed([*CELLS, CLOSE, SHOWN])
bare = printed([c if c != HOOK else "" for c in CELLS])
if bare[3] not in watched[3]:
    sys.exit("other weights than without the hook: %r, %r" % (bare[3], watched[3]))
before, since = "".join(watched[:3]), "".join(watched[3:])
if before or "error zero_grad at step" not in since or "the run has ended: completed" not in since:
    sys.exit("findings are not shown under the cells: %r" % (watched,))
print("done")
