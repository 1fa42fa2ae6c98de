"""Our hooks on the script's modules. Nothing of them is in a module that is copied, stored, exported or compiled to TorchScript."""

import collections
import contextlib
import copyreg
import functools
import weakref

import torch

# Takes whatever a hook is given and does nothing: is in the place of a hook of ours that was copied or stored without its dictionary.
NOTHING = contextlib.nullcontext.__exit__

_HOOKS = ("_forward_pre_hooks", "_forward_hooks")  # dictionaries of a module: number of a hook -> the hook
_OPTIONS = {  # next to them: number of a hook -> True
    "_forward_pre_hooks": ("_forward_pre_hooks_with_kwargs",),
    "_forward_hooks": ("_forward_hooks_with_kwargs", "_forward_hooks_always_called"),
}
_beside = {}  # id of such a dictionary -> (weak reference to it, weak reference to that of the hooks)


class ModuleHook(functools.partial):
    """A function that hangs on a module as a hook.

    A module is copied and pickled with its dictionaries of hooks; of these ours are left out (see
    ``_bare``). Where a library takes a hook out of its dictionary, what is stored of it does nothing.
    """

    def __deepcopy__(self, memo):
        return NOTHING

    def __reduce__(self):
        return getattr, (contextlib.nullcontext, "__exit__")


def before(module, run, **options):
    """Have run(module, args) called before each call of ``module``; its handle."""
    return _hung(module, "_forward_pre_hooks", module.register_forward_pre_hook(ModuleHook(run), **options), options)


def after(module, run, **options):
    """Have run(module, args, output) called after each call of ``module``; its handle."""
    return _hung(module, "_forward_hooks", module.register_forward_hook(ModuleHook(run), **options), options)


def _hung(module, name, handle, options):
    for other in _OPTIONS[name] if options else ():
        beside = getattr(module, other, None)
        if beside is not None and id(beside) not in _beside:
            _beside[id(beside)] = (weakref.ref(beside, functools.partial(_forget, id(beside))), weakref.ref(getattr(module, name)))
    return handle


def _forget(at, ref):
    if _beside.get(at, (None,))[0] is ref:
        del _beside[at]


def _bare(ordered):
    """What pickle and copy make of an ordered dictionary: all of it but hooks of ours. Otherwise as OrderedDict itself does it."""
    kind, args, state, values, items = ordered.__reduce__()
    items = list(items)  # at once: another thread may store the model while hooks come and go
    hooks = ordered
    ref, of = _beside.get(id(ordered), (None, None))
    if ref is not None and ref() is ordered:
        hooks = of() or ordered
    ours = {key for key, hook in list(hooks.items()) if type(hook) is ModuleHook}
    if ours:
        items = [item for item in items if item[0] not in ours]
    return kind, args, state, values, iter(items)


def stay_out(compiles):
    """Leave our hooks out of whatever is copied, pickled, exported and compiled to TorchScript in this process. Once per process.

    compiles: is called before something is compiled to TorchScript.
    """
    if collections.OrderedDict not in copyreg.dispatch_table:  # else somebody has a way of their own, and keeps it
        copyreg.pickle(collections.OrderedDict, _bare)
    _wrap_script(compiles)
    _wrap_export()


def _ours(hook):
    return type(hook) is ModuleHook or hook is NOTHING


@contextlib.contextmanager
def off(root):
    """While this lasts nothing of ours hangs on ``root`` and the modules in it."""
    held = []
    for module in root.modules():
        for hooks in (getattr(module, name) for name in _HOOKS):
            if any(_ours(hook) for hook in hooks.values()):
                held.append((hooks, list(hooks.items())))
    for hooks, items in held:
        for key, hook in items:
            if _ours(hook):
                del hooks[key]
    try:
        yield
    finally:
        for hooks, items in held:
            hooks.clear()
            hooks.update(items)


def _wrap_script(compiles):
    """torch.jit.script compiles a module's hooks with it, and cannot compile ours. compiles: to be called before."""
    original = getattr(torch.jit, "script", None)
    if original is None or getattr(original, "_vigil_wrapped", False):
        return

    @functools.wraps(original)
    def script(obj, *args, **kwargs):
        compiles()
        if isinstance(obj, torch.nn.Module):
            with off(obj):
                return original(obj, *args, **kwargs)
        # It looks names up in the frame of its caller, which is one further away.
        if len(args) > 1:
            args = (args[0], args[1] + 1) + args[2:]
        else:
            kwargs["_frames_up"] = kwargs.get("_frames_up", 0) + 1
        return original(obj, *args, **kwargs)

    script._vigil_wrapped = True
    torch.jit.script = script


def _wrap_export():
    """torch.export traces a module's hooks with it, and in older releases fails at ours."""
    space = getattr(torch, "export", None)
    original = getattr(space, "export", None)
    if original is None or getattr(original, "_vigil_wrapped", False):
        return

    @functools.wraps(original)
    def export(*args, **kwargs):
        module = args[0] if args else kwargs.get("mod", kwargs.get("f"))
        with off(module) if isinstance(module, torch.nn.Module) else contextlib.nullcontext():
            return original(*args, **kwargs)

    export._vigil_wrapped = True
    space.export = export
