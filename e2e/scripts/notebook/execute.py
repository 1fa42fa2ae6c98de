"""Runs a notebook of three cells in a real Jupyter kernel."""

import nbformat
from nbclient import NotebookClient

CELLS = [
    "import torch\nimport vigil.torch as vg\nfrom torch import nn\ntorch.manual_seed(0)\nhook = vg.Hook()",
    "model = nn.Linear(8, 1)\nhook.register_module(model)\noptimiser = torch.optim.SGD(model.parameters(), lr=0.05)",
    "for _ in range(40):\n"
    "    x = torch.randn(32, 8)\n"
    "    optimiser.zero_grad()\n"
    "    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()\n"
    "    optimiser.step()\n",
    "hook.close()",
]
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
NotebookClient(notebook, timeout=100, kernel_name="python3").execute()
print("done")
