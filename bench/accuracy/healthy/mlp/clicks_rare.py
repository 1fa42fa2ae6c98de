# fault: none
# family: mlp
# split: tune
"""Clicks on a banner: one in fifteen, and little that tells which."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
page = torch.randint(0, 40, (6000,))
x = torch.randn(6000, 6)
taste = 0.3 * torch.randn(40)
click = (torch.rand(6000) < torch.sigmoid(-2.7 + taste[page] + 0.3 * x[:, 0])).float()


class Clicks(nn.Module):
    def __init__(self):
        super().__init__()
        self.page = nn.Embedding(40, 8)
        self.net = nn.Sequential(nn.Linear(14, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, page, x):
        return self.net(torch.cat([self.page(page), x], 1)).squeeze(1)


model = Clicks()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for i in torch.randperm(6000).split(128):
        loss = nn.functional.binary_cross_entropy_with_logits(model(page[i], x[i]), click[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
