"""Names of the operations in an autograd graph, and what can be told of one node alone.

The names of PyTorch's nodes become neutral ones.
"""

# Name of a node without "Backward" and digits -> neutral name.
_NAMES = {
    "Addmm": "linear", "Linear": "linear", "MkldnnLinear": "linear", "Mm": "matmul", "Bmm": "matmul", "Baddbmm": "matmul", "Addbmm": "matmul",
    "Mv": "matmul", "Dot": "matmul", "Matmul": "matmul", "Addmv": "linear",
    "Convolution": "convolution", "ConvolutionOverrideable": "convolution", "MkldnnConvolution": "convolution", "CudnnConvolution": "convolution",
    "MiopenConvolution": "convolution", "SlowConvDilated": "convolution", "ConvDepthwise": "convolution", "SlowConv": "convolution", "ThnnConv": "convolution",
    "Embedding": "embedding", "EmbeddingBag": "embedding",
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid", "LogSigmoid": "log_sigmoid", "Tanh": "tanh", "Relu": "relu",
    "Threshold": "relu", "Gelu": "gelu", "Elu": "elu", "Silu": "silu", "Mish": "mish", "LeakyRelu": "leaky_relu", "Hardtanh": "hardtanh",
    "Hardsigmoid": "hardsigmoid", "Hardswish": "hardswish", "Softplus": "softplus", "Prelu": "prelu", "PreluKernel": "prelu", "Glu": "glu", "Rrelu": "rrelu",
    "RreluWithNoise": "rrelu", "Softshrink": "softshrink", "Hardshrink": "hardshrink",
    "NativeBatchNorm": "batch_norm", "CudnnBatchNorm": "batch_norm", "MiopenBatchNorm": "batch_norm", "BatchNormWithUpdate": "batch_norm",
    "NativeBatchNormLegit": "batch_norm",
    "NativeLayerNorm": "layer_norm", "NativeGroupNorm": "group_norm", "FusedRmsNorm": "rms_norm", "RmsNorm": "rms_norm",
    "NativeDropout": "dropout", "FusedDropout": "dropout",
    "MaxPoolDWithIndices": "max_pool", "MaxPoolD": "max_pool", "MkldnnMaxPoolD": "max_pool", "AdaptiveMaxPoolD": "max_pool", "QuantizedMaxPoolD": "max_pool",
    "FractionalMaxPoolD": "max_pool", "MaxPool": "max_pool",
    "AvgPoolD": "avg_pool", "AdaptiveAvgPoolD": "avg_pool", "MkldnnAdaptiveAvgPoolD": "avg_pool", "AvgPool": "avg_pool", "AdaptiveAvgPool": "avg_pool",
    "Mean": "mean", "Sum": "sum", "Log": "log", "LogP": "log", "Exp": "exp", "Expm": "exp", "Pow": "pow", "Square": "pow",
    "Sub": "sub", "Rsub": "sub", "Add": "add", "Mul": "mul", "Div": "div", "Neg": "neg", "Abs": "abs", "Clamp": "clamp", "ClampMin": "clamp", "ClampMax": "clamp",
    "Sqrt": "sqrt", "Rsqrt": "rsqrt", "Logsumexp": "logsumexp", "Max": "max", "Min": "min", "Maximum": "max", "Minimum": "min", "Amax": "max", "Amin": "min",
    "Norm": "norm", "LinalgVectorNorm": "norm", "Var": "var", "Std": "std", "VarMean": "var", "StdMean": "std",
    "Cat": "cat", "Stack": "stack", "Select": "select", "Slice": "slice", "Index": "index", "IndexSelect": "index", "Gather": "gather", "Where": "where",
    "MaskedFill": "masked_fill", "Cumsum": "cumsum", "ConstantPadNd": "pad", "ConstantPad": "pad", "UpsampleNearest": "upsample", "UpsampleBilinear": "upsample",
    "ThnnFusedLstmCell": "lstm", "CudnnRnn": "recurrent", "MkldnnRnnLayer": "recurrent", "Lstm": "recurrent", "ThnnFusedGruCell": "recurrent",
    "MiopenRnn": "recurrent", "NativeMultiHeadAttention": "attention",
    "NllLoss": "nll_loss", "NllLossD": "nll_loss", "MseLoss": "mse_loss", "LLoss": "l1_loss", "SmoothLLoss": "smooth_l1_loss",
    "HuberLoss": "huber_loss", "BinaryCrossEntropy": "binary_cross_entropy", "BinaryCrossEntropyWithLogits": "binary_cross_entropy_with_logits",
    "KlDiv": "kl_div", "CtcLoss": "ctc_loss", "CudnnCtcLoss": "ctc_loss", "SoftMarginLoss": "soft_margin_loss", "MultiMarginLoss": "multi_margin_loss",
    "MultilabelMarginLoss": "multilabel_margin_loss", "CompiledFunction": "compiled", "CheckpointFunction": "checkpoint",
}  # fmt: skip
# They change neither values nor, as far as a reader is concerned, anything else.
SHAPES = frozenset((
    "View", "UnsafeView", "Reshape", "ReshapeAlias", "T", "Permute", "Transpose", "Squeeze", "Unsqueeze", "Expand", "ToCopy", "Copy", "Clone", "Alias",
    "Contiguous", "Flatten", "Unflatten", "AsStrided", "MvAlias", "CopySlices", "Movedim", "_DDPSink", "DDPSink", "Identity", "Detach", "To", "ViewAs",
    "Swapaxes", "Mt", "H", "MH", "MT", "Lift", "LiftFresh", "ToDense", "ToMkldnn", "AccumulateGrad", "SplitWithSizes", "Split", "Chunk", "Unbind",
    "UnsafeSplit", "CopyBackwards", "Copys",
))  # fmt: skip
_PARTS = frozenset(("Select", "Slice", "Split", "SplitWithSizes", "Unbind", "Chunk", "UnsafeSplit", "Narrow"))  # of a parameter
_names = {}  # name of a class -> that of the operation
WEIGHTED = frozenset(("linear", "convolution", "embedding", "recurrent", "lstm", "attention"))


