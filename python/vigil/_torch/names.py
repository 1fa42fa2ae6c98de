"""Names of modules and parameters, the same whatever wraps the model.

DDP, FSDP, torch.compile, checkpointing and Fabric put themselves between a module and
its children; their parts of a path are left out, so that runs of one model
compare. They are known by their classes: a part of the script's own that is called
``module`` keeps its name. A parameter is called ``R_<path>``, its gradient
``gradient/R_<path>``, where R is the class name of the unwrapped root.
"""

import weakref

# (package, class) of what only wraps a module -> the name under which it has it.
_WRAPPERS = {
    ("torch", "DistributedDataParallel"): "module",
    ("torch", "DataParallel"): "module",
    ("torch", "AveragedModel"): "module",
    ("torch", "OptimizedModule"): "_orig_mod",
    ("torch", "FullyShardedDataParallel"): "_fsdp_wrapped_module",
    ("torch", "FlattenParamsWrapper"): "_fpw_module",
    ("torch", "ActivationWrapper"): "_checkpoint_wrapped_module",
    ("torch", "CheckpointWrapper"): "_checkpoint_wrapped_module",
    ("lightning", "_FabricModule"): "_forward_module",
    ("lightning_fabric", "_FabricModule"): "_forward_module",
    ("pytorch_lightning", "_LightningModuleWrapperBase"): "_forward_module",
    ("deepspeed", "DeepSpeedEngine"): "module",
    ("fairscale", "FullyShardedDataParallel"): "_fsdp_wrapped_module",
    ("fairscale", "FlattenParamsWrapper"): "_fpw_module",
    ("fairscale", "ShardedDataParallel"): "module",
    ("apex", "DistributedDataParallel"): "module",
}
_part_of = weakref.WeakKeyDictionary()  # class -> that name, None of what is no wrapper


def _wrapped_part(kind):
    """The name under which a class has the module that it only wraps; None of other classes."""
    if kind not in _part_of:
        found = (_WRAPPERS.get((str(base.__module__).partition(".")[0], base.__name__)) for base in kind.__mro__)
        _part_of[kind] = next((part for part in found if part is not None), None)
    return _part_of[kind]


def inside(module):
    """The module that ``module`` only wraps, None when it is no wrapper."""
    part = _wrapped_part(type(module))
    return module._modules.get(part) if part is not None else None


def unwrap(module):
    """The module inside all wrappers."""
    return chain(module)[-1]


def chain(module):
    """The module and what it wraps, outermost first."""
    out = [module]
    for _ in range(16):
        child = inside(out[-1])
        if child is None:
            break
        out.append(child)
    return out


_TYPED = ("torch.nn.modules.activation", "torch.nn.modules.sparse")


_MADE = ("FSDP", "Replicate", "Parametrized")


def class_name(module):
    """The name of a module's class; of one that PyTorch made from it to wrap it in place (fully_shard, a parametrisation), the original's."""
    kind = type(module)
    for _ in range(4):
        for base in kind.__bases__:
            if any(kind.__name__ == prefix + base.__name__ for prefix in _MADE):
                kind = base
                break
        else:
            break
    return kind.__name__


def family(module):
    """The class name by which rules know a module: of a class derived from an activation or an embedding, that one's."""
    for base in type(module).__mro__:
        if base.__module__ in _TYPED:
            return base.__name__
    return class_name(module)


def averages(module):
    """Whether a module is PyTorch's AveragedModel, which counts what it has averaged."""
    return any(base.__module__ == "torch.optim.swa_utils" and base.__name__ == "AveragedModel" for base in type(module).__mro__) and hasattr(module, "n_averaged")


def compiles(module):
    """Whether a call of this module runs what torch.compile made of it."""
    return _wrapped_part(type(module)) == "_orig_mod" or getattr(module, "_compiled_call_impl", None) is not None


def is_compiled(module):
    """Whether torch.compile wraps this module or what it wraps."""
    return any(_wrapped_part(type(m)) == "_orig_mod" for m in chain(module))


def hidden(root):
    """Ids of the modules below ``root`` that run compiled: hooks on them would change what is compiled, and see nothing."""
    out = set()
    for module in root.modules():
        if compiles(module):
            out.update(id(m) for m in module.modules() if m is not module or inside(m) is None)
    return out


def walk(root):
    """All modules below ``root`` in order: (path without wrappers, module), each module once, the root with path ""."""
    seen = set()
    stack = [("", root)]
    while stack:
        path, module = stack.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        wrapped = inside(module)
        if wrapped is not None:
            stack.append((path, wrapped))
            continue
        children = [(p, c) for p, c in module._modules.items() if c is not None]
        yield path, module
        for part, child in reversed(children):
            stack.append((path + "." + part if path else part, child))


class Parameter(object):
    """Where a parameter lives: under ``key`` in ``module``, which is reached by ``path``; ``shared`` is the first path it was seen under."""

    __slots__ = ("path", "module", "key", "module_path", "module_type", "order", "shared")

    def __init__(self, path, module, key, module_path, module_type, order, shared):
        self.path = path
        self.module = module
        self.key = key
        self.module_path = module_path
        self.module_type = module_type
        self.order = order
        self.shared = shared

    @property
    def value(self):
        return self.module._parameters.get(self.key)


def parameters(root):
    """The Parameters below root in model order; one object under several paths comes once per path, ``shared`` set on the later ones."""
    out = []
    first = {}
    for path, module in walk(root):
        kind = None
        for key, value in module._parameters.items():
            if value is None:
                continue
            kind = kind or class_name(module)
            name = path + "." + key if path else key
            shared = first.setdefault(id(value), name)
            out.append(Parameter(name, module, key, path, kind, len(out), shared if shared != name else None))
    return out


def is_bias(path):
    """Whether a parameter's own name says bias."""
    return "bias" in path.rsplit(".", 1)[-1]
