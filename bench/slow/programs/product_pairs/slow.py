# Embeddings of products: two descriptions of one product shall lie close together, all others apart.
import time

import numpy as np
import torch
from torch import nn


def descriptions(products, words=300, seed=0):
    """Two bags of words for every product."""
    rng = np.random.default_rng(seed)
    topics = np.random.default_rng(77).dirichlet(np.full(words, 0.05), 30)
    mix = rng.dirichlet(np.full(30, 0.1), products)
    probabilities = mix @ topics
    first = np.stack([rng.multinomial(40, p) for p in probabilities])
    second = np.stack([rng.multinomial(40, p) for p in probabilities])
    return torch.tensor(np.log1p(first), dtype=torch.float32), torch.tensor(np.log1p(second), dtype=torch.float32)


class Tower(nn.Module):
    def __init__(self, words=300, dim=32):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(words, 256), nn.GELU(), nn.Linear(256, 128), nn.GELU(), nn.Linear(128, dim))

    def forward(self, x):
        return nn.functional.normalize(self.layers(x), dim=-1)


class PairLoss(nn.Module):
    """Each first description has to find its second one among those of the batch."""

    def __init__(self, temperature=0.1):
        super().__init__()
        self.temperature = temperature

    def forward(self, a, b):
        losses = []
        for i in range(len(a)):
            scores = []
            for j in range(len(b)):
                scores.append(torch.dot(a[i], b[j]) / self.temperature)
            scores = torch.stack(scores)
            losses.append(torch.logsumexp(scores, dim=0) - scores[i])
        return torch.stack(losses).mean()


def main():
    torch.manual_seed(0)
    first, second = descriptions(1536)
    tower = Tower()
    criterion = PairLoss()
    optimizer = torch.optim.AdamW(tower.parameters(), lr=1e-3, weight_decay=1e-2)
    batch = 32
    t = time.time()
    for epoch in range(6):
        order = torch.randperm(len(first))
        summed = 0.0
        for k in range(0, len(order), batch):
            ids = order[k:k + batch]
            loss = criterion(tower(first[ids]), tower(second[ids]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            summed += loss.item()
        print(f"epoch {epoch + 1}/6 loss {summed / (len(order) // batch):.3f}")
    print(f"training time {time.time() - t:.1f} s")


if __name__ == "__main__":
    main()
