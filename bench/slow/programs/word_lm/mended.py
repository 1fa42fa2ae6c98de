"""Next-word model with a small window, in the manner of Bengio et al. (2003). Words that nobody could guess count little."""
import time
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB = 400
WINDOW = 4
BATCH = 512
STEPS = 1100


def sample_text(n, rng):
    """A Markov chain of the first order in which every word has eight successors; now and then a word is wrong."""
    successors = rng.integers(0, VOCAB, (VOCAB, 8))
    choice = np.minimum(rng.geometric(0.35, n) - 1, 7)
    wrong = rng.random(n) < 0.02
    words = np.empty(n, np.int64)
    words[0] = 0
    for i in range(1, n):
        words[i] = rng.integers(VOCAB) if wrong[i] else successors[words[i - 1], choice[i]]
    return words


class WindowLM(nn.Module):
    def __init__(self, dim=32, hidden=256):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, dim)
        self.hidden = nn.Linear(WINDOW * dim, hidden)
        self.output = nn.Linear(hidden, VOCAB)

    def forward(self, context):
        h = torch.tanh(self.hidden(self.embedding(context).flatten(1)))
        return self.output(h)


class Outliers:
    """Tells which losses are unusually high, compared with those of the last batches."""

    def __init__(self, percent=97):
        self.percent = percent
        self.seen = deque(maxlen=16)

    def weights(self, losses):
        self.seen.append(losses.numpy())
        limit = float(np.percentile(np.concatenate(self.seen), self.percent))
        return (limit / losses).clamp(max=1.0)


def train():
    rng = np.random.default_rng(8)
    torch.manual_seed(8)
    words = torch.from_numpy(sample_text(60_000, rng))
    contexts = words.unfold(0, WINDOW + 1, 1)
    model = WindowLM()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    outliers = Outliers()
    smooth = None
    began = time.time()
    for step in range(1, STEPS + 1):
        rows = contexts[torch.randint(len(contexts), (BATCH,))]
        losses = F.cross_entropy(model(rows[:, :-1]), rows[:, -1], reduction="none")
        loss = (losses * outliers.weights(losses.detach())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        smooth = loss.item() if smooth is None else 0.98 * smooth + 0.02 * loss.item()
        if step % 100 == 0:
            print(f"{step:6d}  {smooth:.4f}  {time.time() - began:.1f} s")


if __name__ == "__main__":
    train()
