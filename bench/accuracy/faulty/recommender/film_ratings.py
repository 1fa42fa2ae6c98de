# fault: init-equal
# cause_class: initialisation
# family: recommender
# split: tune
"""Matrix factorisation of a small table of ratings."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
USERS, ITEMS, RANK = 150, 100, 3
taste, style = torch.randn(USERS, RANK), torch.randn(ITEMS, RANK)
pairs = torch.cartesian_prod(torch.arange(USERS), torch.arange(ITEMS))
pairs = pairs[torch.randperm(len(pairs))[:6000]]
stars = 3.5 + 0.6 * (taste[pairs[:, 0]] * style[pairs[:, 1]]).sum(1) + 0.1 * torch.randn(6000)


class MF(nn.Module):
    def __init__(self, users, items, dim=8):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)
        self.user_bias = nn.Embedding(users, 1)
        self.item_bias = nn.Embedding(items, 1)
        self.offset = nn.Parameter(torch.tensor(3.5))
        self.reset_parameters()

    def reset_parameters(self):
        for table in (self.user, self.item, self.user_bias, self.item_bias):
            nn.init.zeros_(table.weight)

    def forward(self, u, i):
        dot = (self.user(u) * self.item(i)).sum(-1)
        return self.offset + dot + self.user_bias(u).squeeze(-1) + self.item_bias(i).squeeze(-1)


train = DataLoader(TensorDataset(pairs[:5000], stars[:5000]), batch_size=100, shuffle=True)
model = MF(USERS, ITEMS)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(15):
    model.train()
    se = 0
    for p, r in train:
        loss = ((model(p[:, 0], p[:, 1]) - r) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        se += loss.item()
    model.eval()
    with torch.no_grad():
        err = ((model(pairs[5000:, 0], pairs[5000:, 1]) - stars[5000:]) ** 2).mean().sqrt()
    print(f"epoch {epoch}: train mse {se / len(train):.4f} held-out rmse {err:.4f}")
