"""How many rows of an embedding an update is about: those that its gradient, which has a row for each of them, is not zero in."""

import torch

from vigil._torch import summary

MOST = 8  # looks at a weight
COLUMNS = 8  # spread over a row: a row counts where one of them is not zero


class EmbeddingRows(object):
    """Gradients of embeddings at the first updates."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.places = {}  # id of a weight -> places of the rows of its gradient

    def update(self, known):
        """An optimiser is about to step. known: id of a parameter -> parameters.One, or None."""
        for at, one in known.items():
            if one is None or one.facts["kind"] != "embedding" or len(one.facts["shape"]) != 2:
                continue
            places = self.places.setdefault(at, [])
            weight = one.value
            gradient = None if weight is None or len(places) >= MOST else weight.grad
            if gradient is None or not summary.readable(gradient) or gradient.dim() != 2 or not gradient.numel():
                continue  # a sparse gradient has only the rows that are used
            with torch.no_grad():
                some = gradient.detach()[:, :: max(gradient.shape[1] // COLUMNS, 1)]
                places.append(self.numbers.put((some != 0).any(1).sum().reshape(1)))

    def gather(self, numbers):
        """id of a weight -> the most rows."""
        return {at: max(int(numbers[place][0]) for place in places) for at, places in self.places.items() if places}
