"""Runs a notebook in a real Jupyter kernel, bare and with a hook.

The weights must be the same, bit for bit, and what Vigil finds is shown under the cells.
"""

import os
import sys

from jupyter_client.manager import start_new_kernel

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
SHOWN = (
    "import threading, time\nimport vigil._notebook\n"
    "while vigil._notebook._pages.open or vigil._notebook._pages.lines:\n    time.sleep(0.05)\n"
    "for thread in threading.enumerate():\n    if thread.name == 'vigil-cell':\n        thread.join(30)"
)


def printed(cells):
    """What the cells print.

    As in JupyterLab, what comes when its cell is over already still belongs to it.
    """
    env = dict(os.environ, JPY_SESSION_NAME=os.path.abspath("Fit a line.ipynb"))  # as a Jupyter server does
    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=100, env=env)
    texts, numbers = ["" for _ in cells], {}

    def until_idle(request):
        while True:
            message = client.get_iopub_msg(timeout=100)
            of, content = message["parent_header"].get("msg_id"), message["content"]
            if message["msg_type"] == "error":
                sys.exit("a cell failed: %s" % content["evalue"])
            if message["msg_type"] == "stream" and of in numbers:
                texts[numbers[of]] += content["text"]
            if message["msg_type"] == "status" and content["execution_state"] == "idle" and of == request:
                return

    try:
        for n, cell in enumerate(cells):
            request = client.execute(cell)
            numbers[request] = n
            until_idle(request)
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    return texts


watched = printed([*CELLS, CLOSE, SHOWN])
bare = printed([c if c != HOOK else "" for c in CELLS])
if bare[3] not in watched[3]:
    sys.exit("other weights than without the hook: %r, %r" % (bare[3], watched[3]))
before, since = "".join(watched[:3]), "".join(watched[3:])
if before or "error zero_grad at step" not in since or "the run has ended: completed" not in since:
    sys.exit("findings are not shown under the cells: %r" % (watched,))
if "cell 4, line 3  nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()" not in " ".join(since.split()).replace("line 3 nn", "line 3  nn"):
    sys.exit("the finding does not name its cell: %r" % since)
print("done")
