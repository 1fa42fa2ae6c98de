"""What differs between PyTorch releases, in one place.

PyTorch 2.x has optimiser step hooks, forward hooks with keyword arguments and
``torch._foreach_copy_``; 1.13 has none of them and gets plain copies and a
patched ``Optimizer.step`` (vigil._torch.optimisers).
"""

import importlib
import sys

import torch

from vigil import _guard
from vigil._torch import device, module_hooks

# (attribute of torch, name in the safetensors spelling, code of the wire protocol)
_DTYPES = (
    ("bool", "BOOL", 1),
    ("uint8", "U8", 2),
    ("int8", "I8", 3),
    ("uint16", "U16", 4),
    ("int16", "I16", 5),
    ("uint32", "U32", 6),
    ("int32", "I32", 7),
    ("uint64", "U64", 8),
    ("int64", "I64", 9),
    ("float16", "F16", 10),
    ("bfloat16", "BF16", 11),
    ("float32", "F32", 12),
    ("float64", "F64", 13),
    ("float8_e4m3fn", "F8_E4M3", 14),
    ("float8_e5m2", "F8_E5M2", 15),
    ("float8_e8m0fnu", "F8_E8M0", 16),
    ("complex64", "C64", 17),
    ("complex128", "C128", 18),
    ("float8_e4m3fnuz", "F8_E4M3FNUZ", 19),
    ("float8_e5m2fnuz", "F8_E5M2FNUZ", 20),
)

DTYPE_NAMES = {getattr(torch, a): n for a, n, _ in _DTYPES if hasattr(torch, a)}
DTYPE_CODES = {getattr(torch, a): c for a, _, c in _DTYPES if hasattr(torch, a)}

VERSION = str(torch.__version__)
OPTIMISER = importlib.import_module("torch.optim.optimizer")  # PyTorch 2.15 hides the attribute
HAS_OPTIMISER_HOOKS = hasattr(OPTIMISER, "register_optimizer_step_pre_hook")
LOSES_HOOKS = VERSION.startswith(("2.0.", "2.1.", "2.2."))  # when the compiler is loaded
HAS_KWARG_HOOKS = HAS_OPTIMISER_HOOKS
HAS_FOREACH_DIVISION = hasattr(torch.ops.aten._foreach_div_, "Tensor")  # by a tensor
HAS_FOREACH_COPY = hasattr(torch, "_foreach_copy_")
TELLS_OF_PARTS = hasattr(torch.nn.modules.module, "register_module_module_registration_hook")  # see on_registration

_STRIDED = torch.strided
_PLAIN_DISPATCH = torch.Tensor.__torch_dispatch__


def _never():
    return False


def _find_is_compiling():
    compiler = getattr(torch, "compiler", None)
    found = getattr(compiler, "is_compiling", None) or getattr(torch._utils, "is_compiling", None)
    if found is None:
        dynamo = sys.modules.get("torch._dynamo")
        found = getattr(dynamo, "is_compiling", None)
    return found or _never


# Whether torch.compile is tracing this very call. A function of PyTorch's own,
# which the compiler replaces by a constant; looked up again when the compiler
# is loaded, because PyTorch 2.0 has it only in there.
is_compiling = _find_is_compiling()


_FRAMES = 32  # looked at between a hook of ours and a call of PyTorch's around it
_graph_task = getattr(torch._C, "_current_graph_task_id", None)


def in_backward(known):
    """Whether this very call comes out of a backward pass: what runs then is a forward that is computed again, by checkpointing.

    known: whether a call of backward is under way, for releases that cannot say it of a thread.
    """
    if _graph_task is not None:
        return _graph_task() != -1
    return known or runs_under(getattr(torch.autograd.grad, "__code__", None))


def checkpointed():
    """Whether a checkpoint of the reentrant kind runs this call: without gradients, though it is part of a training step."""
    checkpoint = sys.modules.get("torch.utils.checkpoint")
    function = getattr(checkpoint, "CheckpointFunction", None)
    return runs_under(getattr(getattr(function, "forward", None), "__code__", None))


def runs_under(code):
    """Whether a function of this code is among the callers."""
    frame = sys._getframe(1)
    for _ in range(_FRAMES):
        if frame is None or code is None:
            break
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False


# Whether torch.compile was called, for a module or a function: what it traces is
# not to be changed for a while, or it would trace it again.
compiler_used = False
before_compiler = []  # called when something is compiled: they put back what is replaced for a while


def compiler_called():
    global compiler_used
    compiler_used = True
    compiles()


def compiles():
    """Something is compiled now, and what it calls with it."""
    for stop in list(before_compiler):
        stop()


def compiler_loaded():
    """torch.compile was used: look up is_compiling again."""
    global is_compiling
    is_compiling = _find_is_compiling()


