"""Runs a notebook of five cells in a real Jupyter kernel, bare and with a hook; the weights must be the same, bit for bit."""

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
    "    optimiser.zero_grad()\n"
    "    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()\n"
    "    optimiser.step()\n"
    "print([p.tolist() for p in model.parameters()])",
]
CLOSE = "hook.close()"


def weights(cells):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    NotebookClient(notebook, timeout=100, kernel_name="python3").execute()
    return notebook.cells[3]["outputs"][0]["text"]


watched = weights([*CELLS, CLOSE])
if weights([c if c != HOOK else "" for c in CELLS]) != watched:
    sys.exit("other weights than without the hook")
print("done")
