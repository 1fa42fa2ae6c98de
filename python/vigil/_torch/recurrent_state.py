"""Whether recurrent modules that are called step by step are given their own state back with its history, or cut off from it."""

import torch
from torch import nn

from vigil import _guard
from vigil._torch import compat, module_hooks, summary

MOST = 64  # calls of a module
SMALL = 1 << 16  # elements of a state whose values are compared


class Recurrence(object):
    """Hooks on recurrent modules from a forward to the first backward of its step, which may be many calls of the model."""

    def __init__(self, look):
        self.look = look
        self.handles = []
        self.gave = {}  # id of a module -> the state that it returned, without its graph
        self.given = {}  # id of a module -> calls that were given that state
        self.cut = {}  # id of a module -> of those where it was cut off, the node of what they gave
        self.open = set()  # ids of modules that run from such a state
        self.met = {}  # id of a module -> how many of these nodes are in the graph

    def hook(self, module):
        if isinstance(module, (nn.RNNBase, nn.RNNCellBase)):
            self.handles.append(_before(module, self._given))
            self.handles.append(module_hooks.after(module, self._returned))

    def detach(self):
        handles, self.handles = self.handles, []
        for handle in handles:
            handle.remove()
        self.gave = {}
        self.cut = {at: [None] * len(nodes) for at, nodes in self.cut.items()}  # they hold the graph

    def marks(self):
        """The nodes of all that was computed from a state without its history."""
        return [node for nodes in self.cut.values() for node in nodes if node is not None]

    def backward(self, marked):
        """The graphs that backward goes through have been walked, and met the nodes with these ids."""
        if self.handles:
            self.met = {at: sum(id(node) in marked for node in nodes) for at, nodes in self.cut.items()}
            self.detach()

    def states(self, at):
        """Of a module: how often it was given what it had returned before, how often without its history, and how often the loss depends on what it made of that."""
        if not self.given.get(at):
            return {}
        return {"states": self.given[at], "states_cut": len(self.cut.get(at, ())), "states_cut_in_graph": self.met.get(at, 0)}

    @_guard.guard
    def _given(self, module, args, kwargs=None):
        last = self.gave.get(id(module))
        if last is None or not torch.is_grad_enabled() or not self.look.here():
            return
        state = args[1] if len(args) > 1 else (kwargs or {}).get("hx")
        state = [state] if isinstance(state, torch.Tensor) else list(state or ())
        if not state or not all(isinstance(t, torch.Tensor) and summary.readable(t) for t in state) or not _one_step(module, args, kwargs):
            return
        with self.look.timed():
            if _same(state[0], last):
                self.given[id(module)] = self.given.get(id(module), 0) + 1
                if not any(t.requires_grad for t in state):
                    self.open.add(id(module))

    @_guard.guard
    def _returned(self, module, args, output):
        if not self.look.here():
            return
        state = output[1] if isinstance(module, nn.RNNBase) else output
        state = state[0] if isinstance(state, tuple) else state
        at = id(module)
        if isinstance(state, torch.Tensor) and state.requires_grad and summary.readable(state):
            self.gave[at] = state.detach()
            if at in self.open and len(self.cut.setdefault(at, [])) < MOST:
                whole = output[0] if isinstance(module, nn.RNNBase) else state
                self.cut[at].append(whole.grad_fn)
        else:
            self.gave.pop(at, None)
        self.open.discard(at)


def _before(module, hook):
    if compat.HAS_KWARG_HOOKS:
        return module_hooks.before(module, hook, with_kwargs=True)
    return module_hooks.before(module, hook)


def _one_step(module, args, kwargs):
    """Whether a call is of one step of a sequence."""
    if isinstance(module, nn.RNNCellBase):
        return True
    x = args[0] if args else (kwargs or {}).get("input")
    if not isinstance(x, torch.Tensor):
        return False
    return x.dim() in (2, 3) and x.shape[1 if x.dim() == 3 and module.batch_first else 0] == 1


def _same(state, last):
    """Whether a state is the one that was returned, by where it lies or by its values where comparing them waits for no device."""
    if state.shape != last.shape or state.dtype is not last.dtype or state.device != last.device:
        return False
    if state.data_ptr() == last.data_ptr():
        return True
    return state.device.type == "cpu" and state.numel() <= SMALL and torch.equal(state.detach(), last)
