"""What sort of thing a module is, by its class or by the name of its class."""

import re

import torch
from torch import nn

from vigil._torch import names

OTHER = "other"
CONTAINER = "container"

_conv = torch.nn.modules.conv._ConvNd
_pool = tuple(
    getattr(torch.nn.modules.pooling, n)
    for n in ("_MaxPoolNd", "_AvgPoolNd", "_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_LPPoolNd", "_MaxUnpoolNd")
    if hasattr(torch.nn.modules.pooling, n)
)
_CLASSES = (
    ("attention", (nn.MultiheadAttention,)),
    ("linear", (nn.Linear, nn.Bilinear)),
    ("convolution", (_conv,)),
    ("embedding", (nn.Embedding, nn.EmbeddingBag)),
    ("recurrent", (nn.RNNBase, nn.RNNCellBase)),
    ("normalisation", (torch.nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm, nn.LocalResponseNorm)),
    ("dropout", (torch.nn.modules.dropout._DropoutNd,)),
    ("pooling", _pool),
)
# Of third parties, and of releases that have more than this one; the end of the name says what it is.
_NAMED = (
    ("attention", re.compile("Attention$|^Attn|SelfAttention|Attn$")),
    ("normalisation", re.compile("Norm([123]d)?$")),
    ("dropout", re.compile("Dropout([123]d)?$|DropPath$|StochasticDepth$")),
    ("embedding", re.compile("Embedding$")),
    ("linear", re.compile("Linear$|^Conv1D$")),  # GPT-2's Conv1D is a linear layer
    ("convolution", re.compile("Conv([123]d)?$")),
    ("activation", re.compile("(ReLU6?|GELU|SiLU|Swish|Sigmoid|Tanh|Softmax|Activation|Mish)$")),
    ("pooling", re.compile("Pool([123]d)?$")),
)
_SETTINGS = (
    "p", "dim", "inplace", "negative_slope", "alpha", "momentum", "eps", "affine", "elementwise_affine", "track_running_stats",
    "in_features", "out_features", "in_channels", "out_channels", "kernel_size", "stride", "dilation", "groups", "num_features",
    "normalized_shape", "num_groups", "num_embeddings", "embedding_dim", "padding_idx", "input_size", "hidden_size", "num_layers",
    "bidirectional", "batch_first", "dropout", "embed_dim", "num_heads",
)  # fmt: skip


def kind(module):
    """The kind of a module as facts name it."""
    for name, classes in _CLASSES:
        if isinstance(module, classes):
            return name
    cls = type(module)
    if any(base.__module__ == "torch.nn.modules.activation" for base in cls.__mro__):
        return "activation"
    for name, pattern in _NAMED:
        if pattern.search(cls.__name__) and (name == "attention" or not any(module.children())):
            return name
    return CONTAINER if any(True for _ in module.children()) else OTHER


def whole(module):
    """Whether a module has values of its own in facts: it has no children, or is one thing all the same."""
    return not any(True for _ in module.children()) or isinstance(module, (nn.MultiheadAttention, nn.RNNBase))


def settings(module):
    """What its constructor was given, as far as rules ask."""
    out = {}
    for name in _SETTINGS:
        value = module.__dict__.get(name)
        if isinstance(value, (bool, int, float)) or (isinstance(value, tuple) and all(isinstance(v, int) for v in value)):
            if value == value and value not in (float("inf"), float("-inf")):
                out[name] = list(value) if isinstance(value, tuple) else value
    if "bias" in module._parameters:
        out["bias"] = module._parameters["bias"] is not None
    elif isinstance(module.__dict__.get("bias"), bool):
        out["bias"] = module.__dict__["bias"]
    return out


def is_dropout(module):
    return isinstance(module, torch.nn.modules.dropout._DropoutNd) and module.p > 0


def is_batch_norm(module):
    """Normalisation by the batch in training, by running statistics otherwise."""
    return isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.track_running_stats


def modal(root):
    """[(path, kind, module)] of what behaves differently in training and in evaluation."""
    found = []
    for path, module in names.walk(root):
        if is_dropout(module):
            found.append((path, "dropout", module))
        elif is_batch_norm(module):
            found.append((path, "normalisation", module))
    return found


def fan_in(module, key, parameter):
    """What one output of a parameter adds up; 0 when it is not known."""
    if key.startswith("bias"):
        return 0
    if isinstance(module, nn.Linear):
        return int(module.in_features)
    if isinstance(module, _conv):
        n = module.in_channels // module.groups
        for size in module.kernel_size:
            n *= size
        return int(n)
    if isinstance(module, (nn.RNNBase, nn.RNNCellBase)) and parameter.dim() == 2:
        return int(parameter.shape[1])
    if isinstance(module, (nn.Embedding, nn.EmbeddingBag)):
        return int(module.embedding_dim)
    if isinstance(module, nn.MultiheadAttention) and parameter.dim() == 2:
        return int(parameter.shape[1])
    return 0