def base(node):
    """The name of a node without "Backward" and digits."""
    kind = type(node).__name__
    name = _names.get(kind)
    if name is None:
        name = kind.rsplit("::", 1)[-1].rstrip("0123456789")
        if name.endswith("Backward"):
            name = name[:-8]
        name = _names[kind] = "".join(c for c in name if not c.isdigit())
    return name


def neutral(node):
    """The neutral name of a node; of one that is not known its own in small letters."""
    name = base(node)
    found = _NAMES.get(name)
    if found is None:
        if name.startswith("ScaledDotProduct") or "Attention" in name:
            return "attention"
        if name.startswith("Upsample"):
            return "upsample"
        return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(name))
    if found == "matmul" and by_weight(node):
        return "linear"
    return found


def leaf_of(node):
    """The parameter that a node, freed of what only changes shape or type, stands for; None without one."""
    for _ in range(6):
        if node is None:
            return None
        name = base(node)
        if name == "AccumulateGrad":
            return node.variable
        if name not in SHAPES and name not in _PARTS:
            return None
        node = node.next_functions[0][0]
    return None


def by_weight(node):
    """Whether one of a product's operands is no result of other operations: a weight, or a constant."""
    below = [n for n, _ in node.next_functions]
    return any(n is None or leaf_of(n) is not None for n in below)


def shape_of(node, i):
    """The shape of what a node gave, None where it cannot be told."""
    given = getattr(node, "_input_metadata", None)  # what backward takes
    try:
        return [int(n) for n in given[i].shape]
    except (TypeError, IndexError, AttributeError, RuntimeError):
        return None


def through(node):
    """The first node that is more than a change of shape or type."""
    for _ in range(8):
        if node is None or base(node) not in SHAPES:
            return node
        below = [n for n, _ in node.next_functions if n is not None]
        node = below[0] if below else None
    return node
