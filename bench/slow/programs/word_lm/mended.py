"""Next-word model with a small window, in the manner of Bengio et al. (2003)."""
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB = 250
WINDOW = 4
BATCH = 64
STEPS = 16000


def sample_text(n, rng):
    """A Markov chain of the first order in which every word has eight successors."""
    successors = rng.integers(0, VOCAB, (VOCAB, 8))
    choice = np.minimum(rng.geometric(0.35, n) - 1, 7)
    words = np.empty(n, np.int64)
    words[0] = 0
    for i in range(1, n):
        words[i] = successors[words[i - 1], choice[i]]
    return words


class WindowLM(nn.Module):
    def __init__(self, dim=16, hidden=64):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, dim)
        self.hidden = nn.Linear(WINDOW * dim, hidden)
        self.output = nn.Linear(hidden, VOCAB)

    def forward(self, context):
        h = torch.tanh(self.hidden(self.embedding(context).flatten(1)))
        return self.output(h)


class LossMeter:
    """`smooth` is the exponential average of the losses, corrected for its start."""

    def __init__(self, beta=0.995):
        self.beta = beta
        self.average = 0.0
        self.count = 0

    def add(self, value):
        self.average = self.beta * self.average + (1 - self.beta) * value
        self.count += 1

    @property
    def smooth(self):
        return self.average / (1 - self.beta**self.count)


def train():
    rng = np.random.default_rng(8)
    torch.manual_seed(8)
    words = torch.from_numpy(sample_text(60_000, rng))
    contexts = words.unfold(0, WINDOW + 1, 1)
    model = WindowLM()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    meter = LossMeter()
    best, since = float("inf"), 0
    began = time.time()
    for step in range(1, STEPS + 1):
        rows = contexts[torch.randint(len(contexts), (BATCH,))]
        loss = F.cross_entropy(model(rows[:, :-1]), rows[:, -1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.add(loss.item())
        smooth = meter.smooth
        if smooth < best - 1e-4:
            best, since = smooth, 0
        else:
            since += 1
            if since == 1500:
                for group in optimizer.param_groups:
                    group["lr"] *= 0.5
                since = 0
        if step % 1000 == 0:
            print(f"{step:6d}  {smooth:.4f}  lr {optimizer.param_groups[0]['lr']:.1e}  {time.time() - began:.1f} s")


if __name__ == "__main__":
    train()
