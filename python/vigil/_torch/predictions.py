"""What a loss gets as predictions: their type and values, which axis holds classes, and whether they are probabilities already."""

import torch

from vigil._torch import summary

ROWS = 1 << 12  # rows of one call that are looked at
MASKED = -1e4  # entries below it stand for minus infinity
CALLS = 8


class Predictions(object):
    """The predictions that one loss got."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.facts = None
        self.way = None  # empty: not the same at all calls
        self.steps = []  # places of (least sum, largest sum, ... of rows)

    def take(self, prediction, label, logs=False):
        """A loss was called. logs: what is known is log_softmax of what it was given."""
        if prediction is None or len(self.steps) >= CALLS:
            return
        if self.facts is None:
            self.facts = summary.described(prediction)
            self.inside = logs
            self.facts["values"] = None if logs else summary.values(prediction, self.numbers)
            self.axis, self.classes = axis(prediction, label)
            self.label_shape = [int(n) for n in label.shape] if label is not None else []
        if summary.readable(prediction) and prediction.numel() and prediction.is_floating_point():
            self.steps.append((self._rows(prediction.detach()), prediction.shape[self.axis] if self.axis < prediction.dim() else 1, prediction.dtype))

    def came(self, way):
        """The operations that made the predictions of a call, as of output_operations.way."""
        self.way = way if self.way in (None, way) else []

    def _rows(self, x):
        """Place of: least and largest entry, least and largest sum of rows, the same of their exponentials, first and last place of the largest entry, most that entries of a row lie apart, rows.

        What is masked is as far as nothing: a sample that is compared with all but itself has such an entry.
        """
        with torch.no_grad():
            kind = summary.precise(x)
            if x.dim() > 1 and self.axis < x.dim():
                x = x[: max(ROWS // max(x[0].numel() // max(x.shape[self.axis], 1), 1), 2)] if self.axis > 0 else x
                x = x.movedim(self.axis, -1)
                x = x.reshape(-1, x.shape[-1])[:ROWS].to(kind)
            else:
                x = x.reshape(-1, 1)[:ROWS].to(kind)
            if x.shape[1] < 2 or x.shape[1] > 1 << 17:
                x = x[:, :1]
            sums, exponents, top = x.sum(1), x.clamp(max=1.0).exp().sum(1), x.argmax(1)
            high = x.amax(1, keepdim=True)
            apart = (high - torch.where(x < MASKED, high, x)).max()
            parts = [x.min(), x.max(), sums.min(), sums.max(), exponents.min(), exponents.max(), top.min(), top.max(), apart]
            return self.numbers.put(torch.stack([p.to(kind) for p in parts] + [torch.full_like(x[0, 0], x.shape[0])]))

    def gather(self, numbers):
        """PredictionFacts without their place, or None."""
        if self.facts is None:
            return None
        probabilities = logs = bool(self.steps) and self.classes >= 2 and not self.inside
        places = set()
        seen, apart = 0, 0.0
        for place, classes, dtype in self.steps:
            low, high, least, most, least_exp, most_exp, first, last, most_apart, rows = numbers[place]
            apart = max(apart, most_apart)
            near = max(1e-4, 8 * torch.finfo(dtype).eps * classes**0.5)
            probabilities = probabilities and low >= 0 and high <= 1 + near and abs(least - 1) <= near and abs(most - 1) <= near
            logs = logs and high <= near and abs(least_exp - 1) <= near * 4 and abs(most_exp - 1) <= near * 4
            if rows >= 2 and classes >= 2:
                seen += 1
                places.add(first)
                places.add(last)
        out = summary.read(self.facts, numbers)
        out.update(
            axis=self.axis,
            classes=self.classes,
            rows_sum_to_one=bool(probabilities),
            log_rows=bool(logs),
            one_class=seen >= 2 and len(places) == 1,
            steps=len(self.steps),
            label_shape=self.label_shape,
        )
        if 0 < apart < float("inf"):
            out["spread"] = summary.number(apart)
        if self.way:
            out["way"] = self.way
        return out


def axis(prediction, label):
    """(axis that holds classes, its length) of predictions that come with labels."""
    if prediction.dim() == 0:
        return 0, 1
    numbers = label is not None and not label.is_floating_point() and label.dim() == prediction.dim() - 1
    if numbers:
        at = 1 if prediction.dim() > 1 else 0
    else:
        at = prediction.dim() - 1
    if prediction.dim() == 1 and not numbers:
        return 0, 1
    return at, int(prediction.shape[at])
