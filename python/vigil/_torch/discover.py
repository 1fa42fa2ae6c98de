"""Finding the model, the optimisers and the loss modules of a script that registers nothing.

Until the roots are known a global forward pre-hook sees the outermost module of
every call. It is taken away while that module runs, so that no module inside
leaves its fast path and torch.compile never traces it. After the first update
only hooks on the roots themselves are left.
"""

import collections
import contextlib
import functools
import time
import weakref

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from vigil import _guard, _marks
from vigil._torch import compat, module_hooks, names

MOST = 64  # candidates remembered
NOTES = 1000  # calls of modules that are noted for an optimiser


class Discovery(object):
    """The global hooks and what they saw. ``on`` while roots are looked for."""

    def __init__(self, tracker):
        self.tracker = tracker
        self.on = False
        self.handle = None
        self.notes = None  # global forward pre-hook that only notes which modules are called, once the roots are known
        self.window = None  # global forward hook between two calls of a root, looking for loss modules
        self.hooked = weakref.WeakSet()
        self.ending = weakref.WeakSet()  # those of them that are seen to return
        self.handles = []  # of the hooks on single modules
        self.candidates = collections.OrderedDict()  # id -> weak reference to an outermost module
        self.compiled = False  # torch.compile was used on a module: no global hooks any more

    def start(self):
        """Look for roots (again)."""
        self.on = True
        self._arm()

    def stop(self):
        """The roots are known."""
        self.on = False
        self.candidates.clear()
        self.hooked = weakref.WeakSet()
        for handle in self.handles:
            handle.remove()
        self.handles = []
        for handle in (self.handle, self.notes):
            if handle is not None:
                handle.remove()
        self.handle = self.notes = None

    def note(self):
        """Note which modules are called, until an optimiser is adopted: one was made, and PyTorch does not tell what is put into modules."""
        if not self.on and self.notes is None and not self.compiled:
            self.left = NOTES
            self.notes = register_module_forward_pre_hook(self._called)

    @_guard.guard
    def _called(self, module, args):
        self.left -= 1
        if self.left < 0 and self.notes is not None:
            self.notes.remove()
            self.notes = None
        elif not compat.is_compiling():
            self.tracker.registry.module(module)
        return None

    def _arm(self):
        if self.on and self.handle is None and not self.compiled:
            self.handle = register_module_forward_pre_hook(self._outermost)

    @_guard.guard
    def _outermost(self, module, args):
        if compat.is_compiling() or self.tracker.again():
            return None
        self.tracker.outermost(module)
        if module in self.ending:
            self.tracker.marks.begins(_marks.FORWARD)
        return None

    def entered(self, module):
        """The global hook saw an outermost module: remember it, and step aside until it returns."""
        self.step_aside(module)
        self.remember(module)

    def step_aside(self, module):
        """Take the global hook away until ``module`` returns."""
        if self.handle is not None:
            self.handle.remove()
            self.handle = None
        if module not in self.hooked:
            self.hooked.add(module)
            self.ending.add(module)
            self.handles.append(compat.closing_forward_hook(module, self._returned))

    @_guard.guard
    def _returned(self, module, args, output):
        if not compat.is_compiling():
            self.tracker.marks.ends(_marks.FORWARD)
        if self.on and self.handle is None and not compat.is_compiling():
            self._arm()

    def remember(self, module):
        if id(module) not in self.candidates and next(module.parameters(), None) is not None:
            self.candidates[id(module)] = weakref.ref(module)
            if len(self.candidates) > MOST:
                self.candidates.popitem(last=False)

    def roots_of(self, parameters):
        """The outermost modules called so far that own one of the parameters (a set of ids), largest first."""
        found = []
        for ref in list(self.candidates.values()):
            module = ref()
            if module is not None and any(id(p) in parameters for p in module.parameters()):
                found.append(module)
        return sorted(found, key=lambda m: -sum(1 for _ in m.modules()))

    # Loss modules that come later, such as a criterion of validation alone.

    def open_window(self):
        """Watch all modules until the next call of a root."""
        if self.window is None and not self.compiled:
            self.window = register_module_forward_hook(self._in_window)

    def close_window(self):
        if self.window is not None:
            self.window.remove()
            self.window = None

    @_guard.guard
    def _in_window(self, module, args, output):
        if not compat.is_compiling() and not self.tracker.again():
            self.tracker.in_window(module, output)
        return None

    # torch.compile warns while global hooks are there, so they end with it.

    def wrap_compile(self):
        original = getattr(torch, "compile", None)
        if original is None or getattr(original, "_vigil_wrapped", False):
            return
        tracker = self.tracker

        @_guard.guard
        def compiled(model, out):
            if isinstance(model, torch.nn.Module) and not compat.is_compiling():
                tracker.module_compiled(out)

        @functools.wraps(original)
        def compile(model=None, *args, **kwargs):
            compat.compiler_called()
            out = original(model, *args, **kwargs)
            compiled(model, out)
            return out

        compile._vigil_wrapped = True
        torch.compile = compile

    def module_compiled(self, module):
        """torch.compile gave ``module``: it is a candidate, and seen by a hook of its own."""
        compat.compiler_loaded()
        self.compiled = True
        for handle in (self.handle, self.notes):
            if handle is not None:
                handle.remove()
        self.handle = self.notes = None
        self.close_window()
        if isinstance(module, torch.nn.Module):
            self.remember(module)
            if module not in self.hooked:
                self.hooked.add(module)
                self.handles.append(module_hooks.before(module, self._outermost))


class Searches(object):
    """Searches for the models of optimisers that come later.

    A script that makes an optimiser for every task, as meta-learning does, would
    spend its time on them and on what they find: after the first few they take
    SHARE of the time since.
    """

    FEW = 6
    SHARE = 0.01

    def __init__(self, registry):
        self.registry = registry
        self.made = 0
        self.spent = 0.0
        self.since = None

    def modules(self):
        """All modules that are known, None where looking through them again would cost too much."""
        if self.made >= self.FEW and self.spent > self.SHARE * (time.perf_counter() - self.since):
            return None
        self.made += 1
        return self.registry.modules()

    @contextlib.contextmanager
    def timed(self):
        """What is done inside is a search."""
        began = time.perf_counter()
        if self.since is None:
            self.since = began
        yield
        self.spent += time.perf_counter() - began


def whole(found, modules):
    """``found``, with the models that compiled parts are in instead of these: a compiled part is seen called wherever that happens."""
    out = []
    for one in found:
        tops = owners(modules, {id(p) for p in one.parameters()}) if names.compiles(one) else []
        inside = [top for top in tops if any(m is one for m in top.modules())]
        out += [m for m in inside or [one] if not any(m is other for other in out)]
    return out


def owners(modules, parameters):
    """Of all modules those that own one of the parameters (ids) and are in no other such module: roots that were never seen called."""
    parents = {}
    for m in modules:
        for child in m._modules.values():
            if child is not None:
                parents.setdefault(id(child), []).append(m)
    found, seen = [], set()
    stack = [m for m in modules if any(id(p) in parameters for p in m._parameters.values())]
    while stack:
        m = stack.pop(0)
        if id(m) not in seen:
            seen.add(id(m))
            stack.extend(parents.get(id(m), ()))
            if id(m) not in parents:
                found.append(m)
    return found
