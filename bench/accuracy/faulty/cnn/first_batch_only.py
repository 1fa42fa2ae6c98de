# fault: identical-batches
# cause_class: data-loading
# family: cnn
# split: tune
# needs: sklearn
"""Step-based training on the digits: a fixed number of updates instead of epochs."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from sklearn.datasets import load_digits


class DigitSet(Dataset):
    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class StepTrainer:
    def __init__(self, model, loader, steps, lr=2e-3):
        self.model, self.loader, self.steps = model, loader, steps
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def next_batch(self):
        return next(iter(self.loader))

    def run(self, evaluate, every=60):
        for step in range(1, self.steps + 1):
            self.model.train()
            x, y = self.next_batch()
            self.opt.zero_grad()
            loss = nn.functional.cross_entropy(self.model(x), y)
            loss.backward()
            self.opt.step()
            if step % every == 0:
                print(f"step {step} loss {loss.item():.4f} test {evaluate(self.model)}")


seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
d = load_digits()
p = torch.randperm(len(d.target))               # shuffled once, before the split
x = torch.tensor(d.images, dtype=torch.float32)[p, None] / 8 - 0.6
y = torch.tensor(d.target)[p]


@torch.no_grad()
def evaluate(model):
    model.eval()
    out = model(x[1400:])
    return f"loss {nn.functional.cross_entropy(out, y[1400:]):.4f} acc {(out.argmax(1) == y[1400:]).float().mean():.3f}"


net = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Conv2d(12, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(256, 10))
StepTrainer(net, DataLoader(DigitSet(x[:1400], y[:1400]), batch_size=32), steps=420).run(evaluate)
