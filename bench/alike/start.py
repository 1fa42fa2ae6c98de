"""Runs before each script: seeds where asked, and leaves digests of the weights that live at the end."""

import atexit
import os
import sys

if os.environ.get("ALIKE_SEED"):
    import random

    random.seed(0)
    try:
        import numpy

        numpy.random.seed(0)
    except ImportError:
        pass
    try:
        import torch

        torch.manual_seed(0)
    except ImportError:
        pass


def leave(folder=os.environ.get("ALIKE_WEIGHTS")):
    torch = sys.modules.get("torch")
    if torch is None or not folder or not hasattr(torch, "nn"):
        return
    import gc
    import hashlib

    gc.collect()
    found = set()
    for thing in gc.get_objects():
        if issubclass(type(thing), torch.nn.Parameter) and thing.device.type == "cpu":
            try:
                values = thing.detach().contiguous().view(-1).view(torch.uint8).numpy().tobytes()
            except Exception:
                continue
            found.add(hashlib.sha256(values).hexdigest()[:16])
    if found:
        with open(os.path.join(folder, "rank %s" % os.environ.get("RANK", "0")), "a") as file:
            file.write(" ".join(sorted(found)) + "\n")


atexit.register(leave)
