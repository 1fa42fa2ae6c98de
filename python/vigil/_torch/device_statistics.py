"""Statistics of many tensors, computed where the tensors are.

The elements of all tensors are laid in rows of WIDTH, each tensor beginning a
row of its own and its last row filled up with NaN, and a few operations over
some hundred rows give the numbers of each row. The agent unites the rows of a
tensor as it unites the blocks of one that it measured itself, so nothing here
needs to know a value, and nothing waits for the device. The order of all sums
is fixed; counts are whole numbers: the same values give the same statistics.
The numbers are those of docs/protocol.md 4.1.
"""

import struct

import torch

from vigil._torch import compat

WIDTH = 4096  # elements of a row
ROWS = 1024  # rows that are worked on at once: 4 M elements; a pass takes some 120 MB of the device's memory
NUMBERS = 9  # float64 of a row
BUCKETS = 277  # exponents -149 to 127, of negative and of positive elements
_LEAST = -149

# dtypes whose values are exact in float32, and those that need float64. Others are copied.
_NARROW = frozenset((torch.float32, torch.float16, torch.bfloat16))
_WIDE = frozenset((torch.float64, torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64))
DTYPES = _NARROW | _WIDE
MOST = 1 << 31  # elements of one tensor; its counts are int32


def why_not(tensor):
    """Why the statistics of a tensor have to be left to the agent, or None."""
    if tensor.dtype not in DTYPES:
        return "element type %s" % tensor.dtype
    if tensor.numel() >= MOST:
        return "%d elements" % tensor.numel()
    return None


