# fault: nan-in-data
# cause_class: data-loading, non-finite, loss
# family: timeseries
# split: tune
import os
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Baskets(Dataset):
    """Daily purchases of 8 goods over 10 days as shares of the day's basket; label: does the customer come back."""

    def __init__(self, n):
        taste = torch.softmax(torch.randn(n, 1, 8), -1)
        day = torch.poisson(taste.expand(n, 10, 8) * (4 + 4 * torch.rand(n, 1, 1)))
        empty = torch.rand(n) < 0.002
        day[empty, 3] = 0
        self.shares = day / day.sum(-1, keepdim=True)
        self.volume = torch.log1p(day.sum(-1, keepdim=True))
        self.y = (taste[:, 0, 0] + taste[:, 0, 3] > 0.25).float()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.cat([self.shares[i], self.volume[i]], -1), self.y[i]


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(9, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(self.gru(x)[1][-1]).squeeze(-1)


train = Baskets(1600)
model = Recurrent()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(5):
    losses = []
    for x, y in DataLoader(train, 32, shuffle=True):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print(f"epoch {epoch} first {losses[0]:.4f} last {losses[-1]:.4f}")
