"""Compares statistics computed on the device with those of the CPU, by element type, as JSON: whether all counts are equal, and the largest relative difference of the other numbers.

With BENCH_DEVICE=tiny both are of the CPU.
"""

import json
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from vigil._torch import device_statistics

DEVICE = "cpu" if os.environ["BENCH_DEVICE"] == "tiny" else "cuda"
COUNTS = 4  # of the numbers of a row: NaN, infinities, zeros


def tensors(dtype):
    """Of many sizes, with values of all magnitudes; of one all are equal, of one none is finite."""
    torch.manual_seed(0)
    out = [torch.randn(n) * 10.0 ** torch.randint(-30, 30, (n,)) for n in (1, 7, 4096, 4097, 100003)]
    odd = torch.randn(999)
    odd[::7], odd[1::7], odd[2::7], odd[3::7] = 0, float("nan"), float("inf"), float("-inf")
    out += [odd, torch.full((50,), 3.25), torch.full((20,), float("nan")), torch.randn(64, 129).t()]
    if not dtype.is_floating_point:
        out = [torch.nan_to_num(t, 0.0, 100.0, -100.0).clamp(-100, 100) for t in out]
    return [t.to(dtype) for t in out]


def compute(given, place):
    given = [t.to(place) for t in given]
    recipe = device_statistics.Recipe(range(len(given)), given)
    numbers, counts = device_statistics.compute(recipe, given, torch.tensor(recipe.places()).to(place))
    return numbers.cpu(), counts.cpu()


def main():
    out = {}
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int64):
        given = tensors(dtype)
        (here, histograms), (there, theirs) = compute(given, "cpu"), compute(given, DEVICE)
        equal = torch.equal(here[:, :COUNTS], there[:, :COUNTS]) and torch.equal(histograms, theirs)
        a, b = here[:, COUNTS:], there[:, COUNTS:]
        apart = torch.where(a == b, torch.zeros_like(a), (a - b).abs() / torch.maximum(a.abs(), b.abs()))
        # Where positive and negative values cancel, a mean is as exact as the sum of their magnitudes.
        size = here[:, -1] / 4096
        apart[:, 2] = torch.where(a[:, 2] == b[:, 2], torch.zeros_like(size), (a[:, 2] - b[:, 2]).abs() / torch.maximum(size, a[:, 2].abs()))
        out[str(dtype)[6:]] = {"counts": equal, "relative": float(apart.max())}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
