"""Settings of loss functions and optimisers, as a run can carry them."""

import torch

from vigil._torch import saved_tensor_hooks, summary

_SETTINGS = ("label_smoothing", "ignore_index", "margin", "beta", "delta", "blank", "zero_infinity", "p", "log_input", "log_target", "full", "eps")
MOST_WEIGHTS = 256


def plain(value):
    """A setting as a float that JSON can carry; None when it is none, or lies on a device."""
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu" or value.numel() != 1:
            return None
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    value = float(value)
    return value if value - value == 0 else None


def _each(out, name, value):
    """Add the weights themselves, one for each class, as weights or pos_weights."""
    if isinstance(value, torch.Tensor) and 0 < value.numel() <= MOST_WEIGHTS and value.dim() <= 1 and value.device.type == "cpu" and summary.readable(value):
        out[name + "s"] = [summary.number(x) for x in value.detach().reshape(-1).tolist()]


def loss_settings(module):
    """(reduction, settings) of a loss module."""
    out = {}
    for name in _SETTINGS:
        value = getattr(module, name, None)
        if isinstance(value, (bool, int, float)) and value - value == 0:
            out[name] = value
    for name in ("weight", "pos_weight"):
        if hasattr(module, name):
            out[name] = getattr(module, name) is not None
            _each(out, name, getattr(module, name))
    reduction = getattr(module, "reduction", None)
    return (reduction if reduction in ("mean", "sum", "none") else ""), out


def node_settings(node):
    """(reduction, settings) that a loss function's node in the graph shows."""
    if node is None:
        return "", {}
    reduction = getattr(node, "_saved_reduction", None)
    out = {}
    ignore = getattr(node, "_saved_ignore_index", None)
    if isinstance(ignore, int):
        out["ignore_index"] = ignore - (1 << 64) if ignore >= 1 << 63 else ignore
    for name in ("weight", "pos_weight"):
        if hasattr(type(node), "_raw_saved_" + name):
            saved = getattr(node, "_raw_saved_" + name)
            if saved is None or not saved_tensor_hooks.runs_code(saved):
                value = getattr(node, "_saved_" + name, None) if saved is not None else None
                out[name] = value is not None
                _each(out, name, value)
    for name in ("beta", "delta"):
        value = getattr(node, "_saved_" + name, None)
        if isinstance(value, (int, float)):
            out[name] = value
    return {0: "none", 1: "mean", 2: "sum"}.get(reduction, ""), out
