"""Notebook style: cells are executed one after another in one namespace; a second model is trained in the last one."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
CELLS = [
    "import torch, common\nfrom torch import nn\ntorch.manual_seed(0)",
    "def make():\n    return nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))",
    "x, y = common.blobs(1024, 20, 5)\ncriterion = nn.CrossEntropyLoss()",
    "def fit(model, steps):\n"
    "    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)\n"
    "    report = common.Report(model)\n"
    "    for a, b in common.batches(x, y, 64, steps):\n"
    "        optimizer.zero_grad()\n"
    "        loss = criterion(model(a), b)\n"
    "        loss.backward()\n"
    "        optimizer.step()\n"
    "        report.step(loss.item())\n"
    "    report.done()",
    "model = make()\nfit(model, 25)",
    "model = make()\nfit(model, 25)",
]
space = {"__name__": "__main__"}
for number, cell in enumerate(CELLS):
    exec(compile(cell, "<cell %d>" % number, "exec"), space)
