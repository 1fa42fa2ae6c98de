"""Tensors that are divided between processes (DTensor: FSDP, tensor parallelism): the part that is in this one.

Nothing is gathered: what is captured is the part that lies here, with a word on
where in the whole it belongs.
"""

import torch

_PLAIN = (torch.Tensor, torch.nn.Parameter)


def is_divided(tensor):
    """Whether a tensor is a DTensor."""
    return type(tensor) not in _PLAIN and hasattr(tensor, "_local_tensor") and hasattr(tensor, "placements")


def flattened(module):
    """Whether FullyShardedDataParallel has flattened parameters of a model: each process has a part of them, and nothing says which."""
    return any(type(m).__name__ == "FullyShardedDataParallel" for m in module.modules())


def local(tensor):
    """The part of a tensor that is in this process; the tensor itself when it is not divided. What is on its way from the others is waited for."""
    if is_divided(tensor):
        tensor = tensor._local_tensor
    if type(tensor).__name__ == "AsyncCollectiveTensor":
        tensor = tensor.trigger_wait()
    return tensor


def replicated(tensor):
    """The values of a tensor that every process has whole, None of one that is divided or still to be added up."""
    if not is_divided(tensor):
        return tensor
    return local(tensor) if all(p.is_replicate() for p in tensor.placements) else None


def partial(tensor):
    """Whether the processes have values that are still to be summed."""
    return is_divided(tensor) and any(p.is_partial() for p in tensor.placements)


def describe(tensor):
    """What an announcement says of a part: the shape of the whole, where the part begins in it, how it is divided. None of a whole tensor."""
    if not is_divided(tensor):
        return None
    out = {"of": [int(n) for n in tensor.shape], "placements": [str(p) for p in tensor.placements]}
    offset = _offset(tensor)
    if offset is not None:
        out["offset"] = offset
    return out


def _offset(tensor):
    """Where the local part begins in the whole, by dimension; None when this release of PyTorch does not tell."""
    try:
        from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
    except ImportError:
        return None
    _, offset = compute_local_shape_and_global_offset(tensor.shape, tensor.device_mesh, tensor.placements)
    return [int(n) for n in offset]
