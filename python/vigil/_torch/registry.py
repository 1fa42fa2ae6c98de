"""The modules and optimisers of this process, as far as PyTorch tells of them.

A module is known once a part, a parameter or a buffer was put into it, or it was
called as the outermost one; an optimiser once it was made. PyTorch 1.13 does not say
what is put into modules: there those that were called are known. Nothing is kept
alive.
"""

import weakref


class Registry(object):
    """One per process; a forked child goes on with the parent's."""

    def __init__(self):
        self._modules = weakref.WeakValueDictionary()  # by id: a class may say that two of its modules are equal
        self._optimisers = weakref.WeakValueDictionary()

    def module(self, module):
        self._modules[id(module)] = module

    def optimiser(self, optimiser):
        self._optimisers[id(optimiser)] = optimiser

    def modules(self):
        """Those that live, with the parts of each."""
        found = {}
        for module in list(self._modules.values()):
            if id(module) not in found:
                found.update((id(part), part) for part in module.modules())
        return list(found.values())

    def optimisers(self):
        """Those that live."""
        return list(self._optimisers.values())
