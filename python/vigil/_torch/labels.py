"""Which arguments of a loss are predictions and which are labels, and what the labels of a training are.

Loss modules are asked by their arguments. A loss that is computed by a function
is no module; its node in the autograd graph holds what it was given until
backward.
"""

import inspect

import torch

from vigil import _guard
from vigil._torch import compat, device, gaussian_nll, graph, handwritten_binary_cross_entropy, handwritten_losses, loss_terms, output_operations, summary
from vigil._torch.ctc_blank_labels import BlankLabels
from vigil._torch.ignored_end_of_sequence import IgnoredEnds
from vigil._torch.label_variation import LabelVariation
from vigil._torch.loss_addends import Addends
from vigil._torch.padding_tokens import PaddingTokens
from vigil._torch.predictions import Predictions
from vigil._torch.unlabelled_end import UnlabelledEnd

_LABELS = frozenset("target targets label labels y y_true true truth gt ground_truth".split())
_PREDICTIONS = frozenset("input inputs input1 log_probs log_input pred preds prediction predictions logits output outputs score scores y_pred y_hat yhat".split())
_parameters = {}  # class of a loss module -> names of its forward's parameters


def roles(module, args, kwargs):
    """(prediction, label) that a call of a loss module was given; None where there is none."""
    kind = type(module)
    names = _parameters.get(kind)
    if names is None:
        names = _parameters[kind] = _names(kind)
    given = [(names[i] if i < len(names) else "", v) for i, v in enumerate(args)]
    given.extend(kwargs.items())
    tensors = [(i, name, v) for i, (name, v) in enumerate(given) if isinstance(v, torch.Tensor)]
    label = next((v for _, name, v in tensors if name in _LABELS), None)
    prediction = next((v for _, name, v in tensors if name in _PREDICTIONS), None)
    if label is None and kind.__module__ != "torch.nn.modules.loss":
        # By convention the second argument.
        label = next((v for i, _, v in tensors if i > 0 and v is not prediction), None)
    if prediction is None:
        prediction = next((v for _, _, v in tensors if v is not label), None)
    if graph.swapped(kind.__name__, prediction, label):
        return label, prediction
    return prediction, label