class Recipe(object):
    """How the tensors of a list, of known dtypes and numbers of elements, are laid in rows.

    ``head``: what goes before the numbers in the record; ``nbytes``: of head,
    numbers and histograms together. ids: the tensors' ids in the session.
    """

    def __init__(self, ids, tensors):
        self.count = len(tensors)
        self.rows = [-(-t.numel() // WIDTH) for t in tensors]
        self.head = b"".join(struct.pack("<II", i, n) for i, n in zip(ids, self.rows))
        self.total = sum(self.rows)
        self.nbytes = len(self.head) + self.total * NUMBERS * 8 + self.count * 2 * BUCKETS * 4
        self.passes = []  # (dtype worked in, [(index, first element, elements)]): rows of one pass
        self.owners = None  # by device: of each row, in the order of the passes, the tensor's index
        for dtype, those in ((torch.float32, _NARROW), (torch.float64, _WIDE)):
            part, used = [], 0
            for i, t in enumerate(tensors):
                if t.dtype not in those:
                    continue
                start, left = 0, self.rows[i]
                while left:
                    rows = min(left, ROWS - used)
                    part.append((i, start, min(rows * WIDTH, t.numel() - start)))
                    start, left, used = start + rows * WIDTH, left - rows, used + rows
                    if used == ROWS:
                        self.passes.append((dtype, part))
                        part, used = [], 0
            if part:
                self.passes.append((dtype, part))
        self.first = [sum(self.rows[:i]) for i in range(self.count)]

    def places(self):
        """For each row in the order of the passes: the index of its tensor, and its place among all rows, as two lists."""
        owners, places = [], []
        for _, part in self.passes:
            for i, start, n in part:
                rows = -(-n // WIDTH)
                owners.extend([i] * rows)
                places.extend(range(self.first[i] + start // WIDTH, self.first[i] + start // WIDTH + rows))
        return owners, places


def compute(recipe, tensors, index, scale=None, scaled=()):
    """(rows, histograms): float64 [rows, NUMBERS] in the order of the tensors, int32 [tensors, 2 * BUCKETS], on their device.

    index: ``recipe.places()`` as one int64 tensor [2, rows] on that device.
    scale: a one-element tensor, or a number, that the values of the tensors
    whose indexes are in ``scaled`` are divided by.
    """
    with torch.no_grad():
        device = index.device
        numbers = torch.empty((recipe.total, NUMBERS), dtype=torch.float64, device=device)
        counts = torch.zeros((recipe.count, 2 * BUCKETS), dtype=torch.int32, device=device)
        at = 0
        for dtype, part in recipe.passes:
            x = _laid(part, tensors, dtype, device, scale, scaled)
            n = x.shape[0]
            owners, places = index[0, at : at + n], index[1, at : at + n]
            numbers.index_copy_(0, places, _numbers(x))
            counts.index_add_(0, owners, _counts(x))
            at += n
        return numbers, counts


def _laid(part, tensors, dtype, device, scale, scaled):
    """The rows of a pass, as [rows, WIDTH] of dtype."""
    rows = sum(-(-n // WIDTH) for _, _, n in part)
    flat = torch.full((rows * WIDTH,), float("nan"), dtype=dtype, device=device)
    targets, sources, divided = [], [], []
    at = 0
    for i, start, n in part:
        source = tensors[i].detach()
        target = flat[at : at + n]
        if start == 0 and n == source.numel():
            target = target.view(source.shape)
        else:
            source = source.reshape(-1)[start : start + n]
        targets.append(target)
        sources.append(source)
        if i in scaled:
            divided.append(target)
        at += -(-n // WIDTH) * WIDTH
    # A call for all of them: a kernel for each would cost more than what it does.
    compat.copy_all(targets, sources)
    compat.divide_all(divided, scale)
    return flat.view(rows, WIDTH)


def _numbers(x):
    """[rows, NUMBERS] of rows: NaN, +Inf, -Inf and zeros counted; min, max, mean, M2 and L1 of the finite elements."""
    f64 = torch.float64
    inf = float("inf")
    finite = torch.isfinite(x)
    k = finite.sum(1).clamp_(min=1).to(f64)
    y = torch.where(finite, x, torch.zeros((), dtype=x.dtype, device=x.device))
    low = x.masked_fill(~finite, inf).amin(1)
    high = x.masked_fill(~finite, -inf).amax(1)
    # By a power of two, which changes no digit, so that squares neither overflow nor vanish.
    most = 126 if x.dtype == torch.float32 else 1020
    e = torch.frexp(y.abs().amax(1))[1].clamp_(-most, most)
    y = y * _power(-e, x.dtype)[:, None]
    size = _power(e, f64)
    l1 = y.abs().sum(1, dtype=f64) * size
    mean = y.sum(1, dtype=f64) / k
    near = mean.to(x.dtype)
    d = torch.where(finite, y - near[:, None], torch.zeros((), dtype=x.dtype, device=x.device))
    # The mean that was subtracted is a rounded one.
    m2 = (d.square_().sum(1, dtype=f64) - k * (mean - near.to(f64)).square()).clamp_(min=0)
    counts = [torch.isnan(x).sum(1), (x == inf).sum(1), (x == -inf).sum(1), (x == 0).sum(1)]
    rest = [low, high, mean * size, m2 * size * size, l1]
    return torch.stack([v.to(f64) for v in counts + rest], 1)


def _power(e, dtype):
    """2 to the power of e (int32, in the range of dtype), put together from bits: pow need not be exact on a device."""
    if dtype == torch.float32:
        return ((e + 127) << 23).view(dtype)
    return ((e.to(torch.int64) + 1023) << 52).view(dtype)


def _counts(x):
    """int32 [rows, 2 * BUCKETS]: the finite elements that are not zero by sign and exponent."""
    e = torch.frexp(x)[1].sub_(1).clamp_(_LEAST, _LEAST + BUCKETS - 1).sub_(_LEAST)
    e = torch.where(x < 0, e, e + BUCKETS)
    e = e.masked_fill_(~(torch.isfinite(x) & (x != 0)), 2 * BUCKETS)
    rows = x.shape[0]
    bins = 2 * BUCKETS + 1
    e = e.to(torch.int64).add_(torch.arange(rows, device=x.device)[:, None] * bins).view(-1)
    ones = torch.ones((1,), dtype=torch.int32, device=x.device).expand(e.numel())
    table = torch.zeros((rows * bins,), dtype=torch.int32, device=x.device)
    return table.scatter_add_(0, e, ones).view(rows, bins)[:, : 2 * BUCKETS]
