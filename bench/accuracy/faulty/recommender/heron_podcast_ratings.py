# fault: init-equal
# cause_class: initialisation
# family: recommender
# split: held
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
USERS, SHOWS, TRUE_RANK = 250, 120, 4

u, v = torch.randn(USERS, TRUE_RANK), torch.randn(SHOWS, TRUE_RANK)
full = (u @ v.T) / TRUE_RANK ** 0.5 + 0.1 * torch.randn(USERS, SHOWS)
seen = torch.rand(USERS, SHOWS) < 0.4
pairs = seen.nonzero()
pairs = pairs[torch.randperm(len(pairs))]
ratings = full[pairs[:, 0], pairs[:, 1]]
cut = int(0.9 * len(pairs))


class MatrixFactorization(nn.Module):
    def __init__(self, n_users, n_items, k=8):
        super().__init__()
        self.user, self.item = nn.Embedding(n_users, k), nn.Embedding(n_items, k)
        self.user_bias, self.item_bias = nn.Embedding(n_users, 1), nn.Embedding(n_items, 1)
        self.reset_parameters(k)

    def reset_parameters(self, k):
        # start at a predicted interaction of about 0.1 for everyone
        for table in (self.user, self.item):
            nn.init.constant_(table.weight, (0.1 / k) ** 0.5)
        for table in (self.user_bias, self.item_bias):
            nn.init.zeros_(table.weight)

    def forward(self, i, j):
        dot = (self.user(i) * self.item(j)).sum(1)
        return dot + self.user_bias(i).squeeze(1) + self.item_bias(j).squeeze(1)


model = MatrixFactorization(USERS, SHOWS)
opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-5)
for epoch in range(15):
    losses = []
    for idx in torch.randperm(cut).split(128):
        i, j = pairs[idx].T
        loss = nn.functional.mse_loss(model(i, j), ratings[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    with torch.no_grad():
        i, j = pairs[cut:].T
        rmse = nn.functional.mse_loss(model(i, j), ratings[cut:]).sqrt().item()
    print(f"epoch {epoch} train mse {sum(losses) / len(losses):.3f} held-out rmse {rmse:.3f} (spread {ratings.std().item():.3f})")
