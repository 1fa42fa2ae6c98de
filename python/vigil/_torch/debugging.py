"""Aids for finding mistakes that make a training slow: anomaly detection, profilers, launches of kernels that wait.

Many are on for some steps on purpose. So the first steps do not count, and of each aid
it is noted how often it was on, and when it was so last.
"""

import os

import torch


def _off():
    return False


_anomaly = getattr(torch, "is_anomaly_enabled", _off)
_profiler = getattr(torch.autograd, "_profiler_enabled", _off)


class Debugging(object):
    """Which aids were on in the backward passes that were looked at."""

    def __init__(self):
        self.looked = 0
        self.last = 0
        self.on = {}  # name -> (passes, step of the last one)

    def take(self, step):
        """backward begins; step: TRAIN steps that have closed."""
        self.looked += 1
        self.last = step
        if _anomaly():
            self.on["anomaly"] = (self.on.get("anomaly", (0, 0))[0] + 1, step)
        if _profiler():
            self.on["profiler"] = (self.on.get("profiler", (0, 0))[0] + 1, step)

    def gather(self):
        """DebuggingFacts; None where no aid was on."""
        on = dict(self.on)
        if self.looked and _launches_wait():
            on["launch_blocking"] = (self.looked, self.last)
        if not on:
            return None
        return {"looked": self.looked, "aids": [{"name": name, "passes": passes, "last": last} for name, (passes, last) in sorted(on.items())]}


def _launches_wait():
    """Whether a GPU is used, and each launch waits until the kernel has ended."""
    return os.environ.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0") and torch.cuda.is_initialized()
