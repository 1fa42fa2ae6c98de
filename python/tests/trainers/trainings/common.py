"""What the trainings share. Knows nothing of Vigil.

A file of trainings ends with ``each(globals())``: it imports its framework once
and does every training in a child of its own, which leaves the digest of the
weights and prints what the framework itself says about the training.
"""

import hashlib
import json
import os
import sys
import warnings

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..", "e2e", "scripts"))

import quick_end
import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)


def digest(model):
    h = hashlib.sha256()
    for name, t in model.state_dict().items():
        h.update(name.encode())
        h.update(t.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b"")
    return h.hexdigest()


def each(scope):
    """The trainings that the command line names: functions of ``scope`` that give (model, what is said of it)."""
    out = os.environ.get("VIGIL_E2E_OUT")
    for name in sys.argv[1:]:
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            torch.manual_seed(0)
            model, said = scope[name]()
            if out:
                with open(out + "-" + name, "w") as f:
                    f.write(digest(model))
            print("SAID " + json.dumps(dict(said, kind=name)), flush=True)
            quick_end.leave()
        _, status = os.waitpid(pid, 0)
        if status:
            sys.exit("%s: exit status %d" % (name, status))


def clouds(n, features, classes, seed=0):
    """A classification that can be learned: one cloud of points for each class."""
    g = torch.Generator().manual_seed(seed)
    centres = torch.randn(classes, features, generator=g) * 2
    y = torch.randint(0, classes, (n,), generator=g)
    return centres[y] + torch.randn(n, features, generator=g), y
