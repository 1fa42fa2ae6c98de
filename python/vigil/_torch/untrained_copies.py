"""Copies that are next to what trains: averages of weights, target networks, momentum encoders, frozen teachers that began as the student.

A copy is a part of a model whose parameters never train, with the classes, names and
shapes of another part that does, and nearly its values when the models were found:
layers of a trained network that were frozen have those of another layer never. Parts of one
ModuleList or Sequential are layers of a stack: ``nn.TransformerEncoder`` begins with equal ones.
"""

import weakref

import torch

from vigil._torch import compat, names, sharded_tensors, summary

MOST = 4000  # parameters of a model that is looked through
COMPARED = 256  # pairs of parts
MATRICES = 4  # of a part that are compared
SAMPLE = 4096  # elements of one
NEAR = 0.25  # of the sum of both squares that the square of their difference may be; 1 of two that have nothing in common


class Copies(object):
    """Of the models of a process. ``look`` is asked once for each, before its weights are updated."""

    def __init__(self):
        self.found = weakref.WeakKeyDictionary()  # root -> [_Copy]
        self.missing = frozenset()  # ids of parameters that ask for gradients, and to which none came while the first updates were looked at

    def look(self, roots, held):
        """Find what may be a copy in each model that was not looked at yet. held: ids of parameters that an optimiser holds; None where there is none."""
        for root in roots:
            inner = root.inner()
            if inner is not None and root not in self.found:
                self.found[root] = list(_candidates(inner, held)) if not root.divided and not root.flattened else []

    def of(self, root, held):
        """The copies in a model, as far as is known by now; none that is part of another one."""
        out = []
        for one in self.found.get(root, ()):
            copy, original = one.copy(), one.original()
            if copy is None or original is None or any(one.path.startswith(outer.path + ".") for outer in out):
                continue
            still = all(not p.requires_grad or id(p) in self.missing for p in copy.parameters())
            if still and any(p.requires_grad and (held is None or id(p) in held) and id(p) not in self.missing for p in original.parameters()):
                out.append(one)
        return out


class _Copy(object):
    """A part of a model, held weakly, and the part that it has the values of; the paths of both."""

    __slots__ = ("copy", "path", "original", "of")

    def __init__(self, copy, path, original, of):
        self.copy, self.path = weakref.ref(copy), path
        self.original, self.of = weakref.ref(original), of

    def parameters(self):
        copy = self.copy()
        return list(copy.parameters()) if copy is not None else []

    def facts(self):
        copy = self.copy()
        return {"path": self.path, "of": self.of, "class": names.class_name(copy), "parameters": sum(p.numel() for p in copy.parameters())}


def _candidates(inner, held):
    """What may be copies among the parts of a model, outer ones first. Of parts that an optimiser trains, for all that is known, only the outermost are asked."""
    if sum(1 for _, _ in zip(inner.parameters(), range(MOST + 1))) > MOST:
        return
    alike, at = {}, {"": inner}
    for path, module in names.walk(inner):
        at[path] = module
        if path:
            signature = tuple((p.path, p.module_type, tuple(p.value.shape), p.value.dtype) for p in names.parameters(module))
            if signature:
                alike.setdefault((names.class_name(module), signature), []).append((path, module))
    left, copies = COMPARED, []
    pairs = [(like, one) for like in alike.values() if len(like) > 1 for one in like]
    for like, (path, module) in pairs:
        idle = not any(p.requires_grad and (held is None or id(p) in held) for p in module.parameters())
        if not idle and "." in path or any(path.startswith(outer + ".") for outer in copies):
            continue
        for of, original in like:
            if module is original or left == 0 or _stacked(at, path, of) or idle and not any(p.requires_grad for p in original.parameters()):
                continue
            left -= 1
            if not _shares(module, original) and _near(module, original):
                if idle:
                    copies.append(path)
                yield _Copy(module, path, original, of)
                break


def _stacked(at, a, b):
    """Whether two paths part in a list of layers. at: module by path."""
    common = []
    for x, y in zip(a.split("."), b.split(".")):
        if x != y:
            return isinstance(at.get(".".join(common)), (torch.nn.ModuleList, torch.nn.Sequential))
        common.append(x)
    return False


def _shares(a, b):
    ids = {id(p) for p in a.parameters()}
    return any(id(p) in ids for p in b.parameters())


def _near(a, b):
    """Whether the matrices of two parts are nearly equal, and no two of them by being constant."""
    compared = 0
    for p, q in zip(a.parameters(), b.parameters()):
        p, q = sharded_tensors.local(p), sharded_tensors.local(q)
        if p.dim() < 2 or compared >= MATRICES:
            continue
        if any(compat.why_not(x) is not None or x.layout is not torch.strided or not x.is_floating_point() or not summary.readable(x) for x in (p, q)):
            return False
        with torch.no_grad():
            p, q = (x.detach().reshape(-1)[:SAMPLE].float() for x in (p, q))
            if p.numel() < 2 or float(q.std()) == 0:
                continue
            compared += 1
            if not float((p - q).square().sum()) <= NEAR * float(p.square().sum() + q.square().sum()):
                return False
    return compared > 0