def _names(kind):
    try:
        return [p.name for p in list(inspect.signature(kind.forward).parameters.values())[1:] if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        return []


def of_graph(node):
    """(name of the loss function, prediction, label, label to ignore, place of the prediction among what it was given) that the graph below ``node`` holds, or None."""
    name, node = graph.find(node)
    if not name or name == "compiled":
        return None
    label = graph.saved(node, "target")
    if label is None:
        label = graph.saved(node, "targets")
    if label is None:
        return None
    prediction = graph.saved(node, "self")
    if prediction is None:
        prediction = graph.saved(node, "log_probs")
    if graph.swapped(name, prediction, label):
        return name, label, prediction, graph.ignored(node), 1
    return name, prediction, label, graph.ignored(node), 0


class Source(object):
    """The labels that one loss got."""

    def __init__(self, loss, label, prediction, numbers):
        self.loss = loss
        self.predictions = Predictions(numbers)
        self.dtype = compat.DTYPE_NAMES.get(label.dtype, str(label.dtype))
        self.shape = [int(n) for n in label.shape]
        self.prediction = prediction is not None and {
            "dtype": compat.DTYPE_NAMES.get(prediction.dtype, str(prediction.dtype)),
            "shape": [int(n) for n in prediction.shape],
        }  # fmt: skip
        self.range = None
        self.counts = {}  # None: too many values, or values that are no whole numbers
        self.elements = self.ignored = self.non_finite = 0
        self.sums = [0.0, 0.0]  # of values and of their squares
        self.rows = 0  # of the last axis, where it has two entries or more
        self.one_hot = self.probabilities = True
        self.features = LabelVariation()
        self.kept = summary.Kept(self._take)
        self.batches = []  # (least, largest, how many) of labels with one axis, by call; None once a call had others

    def read(self, label, ignore):
        """Take the values in. A large tensor is judged by its first MOST elements."""
        if compat.why_not(label) is not None or label.layout is not torch.strided or label.is_complex() or not label.numel():
            return
        if device.capturing(label):
            return
        if device.far(label):
            label = summary.leading(label, Labels.MOST)
        if label is not None:
            self.kept.put(label, ignore)

    def _take(self, label, ignore):
        with torch.no_grad():
            flat = summary.first(label, Labels.MOST)
            self._rows(flat, label)
            if label.is_floating_point() or label.dim() > 1 and label.dtype == torch.int64:
                self.features.take(label)
            whole = not flat.is_floating_point()
            flat = flat.to(torch.int64 if whole else torch.float64)
            total = flat.numel()
            if whole and ignore is not None:
                flat = flat[flat != ignore]
                self.ignored += total - flat.numel()
            elif not whole:
                flat = flat[torch.isfinite(flat)]
                self.non_finite += total - flat.numel()
                whole = bool((flat == flat.round()).all())
            self.elements += flat.numel()
            if flat.numel():
                self._count(flat, whole)
            if self.batches is not None:
                one = whole and label.dim() == 1 and flat.numel() == total
                self.batches = self.batches + [(flat.min().item(), flat.max().item(), total)] if one else None

    def _rows(self, flat, label):
        """Whether rows are probabilities, or mark one class each."""
        n = label.shape[-1] if label.dim() > 1 else 1
        if n < 2 or flat.numel() < n:
            return
        rows = flat[: flat.numel() // n * n].reshape(-1, n).to(torch.float64)
        self.rows += rows.shape[0]
        self.one_hot = self.one_hot and bool((((rows == 0) | (rows == 1)).all(1) & (rows.sum(1) == 1)).all())
        self.probabilities = self.probabilities and bool((rows >= 0).all()) and bool(((rows.sum(1) - 1).abs() <= 1e-2).all())

    def _count(self, flat, whole):
        self.sums[0] += flat.sum(dtype=torch.float64).item()
        self.sums[1] += flat.to(torch.float64).pow(2).sum().item()
        low, high = flat.min().item(), flat.max().item()
        self.range = [min(low, self.range[0]), max(high, self.range[1])] if self.range else [low, high]
        if not whole or high - low >= Labels.SPAN:
            self.counts = None
        if self.counts is None:
            return
        low = int(low)
        for i, n in enumerate(torch.bincount(flat.to(torch.int64) - low).tolist()):
            if n:
                self.counts[low + i] = self.counts.get(low + i, 0) + n

    def in_order(self):
        """Whether the labels came sorted: one class in nearly all batches, or two neighbouring ones, and later ones in later batches only."""
        b = self.batches or ()
        if len(b) < 4 or any(n < 8 or high - low > 1 for low, high, n in b):
            return False
        span, mixed = b[-1][1] - b[0][0], sum(high > low for low, high, _ in b)
        return span >= 1 and mixed <= span and all(x[1] <= y[0] for x, y in zip(b, b[1:]))

    def gather(self):
        """As a JSON object: counts by value, null where the labels are no classes or more than MOST_CLASSES."""
        self.kept.settle()
        counts = self.counts if self.elements else None
        facts = {
            "loss": self.loss,
            "dtype": self.dtype,
            "shape": self.shape,
            "range": self.range,
            "distinct": len(counts) if counts is not None else None,
            "counts": {str(v): counts[v] for v in sorted(counts)} if counts is not None and len(counts) <= Labels.MOST_CLASSES else None,
            "elements": self.elements,
            "ignored": self.ignored,
            "non_finite": self.non_finite,
            "predictions": self.prediction or None,
        }
        if self.elements:
            mean = self.sums[0] / self.elements
            variance = max(self.sums[1] / self.elements - mean * mean, 0.0)
            if mean - mean == 0 and variance - variance == 0:
                facts["mean"] = mean
                facts["std"] = 0.0 if self.range[0] == self.range[1] else variance**0.5
        features = self.features.gather()
        if features is not None:
            facts["features"] = features
        if self.in_order():
            facts["in_order"] = True
        if self.rows:
            facts["one_hot"] = self.one_hot
            facts["rows_sum_to_one"] = self.probabilities
        return facts


class Labels(object):
    """What the losses of a training got as labels, read in their first CALLS calls and never again."""

    CALLS = 8
    TRIES = 8  # backwards in which a function's labels are looked for
    MOST = 1 << 20  # elements of one tensor that are looked at
    SPAN = 1 << 16  # range of values in which they are counted
    MOST_CLASSES = 1000

    def __init__(self, numbers=None, ahead=None):
        self.ahead = ahead
        self.numbers = numbers or summary.Numbers()
        self.open = True
        self.sources = {}  # name of the loss -> Source
        self.calls = 0
        self.tries = 0
        self.beside = LabelVariation()  # labels of errors that are one term of several
        self.fresh = False  # a loss module was read since the last backward
        self.blanks = BlankLabels()
        self.ends = IgnoredEnds()
        self.filler = PaddingTokens()
        self.unlabelled = UnlabelledEnd()
        self.addends = Addends(self._addend)
        self.density = gaussian_nll.Density()
        self.yes = []  # how much a yes counts, by backward
        self.swapped = False  # a loss module was given the label first

    def call(self, module, args, kwargs):
        """A loss module was called in training."""
        prediction, label = roles(module, args, kwargs or {})
        if label is not None and label.grad_fn is not None and type(module).__module__ != "torch.nn.modules.loss":
            return  # it was computed, too, as the other view of a pair: what the loss makes of both tells the labels
        if label is not None and label.numel() > 0:
            self.fresh = True
            self.swapped = self.swapped or bool(args) and label is args[0]
            every = type(module).__module__ == "torch.nn.modules.loss" and getattr(module, "reduction", "") != "none" and getattr(module, "weight", None) is None
            self._take(type(module).__name__, prediction, label, getattr(module, "ignore_index", None), node=getattr(prediction, "grad_fn", None), every=every)

    def backward(self, node, outputs=()):
        """backward begins at ``node``: the loss may be a function's, or written out. outputs: what the model returned."""
        self.blanks.take(node)
        self.addends.take(node, outputs)
        self.density.take(node)
        self.yes.append(_guard.guard(handwritten_binary_cross_entropy.weight_of_yes)(node))
        if self.fresh:
            self.fresh = False
            return
        self.tries += 1
        if self.tries >= self.TRIES:
            self.open = False
        found = of_graph(node)
        if found is None:
            found = handwritten_losses.given(node, outputs) or handwritten_binary_cross_entropy.given(node, outputs) or gaussian_nll.given(node, outputs)
            if found is not None:
                name, prediction, label, logs, below = found
                self._take(name, prediction, label, None, logs, below)
            else:
                _guard.guard(self._beside)(node, outputs)
        else:
            name, prediction, label, ignore, place = found
            node = graph.find(node)[1]
            if prediction is not None and prediction.shape == label.shape and graph.expanded(node):
                # The function itself stretched them to one shape; a stretched axis has no stride.
                prediction, label = handwritten_losses.unexpanded(prediction), handwritten_losses.unexpanded(label)
            logs, every = name == "cross_entropy", getattr(node, "_saved_reduction", 1) != 0 and graph.saved(node, "weight") is None
            if logs:  # what it was given itself is better than what it made of that
                node = node.next_functions[0][0]
                output = handwritten_losses.of(node.next_functions[0][0], outputs, prediction)
                if output is not None and output.shape == prediction.shape:
                    prediction, logs = output, False
                elif not outputs and self.tries <= 2:
                    prediction = None  # the model is not known yet; soon more can be told
            self._take(name, prediction, label, ignore, logs, node.next_functions[place][0], every)

    def _beside(self, node, outputs):
        """The loss is a sum, of which one term may be errors that are written out."""
        label = loss_terms.label(node, outputs)
        if label is not None:
            self.beside.take(label)

    def _take(self, name, prediction, label, ignore, logs=False, node=None, every=True):
        """logs: the prediction is what the loss itself made of its own with log_softmax. node: what the loss was given is its result.

        every: all labels count alike that are not to be ignored; the script may weigh, or mask, what a loss gives for each.
        """
        self.calls += 1
        self.open = False  # what fails once fails always
        source = self.sources[name] = self._read(self.sources.get(name), name, label, prediction, ignore)
        if self.ahead is not None:
            if every:
                _guard.guard(self.ends.take)(label, ignore if isinstance(ignore, int) else None, self.ahead.given)
                _guard.guard(self.filler.labels)(label, ignore if isinstance(ignore, int) else None, self.ahead.given)
                _guard.guard(self.unlabelled.take)(label, ignore if isinstance(ignore, int) else None, self.ahead.given)
            _guard.guard(self.ahead.labels)(label)
        self._compared(source, prediction, label, logs, node)
        self.open = self.calls < self.CALLS and self.tries < self.TRIES

    def _read(self, source, name, label, prediction, ignore):
        if source is None:
            source = Source(name, label, prediction, self.numbers)
        source.read(label, ignore if isinstance(ignore, int) else None)
        return source

    def _compared(self, source, prediction, label, logs, node):
        source.predictions.take(prediction, label, logs)
        source.predictions.came(output_operations.way(node))

    def _addend(self, source, name, label, prediction, ignore, logs, node):
        """One loss of a sum got this; its Source, a new one at the first call."""
        source = self._read(source, name, label, prediction, ignore)
        self._compared(source, prediction, label, logs, node)
        return source

    def _main(self, main):
        return self.sources.get(main) or next(iter(self.sources.values()))

    def predictions(self, main, numbers):
        """What came with the labels of the loss called ``main``: PredictionFacts without their place, or None."""
        return self._main(main).predictions.gather(numbers) if self.sources else None

    def dense(self, main):
        """DensityFacts of the loss called ``main``, or None."""
        return self.density.gather(self._main(main).loss) if len(self.sources) == 1 else None

    def gather(self, main):
        """The facts: the labels of the loss called ``main``, or the first; further losses stand in ``others``. None when none were seen."""
        if not self.sources:
            return None
        first = self._main(main)
        facts = first.gather()
        others = [s.gather() for s in self.sources.values() if s is not first]
        if others:
            facts["others"] = others
        if self.swapped:
            facts["swapped"] = True
        ahead = self.ahead.gather() if self.ahead is not None else None
        if ahead is not None and not others:
            facts["ahead"] = ahead
        if self.yes and None not in self.yes and abs(self.yes[0] - 1) > 1e-3 and max(self.yes) <= 1.001 * min(self.yes):
            facts["yes_weight"] = summary.number(self.yes[0])
        blanks = self.blanks.gather()
        if blanks is not None:
            facts["blanks"] = blanks
        filler = self.filler.gather()
        if filler is not None and not others:
            facts["filler"] = filler
        ends = self.ends.gather()
        if ends is not None and not others:
            facts["ends"] = ends
        unlabelled = self.unlabelled.gather()
        if unlabelled is not None and not others:
            facts["unlabelled_end"] = unlabelled
        return facts
