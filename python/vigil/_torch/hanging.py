"""Our hooks on the script's modules. Nothing of them is in a module that is copied, stored or compiled to TorchScript."""

import contextlib
import functools

import torch

# Takes whatever a hook is given and does nothing: what a stored module has in our place, so that reading it needs no Vigil.
NOTHING = contextlib.nullcontext.__exit__


class Hanging(functools.partial):
    """A function that hangs on a module as a hook.

    A module is copied and pickled with its hooks. In the place of this one a
    pickle has one that does nothing, and so has a copy, unless ``shared``: then
    calls of the copy are seen too.
    """

    shared = False

    def __deepcopy__(self, memo):
        return self if self.shared else NOTHING

    def __reduce__(self):
        return getattr, (contextlib.nullcontext, "__exit__")


def _hanging(run, shared):
    hook = Hanging(run)
    if shared:
        hook.shared = True
    return hook


def before(module, run, shared=False, **options):
    """Have run(module, args) called before each call of ``module``; its handle."""
    return module.register_forward_pre_hook(_hanging(run, shared), **options)


def after(module, run, shared=False, **options):
    """Have run(module, args, output) called after each call of ``module``; its handle."""
    return module.register_forward_hook(_hanging(run, shared), **options)


def _ours(hook):
    return type(hook) is Hanging or hook is NOTHING


@contextlib.contextmanager
def off(root):
    """While this lasts nothing of ours hangs on ``root`` and the modules in it."""
    held = []
    for module in root.modules():
        for hooks in (module._forward_pre_hooks, module._forward_hooks):
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


def wrap_script():
    """torch.jit.script compiles a module's hooks with it, and cannot compile ours."""
    original = getattr(torch.jit, "script", None)
    if original is None or getattr(original, "_vigil_wrapped", False):
        return

    @functools.wraps(original)
    def script(obj, *args, **kwargs):
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
