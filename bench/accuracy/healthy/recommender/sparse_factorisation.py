# fault: none
# family: recommender
# split: held
# matrix factorisation with sparse embeddings; rare items get few updates
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
U, I, K = 300, 400, 8
pu, qi = torch.randn(U, 4), torch.randn(I, 4)
pop = 1.0 / torch.arange(1, I + 1).float() ** 0.7
u = torch.randint(0, U, (16000,))
i = torch.multinomial(pop, 16000, replacement=True)
r = 3.5 + (pu[u] * qi[i]).sum(1) * 0.45 + 0.3 * torch.randn(16000)


class MF(nn.Module):
    def __init__(self, mean):
        super().__init__()
        self.u, self.i = nn.Embedding(U, K, sparse=True), nn.Embedding(I, K, sparse=True)
        self.bu, self.bi = nn.Embedding(U, 1, sparse=True), nn.Embedding(I, 1, sparse=True)
        for e in (self.u, self.i):
            nn.init.normal_(e.weight, std=0.1)
        for e in (self.bu, self.bi):
            nn.init.zeros_(e.weight)
        self.mean = mean

    def forward(self, u, i):
        return self.mean + (self.u(u) * self.i(i)).sum(1) + self.bu(u).squeeze(1) + self.bi(i).squeeze(1)


train = DataLoader(TensorDataset(u[:14000], i[:14000], r[:14000]), batch_size=128, shuffle=True)
model = MF(r[:14000].mean().item())
opt = torch.optim.SparseAdam(list(model.parameters()), lr=1e-2)
for epoch in range(8):
    s = 0.0
    for a, b, c in train:
        loss = (model(a, b) - c).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / len(train)
    with torch.no_grad():
        v = (model(u[14000:], i[14000:]) - r[14000:]).square().mean().sqrt().item()
    print(f"epoch {epoch} train rmse {s ** 0.5:.4f} test rmse {v:.4f} (mean only {r[14000:].std().item():.3f})")
