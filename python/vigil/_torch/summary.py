"""Tensors in a few numbers, without making a device wait.

What lies on the CPU is summarised at once. On a device the numbers are computed
there, kept as one small tensor each, and all read together at the end.
"""

import torch

from vigil._torch import compat, device

MOST = 1 << 16  # elements of one tensor that are looked at
MANY = 1 << 14  # of one of very many
_wrapped = getattr(getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", None)


def readable(tensor):
    """Whether the values of a tensor can be looked at here and now."""
    if compat.why_not(tensor) is not None or tensor.layout is not torch.strided:
        return False
    if wrapped(tensor):
        return False
    return not device.capturing(tensor)


def wrapped(tensor):
    """Whether a tensor is one of torch.func's, which has values for a whole batch, or none yet."""
    return _wrapped is not None and _wrapped(tensor)


def initialised(tensor):
    """Whether a parameter has a shape already."""
    return "Uninitialized" not in type(tensor).__name__


def described(tensor):
    """TensorFacts without values."""
    return {"dtype": dtype(tensor), "shape": [int(n) for n in tensor.shape]}


def read(tensor, numbers):
    """TensorFacts whose values are read now."""
    tensor = dict(tensor)
    values = tensor.pop("values", None)
    if values is not None:
        tensor["values"] = values.gather(numbers)
    return tensor


def dtype(tensor):
    return compat.DTYPE_NAMES.get(tensor.dtype, str(tensor.dtype))


def number(value):
    """A float as JSON carries it: what is no JSON number is spelled."""
    value = float(value)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    return float("%.7g" % value)


def precise(tensor):
    """The dtype in which sums over a tensor's values are made."""
    return torch.float32 if tensor.device.type == "mps" else torch.float64


def first(tensor, most=MOST):
    """The first elements of a tensor, flat, without copying all of a large one."""
    tensor = tensor.detach()
    n = tensor.numel()
    if n > most and not tensor.is_contiguous():
        while tensor.dim() > 1 and tensor.shape[0] == 1:
            tensor = tensor[0]
        row = max(n // max(tensor.shape[0], 1), 1)
        tensor = tensor[: max(most // row, 1)]
    return tensor.reshape(-1)[:most]


def leading(tensor, most):
    """The first rows of a tensor, ``most`` elements or one row; None where one row is far larger."""
    tensor = tensor.detach()
    row = tensor[0].numel() if tensor.dim() and tensor.shape[0] else 1
    if row > 4 * most:
        return None
    return tensor[: max(most // max(row, 1), 1)] if tensor.dim() else tensor


class Kept(object):
    """Has ``take`` read tensors: those of a device later, when a wait costs no step anything."""

    def __init__(self, take):
        self.take = take
        self.waiting = []

    def put(self, tensor, *more):
        if device.far(tensor):
            self.waiting.append((tensor.detach().clone(), more))
        else:
            self.take(tensor, *more)

    def settle(self):
        waiting, self.waiting = self.waiting, []
        for tensor, more in waiting:
            self.take(device.here(tensor), *more)


class Numbers(object):
    """Vectors that are read later, all of one device together."""

    def __init__(self):
        self.vectors = []

    def put(self, vector):
        """Keep a one-dimensional tensor or a list; its place."""
        if isinstance(vector, torch.Tensor) and vector.device.type == "cpu":
            vector = vector.tolist()
        self.vectors.append(vector)
        return len(self.vectors) - 1

    def read(self):
        """All vectors as lists; waits once per device."""
        by = {}
        for i, v in enumerate(self.vectors):
            if isinstance(v, torch.Tensor):
                by.setdefault((v.device, v.dtype), []).append(i)
        for places in by.values():
            with torch.no_grad():
                flat = torch.cat([self.vectors[i].reshape(-1) for i in places])
            flat = device.here(flat).tolist()
            for i in places:
                n = self.vectors[i].numel()
                self.vectors[i], flat = flat[:n], flat[n:]
        return self.vectors


class Values(object):
    """ValueFacts of one tensor: computed now, given by ``gather`` when the numbers are read. None of ``what`` cannot be read."""

    __slots__ = ("elements", "place")

    def __init__(self, tensor, numbers, rows, most):
        with torch.no_grad():
            x = first(tensor, most)
            self.elements = x.numel()
            if not x.is_floating_point():
                x = x.to(torch.float64 if x.device.type == "cpu" else precise(x))
            elif x.element_size() < 4:
                x = x.to(torch.float32)
            same = rows and tensor.dim() >= 1 and tensor.shape[0] >= 2
            if x.device.type == "cpu":
                self.place = numbers.put(_at_once(x) + [float(same and _same_rows(tensor.detach()))])
            else:
                self.place = numbers.put(_on_device(x, tensor.detach() if same else None))

    def gather(self, numbers):
        low, high, mean, std, zeros, odd, same = numbers[self.place]
        return {
            "elements": self.elements,
            "min": number(low),
            "max": number(high),
            "mean": number(mean),
            "std": number(std),
            "zeros": number(zeros / self.elements) if self.elements else 0.0,
            "nonfinite": int(odd),
            "same_rows": bool(same),
        }


def values(tensor, numbers, rows=True, most=MOST):
    """Values of a tensor, or None when there are none to look at."""
    if not isinstance(tensor, torch.Tensor) or not readable(tensor) or not tensor.numel() or tensor.is_complex():
        return None
    return Values(tensor, numbers, rows, most)


def _at_once(x):
    low, high = (v.item() for v in torch.aminmax(x))
    odd = 0
    if low - low != 0 or high - high != 0:  # something in it is not finite
        x, n = x[torch.isfinite(x)], x.numel()
        odd = n - x.numel()
        if not x.numel():
            return [float("nan")] * 4 + [0.0, float(odd)]
        low, high = (v.item() for v in torch.aminmax(x))
    zeros = x.numel() - int(torch.count_nonzero(x))
    if low == high:
        return [low, high, low, 0.0, zeros, odd]
    variance, mean = torch.var_mean(x, dim=0, unbiased=False)
    variance, mean = variance.item(), mean.item()
    if variance - variance != 0 or variance == 0:  # squares beyond the type
        variance, mean = (v.item() for v in torch.var_mean(x.double(), dim=0, unbiased=False))
    return [low, high, mean, variance**0.5, zeros, odd]


def _same_rows(x):
    """All samples are equal; a look at a little of two settles most cases."""
    little = x[:2].reshape(2, -1) if x.dim() > 1 else x[:2]
    if x.dim() > 1:
        little = little[:, :: max(little.shape[1] // 64, 1)]
    if not bool((little == little[:1]).all()):
        return False
    return bool((x[: max((1 << 20) // max(x[0].numel(), 1), 2)] == x[:1]).all())


def _on_device(x, whole):
    finite = torch.isfinite(x)
    count = finite.sum()
    kind = precise(x)
    d = torch.where(finite, x, torch.zeros_like(x)).to(kind)
    mean = d.sum() / count
    std = (torch.where(finite, d - mean, torch.zeros_like(d)) ** 2).sum().div(count).sqrt()
    inf = float("inf")
    low = x.masked_fill(~finite, inf).min()
    high = x.masked_fill(~finite, -inf).max()
    if whole is None:
        same = torch.zeros_like(count)
    else:
        same = (whole[: max((1 << 20) // max(whole[0].numel(), 1), 2)] == whole[:1]).all()
    parts = [low, high, mean, std, (x == 0).sum(), x.numel() - count, same]
    return torch.stack([p.to(kind) for p in parts])


SIDE = 64  # rows and columns of a matrix that are compared
LEAST = 8  # of them


def uneven(tensor, numbers):
    """Place of numbers that tell how much more the rows of a weight, and its columns, differ than those of values that were drawn one by one do.

    About 1 in what an initialiser drew, whatever the distribution, and far more after a long training. None where there are too few of both.
    """
    if tensor.dim() < 2 or not tensor.numel() or not tensor.is_floating_point() or not readable(tensor):
        return None
    with torch.no_grad():
        x = tensor.detach()
        x = x.reshape(x.shape[0], -1) if x.is_contiguous() else x.flatten(1)
        x = x[:: max(x.shape[0] // SIDE, 1), :: max(x.shape[1] // SIDE, 1)][:SIDE, :SIDE]
        rows, columns = x.shape
        if max(rows, columns) < LEAST or min(rows, columns) < 2:
            return None
        x = x.to(precise(x))
        x = x / x.abs().amax().clamp(min=torch.finfo(x.dtype).tiny)  # squares stay within the type
        out = []
        for y in (x, x * x):
            spread = y.var(unbiased=False).clamp(min=1e-30)
            if rows >= LEAST:
                out.append(y.mean(1).var() * columns / spread)
            if columns >= LEAST:
                out.append(y.mean(0).var() * rows / spread)
        return numbers.put(torch.stack(out))