def copy_all(targets, sources):
    """Copy sources to targets, lists of tensors of equal shapes, in one call where there is one."""
    if not targets:
        return
    with torch.no_grad():
        if HAS_FOREACH_COPY:
            torch._foreach_copy_(targets, sources)
        else:
            for target, source in zip(targets, sources):
                target.copy_(source)


def divide_all(tensors, by):
    """Divide tensors by a number or a one-element tensor, in one call where there is one."""
    if tensors and (HAS_FOREACH_DIVISION or not isinstance(by, torch.Tensor)):
        torch._foreach_div_(tensors, by.reshape(()) if isinstance(by, torch.Tensor) else by)
        return
    for one in tensors:
        one.div_(by)


def norms(tensors, order):
    """The norms of tensors, in one call where there is one."""
    if hasattr(torch, "_foreach_norm"):
        return torch._foreach_norm(tensors, order)
    return [torch.linalg.vector_norm(t, order) for t in tensors]


def why_not(tensor):
    """Why a tensor cannot be captured as it is, or None when it can.

    A sparse layout is not a reason: see ``dense``.
    """
    if device.valueless(tensor):
        return "meta tensor: it has no values"
    kind = type(tensor)
    if kind is not torch.Tensor and kind is not torch.nn.Parameter:
        if "Uninitialized" in kind.__name__:
            return "not initialised yet"
        dispatch = getattr(kind, "__torch_dispatch__", None)
        if getattr(dispatch, "__func__", dispatch) is not getattr(_PLAIN_DISPATCH, "__func__", _PLAIN_DISPATCH):
            return "%s: only a shard or wrapped values are in this process" % kind.__name__
    if tensor.is_quantized:
        return "quantised tensor"
    if tensor.dtype not in DTYPE_CODES:
        return "element type %s" % tensor.dtype
    return None


DENSE_LIMIT = 1 << 24  # elements; a sparse gradient is made dense only below


def dense(tensor):
    """The tensor in strided layout, or None when that would take too much memory."""
    if tensor.layout is _STRIDED:
        return tensor
    if tensor.numel() > DENSE_LIMIT:
        return None
    return tensor.detach().to_dense()


def view(buffer, dtype, shape, offset):
    """A tensor over ``buffer`` from byte ``offset`` on, without copying."""
    count = 1
    for n in shape:
        count *= n
    if count == 0:
        return torch.empty(tuple(shape), dtype=dtype, device="cpu")
    return torch.frombuffer(buffer, dtype=dtype, count=count, offset=offset).view(tuple(shape))


def views(buffer, start, nbytes, parts):
    """Tensors over ``buffer[start : start + nbytes]`` for parts of (dtype, shape, offset from start), without copying.

    nbytes and all offsets are multiples of the size of every element type. For many tensors, where ``view`` takes twice as long.
    """
    flat, strides, out = {}, {}, []
    with torch.no_grad():
        for dtype, shape, offset in parts:
            stride = strides.get(shape)
            if stride is None:
                stride, count = [], 1
                for n in reversed(shape):
                    stride.append(count)
                    count *= n
                stride = strides[shape] = tuple(reversed(stride)) if count else False
            if stride is False:
                out.append(torch.empty(tuple(shape), dtype=dtype, device="cpu"))
                continue
            over = flat.get(dtype)
            if over is None:
                size = torch.empty((), dtype=dtype, device="cpu").element_size()
                over = flat[dtype] = torch.frombuffer(buffer, dtype=dtype, count=nbytes // size, offset=start), size
            out.append(over[0].as_strided(shape, stride, offset // over[1]))
    return out


def nbytes(tensor):
    """Bytes the values of a tensor take when they lie close together."""
    return tensor.numel() * tensor.element_size()


def forward_hook(module, hook):
    """Register hook(module, args, kwargs, output); kwargs are empty on PyTorch 1.13."""
    if HAS_KWARG_HOOKS:
        return module_hooks.after(module, hook, with_kwargs=True)

    @_guard.guard
    def without(module, args, output):
        return hook(module, args, {}, output)

    return module_hooks.after(module, without)


def on_registration(told, noted):
    """Have told(module, part) called when a parameter or a module is put into one, and noted(module) when a buffer is, where PyTorch can tell; once per process."""

    @_guard.guard
    def put(module, name, part):
        if not is_compiling():
            told(module, part)
        return None

    @_guard.guard
    def put_buffer(module, name, buffer):
        if not is_compiling():
            noted(module)
        return None

    if not _registration and TELLS_OF_PARTS:
        parts = torch.nn.modules.module
        _registration.append(parts.register_module_parameter_registration_hook(put))
        _registration.append(parts.register_module_module_registration_hook(put))
        _registration.append(parts.register_module_buffer_registration_hook(put_buffer))


_registration = []  # handles of the hooks


def closing_forward_hook(module, hook):
    """Register hook(module, args, output) that is called after an error in forward too, where PyTorch can do that."""
    try:
        return module_hooks.after(module, hook, always_call=True)
    except TypeError:
        return module_hooks.after(module, hook)
