# fault: none
# family: regression
# split: tune
# Star ratings 1 to 5 treated as numbers: MSE on integers, on purpose (ordinal regression).
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Reviews(Dataset):
    """Bags of ten words out of 200; every word has a mood."""

    def __init__(self, n, words=200):
        g = torch.Generator().manual_seed(7)
        mood = torch.randn(words, generator=g)
        self.words = torch.randint(0, words, (n, 10))
        score = mood[self.words].mean(1) * 3.16
        self.stars = (3 + 1.2 * score).round().clamp(1, 5).long()

    def __len__(self):
        return len(self.stars)

    def __getitem__(self, i):
        return self.words[i], self.stars[i]


class Rater(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(200, 16, mode="mean")
        self.head = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, w):
        return self.head(self.bag(w)).squeeze(-1) + 3.0


loader = DataLoader(Reviews(4000), batch_size=64, shuffle=True)
model = Rater()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
mse = nn.MSELoss()
rec = []
for epoch in range(5):
    for words, stars in loader:
        loss = mse(model(words), stars.float())
        opt.zero_grad()
        loss.backward()
        opt.step()
        rec.append(loss.item())
print(f"loss first {rec[0]:.4f} last {rec[-1]:.4f}")
