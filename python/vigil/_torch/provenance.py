"""Seed, device and determinism of a PyTorch training, as PyTorch tells them. Nothing is started or set to know them."""

import os

import torch

from vigil import _guard

_MOST_DEVICES = 64
# Without a seed PyTorch draws one of 53 bits: one this small was set.
_SET_BELOW = 1 << 32

_at_import = None  # the seed that was there when the hook came


@_guard.guard
def imported():
    """PyTorch has just been imported: the seed that it has now was not set, unless the script was first."""
    global _at_import
    _at_import = torch.initial_seed()


def of_torch(weights):
    """What a message says of it when training begins. weights: some that are trained."""
    fields = {}
    _fill(fields, weights)
    return fields


@_guard.guard
def _fill(fields, weights):
    fields["deterministic"] = bool(torch.are_deterministic_algorithms_enabled())
    seeds = _seeds()
    if seeds:
        fields["seeds"] = seeds
    devices = sorted({(p.device.type, p.device.index or 0) for p in weights})
    if devices:
        fields["devices"] = [_device(kind, index) for kind, index in devices[:_MOST_DEVICES]]


def _seeds():
    seeds = {}
    seed = torch.initial_seed()
    if seed != _at_import or seed < _SET_BELOW:
        seeds["torch"] = seed
    if torch.cuda.is_initialized():
        on_device = torch.cuda.initial_seed()
        if on_device != seed and on_device < _SET_BELOW:
            seeds["torch.cuda"] = on_device
    lightning = os.environ.get("PL_GLOBAL_SEED", "")
    if lightning.isdigit():
        seeds["lightning"] = int(lightning)
    return seeds


def _device(kind, index):
    device = {"type": kind, "index": index}
    if kind == "cuda" and torch.cuda.is_initialized():
        properties = torch.cuda.get_device_properties(index)
        device["name"] = str(properties.name)
        device["memory"] = int(properties.total_memory)
    return device
