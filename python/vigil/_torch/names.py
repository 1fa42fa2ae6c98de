"""Names of modules and parameters, the same whatever wraps the model.

DDP, FSDP, torch.compile and checkpointing put themselves between a module and
its children; their parts of a path are left out, so that runs of one model
compare. A parameter is called ``R_<path>``, its gradient ``gradient/R_<path>``,
where R is the class name of the unwrapped root.
"""

_WRAPPERS = ("DistributedDataParallel", "DataParallel", "FullyShardedDataParallel", "AveragedModel", "DeepSpeedEngine")
_INNER = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


def _is_wrapper_part(parent, part):
    """Whether the child ``part`` of ``parent`` is what the parent only wraps."""
    return part in _INNER or (part == "module" and type(parent).__name__ in _WRAPPERS)


def unwrap(module):
    """The module inside all wrappers."""
    for _ in range(16):
        for part, child in module._modules.items():
            if child is not None and _is_wrapper_part(module, part):
                module = child
                break
        else:
            return module
    return module


def chain(module):
    """The module and what it wraps, outermost first."""
    out = [module]
    for _ in range(16):
        for part, child in out[-1]._modules.items():
            if child is not None and _is_wrapper_part(out[-1], part):
                out.append(child)
                break
        else:
            break
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


def is_compiled(module):
    """Whether torch.compile wraps this module or what it wraps."""
    return any(type(m).__name__ == "OptimizedModule" for m in chain(module))


def walk(root):
    """All modules below ``root`` in order: (path without wrappers, module), each module once, the root with path ""."""
    seen = set()
    stack = [("", root)]
    while stack:
        path, module = stack.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        children = [(p, c) for p, c in module._modules.items() if c is not None]
        wrapped = [c for p, c in children if _is_wrapper_part(module, p)]
        if wrapped:
            stack.append((path, wrapped[0]))
            continue
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
