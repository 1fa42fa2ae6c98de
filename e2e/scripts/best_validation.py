"""Trainings that evaluate in many styles. Each prints its own best and last validation loss, as it computes them."""

import contextlib
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
style = sys.argv[1]
# The samples are sorted by how hard they are, so that batches differ much from each other.
x = torch.randn(230, 6)
y = (x[:, 0] + 0.5 * x[:, 1] + 0.8 * torch.randn(230) > 0).long()
target = x @ torch.randn(6, 2) + 0.5 * torch.randn(230, 2)
hard = (x[101:].abs().sum(1)).argsort()
x = torch.cat([x[:101], x[101:][hard]])
y = torch.cat([y[:101], y[101:][hard]])
target = torch.cat([target[:101], target[101:][hard]])


def made(labels, first, last, size, **options):
    return DataLoader(TensorDataset(x[first:last], labels[first:last]), batch_size=size, **options)


class ByDefault(object):
    """The usual style: a classifier, evaluated in each epoch; the loss of a batch counts as often as it has samples."""

    rate, epochs, labels, outputs = 0.05, 3, y, 2
    criterion = nn.CrossEntropyLoss()
    off = torch.no_grad

    def __init__(self):
        self.model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, self.outputs))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=self.rate)
        self.training = self.train_loader()
        self.validation = self.loaders()
        self.losses = []
        self.updates = 0

    def train_loader(self):
        return made(self.labels, 0, 101, 16, shuffle=True)

    def loaders(self):
        return [made(self.labels, 101, 230, 32)]

    def total(self, out, b):
        """What a batch adds to the sum over all samples."""
        return self.criterion(out, b).item() * len(b)

    def evaluate(self):
        self.model.eval()
        total, n = 0.0, 0
        with self.off():
            for loader in self.validation:
                for a, b in loader:
                    total += self.total(self.model(a), b)
                    n += len(b)
        self.model.train()
        self.losses.append(total / n)

    def updated(self):
        pass

    def epoch_ends(self):
        self.evaluate()

    def begins(self):
        pass

    def ends(self):
        pass

    def run(self):
        self.begins()
        for _ in range(self.epochs):
            for a, b in self.training:
                self.optimizer.zero_grad()
                self.criterion(self.model(a), b).backward()
                self.optimizer.step()
                self.updates += 1
                self.updated()
            self.epoch_ends()
        self.ends()
        print("own best %.17g last %.17g passes %d" % (min(self.losses), self.losses[-1], len(self.losses)))


class HighRate(ByDefault):
    rate = 3.0


class LowRate(ByDefault):
    rate = 0.003


class Regression(ByDefault):
    labels, outputs = target, 2
    criterion = nn.MSELoss()


class Sums(ByDefault):
    """The validation's loss module sums up; the script divides by itself."""

    summing = nn.CrossEntropyLoss(reduction="sum")

    def total(self, out, b):
        return self.summing(out, b).item()


class SumsOfSquares(ByDefault):
    labels, outputs, rate = target, 2, 0.01
    criterion = nn.MSELoss(reduction="sum")

    def train_loader(self):
        return made(self.labels, 0, 101, 4, shuffle=True)

    def total(self, out, b):
        return (self.criterion(out, b) / len(b)).item() * len(b)


class EverySteps(ByDefault):
    """Evaluates after every fifth update."""

    def updated(self):
        if self.updates % 5 == 0:
            self.evaluate()

    def epoch_ends(self):
        pass


class AtTheEnd(ByDefault):
    def epoch_ends(self):
        pass

    def ends(self):
        self.evaluate()


class SeveralLoaders(ByDefault):
    """Two sets of other sizes, in turn; what is printed is over all their samples."""

    def loaders(self):
        return [made(self.labels, 101, 171, 20), made(self.labels, 171, 230, 50)]


class BeforeTraining(ByDefault):
    """Evaluates before training and after each update, too."""

    epochs = 1

    def train_loader(self):
        return made(self.labels, 0, 100, 50, shuffle=True)

    def begins(self):
        self.evaluate()

    def updated(self):
        self.evaluate()

    def epoch_ends(self):
        pass


class DropsLast(ByDefault):
    def loaders(self):
        return [made(self.labels, 101, 230, 32, drop_last=True)]


class Inference(ByDefault):
    off = torch.inference_mode

    def loaders(self):
        return [made(self.labels, 101, 230, 127)]  # two batches: 127 samples and 2


class Binary(ByDefault):
    labels, outputs = y.float().unsqueeze(1), 1
    criterion = nn.BCEWithLogitsLoss()
    off = contextlib.nullcontext  # eval() alone


class ReturnsLoss(ByDefault):
    """The model gives its loss itself."""

    def __init__(self):
        super().__init__()
        inner = self.model

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = inner

            def forward(self, a, labels):
                out = self.inner(a)
                return {"loss": nn.functional.cross_entropy(out, labels), "logits": out}

        self.model = Model()

    def evaluate(self):
        self.model.eval()
        total, n = 0.0, 0
        with self.off():
            for a, b in self.validation[0]:
                total += self.model(a, b)["loss"].item() * len(b)
                n += len(b)
        self.model.train()
        self.losses.append(total / n)

    def run(self):
        model = self.model
        self.criterion = lambda out, b: out
        for _ in range(self.epochs):
            for a, b in self.training:
                self.optimizer.zero_grad()
                model(a, b)["loss"].backward()
                self.optimizer.step()
            self.evaluate()
        print("own best %.17g last %.17g passes %d" % (min(self.losses), self.losses[-1], len(self.losses)))


class LogsItself(ByDefault):
    """Gives the loss of each evaluation under a name of its own, too."""

    def evaluate(self):
        super().evaluate()
        import vigil

        vigil.log({"val_loss": self.losses[-1]})


globals()[style]().run()
