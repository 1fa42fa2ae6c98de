"""What the training scripts of the end-to-end tests share. Knows nothing of Vigil.

With VIGIL_E2E_OUT set, the sha256 of the weights after 20 updates is written to
that file: it must be the same with Vigil and without.
"""

import hashlib
import os

import torch

torch.set_num_threads(1)

STEPS = int(os.environ.get("VIGIL_E2E_STEPS", "40"))
OUT = os.environ.get("VIGIL_E2E_OUT")


def digest(modules):
    """sha256 over the parameters and buffers of modules (or of plain tensors)."""
    h = hashlib.sha256()
    for module in modules:
        tensors = module.state_dict().items() if isinstance(module, torch.nn.Module) else [("", module)]
        for name, t in tensors:
            h.update(name.encode())
            h.update(t.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b"")
    return h.hexdigest()


class Report(object):
    """Prints the loss now and then, and writes the digest after the 20th update."""

    def __init__(self, *modules):
        self.modules = modules
        self.n = 0
        self.first = self.last = None

    def step(self, loss):
        loss = float(loss)
        if self.first is None:
            self.first = loss
        self.last = loss
        self.n += 1
        if self.n % 10 == 1:
            print("step %d loss %.6f" % (self.n - 1, loss), flush=True)
        if self.n == 20 and OUT:
            with open(OUT, "w") as f:
                f.write(digest(self.modules))

    def done(self):
        print("loss %.4f -> %.4f" % (self.first, self.last), flush=True)


def blobs(n, features, classes, seed=0):
    """A classification task that can be learned: one cloud of points per class."""
    g = torch.Generator().manual_seed(seed)
    centres = torch.randn(classes, features, generator=g) * 2
    y = torch.randint(0, classes, (n,), generator=g)
    return centres[y] + torch.randn(n, features, generator=g), y


def batches(x, y, size, steps):
    """``steps`` batches, round and round."""
    n = len(x) // size
    for i in range(steps):
        j = i % n
        yield x[j * size : (j + 1) * size], y[j * size : (j + 1) * size]
